"""npy files, and npz archives: zip files of them."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from dbench.codes.formats.arrays import StoredArray, stored_array
from dbench.codes.formats.values import UNREADABLE
from dbench.errors import DamagedData, DbenchError

__all__ = ["open_npy", "open_npz"]


def open_npy(path: Path) -> StoredArray:
    """Look at an npy file.

    Raises:
        DamagedData: not npy, or a header that disagrees with the file's size.
    """
    return stored_array(path.name, path.stat().st_size, lambda: path.open("rb"))


@contextmanager
def _member(path: Path, name: str) -> Iterator[IO[bytes]]:
    with zipfile.ZipFile(path) as archive, archive.open(name) as stream:
        yield stream


def open_npz(path: Path) -> dict[str, StoredArray]:
    """Look at the arrays of an npz archive, by name.

    Values are read later, and checked against the archive's checksums then.

    Raises:
        DamagedData: not a zip file, a name that occurs twice, an encrypted member, or a damaged header.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = [(info.filename, info.file_size) for info in archive.infolist() if info.filename.endswith(".npy")]
        odd = [name for name, _ in sizes if not name.isprintable()]
        if odd:  # they would be printed
            raise DamagedData(f"{path.name} must have printable names for arrays, got {odd[0]!r}")
        # Archives open the last member of a name; which one was meant cannot be told.
        twice = [name for name, count in Counter(name for name, _ in sizes).items() if count > 1]
        if twice:
            raise DamagedData(f"{path.name} must hold each array once, got {twice[0]!r} more than once")
        return {
            name.removesuffix(".npy"): stored_array(
                f"{path.name}: {name.removesuffix('.npy')}", size, partial(_member, path, name)
            )
            for name, size in sizes
        }
    except DbenchError:
        raise
    except UNREADABLE as error:
        raise DamagedData(f"{path.name} cannot be read as an npz archive: {error or type(error).__name__}") from error
