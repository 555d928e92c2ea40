"""Lasso with a cross-validated penalty for many targets at once, from second moments alone.

The path is piecewise linear in the penalty (Osborne et al. 2000): all targets and folds walk from corner to
corner of their paths together, and the error between two corners is a parabola.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput
from dbench.metrics.inputs import require_count

Array = NDArray[np.float64]

TINY = 1e-10  # smallest share of a predictor's variance that the active ones must leave unexplained for it to join


class LassoFit(NamedTuple):
    """Weights (d x targets) and the penalty chosen for each target."""

    weights: Array
    penalty: Array


class Moments(NamedTuple):
    """Sums of products over the observations of each fold, a column of ones before the predictors."""

    xx: Array  # folds x (1 + d) x (1 + d)
    xy: Array  # folds x (1 + d) x targets
    yy: Array  # folds x targets


class _Segment(NamedTuple):
    """A straight piece of every path: as the penalty falls by t from ``start``, weights are ``weights + t slope``."""

    start: Array  # problems
    weights: Array  # problems x d
    slope: Array  # problems x d


def _sweep(matrix: Array, pivot: NDArray[np.int64]) -> None:
    """Gauss-Jordan sweep, in place, of every matrix of a stack at its own pivot; twice is the identity."""
    every = np.arange(len(matrix))
    column, row = matrix[every, :, pivot], matrix[every, pivot]
    scale = 1.0 / matrix[every, pivot, pivot][:, None]
    row = row * scale
    matrix -= column[:, :, None] * row[:, None, :]
    matrix[every, pivot] = row
    matrix[every, :, pivot] = -column * scale
    matrix[every, pivot, pivot] = scale[:, 0]


def _walk(gram: Array, slopes: Array, stop: Array, max_corners: int) -> list[_Segment]:
    """Follow the Lasso path of every problem from zero weights until its penalty is at most ``stop``.

    ``gram`` (problems x d x d covariances of the predictors) is overwritten, ``slopes`` are their covariances with the
    target. Walks that go in circles (exact ties) are left after ``max_corners`` and then stand still.
    """
    # Swept at the active predictors S, gram @ signs holds the slope of the weights within S, and outside of S
    # the slope of the covariances of predictors and residual.
    weights, residual, signs = np.zeros_like(slopes), slopes.copy(), np.zeros_like(slopes)
    penalty = np.abs(slopes).max(axis=1)
    every, segments = np.arange(len(slopes)), []
    for _ in range(max_corners):
        slope = (gram @ signs[:, :, None])[:, :, 0]
        active = signs != 0
        segments.append(_Segment(penalty.copy(), weights.copy(), np.where(active, slope, 0.0)))
        if (penalty <= stop).all():
            return segments
        diagonal = np.einsum("pii->pi", gram)
        free = ~active & (diagonal > TINY)
        with np.errstate(divide="ignore", invalid="ignore"):
            up = np.where(free & (slope > TINY - 1), (penalty[:, None] - residual) / (1 + slope), np.inf)
            down = np.where(free & (slope < 1 - TINY), (penalty[:, None] + residual) / (1 - slope), np.inf)
            out = np.where(active & (slope * signs < 0), -weights / slope, np.inf)
        length = np.maximum(np.minimum(np.minimum(up, down), out), 0.0)
        pivot = length.argmin(axis=1)
        step = np.minimum(length[every, pivot], penalty)
        turns = length[every, pivot] < penalty
        penalty = penalty - step
        moved = step[:, None] * slope
        weights += np.where(active, moved, 0.0)
        residual += np.where(active, 0.0, moved)
        rows, columns = every[turns], pivot[turns]
        leaves = active[rows, columns]
        old = signs[rows, columns]
        joins = np.where(up[rows, columns] <= down[rows, columns], 1.0, -1.0)
        signs[rows, columns] = np.where(leaves, 0.0, joins)
        weights[rows, columns] = 0.0
        residual[rows, columns] = np.where(leaves, old, joins) * penalty[rows]
        if len(rows) == len(every):
            _sweep(gram, pivot)
        else:
            part = gram[rows]
            _sweep(part, columns)
            gram[rows] = part
    segments.append(_Segment(penalty, weights, np.zeros_like(weights)))
    return segments


def fold_moments(x: Array, y: Array, *, folds: int = 5) -> Moments:
    """Products of the predictors (n x d) with each other and the targets (n x targets) in contiguous folds."""
    parts = []
    for x_part, y_part in zip(np.array_split(x, folds), np.array_split(y, folds), strict=True):
        ones = np.concatenate([np.ones((len(x_part), 1)), x_part], axis=1)
        parts.append((ones.T @ ones, ones.T @ y_part, (y_part * y_part).sum(axis=0)))
    return Moments(*(np.stack(moment) for moment in zip(*parts, strict=True)))


def _about(mean_xx: Array, mean_xy: Array, xx: Array, xy: Array, yy: Array) -> tuple[Array, Array, Array]:
    """Turn moments (xx, xy, yy) into mean products about the means that (mean_xx, mean_xy) imply."""
    n, x_sum, y_sum = xx[:, :1, :1], xx[:, 1:, :1], xy[:, :1]
    x_mean, y_mean = mean_xx[:, 1:, :1] / mean_xx[:, :1, :1], mean_xy[:, :1] / mean_xx[:, :1, :1]
    cross = x_sum * x_mean.swapaxes(1, 2)
    gram = xx[:, 1:, 1:] / n - (cross + cross.swapaxes(1, 2)) / n + x_mean * x_mean.swapaxes(1, 2)
    slopes = xy[:, 1:] / n - (x_mean * y_sum + x_sum * y_mean) / n + x_mean * y_mean
    return gram, slopes, ((yy[:, None] - 2 * y_mean * y_sum) / n + y_mean**2)[:, 0]


def cross_validated_lasso(x: Array, y: Array, *, folds: int = 5) -> LassoFit:
    """Fit ``|y - xw - b|^2 / 2n + penalty |w|_1`` for every target, each with the penalty of least error.

    The rules are those of scikit-learn's ``LassoCV``: a geometric path of 100 penalties from the smallest that
    gives zero weights down to a thousandth of it, contiguous folds, the mean over folds of the mean squared
    error, the largest penalty among equals. Rows should be in random order, predictors (n x d) standardised; constant
    ones get weight 0, of exact copies one gets all the weight.
    """
    require_count("folds", folds, 2)
    if len(x) != len(y) or len(x) < folds:
        raise InvalidInput(f"x and y must have equally many rows, at least {folds}, got {len(x)} and {len(y)}")
    return lasso_of_moments(fold_moments(x, y, folds=folds))


def lasso_of_moments(moments: Moments) -> LassoFit:
    """Fit as :func:`cross_validated_lasso` does, from :func:`fold_moments`."""
    folds, d, targets = len(moments.xx), moments.xx.shape[1] - 1, moments.xy.shape[2]
    inside = list(moments)
    whole = [moment.sum(axis=0, keepdims=True) for moment in inside]
    outside = [total - moment for total, moment in zip(whole, inside, strict=True)]
    # Fits on all but one fold, and last the one on everything.
    fits = [np.concatenate(pair) for pair in zip(outside, whole, strict=True)]
    gram, slopes, _ = _about(fits[0], fits[1], *fits)
    test_gram, test_slopes, test_variance = _about(outside[0], outside[1], *inside)

    largest = np.abs(slopes[-1]).max(axis=0)
    path = largest[:, None] * np.geomspace(1.0, 1e-3, 100)
    segments = _walk(
        np.repeat(gram, targets, axis=0),
        slopes.swapaxes(1, 2).reshape(-1, d),
        np.tile(path[:, -1], folds + 1),
        max_corners=10 * d,
    )
    shape = (len(segments), folds + 1, targets)
    starts = np.stack([segment.start for segment in segments]).reshape(shape)
    # Number of the segment each penalty of the path lies in; above the first corner weights are 0 as in it.
    lies_in = (starts[1:, :, :, None] > path).sum(axis=0)
    fall = np.maximum(np.take_along_axis(starts[:, :, :, None], lies_in[None], axis=0)[0] - path, 0.0)

    constant, linear, square = (np.empty((len(segments), folds, targets)) for _ in range(3))
    for number, segment in enumerate(segments):
        w, u = (part.reshape(folds + 1, targets, d)[:-1] for part in (segment.weights, segment.slope))
        wg, ug = w @ test_gram, u @ test_gram
        cov = test_slopes.swapaxes(1, 2)
        constant[number] = test_variance + (w * (wg - 2 * cov)).sum(axis=2)
        linear[number] = 2 * (u * (wg - cov)).sum(axis=2)
        square[number] = (u * ug).sum(axis=2)

    def at(values: Array) -> Array:
        return np.asarray(np.take_along_axis(values[:, :, :, None], lies_in[None, :-1], axis=0)[0])

    t = fall[:-1]
    chosen = (at(constant) + t * (at(linear) + t * at(square))).mean(axis=0).argmin(axis=1)

    every = np.arange(targets)
    segment_of, t = lies_in[-1, every, chosen], fall[-1, every, chosen]
    last = slice(-targets, None)
    weights = np.stack([segment.weights[last] for segment in segments])[segment_of, every]
    slope = np.stack([segment.slope[last] for segment in segments])[segment_of, every]
    return LassoFit((weights + t[:, None] * slope).T, path[every, chosen])
