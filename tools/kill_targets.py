"""Which processes of a sweep are killed, and what that hit, judged by the files left in its store."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

TARGETS = ("all", "controller", "worker")
"""What is killed: all processes of a sweep at once, the one that shares out the work, or one that trains or scores."""

MOMENTS = ("beginning", "training", "trained", "save", "file")
"""What a kill hits.

``beginning``: nothing was written yet since the sweep was started. ``training``: the work between two saves.
``trained``: likewise, with every run trained, so scoring and what else comes at the end. ``save``: between two files of
a run, one of which is there and not in the record yet, or no longer. ``file``: a file that is being written.
"""

_SETTLED = 0.5
"""Seconds after which those who survived a kill have ended the file they were writing."""

_WRITING = ".partial"

Files = set[tuple[Path, int]]
"""Files with the time of their last change, in nanoseconds."""


def kill(process: subprocess.Popen[bytes], target: str, generator: np.random.Generator) -> bool:
    """Kill by the signal that cannot be caught; return whether there was anybody to kill.

    Args:
        process: controller of a sweep, in a session of its own.
        target: one of :data:`TARGETS`.
        generator: draws the worker.
    """
    if process.poll() is not None:
        return False
    if target == "all":
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    chosen = process.pid
    if target == "worker":
        workers = _children(process.pid)
        if not workers:
            return False
        chosen = int(generator.choice(workers))
    try:
        os.kill(chosen, signal.SIGKILL)
    except ProcessLookupError:
        return False
    if target == "controller":
        process.wait()
    return True


def _children(parent: int) -> list[int]:
    """Return the workers of a controller, forked from its server of forks; Python's own helpers do no work."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    of = {
        int(pid): (int(by), "".join(args)) for pid, by, *args in (row.split(maxsplit=2) for row in listed.splitlines())
    }
    helpers = {
        pid for pid, (by, args) in of.items() if by == parent and ("resource_tracker" in args or "forkserver" in args)
    }
    return sorted(pid for pid, (by, _) in of.items() if by in {parent, *helpers} and pid not in helpers)


def wait_for_file(root: Path, process: subprocess.Popen[bytes], *, patience: float) -> None:
    """Return as soon as a file of the store is being written; after ``patience`` seconds, or with the sweep, anyway."""
    left = {path for path, _ in _files(root) if path.suffix == _WRITING}  # by those who were killed before
    until = time.monotonic() + patience
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError):  # a folder that is gone again
            if not left.issuperset(root.rglob(f"*{_WRITING}")):
                return


class Witness:
    """Tells what each kill of a sweep hit.

    Args:
        root: folder of the sweep's store.
        trained: whether every run is trained.
    """

    def __init__(self, root: Path, trained: Callable[[], bool]) -> None:
        self._root, self._trained = root, trained
        self._known: Files = set()
        self._at_start: Files = set()

    def note_start(self) -> None:
        """Remember what is there before processes are started."""
        self._at_start = _files(self._root)

    def hit(self, target: str) -> str:
        """Return which of :data:`MOMENTS` the kill hit that was done just now."""
        left = self._left()
        if left and target != "all":
            time.sleep(_SETTLED)
            left &= self._left()
        self._known |= left
        if any(path.suffix == _WRITING for path, _ in left):
            return "file"
        if left:
            return "save"
        if _files(self._root) <= self._at_start:
            return "beginning"
        return "trained" if self._trained() else "training"

    def _left(self) -> Files:
        """Return the files that no record promises, but for those that earlier kills left."""
        return {file for file in _files(self._root) - self._known if not _counts(file[0])}


def _files(root: Path) -> Files:
    found: Files = set()
    for path in root.rglob("*"):
        with suppress(OSError):  # gone again
            if path.is_file() and path.parent.name != "locks":
                found.add((path, path.stat().st_mtime_ns))
    return found


def _counts(path: Path) -> bool:
    """Whether a file is whole and, where a record has to name it, named."""
    if path.suffix != ".safetensors":
        return path.suffix != _WRITING
    try:
        return path.name in json.loads((path.parent / "run.json").read_bytes())["files"]
    except (OSError, ValueError, KeyError):
        return False
