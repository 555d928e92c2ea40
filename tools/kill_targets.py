"""Kill processes of a sweep, and tell by the files left in its store what the kill interrupted."""

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
"""What is killed: all processes of a sweep, its controller, which hands out the work, or a worker, which does it."""

MOMENTS = ("beginning", "training", "trained", "save", "file")
"""What a sweep was doing when it was killed.

``beginning``: it had written nothing since it was started. ``training``: it worked between two saves. ``trained``: the
same, but every run was trained, so it was scoring or finishing. ``save``: it had written some of a run's files: one is
there that the record does not name yet, or no longer. ``file``: it was writing a file.
"""

_SETTLED = 0.5
"""Seconds after which the processes that survived a kill have finished the file they were writing."""

_WRITING = ".partial"  # suffix of a file that is being written

Files = set[tuple[Path, int]]
"""Paths of files, each with the time of its last change in nanoseconds."""


def kill(process: subprocess.Popen[bytes], target: str, generator: np.random.Generator) -> bool:
    """Kill a target with SIGKILL; return False if there was no process to kill.

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
    """Return the workers of a controller; its fork server started them. Python's own helpers are no workers."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    parents: dict[int, int] = {}
    helpers: set[int] = set()
    for row in listed.splitlines():
        pid, parent_pid, *arguments = row.split(maxsplit=2)
        parents[int(pid)] = int(parent_pid)
        is_helper = any(name in "".join(arguments) for name in ("resource_tracker", "forkserver"))
        if int(parent_pid) == parent and is_helper:
            helpers.add(int(pid))
    return sorted(pid for pid, started_by in parents.items() if started_by in {parent, *helpers} and pid not in helpers)


def wait_for_file(root: Path, process: subprocess.Popen[bytes], *, patience: float) -> None:
    """Return when a file of the store is being written, when the sweep ends, or after ``patience`` seconds."""
    leftovers = {path for path, _ in _files(root) if path.suffix == _WRITING}  # of processes killed earlier
    until = time.monotonic() + patience
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError):  # a folder was removed meanwhile
            if not leftovers.issuperset(root.rglob(f"*{_WRITING}")):
                return


class Witness:
    """Tells what each kill of a sweep interrupted.

    Args:
        root: folder of the sweep's store.
        trained: returns whether every run is trained.
    """

    def __init__(self, root: Path, trained: Callable[[], bool]) -> None:
        self._root, self._trained = root, trained
        self._left_before: Files = set()
        self._at_start: Files = set()

    def note_start(self) -> None:
        """Remember the files that are there before processes are started."""
        self._at_start = _files(self._root)

    def hit(self, target: str) -> str:
        """Return which of :data:`MOMENTS` the kill of a moment ago hit."""
        unrecorded = self._unrecorded()
        if unrecorded and target != "all":
            time.sleep(_SETTLED)
            unrecorded &= self._unrecorded()
        self._left_before |= unrecorded
        if any(path.suffix == _WRITING for path, _ in unrecorded):
            return "file"
        if unrecorded:
            return "save"
        if _files(self._root) <= self._at_start:
            return "beginning"
        return "trained" if self._trained() else "training"

    def _unrecorded(self) -> Files:
        """Return the files that no record names, without those that earlier kills left."""
        return {file for file in _files(self._root) - self._left_before if not _is_recorded(file[0])}


def _files(root: Path) -> Files:
    found: Files = set()
    for path in root.rglob("*"):
        with suppress(OSError):  # it was removed meanwhile
            if path.is_file() and path.parent.name != "locks":
                found.add((path, path.stat().st_mtime_ns))
    return found


def _is_recorded(path: Path) -> bool:
    """Whether a file is complete and, if it holds tensors, named in the record of its run."""
    if path.suffix != ".safetensors":
        return path.suffix != _WRITING
    try:
        return path.name in json.loads((path.parent / "run.json").read_bytes())["files"]
    except (OSError, ValueError, KeyError):
        return False
