"""What a colleague would say of codes and scores before they are believed."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.codes.factors import FEW, OFTEN

if TYPE_CHECKING:
    from dbench.scoring.compute import Result

REDUNDANT = 0.999
"""From this share of its variance on a code is said to follow from the others."""

MOST = 1_000
"""Codes up to which it is worked out, since the work grows as their cube."""

TOLD_APART = 0.1
"""Chance and copies a smaller part of the larger one apart are not told apart; the audit asks the same of a scale."""


def of_codes(sample: Sample, code_names: tuple[str, ...]) -> Iterable[str]:
    """What makes all scores of a sample doubtful, one sentence each."""
    n, d = sample.codes.shape
    if n < 2 * OFTEN:
        yield f"Only {n} rows: no score means anything. Score some hundreds, better ten thousand."
    elif n <= d:
        yield f"There are no more rows ({n}) than codes ({d}): a linear predictor fits anything; score more rows."
    elif d <= MOST and (redundant := np.flatnonzero((shares := explained(sample.codes)) >= REDUNDANT)).size:
        names = ", ".join(f"{code_names[i]} ({shares[i]:.5f})" for i in redundant[:10])
        yield (
            f"Nearly singular codes: a linear function of the others explains almost all variance of {names}. Total "
            "correlation has no useful value, and which of them is called important is arbitrary."
        )
    if _like_labels(sample.codes) and not any(_like_labels(column[:, None]) for column in sample.factors.T):
        yield "The codes look like labels and the factors like codes: are they swapped? Codes come first."


def explained(codes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of each code's variance that a linear function of the others explains; 0 of constant codes.

    Of codes with more rows than codes. It is 1 less the reciprocal of the diagonal of the inverse correlation matrix.

    Example:
        >>> x, y = np.random.default_rng(0).normal(size=(2, 1_000))
        >>> [float(share) for share in explained(np.stack([x, y, x + y, 0 * x], axis=1)).round(3)]
        [1.0, 1.0, 1.0, 0.0]
    """
    shares = np.zeros(codes.shape[1])
    varies = np.flatnonzero(np.ptp(codes, axis=0) > 0)
    if len(varies) < 2:
        return shares
    values, vectors = np.linalg.eigh(np.corrcoef(codes[:, varies], rowvar=False))
    inverse = (vectors**2 / np.maximum(values, 1e-12)).sum(axis=1)
    shares[varies] = 1 - 1 / np.maximum(inverse, 1.0)
    return shares


def _like_labels(columns: NDArray[np.float64] | NDArray[np.int64]) -> bool:
    """Whether all are whole numbers of few values that occur often."""
    return all(
        (column == np.rint(column)).all() and len(np.unique(column)) <= min(FEW, len(column) / OFTEN)
        for column in columns.T
    )


def of_scale(result: "Result") -> Iterable[str]:
    """Say of a metric that does not tell exact copies of these factors from chance."""
    chance, copies = result.chance, result.copies
    if chance is None or copies is None:
        return
    gain = copies - chance if result.item.better != "lower" else chance - copies
    if gain <= TOLD_APART * max(abs(chance), abs(copies)):
        yield f"chance ({chance:.3f}) is as high as exact copies ({copies:.3f}): it tells nothing of these factors"
