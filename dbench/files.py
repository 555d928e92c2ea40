"""Files: written whole or not at all, and what cannot be read as an error of ours."""

import contextlib
import io
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from dbench.errors import DamagedData, DbenchError

_LARGEST_HEADER = 1 << 14  # numpy itself refuses headers above 10,000 bytes, but reads them first


@contextlib.contextmanager
def readable(what: str, kind: str = "") -> Iterator[None]:
    """Turn whatever zipfile, numpy, pyarrow and others raise at damaged bytes into :class:`DamagedData`."""
    try:
        yield
    except DbenchError:
        raise
    except Exception as error:
        raise DamagedData(f"{what} cannot be read{kind}: {error or type(error).__name__}") from error


def read_npy_header(stream: IO[bytes], what: str) -> tuple[tuple[int, ...], bool, Any]:
    """Return what an npy stream declares, shape, whether in Fortran order and dtype; its values are what follows.

    Raises:
        DamagedData: another format than 1 or 2, or a header that cannot be read.
    """
    import numpy as np  # only here: the command line loads without it

    readers = {(1, 0): (2, np.lib.format.read_array_header_1_0), (2, 0): (4, np.lib.format.read_array_header_2_0)}
    with readable(what, " as an npy array"):
        version = np.lib.format.read_magic(stream)
        if version not in readers:
            raise DamagedData(f"{what} must be in npy format 1 or 2, got version {version}")
        width, reader = readers[version]
        length = stream.read(width)
        return reader(io.BytesIO(length + stream.read(min(int.from_bytes(length, "little"), _LARGEST_HEADER))))


@contextlib.contextmanager
def aside(path: Path) -> Iterator[Path]:
    """Give a place beside ``path`` to write to; it is renamed at the end, or removed when something is raised.

    Folders are made if missing. Every call has a place of its own, also where containers share folder and process ids.
    """
    place = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.partial")
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
