"""Writing a file whole or not at all: beside its place first, then renamed."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from dbench.errors import DbenchError


@contextlib.contextmanager
def aside(path: Path) -> Iterator[Path]:
    """Give a place beside ``path`` to write to; it is renamed at the end, or removed when something is raised.

    Folders are made if missing. A process of its own has a place of its own.
    """
    place = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield place
        place.replace(path)
    finally:
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)


def write_aside(path: Path, content: str | bytes) -> Path:
    """Write bytes, or text as UTF-8.

    Raises:
        DbenchError: the place cannot be written to.
    """
    try:
        with aside(path) as place:
            place.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise DbenchError(f"cannot write {path}: {error.strerror or error}") from error
    return path
