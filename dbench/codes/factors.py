"""Which factors are labels and which are continuous; each is what it is, whatever stands beside it.

Text is a label without an order: it is numbered as it occurs, so that other names for the same categories change
nothing. Whole numbers are labels, whatever their type, and ordered categories are. Other numbers are labels too where
they take few values that occur often, as in dSprites' ``latents_values``; else they are continuous.
"""

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.codes.formats.text import Column, Labels
from dbench.codes.formats.values import Values, beyond_floats
from dbench.codes.sample import Kind
from dbench.errors import InvalidInput, unknown_name
from dbench.shown import clipped, some

FEW = 100  # most values of a factor that is read as labels although they are not whole numbers
OFTEN = 10  # least observations for each of these values, on average
_SHOWN = 12


def _whole(column: Values) -> bool:
    return column.dtype.kind != "f" or bool((column == np.rint(column)).all())


class Kinds(NamedTuple):
    """What a user says of factors, by name or pattern (``*`` stands for any).

    Attributes:
        continuous: factors that are continuous although they look like labels.
        discrete: factors that are labels although they look continuous.
    """

    continuous: Collection[str] = ()
    discrete: Collection[str] = ()

    def encode(self, columns: Sequence[Column], names: Sequence[str]) -> tuple[Values, tuple[Kind, ...], list[str]]:
        """Make one matrix of factors, of k columns of n values and their k names.

        Returns:
            n x k factors, int64 where all are labels, else float64; their kinds; and what was decided, one sentence
            each. Labels are as they were, but for text, for few fractions, and for those that floats merge beside
            continuous factors (2^53): these are numbered.

        Raises:
            InvalidInput: a factor that is named as both kinds, or text that is named as continuous; whole numbers that
                come as floats so large that they have merged; continuous integers that do as floats.
            UnknownName: a name that fits no factor.

        Example:
            >>> size = np.repeat([0.5, 0.75, 1.0], 10)
            >>> factors, kinds, notes = Kinds().encode([size], ["size"])
            >>> factors.ravel()[::10].tolist(), kinds, notes[0][:43]
            ([0, 1, 2], ('discrete',), 'size (3 values): not whole numbers, but few')
            >>> Kinds(continuous=["size"]).encode([size], ["size"])[1]
            ('continuous',)
        """
        said_continuous, said_discrete = (self._named(patterns, names) for patterns in self)
        if said_continuous & said_discrete:
            raise InvalidInput(f"a factor is continuous or discrete, got both for {sorted(said_continuous)[0]!r}")
        kinds, kept, notes = list[Kind](), list[NDArray[Any]](), list[str]()
        few, many = list[str](), list[str]()
        for name, column in zip(names, columns, strict=True):
            if isinstance(column, Labels):
                if name in said_continuous:
                    raise InvalidInput(f"continuous must name factors of numbers, got {name!r}, which is text")
                notes.append(_categories(name, column))
                kinds.append("discrete" if column.ordered else "text")
                kept.append(column.ranks)
                continue
            values, ranks = np.unique(column, return_inverse=True)
            often = len(values) <= FEW and len(column) >= OFTEN * len(values)
            if name in said_continuous:
                kinds.append("continuous")
                kept.append(_as_floats(name, column, len(values)))
            elif _whole(column):
                kinds.append("discrete")
                kept.append(_as_labels(name, column))
            elif name in said_discrete or often:
                kinds.append("discrete")
                kept.append(ranks.astype(np.int64))
                if name not in said_discrete:
                    few.append(f"{name} ({len(values)} {'value' if len(values) == 1 else 'values'})")
            else:
                kinds.append("continuous")
                kept.append(column)
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
            large = [j for j, column in enumerate(kept) if column.dtype.kind == "i" and beyond_floats(column)]
            for j in large:
                kept[j] = np.unique(kept[j], return_inverse=True)[1].astype(np.int64)
            if large:
                notes.append(f"{some([names[j] for j in large])}: labels from 2^53 on, numbered in their order.")
        return np.stack(kept, axis=1), tuple(kinds), notes

    @staticmethod
    def _named(patterns: Collection[str], names: Sequence[str]) -> set[str]:
        listed = [patterns] if isinstance(patterns, str) else list(patterns)
        found = set[str]()
        for pattern in listed:
            fits = {name for name in names if name == pattern or fnmatchcase(name, pattern)}
            if not fits:
                raise unknown_name("factor", pattern, names)
            found |= fits
        return found


def _as_floats(name: str, column: Values, values: int) -> NDArray[np.float64]:
    """Return a continuous factor, or refuse integers of which floats merge some."""
    floats = column.astype(np.float64)
    if beyond_floats(column) and len(np.unique(floats)) < values:
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


def _categories(name: str, column: Labels) -> str:
    shown = ", ".join(f"{number} = {clipped(label)}" for number, label in enumerate(column.names[:_SHOWN]))
    more = f" and {len(column.names) - _SHOWN} more" if len(column.names) > _SHOWN else ""
    what = "ordered categories" if column.ordered else "text"
    return f"{clipped(name)}: {what}, read as labels {shown}{more}."
