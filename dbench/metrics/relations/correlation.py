"""Squared linear correlation of every code with every factor."""

import numpy as np
from numpy.typing import NDArray


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = values - values.mean(axis=0)
    largest = np.abs(centred).max(axis=0)
    # A constant column can come out as 1e-17 after centring; its correlation is 0, not that of its rounding errors.
    alive = largest > 1e-12 * np.abs(values).max(axis=0)
    centred = np.divide(centred, largest, out=np.zeros_like(centred), where=alive)
    norm = np.sqrt((centred**2).sum(axis=0))
    return np.asarray(np.divide(centred, norm, out=np.zeros_like(centred), where=norm > 0))


def squared_correlation(
    codes: NDArray[np.float64], factors: NDArray[np.float64] | NDArray[np.int64]
) -> NDArray[np.float64]:
    """Squared Pearson correlation (d x k): the R squared of a linear regression on a single code.

    Labels of discrete factors are read as numbers; a constant code or factor has 0.
    """
    correlation = _standardised(codes).T @ _standardised(factors.astype(np.float64))
    return np.minimum(correlation**2, 1.0)
