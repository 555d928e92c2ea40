"""Comparisons of groups: probability of superiority, overlap of ranges, and success of a transferred choice."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.errors import InvalidInput
from dbench.stats.inputs import finite_matrix, finite_vector
from dbench.stats.ranks import ranks


def probability_of_superiority(first: ArrayLike, second: ArrayLike) -> float:
    """P(a random value of the first group exceeds one of the second); ties count half.

    Mann and Whitney's U divided by the number of pairs: 1/2 if the groups do not differ, 1 if every value of the
    first exceeds every value of the second. For normal groups d standard deviations apart it is Phi(d / sqrt 2):
    0.56 at 0.2, 0.64 at 0.5, 0.71 at 0.8.
    """
    a, b = finite_vector("first", first), np.sort(finite_vector("second", second))
    below, up_to = np.searchsorted(b, a, side="left"), np.searchsorted(b, a, side="right")
    return float((below + up_to).mean() / (2 * len(b)))


def superiority_of_groups(groups: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """:func:`probability_of_superiority` of each group over all other groups together."""
    if len(groups) < 2:
        raise InvalidInput(f"groups must be at least 2, got {len(groups)}")
    values = [finite_vector("values", group) for group in groups]
    sizes = np.array([len(group) for group in values])
    ranked = np.split(ranks(np.concatenate(values)), np.cumsum(sizes)[:-1])
    sums = np.array([ranks_of_group.sum() for ranks_of_group in ranked])
    wins = sums - sizes * (sizes + 1) / 2
    return np.asarray(wins / (sizes * (sizes.sum() - sizes)), dtype=np.float64)


def mean_range_overlaps(groups: NDArray[np.float64], *, trim: float = 0.0) -> NDArray[np.float64]:
    """Mean over all pairs of groups: length of the intersection of their ranges divided by that of the union.

    Ranges grow with the number of values, so compare groups of equal size, or trim a share of [0, 1/2) on either side.
    Groups are ... x groups x values, filled up with NaN; a group of NaN only is in no pair.

    Returns:
        One mean for each family of groups: 0 if no two ranges share more than a point, 1 if all are the same (equal
        points as well).

    Raises:
        InvalidInput: another ``trim``, or a family in which fewer than two groups have values.
    """
    if not 0 <= trim < 0.5:
        raise InvalidInput(f"trim must lie in [0, 0.5), got {trim}")
    inorder = np.sort(groups, axis=-1)  # NaN comes last
    last = np.isfinite(inorder).sum(axis=-1) - 1
    i, j = np.triu_indices(last.shape[-1], k=1)
    paired = (last[..., i] >= 0) & (last[..., j] >= 0)
    if not paired.any(axis=-1).all():
        raise InvalidInput(f"groups must be at least two with values in every family, got shape {groups.shape}")
    last = last.clip(0)
    low, high = _quantile(inorder, trim * last), _quantile(inorder, (1 - trim) * last)
    union = np.maximum(high[..., i], high[..., j]) - np.minimum(low[..., i], low[..., j])
    shared = np.minimum(high[..., i], high[..., j]) - np.maximum(low[..., i], low[..., j])
    shares = np.divide(shared.clip(0), union, out=np.ones_like(union), where=union > 0)
    return np.asarray(np.where(paired, shares, 0.0).sum(axis=-1) / paired.sum(axis=-1), dtype=np.float64)


def _quantile(inorder: NDArray[np.float64], place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Interpolate each sorted row linearly at a position: like numpy's quantile, but faster for few values."""
    before = place.astype(np.intp)
    after = np.minimum(before + 1, np.ceil(place).astype(np.intp))
    low = np.take_along_axis(inorder, before[..., None], axis=-1)[..., 0]
    high = np.take_along_axis(inorder, after[..., None], axis=-1)[..., 0]
    return np.asarray(low + (place - before) * (high - low), dtype=np.float64)


def transfer_success(source: NDArray[np.float64], target: NDArray[np.float64]) -> float:
    """How often a setting chosen by one score beats or ties a random setting on another (Sober Look 5.4.3, Table 1).

    A seed is drawn, and the setting with its highest source score is chosen; tied settings are chosen equally often.
    Another seed is drawn, and the target score of the chosen setting is compared with that of a random setting, which
    may be the chosen one; a tie counts as success. All draws are enumerated, so the value is that of infinitely many
    trials. Both arrays are seeds x settings, at least 2 x 2; the same array twice is 'same metric and data set'. A
    choice without any value succeeds with :func:`transfer_chance` on average (without ties), not 1/2.
    """
    return float(transfer_successes([source], [target])[0, 0])


def transfer_successes(
    sources: Sequence[NDArray[np.float64]], targets: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """:func:`transfer_success` of every source with every target: sources x targets. Each array is read once."""
    choosers = [finite_matrix("source", source, rows=2, columns=2) for source in sources]
    judges = [finite_matrix("target", target, rows=2, columns=2) for target in targets]
    for matrix in (*choosers, *judges):
        if matrix.shape != choosers[0].shape:
            raise InvalidInput(
                f"source and target must have the same shape, got {choosers[0].shape} and {matrix.shape}"
            )
    # For each target, wins[s, h] is the share of the settings that setting h beats or ties at seed s.
    wins = [(table[:, :, None] >= table[:, None, :]).mean(axis=2) for table in judges]
    chosen = [table == table.max(axis=1, keepdims=True) for table in choosers]
    weights = [mask / mask.sum(axis=1, keepdims=True) for mask in chosen]
    # Choose at one seed, judge at another: the sum over all pairs of seeds minus that of a seed with itself.
    sums = [[float(w.sum(axis=0) @ v.sum(axis=0) - (w * v).sum()) for v in wins] for w in weights]
    n = len(choosers[0])
    return np.array(sums) / (n * (n - 1))


def transfer_chance(n_settings: int) -> float:
    """Success of a worthless choice among m settings without ties: (m + 1) / 2m, since it may meet itself."""
    if n_settings < 1:
        raise InvalidInput(f"n_settings must be at least 1, got {n_settings}")
    return (n_settings + 1) / (2 * n_settings)
