"""npy files and npz archives, zip files of them: headers are checked against the bytes there before allocating."""

import io
import math
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from dbench.codes.formats.text import Column, text_column
from dbench.codes.formats.values import LARGEST_FILE, Layout, Values, collect, readable, require_room, spans
from dbench.errors import DamagedData, InvalidInput

_HEADER = 1 << 14  # numpy itself refuses headers above 10,000 bytes, but reads them first
_BLOCK = 1 << 22
_TEXT = 1 << 20


@dataclass(frozen=True)
class StoredArray:
    """An array in a file, of known shape and type, not read yet.

    Attributes:
        what: file and name, for messages.
        shape: as declared; the number of bytes in the file agrees with it.
        dtype: as declared; object arrays are listed but never read.
        fortran: whether columns, not rows, are stored one after the other.
        offset: where its values begin.
        open: opens the stream of its bytes.
    """

    what: str
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    fortran: bool
    offset: int
    open: Callable[[], AbstractContextManager[IO[bytes]]]

    def __str__(self) -> str:
        """Shape and type, for lists of what a file holds."""
        return f"{' x '.join(map(str, self.shape)) or 'scalar'}, {self.dtype}"

    @property
    def layout(self) -> Layout:
        """Rows and columns; a vector is one column.

        Raises:
            InvalidInput: objects, text, complex numbers, no values, or not a matrix.
        """
        if self.dtype.hasobject:
            raise InvalidInput(
                f"{self.what} holds python objects, which only a pickle can store, and pickles can run code: they are "
                f"never read; save it as numbers, np.asarray(rows, dtype=float)"
            )
        if self.dtype.kind not in "biuf":
            raise InvalidInput(f"{self.what} must hold real numbers, got dtype {self.dtype}")
        return Layout(*self.matrix, self.dtype.kind != "f")

    @property
    def matrix(self) -> tuple[int, int]:
        """Rows and columns, whatever they hold; a vector is one column.

        Raises:
            InvalidInput: no values, or not a matrix.
        """
        if len(self.shape) not in (1, 2) or 0 in self.shape:
            raise InvalidInput(f"{self.what} must be a non-empty matrix (observations x dimensions), got {self}")
        return self.shape[0], self.shape[1] if len(self.shape) == 2 else 1

    def read(self, keep: NDArray[np.int64] | None = None) -> Values:
        """Check all values and return the rows to keep (all if not given), as int64 or float64.

        Raises:
            InvalidInput: NaN or infinity, or an array that is no matrix of numbers.
            DamagedData: the file ends early or its checksum is wrong.
        """
        layout = self.layout
        require_room(self.what, layout, layout.rows if keep is None else len(keep))
        if not self.fortran or layout.columns == 1:
            return collect(self.what, layout, self._blocks(layout.rows, layout.columns, 1), keep)
        # Column by column: each is a matrix of one column.
        single = Layout(layout.rows, 1, layout.whole)
        blocks = self._blocks(layout.rows, 1, layout.columns)
        steps = len(list(spans(layout.rows, self._step(1))))
        shape = (layout.rows if keep is None else len(keep), layout.columns)
        values: Values = np.empty(shape, np.int64) if layout.whole else np.empty(shape, np.float64)
        for j in range(layout.columns):
            values[:, j] = collect(self.what, single, islice(blocks, steps), keep, column=j)[:, 0]
        for _ in blocks:  # runs its check of the end
            pass
        return values

    def read_columns(self, keep: NDArray[np.int64] | None = None) -> list[Column]:
        """Return the kept rows of each column, which may hold text.

        Raises:
            InvalidInput: as :meth:`read`, or text that is missing.
            DamagedData: as :meth:`read`.
        """
        if self.dtype.kind not in "US":
            return list(self.read(keep).T)
        rows, columns = self.matrix
        require_room(self.what, Layout(rows, columns * self.dtype.itemsize // 8 + 1, whole=False), rows)
        shape = (columns, rows) if self.fortran else (rows, columns)
        text = np.concatenate(list(self._blocks(*shape, 1)))
        text = text.T if self.fortran else text
        return [text_column(self.what, column) for column in (text if keep is None else text[keep]).T]

    def read_text(self) -> tuple[str, ...]:
        """Return a short vector of strings.

        Raises:
            InvalidInput: anything else.
        """
        if self.dtype.kind not in "US" or len(self.shape) != 1 or self.dtype.itemsize * self.shape[0] > _TEXT:
            raise InvalidInput(f"{self.what} must be a short vector of strings, got {self}")
        blocks = self._blocks(self.shape[0], 1, 1)
        try:
            values = np.concatenate([block.ravel() for block in blocks]) if self.shape[0] else np.array([], dtype="U")
            return tuple(part.decode() if isinstance(part, bytes) else str(part) for part in values.tolist())
        except UnicodeError as error:
            raise DamagedData(f"{self.what} must be text: {error}") from error

    def _step(self, columns: int) -> int:
        return max(_BLOCK // max(columns * self.dtype.itemsize, 1), 1)

    def _blocks(self, rows: int, columns: int, repeats: int) -> Iterator[NDArray[np.generic]]:
        """Yield ``repeats`` matrices after each other, in parts; insist that the stream then ends."""
        row_bytes = columns * self.dtype.itemsize
        with readable(self.what), self.open() as stream:
            _exactly(stream, self.offset, self.what)
            for _ in range(repeats):
                for start, stop in spans(rows, self._step(columns)):
                    data = _exactly(stream, (stop - start) * row_bytes, self.what)
                    yield np.frombuffer(data, dtype=self.dtype).reshape(stop - start, columns)
            if stream.read(1):
                raise DamagedData(f"{self.what} goes on after its last value")


def _exactly(stream: IO[bytes], size: int, what: str) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise DamagedData(f"{what} ends early: {size - len(data)} bytes are missing")
    return data


def _stored_array(what: str, size: int, opener: Callable[[], AbstractContextManager[IO[bytes]]]) -> StoredArray:
    """Read the header of an npy stream and check it against the stream's size in bytes."""
    with readable(what, kind=" as an npy array"), opener() as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's remarks on old or odd headers
        head = io.BytesIO(stream.read(_HEADER))
        version = np.lib.format.read_magic(head)
        if version == (1, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(head)
        elif version == (2, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_2_0(head)
        else:
            raise DamagedData(f"{what} must be in npy format 1 or 2, got version {version}")
    if any(isinstance(length, bool) or length < 0 for length in shape):
        raise DamagedData(f"{what} must have a shape of lengths of at least 0, got {shape}")
    expected = head.tell() + math.prod(shape) * dtype.itemsize
    if not dtype.hasobject and expected != size:
        raise DamagedData(f"{what} must have {expected} bytes for {dtype} of shape {shape}, got {size}")
    if expected > LARGEST_FILE:
        raise InvalidInput(f"{what} may have at most {LARGEST_FILE} bytes, got {expected}")
    return StoredArray(what, tuple(int(length) for length in shape), dtype, bool(fortran), head.tell(), opener)


def open_npy(path: Path) -> StoredArray:
    """Look at an npy file.

    Raises:
        DamagedData: not npy, or a header that disagrees with the file's size.
    """
    return _stored_array(path.name, path.stat().st_size, lambda: path.open("rb"))


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
    with readable(path.name, kind=" as an npz archive"):
        with zipfile.ZipFile(path) as archive:
            sizes = [(info.filename, info.file_size) for info in archive.infolist() if info.filename.endswith(".npy")]
        odd = [name for name, _ in sizes if not name.isprintable()]
        if odd:  # they would be printed
            raise DamagedData(f"{path.name} must have printable names for arrays, got {odd[0]!r}")
        # Archives open the last member of a name; which one was meant cannot be told.
        twice = [name for name, count in Counter(name for name, _ in sizes).items() if count > 1]
        if twice:
            raise DamagedData(f"{path.name} must hold each array once, got {twice[0]!r} more than once")
        found = {}
        for member, size in sizes:
            name = member.removesuffix(".npy")
            found[name] = _stored_array(f"{path.name}: {name}", size, partial(_member, path, member))
    return found
