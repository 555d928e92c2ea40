"""Published archives: fetched, checked, and large ones laid out for random access."""

import hashlib
import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from math import prod
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dbench.data.base import Factors, GridData, Images, digest
from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.files import atomic_write

_CUT_OFF = ("ConnectionError", "ProxyError", "Timeout")  # of requests, which pooch downloads with


def cache_folder() -> Path:
    """Return where downloads are kept: the environment variable ``DBENCH_DATA``, or the user's cache folder."""
    import pooch

    return Path(os.environ.get("DBENCH_DATA") or pooch.os_cache("dbench")).expanduser()


def fetch(name: str, addresses: Sequence[str], md5: str = "") -> Path:
    """Return the path of a published file, downloaded to :func:`cache_folder` unless it lies there already.

    Its ``addresses`` are tried in order until one gives it; it lies under ``name`` whichever did. Where no MD5 (hex)
    was published, whoever reads the file checks it.

    Raises:
        DbenchError: no address gives the file; each is named with its reason.
    """
    import pooch

    folder, reasons = cache_folder(), []
    for url in addresses:
        try:
            return Path(pooch.retrieve(url, known_hash=f"md5:{md5}" if md5 else None, fname=name, path=folder))
        except (OSError, ValueError) as error:
            # The text of a failed connection takes 300 characters to say that there is none.
            cut_off = type(error).__name__.endswith(_CUT_OFF)
            reasons.append(f"from {url}: {'no connection' if cut_off else error}")
    raise DbenchError(
        f"{name} could not be downloaded {'; '.join(reasons)}; put the file into {folder}, or set DBENCH_DATA"
    )


def check_md5(path: Path, md5: str) -> None:
    """Insist on a file of that MD5."""
    if not path.is_file():
        raise InvalidInput(f"path must be an existing file, got {str(path)!r}")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if found != md5:
        raise DamagedData(f"{path} must have MD5 {md5}, got {found}; delete it to download it again")


def unpacked(
    target: Path, shape: tuple[int, ...], parts: Callable[[], Iterator[NDArray[np.uint8]]]
) -> NDArray[np.uint8]:
    """Return an array of bytes as a read-only view of a file, writing the file first unless it is there.

    Images of a few gigabytes, compressed, can neither be held in memory nor looked up one by one. The file is there
    whole or not at all; beyond its length it is not checked again.
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
    """Base of published archives: their factors, sizes and shapes stand on the class, known before one is fetched."""

    checked_by: ClassVar[str] = "MD5"
    archive: ClassVar[str]  # what is read and how, for the fingerprint, which the checksums of its files complete

    @classmethod
    @abstractmethod
    def checksums(cls, name: str) -> tuple[str, ...]:
        """Return those of the published files of the data set of that name."""

    @classmethod
    def unfetched(cls, name: str) -> Self:
        """Return the data set of that name without its images: what stands on the class, and its fingerprint."""
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
