"""Aggregations of a relation matrix (codes x factors): scores, and the assignment of a code to each factor.

Each accepts any non-negative matrix. Disentanglement asks whether a code is related to one factor only; completeness
and the gaps ask whether a factor is related to one code only.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import xlogy

from dbench.errors import InvalidInput
from dbench.metrics.inputs import require_matrix

Array = NDArray[np.float64]


def _concentration(matrix: Array) -> Array:
    """One minus the entropy of each row, base its length; 0 for a row of zeros, 1 if a single entry is not zero."""
    # Dividing by the largest entry first keeps sums of huge entries finite.
    largest = matrix.max(axis=1, keepdims=True)
    scaled = np.divide(matrix, largest, out=np.zeros_like(matrix), where=largest > 0)
    total = scaled.sum(axis=1, keepdims=True)
    share = np.divide(scaled, total, out=np.zeros_like(scaled), where=total > 0)
    if matrix.shape[1] == 1:
        return np.asarray(share[:, 0])
    value = 1 + xlogy(share, share).sum(axis=1) / np.log(matrix.shape[1])
    return np.asarray(np.where(total[:, 0] > 0, np.clip(value, 0.0, 1.0), 0.0))


def _weighted(matrix: Array) -> float:
    """Mean concentration of the rows, weighted by their shares of the sum of the matrix; 0 for a matrix of zeros."""
    if not matrix.any():
        return 0.0
    weights = (matrix / matrix.max()).sum(axis=1)
    return float(np.clip(_concentration(matrix) @ weights / weights.sum(), 0.0, 1.0))


def disentanglement_per_code(matrix: ArrayLike) -> Array:
    """One minus the entropy, base k, of each code's distribution over factors (Eastwood and Williams 2018).

    d values from 0 to 1. A code related to nothing gets 0; with a single factor every other code gets 1.
    """
    return _concentration(require_matrix("matrix", matrix))


def dci_disentanglement(matrix: ArrayLike) -> float:
    """Mean of :func:`disentanglement_per_code`, weighted by the codes' shares of the sum of the matrix.

    Codes related to nothing have weight 0; a matrix of zeros scores 0. Bounds 0 and 1.

    Example:
        >>> round(dci_disentanglement([[1.0, 0.0], [0.01, 0.09]]), 3)
        0.957
    """
    return _weighted(require_matrix("matrix", matrix))


def completeness_per_factor(matrix: ArrayLike) -> Array:
    """One minus the entropy, base d, of each factor's distribution over codes.

    The base is the number of codes, so values for different numbers of codes are not comparable. A factor that no
    code is related to gets 0; with a single code every other factor gets 1.
    """
    return _concentration(require_matrix("matrix", matrix).T)


def dci_completeness(matrix: ArrayLike) -> float:
    """Mean of :func:`completeness_per_factor`, weighted by the factors' shares of the sum of the matrix.

    Factors related to nothing have weight 0; a matrix of zeros scores 0. Bounds 0 and 1.

    Example:
        >>> dci_completeness([[1.0, 1.0], [0.0, 0.0]])
        1.0
    """
    return _weighted(require_matrix("matrix", matrix).T)


def gap_per_factor(matrix: ArrayLike) -> Array:
    """Largest minus second largest entry of each column; with a single row the second largest counts as 0."""
    ordered = np.sort(require_matrix("matrix", matrix), axis=0)
    second = ordered[-2] if len(ordered) > 1 else np.zeros(ordered.shape[1])
    return np.asarray(ordered[-1] - second)


def sap_gap(matrix: ArrayLike) -> float:
    """Mean over factors of :func:`gap_per_factor` (Kumar et al. 2018)."""
    return float(gap_per_factor(matrix).mean())


def mig_gap(matrix: ArrayLike, entropies: ArrayLike) -> float:
    """Mean over factors of the gap of mutual information (d x k), divided by the factor's entropy (Chen et al. 2018).

    Entropies are in the same unit as the information; they must be above 0, so every factor must vary.
    """
    gaps, checked = gap_per_factor(matrix), np.asarray(entropies, dtype=np.float64)
    if checked.shape != gaps.shape or not (checked > 0).all() or not np.isfinite(checked).all():
        raise InvalidInput(f"entropies must be {len(gaps)} finite numbers above 0, got {checked.tolist()}")
    return float((gaps / checked).mean())


def align(matrix: ArrayLike) -> NDArray[np.int64]:
    """Assign a different code to every factor so that the sum of their relations (d x k) is largest.

    Mahon et al., equation 2, solved as a linear sum assignment. Returns k code numbers, all different, but for -1 where
    a factor gets no code because there are fewer codes than factors.

    Example:
        >>> align([[0.9, 0.8], [0.0, 0.1]]).tolist()
        [0, 1]
    """
    checked = require_matrix("matrix", matrix)
    codes, factors = linear_sum_assignment(checked, maximize=True)
    result = np.full(checked.shape[1], -1, dtype=np.int64)
    result[factors] = codes
    return result


def alignment_collisions(matrix: ArrayLike) -> int:
    """Count the factors that share their most related code with another factor; a column of zeros has no such code.

    Example:
        >>> alignment_collisions([[0.9, 0.8, 0.0], [0.0, 0.1, 0.5]])
        2
    """
    checked = require_matrix("matrix", matrix)
    best = checked.argmax(axis=0)[checked.any(axis=0)]
    factors_per_code = np.bincount(best)
    return int(factors_per_code[factors_per_code > 1].sum())
