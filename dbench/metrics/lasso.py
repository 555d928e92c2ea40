"""Lasso with a cross-validated penalty for many targets at once, from second moments alone.

Everything a Lasso path and its cross-validation error depend on are the products of predictors and targets
within each fold. They are taken once; coordinate descent then runs over all targets and all folds together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput
from dbench.metrics.inputs import require_count

__all__ = ["LassoFit", "cross_validated_lasso"]

Array = NDArray[np.float64]


class LassoFit(NamedTuple):
    """Weights (d x targets), the penalty chosen for each target, and the smallest cross-validation error."""

    weights: Array
    penalty: Array
    error: Array


def _moments(x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Return (1 + d) x (1 + d), (1 + d) x targets and targets: products of the parts, a column of ones first."""
    ones = np.concatenate([np.ones((len(x), 1)), x], axis=1)
    return ones.T @ ones, ones.T @ y, (y * y).sum(axis=0)


def _centred(xx: Array, xy: Array) -> tuple[Array, Array]:
    """Covariances of the predictors, and of predictors and targets, from stacked moments."""
    n = xx[:, :1, :1]
    x_mean, y_mean = xx[:, 1:, :1] / n, xy[:, :1] / n
    return xx[:, 1:, 1:] / n - x_mean * x_mean.swapaxes(1, 2), xy[:, 1:] / n - x_mean * y_mean


def _descend(gram: Array, xy: Array, weights: Array, penalty: Array, tolerance: float, max_iter: int) -> None:
    """Coordinate descent, in place, until no weight moves by more than ``tolerance`` in a sweep."""
    diagonal = np.einsum("fpp->fp", gram)
    inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 1e-10)
    others = gram - np.eye(gram.shape[1]) * gram
    low = -penalty
    for _ in range(max_iter):
        before = weights.copy()
        for p in range(gram.shape[1]):
            slope = xy[:, p] - (others[:, p : p + 1] @ weights)[:, 0]
            slope -= np.clip(slope, low, penalty)  # soft threshold
            slope *= inverse[:, p : p + 1]
            weights[:, p] = slope
        before -= weights
        if max(before.max(), -before.min()) <= tolerance:
            return


def cross_validated_lasso(
    x: Array,
    y: Array,
    *,
    folds: int = 5,
    penalties: int = 100,
    tolerance: float = 1e-5,
    max_iter: int = 1000,
) -> LassoFit:
    """Fit ``|y - xw - b|^2 / 2n + penalty |w|_1`` for every target, each with the penalty of least error.

    The rules are those of scikit-learn's ``LassoCV``: a geometric path of penalties from the smallest that
    gives zero weights down to a thousandth of it, contiguous folds, the mean over folds of the mean squared
    error, the largest penalty among equals. Rows should be in random order.

    Args:
        x: n x d predictors, best standardised. Constant ones get weight 0.
        y: n x targets.
        folds: number of folds, from 2 to n.
        penalties: length of the path.
        tolerance: largest change of a weight in the last sweep.
        max_iter: largest number of sweeps for each penalty.

    Returns:
        The fit on all observations at the chosen penalties.
    """
    require_count("folds", folds, 2)
    require_count("penalties", penalties, 1)
    if len(x) != len(y) or len(x) < folds:
        raise InvalidInput(f"x and y must have equally many rows, at least {folds}, got {len(x)} and {len(y)}")
    parts = [
        _moments(x_part, y_part)
        for x_part, y_part in zip(np.array_split(x, folds), np.array_split(y, folds), strict=True)
    ]
    xx, xy, yy = (np.stack(moment) for moment in zip(*parts, strict=True))
    # The last fit is the one on all observations.
    gram, target = _centred(
        np.concatenate([xx.sum(axis=0) - xx, xx.sum(axis=0, keepdims=True)]),
        np.concatenate([xy.sum(axis=0) - xy, xy.sum(axis=0, keepdims=True)]),
    )
    # The error on a fold is quadratic in the weights, about the means of the other folds.
    n_rest = xx[:, :1, :1].sum() - xx[:, :1, :1]
    x_mean = (xx.sum(axis=0) - xx)[:, 1:, :1] / n_rest
    y_mean = (xy.sum(axis=0) - xy)[:, :1] / n_rest
    n_fold = xx[:, :1, :1]
    x_sum, y_sum = xx[:, 1:, :1], xy[:, :1]
    fold_gram = (
        xx[:, 1:, 1:]
        - x_mean * x_sum.swapaxes(1, 2)
        - x_sum * x_mean.swapaxes(1, 2)
        + n_fold * x_mean * x_mean.swapaxes(1, 2)
    ) / n_fold
    fold_xy = (xy[:, 1:] - x_mean * y_sum - x_sum * y_mean + n_fold * x_mean * y_mean) / n_fold
    fold_yy = (yy - 2 * y_mean[:, 0] * y_sum[:, 0] + n_fold[:, 0] * y_mean[:, 0] ** 2) / n_fold[:, 0]

    largest = np.abs(target[-1]).max(axis=0)
    weights = np.zeros((folds + 1, x.shape[1], y.shape[1]))
    best = np.zeros((x.shape[1], y.shape[1]))
    error, chosen = np.full(y.shape[1], np.inf), np.zeros(y.shape[1])
    for share in np.geomspace(1.0, 1e-3, penalties):
        penalty = largest * share
        _descend(gram, target, weights, penalty, tolerance, max_iter)
        fitted = weights[:-1]
        now = (fold_yy + (fitted * (fold_gram @ fitted - 2 * fold_xy)).sum(axis=1)).mean(axis=0)
        better = now < error
        error, chosen = np.where(better, now, error), np.where(better, penalty, chosen)
        best = np.where(better, weights[-1], best)
    return LassoFit(best, chosen, error)
