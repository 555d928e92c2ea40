"""Which factors a relation matrix keeps apart, and at which threshold it merges them (A Sober Look, section 6.1.2).

The matrix is a bipartite graph of codes and factors; its entries are the weights of the edges, and a 0 is no edge.
Edges below a threshold are deleted; factors that are still connected through codes form one group.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.errors import InvalidInput
from dbench.metrics.inputs import require_matrix

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


class GroupCurve(NamedTuple):
    """An independent-groups curve; each count holds from its threshold down to the next lower one, exclusive."""

    thresholds: Array  # distinct positive entries of the matrix, in descending order
    groups: Counts  # connected components with at least one factor and one code
    connected: Counts  # factors connected to at least one code


class Merge(NamedTuple):
    """Two groups of factors (numbers in ascending order) that merge as the threshold falls."""

    threshold: float
    first: tuple[int, ...]  # the group that contains the smallest number
    second: tuple[int, ...]


def merge_thresholds(matrix: ArrayLike) -> Array:
    """Largest threshold at which each pair of factors is connected (k x k); 0 for pairs that never merge.

    A path is as strong as its weakest edge; a pair merges at the strength of its strongest path. The diagonal holds
    each factor's strongest relation: the threshold above which it is connected to no code.

    Example:
        >>> merge_thresholds([[0.9, 0.2, 0.0], [0.0, 0.7, 0.3]]).tolist()
        [[0.9, 0.2, 0.2], [0.2, 0.7, 0.3], [0.2, 0.3, 0.3]]
    """
    checked = require_matrix("matrix", matrix)
    strength = np.minimum(checked[:, :, None], checked[:, None, :]).max(axis=0)
    for middle in range(len(strength)):
        strength = np.maximum(strength, np.minimum(strength[:, [middle]], strength[[middle], :]))
    return np.asarray(strength)


def independent_groups(matrix: ArrayLike, thresholds: ArrayLike) -> tuple[Counts, Counts]:
    """Count groups and connected factors (see :class:`GroupCurve`) with all relations below each threshold deleted.

    Thresholds are above 0. A perfect d x k matrix has k groups up to its smallest non-zero entry.
    """
    levels = np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
    if levels.ndim != 1 or not np.isfinite(levels).all() or not (levels > 0).all():
        raise InvalidInput(f"thresholds must be finite numbers above 0, got {levels.tolist()}")
    together = merge_thresholds(matrix) >= levels[:, None, None]
    connected = np.diagonal(together, axis1=1, axis2=2)
    # Each group is counted at its factor of the smallest number.
    is_representative = connected & ~np.tril(together, k=-1).any(axis=2)
    return is_representative.sum(axis=1), connected.sum(axis=1)


def independent_groups_curve(matrix: ArrayLike) -> GroupCurve:
    """Count groups and connected factors at every threshold where they can change; a matrix of zeros has none.

    Example:
        >>> curve = independent_groups_curve([[0.9, 0.2], [0.0, 0.7]])
        >>> curve.thresholds.tolist(), curve.groups.tolist(), curve.connected.tolist()
        ([0.9, 0.7, 0.2], [1, 2, 1], [1, 2, 2])
    """
    checked = require_matrix("matrix", matrix)
    thresholds = np.unique(checked[checked > 0])[::-1]
    return GroupCurve(thresholds, *independent_groups(checked, thresholds))


def merge_order(matrix: ArrayLike) -> list[Merge]:
    """Return the merges of factors as the threshold falls: the dendrogram of the d x k matrix.

    At most k - 1 merges, by descending threshold, ties by factor number; factors that never merge do not occur.

    Example:
        >>> merge_order([[0.9, 0.2, 0.0], [0.0, 0.7, 0.3]])
        [Merge(threshold=0.3, first=(1,), second=(2,)), Merge(threshold=0.2, first=(0,), second=(1, 2))]
    """
    strength = merge_thresholds(matrix)
    rows, columns = np.triu_indices(len(strength), k=1)
    values = strength[rows, columns]
    group: dict[int, tuple[int, ...]] = {factor: (factor,) for factor in range(len(strength))}
    merges = []
    for pair in np.argsort(-values, kind="stable"):
        a, b = group[int(rows[pair])], group[int(columns[pair])]
        if values[pair] <= 0 or a == b:
            continue
        first, second = sorted((a, b))
        merges.append(Merge(float(values[pair]), first, second))
        union = tuple(sorted(first + second))
        group.update(dict.fromkeys(union, union))
    return merges
