"""Runs that one process holds at a time: a lock file each."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from dbench.errors import DbenchError
from dbench.zoo.keys import RunKey

__all__ = ["hold", "lock_folder"]


def lock_folder(url: str) -> Path:
    """Return the folder of this machine for the locks of a store that is none of its folders."""
    return Path(tempfile.gettempdir()) / f"dbench-{hashlib.sha256(url.encode()).hexdigest()[:12]}"


@contextmanager
def hold(keys: Iterable[RunKey], folder: Path, *, patience: float = 0.0) -> Iterator[list[RunKey]]:
    """Hold those of the runs that no other process holds, for as long as the context lasts.

    Args:
        keys: the runs wanted.
        folder: of the locks; made when it is missing.
        patience: seconds to wait, all in all, for runs that are held.

    Raises:
        DbenchError: a lock cannot be made.
    """
    until = time.monotonic() + patience
    with ExitStack() as held:
        taken = []
        for key in keys:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                lock = FileLock(folder / f"{key.digest}.lock")
                held.enter_context(lock.acquire(timeout=max(until - time.monotonic(), 0.0)))
            except Timeout:
                continue
            except OSError as error:
                raise DbenchError(f"store could not lock run {key} in {folder}: {error}") from None
            taken.append(key)
        yield taken
