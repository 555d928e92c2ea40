"""Which factors are labels and which are continuous.

Text is a label. Whole numbers are labels, whatever their type. Other numbers are labels too where they take few
values that occur often, as in dSprites' ``latents_values``; else they are continuous, and then so are all factors of
the sample, since a metric treats them alike.
"""

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.codes.formats.text import Column, Labels
from dbench.codes.formats.values import Values, beyond_floats
from dbench.errors import InvalidInput, unknown_name

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

    def encode(self, columns: Sequence[Column], names: Sequence[str]) -> tuple[Values, list[str]]:
        """Make one matrix of factors, of k columns of n values and their k names.

        Returns:
            n x k factors, int64 where all are labels, else float64; and what was decided, one sentence each.

        Raises:
            InvalidInput: a factor that is named as both kinds, or text that is named as continuous; whole numbers so
                large that floats merge them (2^53), where they come as floats or become such.
            UnknownName: a name that fits no factor.

        Example:
            >>> size = np.repeat([0.5, 0.75, 1.0], 10)
            >>> factors, notes = Kinds().encode([size], ["size"])
            >>> factors.ravel()[::10].tolist(), notes[0][:43]
            ([0, 1, 2], 'size (3 values): not whole numbers, but few')
            >>> Kinds(continuous=["size"]).encode([size], ["size"])[0].dtype
            dtype('float64')
        """
        said_continuous, said_discrete = (self._named(patterns, names) for patterns in self)
        if said_continuous & said_discrete:
            raise InvalidInput(f"a factor is continuous or discrete, got both for {sorted(said_continuous)[0]!r}")
        real, notes, few = [], [], []
        labels: list[NDArray[np.int64]] = []
        for name, column in zip(names, columns, strict=True):
            if isinstance(column, Labels):
                if name in said_continuous:
                    raise InvalidInput(f"continuous must name factors of numbers, got {name!r}, which is text")
                shown = ", ".join(f"{number} = {label}" for number, label in enumerate(column.names[:_SHOWN]))
                more = f" and {len(column.names) - _SHOWN} more" if len(column.names) > _SHOWN else ""
                notes.append(f"{name}: text, read as labels {shown}{more}.")
                labels.append(column.ranks)
                continue
            values, ranks = np.unique(column, return_inverse=True)
            if name in said_continuous:
                real.append(name)
            elif _whole(column):
                if column.dtype.kind == "f" and beyond_floats(column):
                    raise InvalidInput(
                        f"{name} must hold labels as integers or text where they reach 2^53, since floats merge whole "
                        f"numbers there, got {column[np.abs(column).argmax()]:.17g}; or name it as continuous"
                    )
                labels.append(column.astype(np.int64))
                continue
            elif name in said_discrete:
                pass
            elif len(values) <= FEW and len(column) >= OFTEN * len(values):
                few.append(f"{name} ({len(values)} {'value' if len(values) == 1 else 'values'})")
            else:
                real.append(name)
            labels.append(ranks.astype(np.int64))
        if not real:
            if few:
                notes.append(
                    f"{', '.join(few)}: not whole numbers, but few that occur often, so they are read as labels; "
                    "name under --continuous what is not."
                )
            return np.stack(labels, axis=1), notes
        if len(real) < len(columns):
            why = "continuous as asked" if set(real) <= said_continuous else "too many values for labels"
            notes.append(
                f"{', '.join(real)}: {why}, so all factors count as continuous; for metrics of labels leave them out, "
                "cut them into classes (numpy.digitize), or name them as 'discrete'."
            )
        kept = [column.ranks if isinstance(column, Labels) else column for column in columns]
        matrix = np.stack([column.astype(np.float64) for column in kept], axis=1)
        for name, before, after in zip(names, kept, matrix.T, strict=True):
            if beyond_floats(before) and len(np.unique(after)) < len(np.unique(before)):
                raise InvalidInput(
                    f"{name} must stay below 2^53 beside continuous factors, as floats merge whole numbers beyond, "
                    f"got {before[np.abs(before).argmax()]}; subtract the smallest from all"
                )
        return matrix, notes

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
