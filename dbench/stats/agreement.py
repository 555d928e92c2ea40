"""Which scores order the models alike, and which of two agrees more with a third."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.stats.inputs import finite_matrix
from dbench.stats.ranks import rank_correlation, ranks


def rank_correlations(table: ArrayLike) -> NDArray[np.float64]:
    """Spearman's correlations of all pairs of columns; 0 with a constant column, which orders nothing.

    Args:
        table: models x scores, at least 2 x 1.

    Returns:
        scores x scores, symmetric, 1 on the diagonal.
    """
    columns = finite_matrix("table", table, rows=2).T
    ranked = np.array([ranks(column) for column in columns])
    centred = ranked - ranked.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    unit = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > 0)
    found = (unit @ unit.T).clip(-1, 1)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found, dtype=np.float64)


def agreement_gap(shared: ArrayLike, first: ArrayLike, second: ArrayLike) -> float:
    """By how much the shared score agrees more with the first than with the second: difference of Spearman's.

    Two dependent correlations on the same models; its interval is that of the jackknife over seeds, which leaves
    out all three scores of a seed together. For plain correlations of independent points see
    :func:`dbench.stats.compare_dependent_correlations`.
    """
    return rank_correlation(shared, first) - rank_correlation(shared, second)
