"""Which factors are labels and which are continuous; each is decided by its own values, not by other factors.

Text is a label without an order: it is numbered as it occurs, so that other names for the same categories change
nothing. Whole numbers are labels, whatever their type, and so are ordered categories. Other numbers are labels too
where they take few values that occur often, as in dSprites' ``latents_values``; else they are continuous.
"""

import contextlib
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.codes.sample import FIRST_MERGED, Kind, Values
from dbench.errors import InvalidInput, unknown_name
from dbench.shown import clipped, some

FEW = 100  # most values of a factor that is read as labels although they are not whole numbers
OFTEN = 10  # least observations for each of these values, on average
_SHOWN = 12  # most categories that a note lists
MISSING = ("NA", "N/A", "nan", "NaN", "null")  # what R and pandas write for a gap


class Labels(NamedTuple):
    """A column of categories."""

    ranks: NDArray[np.int64]  # the number of its category for each of n rows
    names: tuple[str, ...]  # the categories in their order, or as they first occur where they have none
    ordered: bool = False


Column = Values | Labels


def text_column(what: str, values: NDArray[Any]) -> Column:
    """Return text as numbers where distinct texts are distinct numbers, else as labels, numbered as they occur.

    Whole numbers become exact integers; those that do not fit into 64 bits become labels in their order.

    Raises:
        InvalidInput: values that are missing, or that a terminal cannot print.

    Example:
        >>> text_column("shape", np.array(["heart", "square", "heart"]))
        Labels(ranks=array([0, 1, 0]), names=('heart', 'square'), ordered=False)
        >>> text_column("size", np.array(["2", "10"]))
        array([ 2, 10])
    """
    try:  # a list: in a text array every cell is as wide as the longest
        text = [str(value) for value in (values.astype(str) if values.dtype.kind == "S" else values).tolist()]
    except ValueError as error:
        raise InvalidInput(f"{what} must be text, got: {error}") from error
    names = tuple(dict.fromkeys(text))
    rank = {name: number for number, name in enumerate(names)}
    index = np.array([rank[value] for value in text], dtype=np.int64)
    unprintable = [name for name in names if not name.isprintable() or not name.strip()]
    if unprintable:
        raise InvalidInput(f"{what} must have printable text in every row, got {clipped(unprintable[0])!r}")
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
    if len(np.unique(numbers)) < len(numbers):  # '7' and '007' are one number, but two labels
        return Labels(index, names)
    return numbers[index]


def ordered_labels(categories: Any) -> Labels:
    """Return labels in the order of the categories, from the accessor ``cat`` of a pandas column."""
    present = categories.remove_unused_categories().cat
    return Labels(present.codes.to_numpy(np.int64), tuple(map(str, present.categories)), ordered=True)


def _numbers(names: Sequence[str]) -> Values:
    """Return texts as integers where all are, else as floats; raises ValueError where one is no number."""
    if any("_" in name for name in names):  # Python reads 1_2 as 12
        raise ValueError
    with contextlib.suppress(ValueError):
        return np.array([int(name) for name in names], dtype=np.int64)  # exact, where a float is not
    return np.array([float(name) for name in names])


def beyond_floats(column: Values) -> bool:
    """Return whether all values are whole and some so large that a float cannot tell them from their neighbours."""
    return max(float(column.max()), -float(column.min())) >= FIRST_MERGED and _all_whole(column)


def _all_whole(column: Values) -> bool:
    return column.dtype.kind != "f" or bool((column == np.rint(column)).all())


