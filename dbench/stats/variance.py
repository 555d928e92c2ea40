"""How much of the variance of a score is decided by what was chosen, and how much by the seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dbench.errors import InvalidInput
from dbench.stats.inputs import finite_vector

__all__ = ["cross_validated_variance_explained", "variance_explained"]


def variance_explained(values: ArrayLike, groups: ArrayLike) -> float:
    """Share of variance explained by group membership, corrected for optimism.

    Ordinary least squares on one-hot groups (Locatello et al. 2020, section 5.3, Table 5), with the adjusted
    R2 of Ezekiel (1930), 1 - (1 - R2)(n - 1)/(n - g): with few runs a group, plain R2 explains variance even
    where the groups do nothing. The adjusted value is 0 on average there and can be negative.

    Args:
        values: n scores.
        groups: n labels with g distinct values, g < n.

    Returns:
        At most 1. A constant score has nothing to explain: 0.
    """
    scores, labels = finite_vector("values", values), np.asarray(groups)
    if scores.shape != labels.shape:
        raise InvalidInput(f"values and groups must be vectors of equal length, got {scores.shape} and {labels.shape}")
    _, member = np.unique(labels, return_inverse=True)
    n, n_groups = len(scores), int(member.max()) + 1
    if n <= n_groups:
        raise InvalidInput(f"values must outnumber groups, got {n} values in {n_groups} groups")
    total = float(((scores - scores.mean()) ** 2).sum())
    if total <= n * (1e-12 * max(1.0, float(np.abs(scores).max()))) ** 2:
        return 0.0
    means = np.bincount(member, weights=scores) / np.bincount(member)
    residual = float(((scores - means[member]) ** 2).sum())
    return 1.0 - (residual / total) * (n - 1) / (n - n_groups)


def cross_validated_variance_explained(values: ArrayLike, groups: ArrayLike, units: ArrayLike) -> float:
    """Share of variance that group means explain in units they have not seen: 1 - PRESS / total.

    Each unit's scores are predicted by the group means of the other units, and compared with prediction by the grand
    mean of the other units. Where the groups do nothing it is below 0 on average, for group means are noisier than
    the grand mean; it assumes neither equal groups nor equal spread, and so checks :func:`variance_explained`, whose
    adjustment does. It estimates what a prediction from the runs at hand is worth, slightly less than the share itself.

    Args:
        values: n scores.
        groups: n labels.
        units: n labels of the units left out together (seeds).

    Returns:
        At most 1. A constant score has nothing to explain: 0.

    Raises:
        InvalidInput: lengths differ, fewer than two units, or a group that only one unit has.
    """
    scores = finite_vector("values", values)
    labels, seeds = np.asarray(groups), np.asarray(units)
    if not scores.shape == labels.shape == seeds.shape:
        raise InvalidInput(
            f"values, groups and units must be vectors of equal length, "
            f"got {scores.shape}, {labels.shape} and {seeds.shape}"
        )
    _, member = np.unique(labels, return_inverse=True)
    _, unit = np.unique(seeds, return_inverse=True)
    shape = (int(unit.max()) + 1, int(member.max()) + 1)
    if shape[0] < 2:
        raise InvalidInput(f"units must be at least 2, got {shape[0]}")
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, (unit, member), scores)
    np.add.at(counts, (unit, member), 1)
    others, known = sums.sum(axis=0) - sums, counts.sum(axis=0) - counts
    if (known[unit, member] == 0).any():
        raise InvalidInput("groups must each appear in at least 2 units, got one that a single unit has")
    by_group = scores - others[unit, member] / known[unit, member]
    by_grand_mean = scores - (others.sum(axis=1) / known.sum(axis=1))[unit]
    total = float((by_grand_mean**2).sum())
    if total <= len(scores) * (1e-12 * max(1.0, float(np.abs(scores).max()))) ** 2:
        return 0.0
    return 1.0 - float((by_group**2).sum()) / total
