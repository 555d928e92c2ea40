"""R squared of factors regressed on all codes (Zimmermann et al. 2021). Higher is better."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.inputs import in_range, numbers_of, ordered_alone, require_varying, standardise
from dbench.metrics.registry import Score, metric
from dbench.seeds import given_generator

Array = NDArray[np.float64]
Model = Literal["linear", "nonlinear"]

PENALTIES = 10.0 ** np.arange(-4, 2)
"""Penalties of the kernel regression; leave-one-out cross-validation chooses one of them for each factor."""

KERNEL_ROWS = 1000
"""Largest number of training rows of the kernel regression, whose time grows with its cube."""


def kernel(x: Array, other: Array) -> Array:
    """Gaussian kernel exp(-|x - y|^2 / d) between n and m rows of d standardised codes: n x m."""
    distance = (x**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2 * x @ other.T
    return np.asarray(np.exp(-np.maximum(distance, 0.0) / x.shape[1]))


def _linear(x: Array, y: Array, x_test: Array) -> Array:
    """Predictions of least squares; among all solutions the one of smallest weights."""
    return np.asarray(x_test @ np.linalg.lstsq(x, y, rcond=None)[0])


def _nonlinear(x: Array, y: Array, x_test: Array) -> Array:
    """Predictions of kernel ridge regression, with the penalty of smallest leave-one-out error for each factor."""
    values, axes = np.linalg.eigh(kernel(x, x))
    values, rotated = np.maximum(values, 0.0), axes.T @ y
    weights, errors = [], []
    for penalty in PENALTIES:
        inverse = 1 / (values + penalty)
        weights.append(axes @ (inverse[:, None] * rotated))
        # The leave-one-out error of row i is weight i divided by entry i of the diagonal of the inverse.
        errors.append(((weights[-1] / ((axes**2) @ inverse)[:, None]) ** 2).sum(axis=0))
    best = np.argmin(errors, axis=0)
    chosen = np.stack([weights[index][:, j] for j, index in enumerate(best)], axis=1)
    return np.asarray(kernel(x_test, x) @ chosen)


def _r_squared(train: Sample, test: Sample, model: Model) -> Array:
    """R squared of each factor on the test part, clipped to [0, 1]; 0 if the factor does not vary there."""
    x, x_test = standardise(train.codes, test.codes)
    y, truth = in_range(train.factors.astype(np.float64), test.factors.astype(np.float64))
    mean = y.mean(axis=0)
    unit = np.maximum(np.abs(y - mean).max(axis=0), np.abs(truth - mean).max(axis=0))
    unit[unit == 0] = 1.0  # a split can leave one value only
    y, truth = (y - mean) / unit, (truth - mean) / unit
    predicted = (_linear if model == "linear" else _nonlinear)(x, y, x_test)
    residual = ((truth - predicted) ** 2).sum(axis=0)
    total = ((truth - truth.mean(axis=0)) ** 2).sum(axis=0)
    unexplained = np.divide(residual, total, out=np.ones_like(residual), where=total > 1e-12)
    return np.asarray(np.clip(1 - unexplained, 0.0, 1.0))


@metric(
    needs="sample",
    bounds=(0, 1),
    family="identifiability",
    perfect=1.0,
    cite="zimmermann2021",
    label="R²",
    ordered=True,
    learned=True,
    compared=True,
    tolerance=1e-6,
    variants={"nonlinear": {}},
)
def r2(sample: Sample, *, model: Model = "linear", generator: np.random.Generator | None = None) -> Score:
    """R squared of each factor, regressed on all codes and taken on rows held out, averaged over factors.

    Zimmermann et al. (section 5) use a linear regression: any mixture of the factors that a linear map can undo scores
    1, all others less, so the score does not tell which code holds what. ``r2[nonlinear]`` is a kernel ridge regression
    (Gaussian, width by the number of codes, as von Kügelgen et al. 2021), its penalty chosen by leave-one-out error on
    at most 1,000 training rows. Two thirds of the rows train, the rest tests. Bounds 0 and 1: a regression worse than
    the mean counts as 0. Least squares needs several rows for each code: near d = n even good codes score 0.
    Labels are replaced by their ranks; text of more than two values, which has no order, is left out.

    Returns:
        Score with per-factor values. Constant codes score 0.

    Raises:
        InvalidInput: a factor that does not vary, or a model that does not exist.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (factors @ [[1, 1], [1, -1]], factors + noise, noise):
        ...     print(round(r2(codes, factors).value, 1))
        1.0
        0.4
        0.0

    See Also:
        :func:`mcc`; https://doi.org/10.48550/arXiv.2102.08850
    """
    require_varying(sample)
    if model not in ("linear", "nonlinear"):
        raise InvalidInput(f"model must be 'linear' or 'nonlinear', got {model!r}")
    name = "r2" if model == "linear" else f"r2[{model}]"
    sample = ordered_alone(sample, name)
    train, test = Sample(sample.codes, numbers_of(sample)).split(1 / 3, given_generator(generator, metric="r2"))
    if model == "nonlinear":
        train = train.take(np.arange(min(len(train), KERNEL_ROWS)))
    per_factor = _r_squared(train, test, model)
    return Score(name, float(per_factor.mean()), per_factor=per_factor, factor_names=sample.factor_names)
