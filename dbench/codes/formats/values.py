"""What all formats have in common: how much is read, which values are taken, and what they become."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput

Values = NDArray[np.int64] | NDArray[np.float64]

FIRST_MERGED = 2.0**53
LARGEST_ROWS = 100_000_000
LARGEST_FILE = 1 << 33  # bytes of an array as stored, 8 GiB
LARGEST_KEPT = 1 << 27  # values of an array kept in memory, 1 GiB as float64


def require_room(what: str, rows: int, columns: int, kept: int) -> None:
    """Insist that what is to be kept of a matrix fits into memory."""
    if rows > LARGEST_ROWS:
        raise InvalidInput(f"{what} may have at most {LARGEST_ROWS:,} rows, got {rows:,}")
    if kept * columns > LARGEST_KEPT:
        raise InvalidInput(
            f"{what} would keep {kept:,} rows of {columns:,} values in memory, where {LARGEST_KEPT:,} "
            f"values is the limit; ask for fewer rows (at most {LARGEST_KEPT // columns:,})"
        )


def as_integers(what: str, values: NDArray[Any]) -> NDArray[np.int64]:
    """Return integers or truth values, each as it is, or refuse what does not fit."""
    if values.dtype.kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
        raise InvalidInput(f"{what} must fit into 64 bits with sign, got {values.max()}")
    return values.astype(np.int64)


def beyond_floats(column: Values) -> bool:
    """Whether all are whole numbers, of which some are so large that a float cannot tell them from their neighbours."""
    if max(float(column.max()), -float(column.min())) < FIRST_MERGED:
        return False
    return column.dtype.kind != "f" or bool((column == np.rint(column)).all())


def checked(what: str, blocks: Iterable[NDArray[Any]], columns: Sequence[str] = ()) -> Iterator[Values]:
    """Convert parts of a matrix, whose columns may have names, to int64 or float64.

    Raises:
        InvalidInput: NaN, infinity, or integers that do not fit.
    """
    first = 0
    for block in blocks:
        if block.dtype.kind == "f":
            with np.errstate(over="ignore"):
                values = block.astype(np.float64)
            bad = ~np.isfinite(values)
            if bad.any():
                row, place = (int(number) for number in np.argwhere(bad)[0])
                raise InvalidInput(
                    f"{what} must be finite, got {values[row, place]} in row {first + row}, "
                    f"column {repr(columns[place]) if columns else place} "
                    f"(counted from 0; missing values count as NaN)"
                )
            yield values
        else:
            yield as_integers(what, block)
        first += len(block)


def rows_of(blocks: Iterable[NDArray[Any]], keep: NDArray[np.int64] | None) -> NDArray[Any]:
    """Join parts of an array, in order: those of their rows that have the numbers to keep, ascending, or all."""
    parts, first = [], 0
    for block in blocks:
        if keep is None:
            parts.append(block)
        else:
            start, stop = np.searchsorted(keep, [first, first + len(block)])
            parts.append(block[keep[start:stop] - first])
        first += len(block)
    return np.concatenate(parts)
