"""Published archives: fetched, checked, read without unpickling, and unpacked for random access where large."""

import hashlib
import io
import os
import zipfile
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from math import prod
from pathlib import Path
from typing import IO, ClassVar, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dbench.data.base import Factors, GridData, Images, digest
from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.files import atomic_write, read_npy_header, readable


def git_blob_id(path: Path) -> str:
    """Return the id that git gives the content of a file: SHA-1 of ``blob <size>``, a zero byte and the content."""
    header = b"blob %d\0" % path.stat().st_size
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.sha1(header, usedforsecurity=False)).hexdigest()


def read_shipped(file: str, sha256: str, member: str) -> NDArray[np.uint8]:
    """Return an array of bytes from an npz archive that dbench ships, after checking its SHA-256."""
    content = (files("dbench_fixtures.data") / file).read_bytes()
    actual = hashlib.sha256(content).hexdigest()
    if actual != sha256:
        raise DamagedData(f"{file} must have SHA-256 {sha256}, got {actual}; reinstall dbench")
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        array: NDArray[np.uint8] = archive[member]
    return array


@contextmanager
def _opened(path: Path, member: str) -> Iterator[tuple[IO[bytes], tuple[int, ...], bool, np.dtype[np.generic]]]:
    """Yield an npy member of an npz archive: the stream at its first value, shape, whether in Fortran order, type."""
    with readable(str(path), " as an npz archive"), zipfile.ZipFile(path) as archive:
        if f"{member}.npy" not in archive.namelist():
            raise DamagedData(f"{path}: no member {member!r} in the archive")
        with archive.open(f"{member}.npy") as stream:
            yield stream, *read_npy_header(stream, f"{path}: member {member!r}")


def read_shape(path: Path, member: str) -> tuple[int, ...]:
    """Return the shape that a member of an npz archive declares in its header."""
    with _opened(path, member) as (_, shape, _, _):
        return shape


def read_rows(
    path: Path, member: str, shape: tuple[int, ...], dtype: DTypeLike, *, rows: int
) -> Iterator[NDArray[np.generic]]:
    """Yield a member of an npz archive in parts of at most ``rows`` rows, so that memory stays bounded.

    The member must have the given shape and type. An array in Fortran order comes in one part.

    Raises:
        DamagedData: not a zip archive, no such member, another shape or type, pickled, or cut short.
    """
    wanted = np.dtype(dtype)
    with _opened(path, member) as (stream, stored_shape, fortran, stored):
        if stored_shape != shape or stored != wanted:
            raise DamagedData(
                f"{path}: member {member!r} must be {wanted} of shape {shape}, got {stored} of shape {stored_shape}"
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
    """Yield an array in parts of at most ``rows`` rows; what is read must end just where the shape says."""
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


_CUT_OFF = ("ConnectionError", "ProxyError", "Timeout")  # of requests, by which pooch downloads


def cache_folder() -> Path:
    """Return where downloads are kept: the environment variable ``DBENCH_DATA``, or the user's cache folder."""
    import pooch

    return Path(os.environ.get("DBENCH_DATA") or pooch.os_cache("dbench")).expanduser()


def fetch(name: str, addresses: Sequence[str], check: Callable[[Path], object]) -> Path:
    """Return the path of a published file, downloaded to :func:`cache_folder` unless it lies there already.

    Its ``addresses`` are tried in order until one gives a file that passes ``check``; it is stored as ``name`` whatever
    the address. A file that is there already is checked too, but never replaced.

    Raises:
        DamagedData: the file that lies there already does not pass the check.
        DbenchError: no address gives the file; each is named with its reason.
    """
    import pooch

    folder, reasons = cache_folder(), []
    place = folder / name
    if place.is_file():
        check(place)
        return place
    for url in addresses:
        try:
            pooch.retrieve(url, known_hash=None, fname=name, path=folder)
            check(place)
            return place
        except DamagedData as error:
            place.unlink()
            reasons.append(f"from {url}: {error}")
        except (OSError, ValueError) as error:
            # The text of a failed connection takes 300 characters to say that there is none.
            cut_off = type(error).__name__.endswith(_CUT_OFF)
            reasons.append(f"from {url}: {'no connection' if cut_off else error}")
    raise DbenchError(
        f"{name} could not be downloaded {'; '.join(reasons)}; put the file into {folder}, or set DBENCH_DATA"
    )


def check_md5(path: Path, md5: str) -> None:
    """Refuse a file that is missing or has another MD5."""
    if not path.is_file():
        raise InvalidInput(f"path must be an existing file, got {str(path)!r}")
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if actual != md5:
        raise DamagedData(f"{path} must have MD5 {md5}, got {actual}; delete it to download it again")


def check_blob_id(path: Path, blob_id: str) -> None:
    """Refuse a file that is missing or has another git blob id."""
    if not path.is_file():
        raise InvalidInput(f"path must be an existing file, got {str(path)!r}")
    actual = git_blob_id(path)
    if actual != blob_id:
        raise DamagedData(f"{path} must have git blob id {blob_id}, got {actual}; delete it to download it again")


def unpacked(
    target: Path, shape: tuple[int, ...], parts: Callable[[], Iterator[NDArray[np.uint8]]]
) -> NDArray[np.uint8]:
    """Return an array of bytes as a read-only view of a file, writing the file first unless it is there.

    Compressed images of a few gigabytes neither fit into memory nor can be looked up one by one. The file is written
    whole or not at all; one that is there already is checked by its length alone.
    """
    if not target.is_file() or target.stat().st_size != prod(shape):
        try:
            with atomic_write(target) as place, place.open("wb") as file:
                written = sum(file.write(np.ascontiguousarray(part).data) for part in parts())
                if written != prod(shape):
                    raise DamagedData(f"{target.name} must hold {prod(shape)} bytes, got {written}")
        except OSError as error:
            raise DbenchError(f"{target} ({prod(shape) / 1e9:.1f} GB) cannot be written: {error}") from error
    return np.memmap(target, dtype=np.uint8, mode="r", shape=shape)


class Published(GridData):
    """Base of published archives; factors, sizes and shapes are class attributes, known before anything is fetched."""

    checked_by: ClassVar[str] = "MD5"
    archive: ClassVar[str]  # what is read and how: with the checksums of its files it makes the fingerprint

    file_checksums: ClassVar[tuple[str, ...]]  # of the published files

    @classmethod
    def checksums(cls, name: str) -> tuple[str, ...]:
        """Return the checksums of the published files of the data set of that name."""
        return cls.file_checksums

    @classmethod
    def unfetched(cls, name: str) -> Self:
        """Return the data set of that name without its images: class attributes and fingerprint only."""
        data = cls.__new__(cls)
        data.name, data.fingerprint = name, digest(cls.archive, *cls.checksums(name))
        return data

    @classmethod
    @abstractmethod
    def fetched(cls, name: str) -> Self:
        """Return the data set of that name, downloaded to the cache folder unless it lies there already."""


class StoredImages(Published):
    """Base of data sets that look their images up: a subclass sets ``_images``, N x H x W x C bytes in grid order."""

    _images: NDArray[np.uint8]

    def _render(self, factors: Factors, generator: np.random.Generator | None) -> Images:
        return np.ascontiguousarray(np.moveaxis(self._images[self.index(factors)], 3, 1))


def lanczos(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Scale n x H x W bytes (n at least 1) to n x 64 x 64 by a Lanczos filter, as Locatello et al. do."""
    from PIL import Image

    scaled = [Image.fromarray(image).resize((64, 64), Image.Resampling.LANCZOS) for image in images]
    return np.stack([np.asarray(image) for image in scaled])
