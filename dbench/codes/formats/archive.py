"""npy files, and npz archives: zip files of them."""

from __future__ import annotations

import zipfile
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
    found: dict[str, StoredArray] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
        for info in members:
            if not info.filename.endswith(".npy"):
                continue
            name = info.filename.removesuffix(".npy")
            if name in found:
                raise DamagedData(f"{path.name} must name each array once, got {name!r} twice")
            found[name] = stored_array(f"{path.name}: {name}", info.file_size, partial(_member, path, info.filename))
    except DbenchError:
        raise
    except UNREADABLE as error:
        raise DamagedData(f"{path.name} cannot be read as an npz archive: {error or type(error).__name__}") from error
    return found
