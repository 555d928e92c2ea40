"""A column of text: numbers where every value is one, else labels."""

import contextlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.codes.formats.values import Values
from dbench.errors import InvalidInput
from dbench.shown import clipped

MISSING = ("NA", "N/A", "nan", "NaN", "null")  # what R and pandas write for a gap


class Labels(NamedTuple):
    """A column of categories."""

    ranks: NDArray[np.int64]  # n numbers of categories
    names: tuple[str, ...]  # the categories: in their order, or as they occur where they have none
    ordered: bool = False


Column = Values | Labels


def text_column(what: str, values: NDArray[Any]) -> Column:
    """Read text: as numbers where every value is one and no two are the same, else as labels, numbered as they occur.

    Whole numbers become integers, exactly; those that do not fit into 64 bits are labels in their order.

    Raises:
        InvalidInput: values that are missing, or that a terminal cannot print.

    Example:
        >>> text_column("shape", np.array(["heart", "square", "heart"]))
        Labels(ranks=array([0, 1, 0]), names=('heart', 'square'), ordered=False)
        >>> text_column("size", np.array(["2", "10"]))
        array([ 2, 10])
    """
    try:  # no array of text, whose every cell is as wide as the longest
        text = [str(value) for value in (values.astype(str) if values.dtype.kind == "S" else values).tolist()]
    except ValueError as error:
        raise InvalidInput(f"{what} must be text, got: {error}") from error
    names = tuple(dict.fromkeys(text))
    rank = {name: place for place, name in enumerate(names)}
    index = np.array([rank[value] for value in text], dtype=np.int64)
    odd = [name for name in names if not name.isprintable() or not name.strip()]
    if odd:
        raise InvalidInput(f"{what} must have printable text in every row, got {clipped(odd[0])!r}")
    try:
        numbers = _numbers(names)
    except OverflowError:
        order = np.array(sorted(range(len(names)), key=lambda number: int(names[number])))
        return Labels(np.argsort(order)[index], tuple(names[number] for number in order), ordered=True)
    except ValueError:
        missing = [name for name in names if name in MISSING]
        if missing:
            raise InvalidInput(
                f"{what} must have text in every row, got {missing[0]!r}; another name makes it a label"
            ) from None
        return Labels(index, names)
    if not np.isfinite(numbers).all():
        raise InvalidInput(f"{what} must be finite, got {clipped(names[int(np.argmin(np.isfinite(numbers)))])}")
    if len(np.unique(numbers)) < len(numbers):  # '7' and '007'
        return Labels(index, names)
    return numbers[index]


def _numbers(names: Sequence[str]) -> Values:
    with contextlib.suppress(ValueError):
        return np.array([int(name) for name in names], dtype=np.int64)  # exact, where a float is not
    return np.array([float(name) for name in names])
