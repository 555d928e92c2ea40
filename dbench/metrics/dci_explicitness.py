"""Explicitness of DCI-ES (Eastwood et al. 2023): how little capacity it takes to read a code. Higher is better."""

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.metrics.inputs import label_indices, require_varying, standardise
from dbench.metrics.r2 import kernel
from dbench.metrics.registry import Score, metric
from dbench.seeds import given_generator

Array = NDArray[np.float64]

UNITS = (0, 4, 16, 64, 256)
"""Capacities, one step apart: number of Gaussian units that a linear regression uses beside the codes."""

RIDGE = 1e-3  # penalty per row, so that there is a solution with more features than rows
_STANDARD_ERRORS = 2  # the best regression must beat the mean by so many; otherwise the factor counts as unreadable


def _losses(x: Array, y: Array, x_test: Array, truth: Array) -> Array:
    """Squared error of each test row for each capacity (capacities x m), summed over the columns of a factor.

    The units are centred on the first training rows, which come in random order.
    """
    centres = x[: max(UNITS)]
    features, test_features = (np.concatenate([part, kernel(part, centres)], axis=1) for part in (x, x_test))
    mean, target_mean = features.mean(axis=0), y.mean(axis=0)
    features, test_features = features - mean, test_features - mean
    gram, cross = features.T @ features, features.T @ (y - target_mean)
    losses = []
    for units in UNITS:
        width = x.shape[1] + min(units, len(centres))
        ridge = gram[:width, :width] + RIDGE * len(x) * np.eye(width)
        predicted = target_mean + test_features[:, :width] @ np.linalg.solve(ridge, cross[:width])
        losses.append(((truth - predicted) ** 2).sum(axis=1))
    return np.stack(losses)


def explicitness_of_curve(losses: Array, baseline: float) -> float:
    """One minus twice the area between a loss-capacity curve and its minimum, over baseline times capacity range.

    ``losses`` are those of capacities one step apart; at each capacity the smallest loss so far counts.

    Example:
        >>> [explicitness_of_curve(np.array(losses), 1.0) for losses in ([0, 0, 0], [1, 0.5, 0], [1, 1, 0])]
        [1.0, 0.0, -0.5]
    """
    curve = np.minimum.accumulate(losses)
    area = np.trapezoid(curve - curve[-1]) / (len(curve) - 1)
    return float(np.clip(1 - 2 * area / baseline, -1.0, 1.0))


def _explicitness(x: Array, y: Array, x_test: Array, truth: Array) -> tuple[float, float]:
    """Explicitness and informativeness of one factor; both 0 if no regression clearly beats the mean of training."""
    baseline_losses = ((truth - y.mean(axis=0)) ** 2).sum(axis=1)
    baseline = float(baseline_losses.mean())
    if baseline <= 1e-12 or len(baseline_losses) < 2:
        return 0.0, 0.0
    losses = _losses(x, y, x_test, truth)
    means = losses.mean(axis=1)
    gains = baseline_losses - losses[means.argmin()]
    if gains.mean() <= _STANDARD_ERRORS * gains.std(ddof=1) / np.sqrt(len(baseline_losses)):
        return 0.0, 0.0
    return explicitness_of_curve(means, baseline), float(gains.mean() / baseline)


@metric(
    needs="sample",
    bounds=(-1, 1),
    family="identifiability",
    cite="eastwood2023",
    label="DCI explicitness",
    learned=True,
    compared=True,
    tolerance=1e-5,
    shown=("size", "informativeness"),
)
def dci_explicitness(sample: Sample, *, generator: np.random.Generator | None = None) -> Score:
    """How soon the loss of reading a factor falls as the capacity of the reader grows, averaged over factors.

    Eastwood et al. (section 4): regressions of growing capacity predict a factor from all codes. The value is 1 minus
    the area between the curve of their losses and its minimum, by the area of the triangle under the baseline (the loss
    of predicting the mean; the lowest possible loss is taken as 0, as in the authors' code). It is 1 if the smallest
    capacity predicts best, 0 if the loss falls in a straight line, and at least -1. Capacities, one step apart, are a
    linear regression, and one with 4, 16, 64 and 256 Gaussian units beside the codes; the authors use random Fourier
    features, forests or perceptrons. Values depend on that choice: compare those of one kind. Labels are predicted one
    against the rest. Two thirds of the rows train, the rest tests.

    Returns:
        Score with per-factor values; details ``size``, the paper's S, number of factors over number of codes, and
        ``informativeness``, the share of the baseline's loss that the best regression removes. A factor that no
        regression predicts better than its mean, by two standard errors, gets 0: its flat curve would count as
        explicit.

    Raises:
        InvalidInput: a factor that does not vary.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(dci_explicitness(codes, factors).value, 1))
        0.7
        1.0
        0.0

    See Also:
        :func:`dci`, :func:`explicitness`; https://doi.org/10.48550/arXiv.2210.00364
    """
    require_varying(sample)
    generator = given_generator(generator, metric="dci_explicitness")
    order = generator.permutation(len(sample))
    n_test = max(round(len(sample) / 3), 1)
    x, x_test = standardise(sample.codes[order[n_test:]], sample.codes[order[:n_test]])
    scores = []
    for kind, column in zip(sample.kinds, sample.factors.T, strict=True):
        target = _scaled(column) if kind == "continuous" else _one_hot(column)
        scores.append(_explicitness(x, target[order[n_test:]], x_test, target[order[:n_test]]))
    per_factor, informativeness = np.array(scores).T
    return Score(
        "dci_explicitness",
        float(per_factor.mean()),
        per_factor=per_factor,
        details={"size": sample.n_factors / sample.n_codes, "informativeness": float(informativeness.mean())},
    )


def _one_hot(column: NDArray[np.int64] | Array) -> Array:
    labels, sizes = label_indices(column[:, None])
    return np.eye(sizes[0])[labels[:, 0]]


def _scaled(column: NDArray[np.int64] | Array) -> Array:
    return standardise(column[:, None].astype(np.float64), column[:1, None].astype(np.float64))[0]
