"""Where a score says little, in a sentence beside it."""

from __future__ import annotations

from itertools import combinations

from dbench.codes import RowSource, Sample
from dbench.metrics.inputs import label_indices
from dbench.metrics.relations import entropy
from dbench.scoring.plan import Item
from dbench.scoring.subject import Subject

__all__ = ["FEW_ROWS", "cautions"]

FEW_ROWS = 500
"""Below so many observations every score is said to say little."""

_ENOUGH_FOR_SUTER = 100_000  # where exact copies beside idle codes come near 1, see dci


def cautions(item: Item, subject: Subject) -> list[str]:
    """Say why a score says little, or what it assumes; nothing where it does not.

    Args:
        item: what was computed.
        subject: on what.

    Example:
        >>> import numpy as np
        >>> from dbench.scoring.plan import PLAN
        >>> from dbench.scoring.subject import subject_of
        >>> print(*cautions(PLAN["med"], subject_of(Sample(np.ones((600, 2)), np.arange(600)[:, None] % 2))))
        with one factor no code can mix two: near 1 whatever the codes
    """
    sample, said = subject.sample, []
    if sample.n_factors == 1 and (item.mixes or item.needs == "source"):
        said.append("with one factor no code can mix two: near 1 whatever the codes")
    if item.name == "dci[suter]" and len(sample) < _ENOUGH_FOR_SUTER:
        said.append("leaves of 500 observations are coarse for this many rows; compare it with its copies, not with 1")
    if sample.n_factors > 1 and item.needs == "source" and isinstance(subject.source, RowSource):
        said.append(f"estimated from rows that share a value, as if factors were independent{_dependence(sample)}")
    if len(sample) < FEW_ROWS and (item.needs != "source" or isinstance(subject.source, RowSource)):
        said.append(f"few rows ({len(sample)}): estimates from fewer than {FEW_ROWS} are rough and biased")
    return said


def _dependence(sample: Sample) -> str:
    """Name the two factors that tell most of each other, and how much of their smaller entropy that is."""
    labels, sizes = label_indices(sample.factors)
    alone = entropy(labels)
    found = []
    for i, j in combinations(range(sample.n_factors), 2):
        both = entropy((labels[:, i] * sizes[j] + labels[:, j])[:, None])[0]
        found.append(((alone[i] + alone[j] - both) / min(alone[i], alone[j]), i, j))
    share, i, j = max(found)
    return f" (most dependent: {sample.factor_names[i]} and {sample.factor_names[j]}, {share:.2f} of their entropy)"
