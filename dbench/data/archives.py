"""Reading somebody else's npz archive: nothing is unpickled, and nothing is read before its size is known."""

import hashlib
import io
import lzma
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dbench.errors import DamagedData

# What zipfile, its decompressors and numpy's header reader raise on damaged or hostile bytes; RuntimeError stands for
# encrypted members and unknown compression.
UNREADABLE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError, SyntaxError,
    tokenize.TokenError,
)  # fmt: skip


def git_blob_id(path: Path) -> str:
    """Return the id that git gives the content of a file: SHA-1 of ``blob <size>``, a zero byte and the content."""
    total = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()


def read_shipped(file: str, sha256: str, member: str) -> NDArray[np.uint8]:
    """Return an array of bytes from an npz archive that dbench ships.

    Raises:
        DamagedData: the file is not what its checksum promises.
    """
    content = (files("dbench_fixtures.data") / file).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise DamagedData(f"{file} must have SHA-256 {sha256}, got {found}; reinstall dbench")
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        array: NDArray[np.uint8] = archive[member]
    return array


def _header(stream: IO[bytes], path: Path, member: str) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    """Read the header of an npy member: shape, whether in Fortran order, type."""
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise DamagedData(f"{path}: member {member!r} must be in npy format 1 or 2, got version {version}")
    reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return reader(stream)


def read_shape(path: Path, member: str) -> tuple[int, ...]:
    """Return the shape that a member of an npz archive has by its own header.

    Raises:
        DamagedData: not a zip archive, no such member, or no array.
    """
    try:
        with zipfile.ZipFile(path) as archive, archive.open(f"{member}.npy") as stream:
            return _header(stream, path, member)[0]
    except KeyError as error:
        raise DamagedData(f"{path}: no member {member!r} in the archive") from error
    except UNREADABLE as error:
        raise DamagedData(f"{path} cannot be read as an npz archive: {error}") from error


def read_rows(
    path: Path, member: str, shape: tuple[int, ...], dtype: DTypeLike, *, rows: int
) -> Iterator[NDArray[np.generic]]:
    """Yield a member of an npz archive in parts of at most ``rows`` rows, so that memory stays bounded.

    It must have this shape and type. An array stored in Fortran order comes in one part.

    Raises:
        DamagedData: not a zip archive, no such member, another shape or type, pickled, or cut short.
    """
    wanted = np.dtype(dtype)
    try:
        with zipfile.ZipFile(path) as archive, archive.open(f"{member}.npy") as stream:
            found_shape, fortran, found = _header(stream, path, member)
            if found_shape != shape or found != wanted:
                raise DamagedData(
                    f"{path}: member {member!r} must be {wanted} of shape {shape}, got {found} of shape {found_shape}"
                )
            row_bytes = wanted.itemsize * int(np.prod(shape[1:], dtype=np.int64))
            step = shape[0] if fortran else rows
            for start in range(0, shape[0], step):
                length = min(step, shape[0] - start)
                data = stream.read(length * row_bytes)
                if len(data) != length * row_bytes:
                    raise DamagedData(f"{path}: member {member!r} ends before row {start + length} of {shape[0]}")
                yield np.frombuffer(data, dtype=wanted).reshape(length, *shape[1:], order="F" if fortran else "C")
            if stream.read(1):
                raise DamagedData(f"{path}: member {member!r} goes on after its {shape[0]} rows")
    except KeyError as error:
        raise DamagedData(f"{path}: no member {member!r} in the archive") from error
    except UNREADABLE as error:
        raise DamagedData(f"{path} cannot be read as an npz archive: {error}") from error
