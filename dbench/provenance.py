"""Where a result comes from: code, versions, time. No paths, no environment, no host names."""

from __future__ import annotations

import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

__all__ = ["commit", "utc_now", "versions"]

_PACKAGES = ("dbench", "torch", "numpy", "scikit-learn", "scipy")


def _git(*arguments: str) -> str | None:
    folder = Path(__file__).resolve().parent
    try:
        done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


@cache
def commit() -> str:
    """Return the commit of the code, ``+dirty`` when the package differs from it, or the version when installed."""
    package = str(Path(__file__).resolve().parent)
    head, tracked = _git("rev-parse", "HEAD"), _git("ls-files", "--", package)
    if not head or not tracked:
        return f"v{version('dbench')}"
    return f"{head}+dirty" if _git("status", "--porcelain", "--", package) else head


@cache
def versions() -> str:
    """Return python's version and those of the packages that decide numbers, as one line."""
    return ", ".join([f"python {platform.python_version()}", *(f"{name} {version(name)}" for name in _PACKAGES)])


def utc_now() -> str:
    """Return the time in UTC, to the second, in ISO form."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
