"""Lasso with a cross-validated penalty for many targets at once, computed from second moments alone.

Weights are piecewise linear in the penalty (Osborne et al. 2000). The paths of all targets and folds are followed
together from corner to corner; between two corners the squared error is a parabola.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput
from dbench.metrics.inputs import require_count

Array = NDArray[np.float64]

TINY = 1e-10  # a predictor joins only if the active ones leave more than this share of its variance unexplained


class LassoFit(NamedTuple):
    """Weights (d x targets) and the penalty chosen for each target."""

    weights: Array
    penalty: Array


class Moments(NamedTuple):
    """Sums of products over the observations of each fold; a column of ones precedes the d predictors."""

    xx: Array  # folds x (1 + d) x (1 + d), predictors by predictors
    xy: Array  # folds x (1 + d) x targets, predictors by targets
    yy: Array  # folds x targets, squares of the targets


class _Segment(NamedTuple):
    """One linear piece of every path: at the penalty ``start - t`` the weights are ``weights + t slope``."""

    start: Array  # problems, penalty at which the piece starts
    weights: Array  # problems x d
    slope: Array  # problems x d


def _sweep(matrix: Array, pivot: NDArray[np.int64]) -> None:
    """Sweep (Gauss-Jordan) every matrix of a stack at its own pivot, in place; sweeping twice restores it."""
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

    ``gram`` (problems x d x d covariances of the predictors) is overwritten; ``slopes`` are their covariances with the
    target. Exact ties can make a path cycle: after ``max_corners`` all paths end, with constant weights.
    """
    # With gram swept at the active predictors, gram @ signs holds the slope of their weights and, for the other
    # predictors, the slope of their covariance with the residual.
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
            to_zero = np.where(active & (slope * signs < 0), -weights / slope, np.inf)
        length = np.maximum(np.minimum(np.minimum(up, down), to_zero), 0.0)
        pivot = length.argmin(axis=1)
        step = np.minimum(length[every, pivot], penalty)
        at_corner = length[every, pivot] < penalty
        penalty = penalty - step
        moved = step[:, None] * slope
        weights += np.where(active, moved, 0.0)
        residual += np.where(active, 0.0, moved)
        rows, columns = every[at_corner], pivot[at_corner]
        leaves = active[rows, columns]
        old_signs = signs[rows, columns]
        joins = np.where(up[rows, columns] <= down[rows, columns], 1.0, -1.0)
        signs[rows, columns] = np.where(leaves, 0.0, joins)
        weights[rows, columns] = 0.0
        residual[rows, columns] = np.where(leaves, old_signs, joins) * penalty[rows]
        if len(rows) == len(every):
            _sweep(gram, pivot)
        else:
            swept = gram[rows]
            _sweep(swept, columns)
            gram[rows] = swept
    segments.append(_Segment(penalty, weights, np.zeros_like(weights)))
    return segments


def fold_moments(x: Array, y: Array, *, folds: int = 5) -> Moments:
    """Return the moments of predictors (n x d) and targets (n x targets) in contiguous folds."""
    parts = []
    for x_part, y_part in zip(np.array_split(x, folds), np.array_split(y, folds), strict=True):
        ones = np.concatenate([np.ones((len(x_part), 1)), x_part], axis=1)
        parts.append((ones.T @ ones, ones.T @ y_part, (y_part * y_part).sum(axis=0)))
    return Moments(*(np.stack(moment) for moment in zip(*parts, strict=True)))


