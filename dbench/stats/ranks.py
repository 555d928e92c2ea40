"""Rank statistics: rank correlations of scores, and how often luck beats the choice of a setting."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.errors import InvalidInput
from dbench.stats.inputs import finite_matrix, finite_vector


def rank_correlation(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's rank correlation of two vectors; 0 if either is constant, since it orders nothing."""
    a, b = finite_vector("first", first), finite_vector("second", second)
    if a.shape != b.shape or len(a) < 2:
        raise InvalidInput(f"first and second must be vectors of equal length >= 2, got {a.shape} and {b.shape}")
    # Ranks from 1 to n have the mean (n + 1) / 2, ties or none.
    a, b = ranks(a) - (len(a) + 1) / 2, ranks(b) - (len(b) + 1) / 2
    norm = math.sqrt(float(a @ a) * float(b @ b))
    return min(1.0, max(-1.0, float(a @ b) / norm)) if norm else 0.0


def rank_correlations(table: ArrayLike) -> NDArray[np.float64]:
    """Spearman's correlations of all pairs of columns of models x scores; 0 with a constant column, 1 with itself."""
    columns = finite_matrix("table", table, rows=2).T
    ranked = np.array([ranks(column) for column in columns])
    centred = ranked - ranked.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    unit = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > 0)
    matrix = (unit @ unit.T).clip(-1, 1)
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(matrix, dtype=np.float64)


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks of values, from 1; tied values share the mean of their ranks."""
    order = np.argsort(values, kind="stable")
    inorder = values[order]
    # Start and end of each run of equal values, counted from 0.
    starts = np.flatnonzero(np.concatenate(([True], inorder[1:] != inorder[:-1])))
    ends = np.append(starts[1:], len(values))
    mean_ranks = np.empty(len(values))
    mean_ranks[order] = np.repeat((starts + ends + 1) / 2, ends - starts)
    return mean_ranks


def sweep_correlations(levels: ArrayLike, sweeps: ArrayLike) -> NDArray[np.float64]:
    """:func:`rank_correlation` of each row of n x m numbers with the same m levels, all at once; m is at least 2."""
    order, rows = finite_vector("levels", levels), finite_matrix("sweeps", sweeps, columns=2)
    if len(order) != rows.shape[1]:
        raise InvalidInput(f"sweeps must have a column for each of {len(order)} levels, got shape {rows.shape}")
    below = (rows[:, :, None] > rows[:, None, :]).sum(axis=2)
    equal = (rows[:, :, None] == rows[:, None, :]).sum(axis=2)
    middle = (rows.shape[1] + 1) / 2
    ranked, known = below + (equal + 1) / 2 - middle, ranks(order) - middle
    norms = np.sqrt((ranked**2).sum(axis=1) * (known @ known))
    correlations = np.divide(ranked @ known, norms, out=np.zeros(len(rows)), where=norms > 0)
    return np.asarray(correlations, dtype=np.float64)


def _max_beats_min(bad: NDArray[np.float64], good: NDArray[np.float64]) -> float:
    """P(better of two seeds of ``bad`` > worse of two seeds of ``good``): the unbiased U-statistic.

    Counted from 0 in rising order, seed k of ``bad`` is the better one of k pairs. It beats the worse seed of a pair of
    ``good`` unless both of that pair reach it.
    """
    below = np.searchsorted(np.sort(good), np.sort(bad), side="left")
    beaten = math.comb(len(good), 2) - (len(good) - below) * (len(good) - below - 1) // 2
    return float(np.arange(len(bad)) @ beaten / math.comb(len(bad), 2) / math.comb(len(good), 2))


def luck_beats_choice(scores: NDArray[np.float64]) -> float:
    """How often a lucky seed at the worse of two settings beats an unlucky seed at the better one.

    Scores are seeds x settings, at least 2 x 2. In every pair of settings the better one has the higher mean score;
    with equal means each counts as better with half the weight. A lucky seed is the better of two drawn at random, an
    unlucky seed the worse of two. The result is averaged over all pairs of settings.

    Returns:
        0 if the settings decide everything. If they have no effect, 5/6 in the limit of many seeds, and less with few
        (0.72 at 5, 0.76 at 10, 0.80 at 50, for six settings of normal scores): the seeds that are compared also order
        the settings, so the choice looks better than it is. Ties count for the choice.
    """
    scores = finite_matrix("scores", scores, rows=2, columns=2)
    means = scores.mean(axis=0)
    order = np.argsort(means)

    def beaten(bad: int, good: int) -> float:
        probability = _max_beats_min(scores[:, bad], scores[:, good])
        if means[bad] == means[good]:
            return (probability + _max_beats_min(scores[:, good], scores[:, bad])) / 2
        return probability

    return float(np.mean([beaten(order[i], order[j]) for j in range(len(order)) for i in range(j)]))
