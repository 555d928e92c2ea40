"""Which code stands for which factor."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from dbench.metrics.inputs import require_matrix


def align(matrix: ArrayLike) -> NDArray[np.int64]:
    """Assign every factor a code of its own so that the sum of their relations (d x k) is largest.

    Mahon et al., equation 2, solved as a linear sum assignment.

    Returns:
        k code numbers, all different; -1 for the factors left over where there are fewer codes than factors.

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
    shared = np.bincount(best, minlength=len(checked))
    return int(shared[shared > 1].sum())
