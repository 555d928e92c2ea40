"""Where a result comes from: commit, versions, machine. No paths, no environment, no host names."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["commit", "versions"]

_PACKAGES = ("dbench", "torch", "numpy", "scipy", "scikit-learn", "pandas", "pytest")


def versions() -> dict[str, str]:
    """Return the versions of python and of the packages that decide a number; absent ones are left out."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def commit(folder: Path) -> str:
    """Return the commit of the checkout that holds ``folder``, with ``+dirty`` when files differ from it.

    ``unknown`` outside a checkout or without git.
    """

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + ("+dirty" if git("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