class FactorTypes(NamedTuple):
    """What a user says about the kind of factors, by name or pattern (``*`` stands for anything).

    Attributes:
        continuous: factors that are continuous although they look like labels.
        discrete: factors that are labels although they look continuous.
    """

    continuous: Collection[str] = ()
    discrete: Collection[str] = ()

    def encode(self, columns: Sequence[Column], names: Sequence[str]) -> tuple[Values, tuple[Kind, ...], list[str]]:
        """Encode k columns of n values, with their k names, as one matrix of factors.

        Returns:
            n x k factors, int64 where all are labels, else float64; their kinds; and what was decided, one sentence
            each. Labels keep their numbers, except text, fractions, and labels beside continuous factors that floats
            would merge (from 2^53 on): these are numbered anew.

        Raises:
            InvalidInput: a factor that is named as both kinds, or text that is named as continuous; labels given as
                floats so large that they may have merged; continuous integers that would merge as floats.
            UnknownName: a name that fits no factor.

        Example:
            >>> size = np.repeat([0.5, 0.75, 1.0], 10)
            >>> factors, kinds, notes = FactorTypes().encode([size], ["size"])
            >>> factors.ravel()[::10].tolist(), kinds, notes[0][:43]
            ([0, 1, 2], ('discrete',), 'size (3 values): not whole numbers, but few')
            >>> FactorTypes(continuous=["size"]).encode([size], ["size"])[1]
            ('continuous',)
        """
        said_continuous, said_discrete = (self._fitting(patterns, names) for patterns in self)
        if said_continuous & said_discrete:
            raise InvalidInput(f"a factor is continuous or discrete, got both for {sorted(said_continuous)[0]!r}")
        kinds, encoded, notes = list[Kind](), list[NDArray[Any]](), list[str]()
        few, many = list[str](), list[str]()
        for name, column in zip(names, columns, strict=True):
            if isinstance(column, Labels):
                if name in said_continuous:
                    raise InvalidInput(f"continuous must name factors of numbers, got {name!r}, which is text")
                notes.append(_category_note(name, column))
                kinds.append("discrete" if column.ordered else "text")
                encoded.append(column.ranks)
                continue
            values, ranks = np.unique(column, return_inverse=True)
            often = len(values) <= FEW and len(column) >= OFTEN * len(values)
            if name in said_continuous:
                kinds.append("continuous")
                encoded.append(_as_floats(name, column, len(values)))
            elif _all_whole(column):
                kinds.append("discrete")
                encoded.append(_as_labels(name, column))
            elif name in said_discrete or often:
                kinds.append("discrete")
                encoded.append(ranks.astype(np.int64))
                if name not in said_discrete:
                    few.append(f"{name} ({len(values)} {'value' if len(values) == 1 else 'values'})")
            else:
                kinds.append("continuous")
                encoded.append(column)
                many.append(name)
        if few:
            notes.append(
                f"{some(few)}: not whole numbers, but few that occur often, so they are read as labels; "
                "name under --continuous what is not."
            )
        if many and len(many) < len(columns):
            notes.append(
                f"{some(many)}: too many values for labels, so continuous; for metrics of labels cut them into "
                "classes (numpy.digitize), or name them as 'discrete'."
            )
        if "continuous" in kinds:
            large = [j for j, column in enumerate(encoded) if column.dtype.kind == "i" and beyond_floats(column)]
            for j in large:
                encoded[j] = np.unique(encoded[j], return_inverse=True)[1].astype(np.int64)
            if large:
                notes.append(f"{some([names[j] for j in large])}: labels from 2^53 on, numbered in their order.")
        return np.stack(encoded, axis=1), tuple(kinds), notes

    @staticmethod
    def _fitting(patterns: Collection[str], names: Sequence[str]) -> set[str]:
        """Return the names that fit one of the patterns, each of which must fit some."""
        listed = [patterns] if isinstance(patterns, str) or not isinstance(patterns, Iterable) else [*patterns]
        if not all(isinstance(pattern, str) for pattern in listed):
            raise InvalidInput(f"continuous and discrete must name factors, got {patterns!r}")
        fitting = set[str]()
        for pattern in listed:
            fits = {name for name in names if name == pattern or fnmatchcase(name, pattern)}
            if not fits:
                raise unknown_name("factor", pattern, names)
            fitting |= fits
        return fitting


def _as_floats(name: str, column: Values, n_values: int) -> NDArray[np.float64]:
    """Return a continuous factor of so many values as floats, or refuse integers that floats would merge."""
    floats = column.astype(np.float64)
    if beyond_floats(column) and len(np.unique(floats)) < n_values:
        raise InvalidInput(
            f"{name} must stay below 2^53 as a continuous factor, since floats merge whole numbers beyond, "
            f"got {column[np.abs(column).argmax()]}; subtract the smallest from all"
        )
    return floats


def _as_labels(name: str, column: Values) -> NDArray[np.int64]:
    """Return whole numbers as labels, or refuse floats so large that they may have merged."""
    if column.dtype.kind == "f" and beyond_floats(column):
        raise InvalidInput(
            f"{name} must hold labels as integers or text where they reach 2^53, since floats merge whole "
            f"numbers there, got {column[np.abs(column).argmax()]:.17g}; or name it as continuous"
        )
    return column.astype(np.int64)


def _category_note(name: str, column: Labels) -> str:
    shown = ", ".join(f"{number} = {clipped(label)}" for number, label in enumerate(column.names[:_SHOWN]))
    more = f" and {len(column.names) - _SHOWN} more" if len(column.names) > _SHOWN else ""
    what = "ordered categories" if column.ordered else "text"
    return f"{clipped(name)}: {what}, read as labels {shown}{more}."


def exchanged(codes: Values, kinds: Sequence[Kind]) -> list[str]:
    """Return a note where all codes are whole numbers and no factor is a label: the two may have been exchanged."""
    if set(kinds) != {"continuous"} or not codes.any():
        return []
    if not all((column == np.rint(column)).all() for column in codes.T):  # one by one: wide codes fill the memory
        return []
    return ["All codes are whole numbers and no factor is a label: were codes and factors exchanged? Codes come first."]
