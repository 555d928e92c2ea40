"""Reading npz archives that others published: nothing is unpickled, and nothing is read before its size is known."""

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dbench.errors import DamagedData
from dbench.files import read_npy_header, readable


def git_blob_id(path: Path) -> str:
    """Return the id that git gives the content of a file: SHA-1 of ``blob <size>``, a zero byte and the content."""
    header = b"blob %d\0" % path.stat().st_size
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.sha1(header, usedforsecurity=False)).hexdigest()


def read_shipped(file: str, sha256: str, member: str) -> NDArray[np.uint8]:
    """Return an array of bytes from an npz archive that dbench ships, if it is what its checksum promises."""
    content = (files("dbench_fixtures.data") / file).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise DamagedData(f"{file} must have SHA-256 {sha256}, got {found}; reinstall dbench")
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        array: NDArray[np.uint8] = archive[member]
    return array


@contextmanager
def _opened(path: Path, member: str) -> Iterator[tuple[IO[bytes], tuple[int, ...], bool, np.dtype[np.generic]]]:
    """Open an npy member behind its header: the stream, its shape, whether in Fortran order, its type."""
    with readable(str(path), " as an npz archive"), zipfile.ZipFile(path) as archive:
        if f"{member}.npy" not in archive.namelist():
            raise DamagedData(f"{path}: no member {member!r} in the archive")
        with archive.open(f"{member}.npy") as stream:
            yield stream, *read_npy_header(stream, f"{path}: member {member!r}")


def read_shape(path: Path, member: str) -> tuple[int, ...]:
    """Return the shape that a member of an npz archive has by its own header."""
    with _opened(path, member) as (_, shape, _, _):
        return shape


def read_rows(
    path: Path, member: str, shape: tuple[int, ...], dtype: DTypeLike, *, rows: int
) -> Iterator[NDArray[np.generic]]:
    """Yield a member of an npz archive in parts of at most ``rows`` rows, so that memory stays bounded.

    It must have this shape and type. An array stored in Fortran order comes in one part.

    Raises:
        DamagedData: not a zip archive, no such member, another shape or type, pickled, or cut short.
    """
    wanted = np.dtype(dtype)
    with _opened(path, member) as (stream, found_shape, fortran, found):
        if found_shape != shape or found != wanted:
            raise DamagedData(
                f"{path}: member {member!r} must be {wanted} of shape {shape}, got {found} of shape {found_shape}"
            )
        yield from read_parts(stream.read, f"{path}: member {member!r}", shape, wanted, rows=rows, fortran=fortran)


def read_parts(
    read: Callable[[int], bytes],
    what: str,
    shape: tuple[int, ...],
    dtype: np.dtype[np.generic],
    *,
    rows: int,
    fortran: bool = False,
) -> Iterator[NDArray[np.generic]]:
    """Yield what there is to read in parts of at most ``rows`` rows: as much as the shape says, and no more."""
    row_bytes = dtype.itemsize * int(np.prod(shape[1:], dtype=np.int64))
    step = shape[0] if fortran else rows
    for start in range(0, shape[0], step):
        length = min(step, shape[0] - start)
        data = read(length * row_bytes)
        if len(data) != length * row_bytes:
            raise DamagedData(f"{what} ends before row {start + length} of {shape[0]}")
        yield np.frombuffer(data, dtype=dtype).reshape(length, *shape[1:], order="F" if fortran else "C")
    if read(1):
        raise DamagedData(f"{what} goes on after its {shape[0]} rows")
