"""Where a result comes from: code, versions, time. No paths and nothing of the machine."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import metadata, version
from pathlib import Path

_PACKAGES = ("dbench", "torch", "numpy", "scikit-learn", "scipy")

# In a hook these name the repository of the hook, which may be another than that of this file.
_OF_A_REPOSITORY = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"}


def _git(*arguments: str) -> str | None:
    """Return what git prints in the folder of this file, or None where it fails."""
    git = ["git", "-C", str(Path(__file__).resolve().parent), *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in _OF_A_REPOSITORY}
    try:
        done = subprocess.run(git, env=environment, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


@cache
def commit() -> str:
    """Return the commit of the code, with ``+dirty`` if the package differs from it; the version when installed."""
    package = str(Path(__file__).resolve().parent)
    head, tracked = _git("rev-parse", "HEAD"), _git("ls-files", "--", package)
    if not head or not tracked:
        return f"v{version('dbench')}"
    return head if _git("status", "--porcelain", "--", package) == "" else f"{head}+dirty"


@cache
def versions() -> str:
    """Return on one line the versions of Python and of the packages that decide numbers."""
    return ", ".join([f"python {platform.python_version()}", *(f"{name} {version(name)}" for name in _PACKAGES)])


def utc_now() -> str:
    """Return the time in UTC, to the second, in ISO form."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def repository() -> str:
    """Return the address of the repository from the package's metadata, else from GitHub's runner, else empty."""
    for entry in metadata("dbench").get_all("Project-URL") or ():
        name, _, address = entry.partition(", ")
        if name.lower() == "repository":
            return str(address)
    server, name = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    return f"{server}/{name}" if server and name else ""
