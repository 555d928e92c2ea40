"""Many binary logistic regressions on the same codes at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

__all__ = ["one_versus_rest", "standardise"]

Array = NDArray[np.float64]


def standardise(train: Array, test: Array) -> tuple[Array, Array]:
    """Scale both parts by the mean and deviation of the training part.

    Args:
        train: n x d.
        test: m x d.

    Returns:
        Both; codes that are constant in the training part become 0 in both.
    """
    halves, other = train * 0.5, test * 0.5  # the range of finite numbers can exceed the largest float
    mean = halves.mean(axis=0)
    centred = halves - mean
    largest = np.abs(centred).max(axis=0)
    alive = largest > 1e-12 * np.abs(halves).max(axis=0)
    unit = np.where(alive, largest, 1.0)
    spread = np.where(alive, (centred / unit).std(axis=0), 1.0)
    x, x_test = ((part - mean) / unit / spread * alive for part in (halves, other))
    return x, x_test


def one_versus_rest(
    x: Array,
    y: NDArray[np.bool_],
    *,
    counts: Array | None = None,
    penalty: float = 1.0,
    tolerance: float = 1e-6,
    steps: int = 100,
) -> tuple[Array, Array]:
    """Fit one penalised logistic regression to each column of labels, all by Newton's method together.

    Minimises half the squared weights plus ``penalty`` times the summed logistic loss, intercept not
    penalised: the objective of scikit-learn's ``LogisticRegression(C=penalty)``.

    Args:
        x: n x d, standardised.
        y: n x p, both values in every column.
        counts: how often each row was observed; once if not given.
        penalty: C, the inverse strength of the penalty.
        tolerance: largest gradient, relative to the number of observations, at which a problem is done.
        steps: Newton steps at most.

    Returns:
        d x p weights and p intercepts. A step costs about n p d + n d^2 p / 2 multiplications.
    """
    n, d = x.shape
    design = np.concatenate([x, np.ones((n, 1))], axis=1)
    rows, columns = np.triu_indices(d + 1)
    products = design[:, rows] * design[:, columns]
    ridge = np.append(np.ones(d), 0.0)[:, None]
    sign = np.where(y, 1.0, -1.0)
    beta = np.zeros((d + 1, y.shape[1]))
    counts = np.ones(n) if counts is None else counts
    often, total = penalty * counts[:, None], float(counts.sum())
    share = counts @ y / total
    beta[-1] = np.log(share / (1 - share))

    def loss(values: Array, problems: NDArray[np.int64]) -> Array:
        margin = sign[:, problems] * (design @ values)
        return np.asarray(0.5 * (ridge * values**2).sum(axis=0) - (often * log_expit(margin)).sum(axis=0))

    open_ = np.arange(y.shape[1])
    current = loss(beta, open_)
    for _ in range(steps):
        here = beta[:, open_]
        p = expit(design @ here)
        gradient = design.T @ (often * (p - y[:, open_])) + ridge * here
        going = np.abs(gradient).max(axis=0) > tolerance * total
        if not going.any():
            break
        open_, here, gradient, p = open_[going], here[:, going], gradient[:, going], p[:, going]
        hessian = np.empty((len(open_), d + 1, d + 1))
        hessian[:, rows, columns] = (often * p * (1 - p)).T @ products
        hessian[:, columns, rows] = hessian[:, rows, columns]
        hessian[:, np.arange(d + 1), np.arange(d + 1)] += ridge[:, 0] + 1e-10
        step = np.linalg.solve(hessian, gradient.T[:, :, None])[:, :, 0].T
        length = np.ones(len(open_))
        while True:
            trial = here - length * step
            found = loss(trial, open_)
            worse = found > current[open_] + 1e-9 * np.abs(current[open_])
            if not worse.any() or length.min() < 1e-6:
                break
            length = np.where(worse, length / 2, length)
        beta[:, open_], current[open_] = trial, found
    return beta[:-1], beta[-1]