def _about(mean_xx: Array, mean_xy: Array, xx: Array, xy: Array, yy: Array) -> tuple[Array, Array, Array]:
    """Return the mean products (xx, xy, yy) of moments, centred at the means that (mean_xx, mean_xy) imply."""
    n, x_sum, y_sum = xx[:, :1, :1], xx[:, 1:, :1], xy[:, :1]
    x_mean, y_mean = mean_xx[:, 1:, :1] / mean_xx[:, :1, :1], mean_xy[:, :1] / mean_xx[:, :1, :1]
    cross = x_sum * x_mean.swapaxes(1, 2)
    gram = xx[:, 1:, 1:] / n - (cross + cross.swapaxes(1, 2)) / n + x_mean * x_mean.swapaxes(1, 2)
    slopes = xy[:, 1:] / n - (x_mean * y_sum + x_sum * y_mean) / n + x_mean * y_mean
    return gram, slopes, ((yy[:, None] - 2 * y_mean * y_sum) / n + y_mean**2)[:, 0]


def cross_validated_lasso(x: Array, y: Array, *, folds: int = 5) -> LassoFit:
    """Minimise ``|y - xw - b|^2 / 2n + penalty |w|_1`` for every target, with the penalty of least validation error.

    The rules are those of scikit-learn's ``LassoCV``: a geometric path of 100 penalties from the smallest that
    gives zero weights down to a thousandth of it, contiguous folds, the mean over folds of the mean squared
    error, the largest penalty among equally good ones. Rows should be in random order and predictors (n x d)
    standardised. Constant predictors get weight 0; among exact copies one gets all the weight.
    """
    require_count("folds", folds, 2)
    if len(x) != len(y) or len(x) < folds:
        raise InvalidInput(f"x and y must have equally many rows, at least {folds}, got {len(x)} and {len(y)}")
    return lasso_of_moments(fold_moments(x, y, folds=folds))


def lasso_of_moments(moments: Moments) -> LassoFit:
    """Return what :func:`cross_validated_lasso` returns, from the moments of :func:`fold_moments`."""
    folds, d, targets = len(moments.xx), moments.xx.shape[1] - 1, moments.xy.shape[2]
    held_out = list(moments)
    totals = [moment.sum(axis=0, keepdims=True) for moment in held_out]
    training = [total - moment for total, moment in zip(totals, held_out, strict=True)]
    # One fit for each fold, on all other folds, and a last one on all observations.
    fits = [np.concatenate(pair) for pair in zip(training, totals, strict=True)]
    gram, slopes, _ = _about(fits[0], fits[1], *fits)
    test_gram, test_slopes, test_variance = _about(training[0], training[1], *held_out)

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
    # Segment of each penalty of the path, and its distance from the segment's start (0 above the first corner).
    segment_at = (starts[1:, :, :, None] > path).sum(axis=0)
    below_start = np.maximum(np.take_along_axis(starts[:, :, :, None], segment_at[None], axis=0)[0] - path, 0.0)

    # The test error of the weights w + t u is a parabola in t.
    constant, linear, square = (np.empty((len(segments), folds, targets)) for _ in range(3))
    covariances = test_slopes.swapaxes(1, 2)
    for number, segment in enumerate(segments):
        w, u = (part.reshape(folds + 1, targets, d)[:-1] for part in (segment.weights, segment.slope))
        w_gram, u_gram = w @ test_gram, u @ test_gram
        constant[number] = test_variance + (w * (w_gram - 2 * covariances)).sum(axis=2)
        linear[number] = 2 * (u * (w_gram - covariances)).sum(axis=2)
        square[number] = (u * u_gram).sum(axis=2)

    def on_path(values: Array) -> Array:
        return np.asarray(np.take_along_axis(values[:, :, :, None], segment_at[None, :-1], axis=0)[0])

    t = below_start[:-1]
    errors = on_path(constant) + t * (on_path(linear) + t * on_path(square))
    chosen = errors.mean(axis=0).argmin(axis=1)

    target_numbers = np.arange(targets)
    segment_of, t = segment_at[-1, target_numbers, chosen], below_start[-1, target_numbers, chosen]
    full_fit = slice(-targets, None)
    weights = np.stack([segment.weights[full_fit] for segment in segments])[segment_of, target_numbers]
    slope = np.stack([segment.slope[full_fit] for segment in segments])[segment_of, target_numbers]
    return LassoFit((weights + t[:, None] * slope).T, path[target_numbers, chosen])
