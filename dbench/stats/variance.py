"""Share of the variance of a score that groups explain, such as objectives or strengths."""

import numpy as np
from numpy.typing import ArrayLike

from dbench.errors import InvalidInput
from dbench.stats.inputs import finite_vector, in_unit, varies


def variance_explained(values: ArrayLike, groups: ArrayLike) -> float:
    """Share of variance explained by group membership, corrected for optimism.

    Ordinary least squares on one-hot groups (Locatello et al. 2020, section 5.3, Table 5), with the adjusted
    R2 of Ezekiel (1930), 1 - (1 - R2)(n - 1)/(n - g) for n values in g < n groups. With few runs in a group, plain R2
    is positive even if the groups have no effect; the adjusted R2 is then 0 on average. It can be negative and is at
    most 1. The result for a constant score is 0, because there is nothing to explain.
    """
    scores, labels = finite_vector("values", values), np.asarray(groups)
    if scores.shape != labels.shape:
        raise InvalidInput(f"values and groups must be vectors of equal length, got {scores.shape} and {labels.shape}")
    _, member = np.unique(labels, return_inverse=True)
    n, n_groups = len(scores), int(member.max()) + 1
    if n <= n_groups:
        raise InvalidInput(f"values must outnumber groups, got {n} values in {n_groups} groups")
    if not varies(scores):
        return 0.0
    scores = in_unit(scores)
    total = float(((scores - scores.mean()) ** 2).sum())
    means = np.bincount(member, weights=scores) / np.bincount(member)
    residual = float(((scores - means[member]) ** 2).sum())
    return 1.0 - (residual / total) * (n - 1) / (n - n_groups)
