"""How well a single code predicts a factor: by squared linear correlation, or a linear support vector machine."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.inputs import as_codes, in_range

Array = NDArray[np.float64]

CELLS = 1 << 25  # values of codes in one block; bounds the memory


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre each column and scale it to norm 1; a constant column becomes 0."""
    (values,) = in_range(values)
    centred = values - values.mean(axis=0)
    largest = np.abs(centred).max(axis=0)
    # Centring can turn a constant column into rounding errors of 1e-17, whose correlation must not be measured.
    varies = largest > 1e-12 * np.abs(values).max(axis=0)
    centred = np.divide(centred, largest, out=np.zeros_like(centred), where=varies)
    norm = np.sqrt((centred**2).sum(axis=0))
    return np.asarray(np.divide(centred, norm, out=np.zeros_like(centred), where=norm > 0))


def correlation(codes: ArrayLike, factors: ArrayLike, *, ranks: bool = False) -> NDArray[np.float64]:
    """Signed correlation of every code with every factor (d x k): Pearson's, or Spearman's with ``ranks``.

    Labels of discrete factors count as numbers; a constant code or factor has correlation 0.

    Raises:
        InvalidInput: values that are not finite, or observations that differ in number.
    """
    from scipy.stats import rankdata

    x, y = as_codes("codes", codes), as_codes("factors", factors)
    if len(x) != len(y):
        raise InvalidInput(f"codes and factors must have equally many rows, got {len(x)} and {len(y)}")
    y = _standardised(rankdata(y, axis=0) if ranks else y)
    step = max(CELLS // len(x), 1)  # wide codes fill the memory several times
    blocks = (x[:, start : start + step] for start in range(0, x.shape[1], step))
    return np.concatenate([_standardised(rankdata(block, axis=0) if ranks else block).T @ y for block in blocks])


def squared_correlation(codes: ArrayLike, factors: ArrayLike) -> NDArray[np.float64]:
    """Squared Pearson correlation (d x k): the R squared of a linear regression on a single code.

    Labels of discrete factors count as numbers; a constant code or factor has correlation 0.

    Raises:
        InvalidInput: values that are not finite, or observations that differ in number.
    """
    return np.minimum(correlation(codes, factors) ** 2, 1.0)


def _fit(u: Array, signs: Array, penalty: float, spread: float, offset: float) -> tuple[Array, Array]:
    """Fit one SVM for each row of ``signs`` by Newton's method; return slopes and heights at u = 0.

    Minimises ``(w^2 + b^2) / 2 + penalty * sum max(0, 1 - y (w x + b))^2`` for ``x = spread * (u + offset)``, in terms
    of u, so that the solution is found at any scale of x.
    """
    # If x is far from 0, double precision cannot separate w from b; the floor keeps the matrix from being singular.
    ridge = min(max(spread**-2, 1e-12 * (1 + offset**2)), 1e30) if spread > 1e-15 else 1e30
    quadratic = np.array([[ridge + offset**2, -offset], [-offset, 1.0]])
    design = np.stack([u, np.ones_like(u)])
    products = np.stack([u * u, u, np.ones_like(u)], axis=1)
    weights = np.zeros((len(signs), 2))

    def loss(wb: Array) -> tuple[Array, Array]:
        slack = np.maximum(1 - signs * (wb @ design), 0.0)
        value = 0.5 * np.einsum("ki,ij,kj->k", wb, quadratic, wb) + penalty * np.einsum("kn,kn->k", slack, slack)
        return value, slack

    value, slack = loss(weights)
    for _ in range(100):
        gradient = weights @ quadratic - 2 * penalty * (signs * slack) @ design.T
        moments = 2 * penalty * ((slack > 0).astype(np.float64) @ products)
        hessian = quadratic + moments[:, [[0, 1], [1, 2]]]
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        slope = (step * gradient).sum(axis=1)
        if (slope <= 1e-12 * (1 + value)).all():
            break
        length = np.ones(len(signs))
        for _ in range(30):  # halve the step of the SVMs whose loss does not fall enough
            candidate = weights - length[:, None] * step
            new_value, new_slack = loss(candidate)
            worse = new_value > value - 1e-4 * length * slope + 1e-12 * value
            if not worse.any():
                break
            length[worse] /= 2
        weights, value, slack = candidate, new_value, new_slack
    return weights[:, 0], weights[:, 1]


def svm_predictability(train: Sample, test: Sample, *, penalty: float = 0.01) -> Array:
    """Test accuracy of a linear one-versus-rest SVM on one code (A Sober Look, section 4.2.6).

    The objective is that of scikit-learn's ``LinearSVC`` (squared hinge loss, penalised intercept) without class
    weights, solved to convergence at any scale. A threshold on a line cannot single out a middle value: the
    standardised exact copy of a factor of 3, 6, 10, 16 or 32 uniform values gets 1.00, 0.67, 0.19, 0.12 or 0.06
    (10,000 training points). Through the penalty the accuracy depends on the scale of the code. A constant code
    gets about chance accuracy. Factors are discrete; accuracies are d x k.
    """
    accuracy = np.empty((train.n_codes, train.n_factors))
    labels = [np.unique(column, return_inverse=True) for column in train.factors.T]
    for i, code in enumerate(train.codes.T):
        low, high = float(code.min()), float(code.max())
        centre, spread = low / 2 + high / 2, high / 2 - low / 2
        scale = spread if spread > 0 else np.inf  # a constant code becomes 0
        u, u_test = (code - centre) / scale, (test.codes[:, i] - centre) / scale
        for j, (values, index) in enumerate(labels):
            signs = np.where(np.arange(len(values))[:, None] == index, 1.0, -1.0)
            slopes, heights = _fit(u, signs, penalty, spread, centre / scale)
            predicted = values[(slopes * u_test[:, None] + heights).argmax(axis=1)]
            accuracy[i, j] = (predicted == test.factors[:, j]).mean()
    return accuracy
