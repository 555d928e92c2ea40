"""Where a score says little, in a sentence beside it."""

from __future__ import annotations

from dbench.codes import Sample
from dbench.scoring.plan import Item

__all__ = ["FEW_ROWS", "cautions"]

FEW_ROWS = 500
"""Below so many observations every score is said to say little."""

_ENOUGH_FOR_SUTER = 100_000  # where exact copies beside idle codes come near 1, see dci


def cautions(item: Item, sample: Sample) -> list[str]:
    """Say why a score of this sample says little; nothing where it does not.

    Args:
        item: what was computed.
        sample: on what.

    Example:
        >>> import numpy as np
        >>> from dbench.scoring.plan import PLAN
        >>> print(*cautions(PLAN["med"], Sample(np.ones((600, 2)), np.arange(600)[:, None] % 2)))
        with one factor no code can mix two: near 1 whatever the codes
    """
    said = []
    if sample.n_factors == 1 and item.mixes:
        said.append("with one factor no code can mix two: near 1 whatever the codes")
    if item.name == "dci[suter]" and len(sample) < _ENOUGH_FOR_SUTER:
        said.append("leaves of 500 observations are coarse for this many rows; compare it with its copies, not with 1")
    if len(sample) < FEW_ROWS and item.needs != "source":
        said.append(f"few rows ({len(sample)}): estimates from fewer than {FEW_ROWS} are rough and biased")
    return said
