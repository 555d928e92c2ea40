"""What all formats have in common: how much is read, which values are taken, and what they become."""

import csv
import lzma
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.errors import DamagedData, DbenchError, InvalidInput

Values = NDArray[np.int64] | NDArray[np.float64]

LARGEST_ROWS = 100_000_000
"""Most rows a file may have; all of them are looked at."""

LARGEST_FILE = 1 << 33
"""Most bytes an array may have as stored (8 GiB); they pass through in blocks and are not kept."""

LARGEST_KEPT = 1 << 27
"""Most values of an array that are kept in memory, 1 GiB as float64."""

# What zipfile, its decompressors, numpy's header reader, csv and the parsers below them raise on damaged bytes;
# RuntimeError stands for encrypted members and unknown compression, and includes a recursion too deep.
_UNREADABLE: tuple[type[Exception], ...] = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError, TypeError, LookupError,
    RuntimeError, SyntaxError, MemoryError, OverflowError, tokenize.TokenError, csv.Error,
)  # fmt: skip


class Layout(NamedTuple):
    """Rows and columns of a matrix, and whether it holds whole numbers by type."""

    rows: int
    columns: int
    whole: bool


@contextmanager
def readable(what: str, *more: type[Exception], kind: str = "") -> Iterator[None]:
    """Turn what damaged bytes raise, and more, into :class:`DamagedData`."""
    try:
        yield
    except DbenchError:
        raise
    except (*_UNREADABLE, *more) as error:
        raise DamagedData(f"{what} cannot be read{kind}: {error or type(error).__name__}") from error


def require_room(what: str, layout: Layout, kept: int) -> None:
    """Insist that what is to be kept of a matrix fits into memory."""
    if layout.rows > LARGEST_ROWS:
        raise InvalidInput(f"{what} may have at most {LARGEST_ROWS:,} rows, got {layout.rows:,}")
    if kept * layout.columns > LARGEST_KEPT:
        fit = LARGEST_KEPT // layout.columns
        raise InvalidInput(
            f"{what} would keep {kept:,} rows of {layout.columns:,} values in memory, where {LARGEST_KEPT:,} "
            f"values is the limit; ask for fewer rows (at most {fit:,})"
        )


def _checked(what: str, block: NDArray[np.generic], first: int, column: int) -> Values:
    """Convert a block to int64 or float64, or say where a value is that cannot be used."""
    if block.dtype.kind == "f":
        with np.errstate(over="ignore"):
            values = block.astype(np.float64)
        bad = ~np.isfinite(values)
        if bad.any():
            row, place = (int(number) for number in np.argwhere(bad)[0])
            raise InvalidInput(
                f"{what} must be finite, got {values[row, place]} in row {first + row}, column {column + place} "
                f"(counted from 0; missing values count as NaN)"
            )
        return values
    if block.dtype.kind == "u" and block.dtype.itemsize == 8 and block.astype(np.uint64).max() > np.iinfo(np.int64).max:
        raise InvalidInput(f"{what} must fit into 64 bits with sign, got {block.max()}")
    return block.astype(np.int64)


def collect(
    what: str,
    layout: Layout,
    blocks: Iterable[NDArray[np.generic]],
    keep: NDArray[np.int64] | None,
    *,
    column: int = 0,
) -> Values:
    """Check every row that passes and keep some.

    Args:
        what: for messages.
        layout: of the whole matrix.
        blocks: its rows in parts, in order.
        keep: numbers of the rows to keep, ascending; all if not given.
        column: number of the first column, for messages.

    Returns:
        The kept rows, int64 for whole numbers by type, else float64.

    Raises:
        InvalidInput: NaN, infinity, or integers that do not fit.
    """
    chosen = np.arange(layout.rows) if keep is None else keep
    shape = (len(chosen), layout.columns)
    kept: Values = np.empty(shape, dtype=np.int64) if layout.whole else np.empty(shape, dtype=np.float64)
    first = 0
    for block in blocks:
        values = _checked(what, block, first, column)
        start, stop = np.searchsorted(chosen, [first, first + len(block)])
        kept[start:stop] = values[chosen[start:stop] - first]
        first += len(block)
    return kept


def spans(total: int, step: int) -> Iterator[tuple[int, int]]:
    """Cut ``range(total)`` into parts of at most ``step``."""
    for start in range(0, total, step):
        yield start, min(start + step, total)
