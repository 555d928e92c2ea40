"""From a matrix of relations (codes x factors) to a score, and to the code that stands for each factor.

Each takes any non-negative matrix. Disentanglement looks along a code (one factor?), completeness and the
gaps along a factor (one code?).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import xlogy

from dbench.errors import InvalidInput
from dbench.metrics.inputs import require_matrix

Array = NDArray[np.float64]


def _concentration(matrix: Array) -> Array:
    """One minus the entropy of each row, base its length; 0 for a row of zeros, 1 for one of a single entry."""
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
    """Mean concentration of the rows, each weighted by its share of the whole matrix."""
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
    """Weighted mean of :func:`disentanglement_per_code`, weights the codes' shares of the matrix.

    Codes related to nothing have weight 0; a matrix of zeros scores 0. Bounds 0 and 1.

    Example:
        >>> round(dci_disentanglement([[1.0, 0.0], [0.01, 0.09]]), 3)
        0.957
    """
    return _weighted(require_matrix("matrix", matrix))


def completeness_per_factor(matrix: ArrayLike) -> Array:
    """One minus the entropy, base d, of each factor's distribution over codes.

    The base is the number of codes, so values of different code lengths do not compare. A factor that no
    code is related to gets 0; with a single code every other factor gets 1.
    """
    return _concentration(require_matrix("matrix", matrix).T)


def dci_completeness(matrix: ArrayLike) -> float:
    """Weighted mean of :func:`completeness_per_factor`, weights the factors' shares of the matrix.

    Factors related to nothing have weight 0; a matrix of zeros scores 0. Bounds 0 and 1.

    Example:
        >>> dci_completeness([[1.0, 1.0], [0.0, 0.0]])
        1.0
    """
    return _weighted(require_matrix("matrix", matrix).T)


def gap_per_factor(matrix: ArrayLike) -> Array:
    """Difference between the largest and the second largest entry of each column; 0 stands in for a missing second."""
    ordered = np.sort(require_matrix("matrix", matrix), axis=0)
    second = ordered[-2] if len(ordered) > 1 else np.zeros(ordered.shape[1])
    return np.asarray(ordered[-1] - second)


def sap_gap(matrix: ArrayLike) -> float:
    """Mean over factors of :func:`gap_per_factor` (Kumar et al. 2018)."""
    return float(gap_per_factor(matrix).mean())


def mig_gap(matrix: ArrayLike, entropies: ArrayLike) -> float:
    """Mean over factors of the gap of mutual information (d x k) by the factor's entropy (Chen et al. 2018).

    Entropies are in the same unit; one that is not above 0 (a factor that does not vary) is refused.
    """
    gaps, scale = gap_per_factor(matrix), np.asarray(entropies, dtype=np.float64)
    if scale.shape != gaps.shape or not (scale > 0).all() or not np.isfinite(scale).all():
        raise InvalidInput(f"entropies must be {len(gaps)} finite numbers above 0, got {scale.tolist()}")
    return float((gaps / scale).mean())


def align(matrix: ArrayLike) -> NDArray[np.int64]:
    """Assign every factor a code of its own so that the sum of their relations (d x k) is largest.

    Mahon et al., equation 2, solved as a linear sum assignment: k code numbers, all different; -1 for the factors left
    over where there are fewer codes than factors.

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
    """Count the factors whose most informative code is also another's; one that no code is related to has no such code.

    Example:
        >>> alignment_collisions([[0.9, 0.8, 0.0], [0.0, 0.1, 0.5]])
        2
    """
    checked = require_matrix("matrix", matrix)
    best = checked.argmax(axis=0)[checked.any(axis=0)]
    shared = np.bincount(best)
    return int(shared[shared > 1].sum())
