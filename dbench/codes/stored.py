"""Arrays in npy files and npz archives, read by numpy once each header agrees with the number of bytes.

Nothing is ever unpickled.
"""

import math
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes.factors import Column, text_column
from dbench.codes.sample import LARGEST_FILE, Values, checked, require_room, rows_of
from dbench.errors import DamagedData, InvalidInput
from dbench.files import read_npy_header, readable

_BLOCK = 1 << 22  # bytes checked at once
_TEXT = 1 << 20  # most bytes of a vector of strings


@dataclass(frozen=True)
class StoredArray:
    """An array in a file, not read yet; shape and type are as declared."""

    what: str  # file and name, for messages
    shape: tuple[int, ...]  # agrees with the number of bytes in the file
    dtype: np.dtype[np.generic]  # object arrays are listed but never read
    load: Callable[[], Any]  # maps an npy file into memory, or reads a member of an open archive

    def __str__(self) -> str:
        return f"{' x '.join(map(str, self.shape)) or 'scalar'}, {self.dtype}"

    @property
    def numbers(self) -> tuple[int, int]:
        """Rows and columns of a matrix of real numbers; a vector is one column, and anything else is refused."""
        if self.dtype.hasobject:
            raise InvalidInput(
                f"{self.what} holds python objects, which only a pickle can store, and pickles can run code: they are "
                f"never read; save it as numbers, np.asarray(rows, dtype=float)"
            )
        if self.dtype.kind not in "biuf":
            raise InvalidInput(f"{self.what} must hold real numbers, got dtype {self.dtype}")
        return self.matrix

    @property
    def matrix(self) -> tuple[int, int]:
        """Rows and columns of a matrix of any type; a vector is one column."""
        if len(self.shape) not in (1, 2) or 0 in self.shape:
            raise InvalidInput(f"{self.what} must be a non-empty matrix (observations x dimensions), got {self}")
        return self.shape[0], self.shape[1] if len(self.shape) == 2 else 1

    def read(self, keep: NDArray[np.int64] | None = None) -> Values:
        """Check all values and return the rows to keep (all if not given), as int64 or float64.

        Raises:
            InvalidInput: NaN or infinity, or an array that is no matrix of numbers.
            DamagedData: the file ends early or its checksum is wrong.
        """
        rows, columns = self.numbers
        require_room(self.what, rows, columns, rows if keep is None else len(keep))
        values = self._values()
        step = max(_BLOCK // (columns * self.dtype.itemsize), 1)
        blocks = (values[start : start + step] for start in range(0, rows, step))
        return rows_of(checked(self.what, blocks), keep)

    def read_columns(self, keep: NDArray[np.int64] | None = None) -> list[Column]:
        """Return the kept rows of each column, which may hold text; raises as :meth:`read`."""
        if self.dtype.kind not in "US":
            return list(self.read(keep).T)
        rows, columns = self.matrix
        require_room(self.what, rows, columns * self.dtype.itemsize // 8 + 1, rows)
        text = self._values()
        return [text_column(self.what, column) for column in (text if keep is None else text[keep]).T]

    def read_text(self) -> tuple[str, ...]:
        """Return a short vector of strings; anything else is refused."""
        if self.dtype.hasobject:
            raise InvalidInput(
                f"{self.what} holds python objects, which are never read; save it as text, np.array(names, dtype=str)"
            )
        if self.dtype.kind not in "US" or len(self.shape) != 1 or max(self.dtype.itemsize, 1) * self.shape[0] > _TEXT:
            raise InvalidInput(f"{self.what} must be a short vector of strings, got {self}")
        with _readable_npy(self.what):
            return tuple(part.decode() if isinstance(part, bytes) else part for part in self.load().tolist())

    def _values(self) -> NDArray[Any]:
        with _readable_npy(self.what):
            return np.asarray(self.load()).reshape(self.matrix)


@contextmanager
def _readable_npy(what: str) -> Iterator[None]:
    with readable(what, " as an npy array"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's remarks on old or odd headers
        yield


def _header(what: str, size: int, stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    """Return shape, Fortran order and type from the header of an npy stream, checked against its size in bytes."""
    with _readable_npy(what):
        shape, fortran, dtype = read_npy_header(stream, what)
    expected = stream.tell() + math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or (not dtype.hasobject and expected != size):
        raise DamagedData(f"{what} must have {expected} bytes for {dtype} of shape {shape}, got {size}")
    if expected > LARGEST_FILE:
        raise InvalidInput(f"{what} may have at most {LARGEST_FILE} bytes, got {expected}")
    return shape, fortran, dtype


def open_npy(file: IO[bytes], files: ExitStack) -> dict[str, StoredArray]:
    """Return the one array of an npy file, not read yet; its name is empty."""
    what = Path(file.name).name
    shape, fortran, dtype = _header(what, Path(file.name).stat().st_size, file)
    load = partial(np.memmap, file, dtype, "r", file.tell(), shape, "F" if fortran else "C")
    return {"": StoredArray(what, shape, dtype, load)}


def open_npz(file: IO[bytes], files: ExitStack) -> dict[str, StoredArray]:
    """Return the arrays of an npz archive by name, not read yet.

    Raises:
        DamagedData: not a zip file, a name that occurs twice, an encrypted member, or a damaged header.
    """
    what = Path(file.name).name
    with readable(what, " as an npz archive"):
        archive = files.enter_context(zipfile.ZipFile(file))
        members = [info for info in archive.infolist() if info.filename.endswith(".npy")]
        names = [info.filename for info in members]
        unprintable = [name for name in names if not name.isprintable()]
        if unprintable:  # messages print them
            raise DamagedData(f"{what} must have printable names for arrays, got {unprintable[0]!r}")
        repeated = [name for name, count in Counter(names).items() if count > 1]
        if repeated:  # nothing says which one is meant
            raise DamagedData(f"{what} must hold each array once, got {repeated[0]!r} more than once")
        arrays = {}
        for info in members:
            name = info.filename.removesuffix(".npy")
            with archive.open(info) as stream:
                shape, _, dtype = _header(f"{what}: {name}", info.file_size, stream)
            arrays[name] = StoredArray(f"{what}: {name}", shape, dtype, partial(_member, archive, info))
    return arrays


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Any:
    with archive.open(info) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)
