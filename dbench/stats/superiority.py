"""Which of two groups scores higher: probabilities, overlap of ranges, and whether a choice is worth making."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.errors import InvalidInput
from dbench.stats.inputs import finite_matrix, finite_vector

__all__ = [
    "probability_of_superiority",
    "range_overlap",
    "superiority_over_rest",
    "transfer_chance",
    "transfer_success",
]


def probability_of_superiority(first: ArrayLike, second: ArrayLike) -> float:
    """P(a random value of the first group exceeds one of the second), ties counting half.

    Mann and Whitney's U over the number of pairs: 1/2 where the groups do not differ, 1 where every value of the
    first exceeds every one of the second. For normal groups d standard deviations apart it is Phi(d / sqrt 2):
    0.56 at 0.2, 0.64 at 0.5, 0.71 at 0.8.
    """
    a, b = finite_vector("first", first), np.sort(finite_vector("second", second))
    below, up_to = np.searchsorted(b, a, side="left"), np.searchsorted(b, a, side="right")
    return float((below + up_to).mean() / (2 * len(b)))


def superiority_over_rest(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(a random run of each setting exceeds a random run of another setting), ties counting half.

    Args:
        scores: seeds x settings, at least 1 x 2.

    Returns:
        One probability a setting; their mean is 1/2. 'No setting is best' says that the largest stays within a band.
    """
    table = finite_matrix("scores", scores, columns=2)
    settings = range(table.shape[1])
    return np.array([probability_of_superiority(table[:, s], np.delete(table, s, axis=1).ravel()) for s in settings])


def range_overlap(first: ArrayLike, second: ArrayLike, *, trim: float = 0.0) -> float:
    """Length of the intersection of two ranges over that of their union.

    Ranges grow with the number of values: compare groups of equal size, or trim.

    Args:
        first: values of one group.
        second: values of the other.
        trim: share cut off on either side before the range is taken, in [0, 1/2).

    Returns:
        0 where the ranges are apart or touch in a point, 1 where they are the same (two equal points as well).
    """
    if not 0 <= trim < 0.5:
        raise InvalidInput(f"trim must lie in [0, 0.5), got {trim}")
    ends = [np.quantile(finite_vector(n, v), [trim, 1 - trim]) for n, v in (("first", first), ("second", second))]
    (low_a, high_a), (low_b, high_b) = ends
    union = max(high_a, high_b) - min(low_a, low_b)
    if union == 0:
        return 1.0
    return float(max(0.0, min(high_a, high_b) - max(low_a, low_b)) / union)


def transfer_success(source: NDArray[np.float64], target: NDArray[np.float64]) -> float:
    """How often a setting chosen by one score beats or ties a random setting on another (Sober Look 5.4.3, Table 1).

    A seed is drawn and the setting with its highest source score chosen (several: each as often). Another seed is
    drawn, and the chosen setting's target score compared with that of a setting drawn at random, the chosen one
    among them; a tie counts as success. All draws are enumerated, so the value is that of infinitely many trials.

    Args:
        source: seeds x settings, the score that chooses; at least 2 x 2.
        target: the score that judges, same shape; the same array for 'same metric and data set'.

    Returns:
        Where the choice is worth nothing, :func:`transfer_chance` on average (without ties), not 1/2.
    """
    chooser = finite_matrix("source", source, rows=2, columns=2)
    judge = finite_matrix("target", target, rows=2, columns=2)
    if chooser.shape != judge.shape:
        raise InvalidInput(f"source and target must have the same shape, got {chooser.shape} and {judge.shape}")
    # wins[s, h]: share of the settings that setting h beats or ties at seed s.
    wins = np.array([(row[:, None] >= row[None, :]).mean(axis=1) for row in judge])
    chosen = chooser == chooser.max(axis=1, keepdims=True)
    weights = chosen / chosen.sum(axis=1, keepdims=True)
    # success[s, t]: chosen at seed s, judged at seed t; the same seed does not judge itself.
    success = weights @ wins.T
    n = len(success)
    return float((success.sum() - np.trace(success)) / (n * (n - 1)))


def transfer_chance(n_settings: int) -> float:
    """Success of a choice that is worth nothing among m settings without ties: (m + 1) / 2m, for it may meet itself."""
    if n_settings < 1:
        raise InvalidInput(f"n_settings must be at least 1, got {n_settings}")
    return (n_settings + 1) / (2 * n_settings)
