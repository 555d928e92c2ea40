"""Post-interventional disagreement of codes, estimated from observations (Suter et al. 2019, algorithm 1).

Held factors I, changed factors J, and codes L read as one vector. For every realisation of the held factors:
how far can the mean code move when the changed factors are set as well, at worst? Averaged over realisations
that is EMPIDA(L|I, J).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dbench.errors import InvalidInput

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def number_rows(columns: Indices) -> tuple[Indices, int]:
    """Number the distinct rows of a matrix of class numbers from 0, in linear time by hashing; how many there are."""
    key, room = np.zeros(len(columns), dtype=np.int64), 1
    for column in columns.T:
        size = int(column.max()) + 1
        if room * size > 2**62:  # number what there is, so that keys stay below n times the size
            key, seen = pd.factorize(key)
            room = len(seen)
        key, room = key * size + column, room * size
    numbers, seen = pd.factorize(key)
    return numbers.astype(np.int64), len(seen)


def _means(values: Array, group: Indices, count: int, weights: Array) -> Array:
    """Weighted mean of every column within each group; weights are normalised within the group."""
    sums = csr_array((weights, (group, np.arange(len(group)))), shape=(count, len(group)))
    return np.asarray(sums @ values / sums.sum(axis=1)[:, None])


def _columns(blocks: Sequence[Sequence[int]]) -> tuple[Indices, Indices]:
    """Column numbers of all blocks one after another, and where each block starts."""
    lengths = [len(block) for block in blocks]
    return np.concatenate([np.asarray(block, dtype=np.int64) for block in blocks]), np.cumsum([0, *lengths[:-1]])


def _distances(differences: Array, starts: Indices) -> Array:
    """Euclidean length of each row within each block of columns."""
    if len(starts) == differences.shape[1]:  # blocks of one: no sums to take
        return np.abs(differences)
    return np.asarray(np.sqrt(np.add.reduceat(differences**2, starts, axis=1)))


def _grouped_quantile(values: Array, group: Indices, count: int, quantile: float) -> Array:
    """Quantile of every column of m x b within each group, linear between order statistics; 1.0 is the maximum."""
    order, sizes = _by_group(group, count)
    return _segment_quantile(np.ascontiguousarray(values.take(order, axis=0).T), sizes, quantile).T


def _by_group(group: Indices, count: int) -> tuple[Indices, Indices]:
    """Order that brings groups together, and their sizes; linear for the 16-bit numbers that nearly all fit in."""
    small = group.astype(np.uint16) if count <= 2**16 else group
    return np.argsort(small, kind="stable"), np.bincount(group, minlength=count)


def _segment_quantile(columns: Array, sizes: Indices, quantile: float) -> Array:
    """Quantile of every row of b x m within consecutive segments of these sizes: b x segments."""
    starts = np.concatenate([[0], sizes.cumsum()[:-1]])
    if quantile == 1.0:
        return np.asarray(np.maximum.reduceat(columns, starts, axis=1))
    place = quantile * (sizes - 1)
    low = np.floor(place).astype(np.int64)
    high, part = np.minimum(low + 1, sizes - 1), place - low
    result = np.empty((len(columns), len(sizes)))
    group = np.repeat(np.arange(len(sizes)), sizes)
    for column, row in zip(columns, result, strict=True):
        ordered = column[np.lexsort((column, group))]
        row[:] = (1 - part) * ordered[starts + low] + part * ordered[starts + high]
    return result


def _frequency(factors: Indices, without: set[int]) -> Array:
    """How many observations share each observation's factors, but for those left out."""
    numbers, count = number_rows(factors[:, [j for j in range(factors.shape[1]) if j not in without]])
    return np.asarray(np.bincount(numbers, minlength=count)[numbers].astype(np.float64))


def empida(
    codes: Array,
    factors: Indices,
    blocks: Sequence[Sequence[int]],
    held: Sequence[int],
    changed: Sequence[int],
    *,
    quantile: float = 1.0,
    reweight: bool = True,
) -> Array:
    """Expected maximal post-interventional disagreement of groups of codes (algorithm 1).

    E[Z_L | do(G_A = a)] is the mean over the observations with G_A = a, weighted by p(g_rest) / p(g), rest all
    factors outside A and p relative frequencies (equation 7), so that factors may be confounded. Weights are
    normalised within the mean: as printed they sum to less than 1 where a combination of factors was not observed,
    which would pull means to 0. Combinations that were not observed take no part in the maximum. Without
    ``reweight`` conditional means are taken for interventional ones; ``quantile`` is that of the disagreements over
    realisations of J, 1.0 the paper's maximum.

    Codes are n x d, factors n x k class numbers; ``held`` may be none, ``changed`` is at least one, and disjoint.
    Each of the ``blocks``, groups of code numbers L, gives a value of at least 0, in units of the codes. Linear in n.
    """
    columns, starts = _columns(blocks)
    values = codes.take(columns, axis=1)  # unlike fancy indexing it keeps rows together
    at_held, n_held = number_rows(factors[:, list(held)])
    at_changed, n_changed = number_rows(factors[:, list(changed)])
    both, first = pd.factorize(at_held * n_changed + at_changed)
    n_both = len(first)
    weights_held = weights_both = np.ones(len(codes))
    if reweight:
        together = _frequency(factors, set())
        weights_held = _frequency(factors, set(held)) / together
        weights_both = _frequency(factors, {*held, *changed}) / together
    mean = _means(values, at_held, n_held, weights_held)
    moved = _means(values, both, n_both, weights_both)
    held_of = first // n_changed
    worst = _grouped_quantile(_distances(moved - mean[held_of], starts), held_of, n_held, quantile)
    return np.asarray(np.bincount(at_held, minlength=n_held) / len(codes) @ worst)


def crossed_empida(
    codes: Array,
    factors: Indices,
    blocks: Sequence[Sequence[int]],
    held: Sequence[int],
    changed: Sequence[int],
    *,
    quantile: float = 1.0,
) -> Array:
    """EMPIDA where every combination of factors occurs once and without noise (Appendix A.1).

    Conditional means stand for interventional ones, single observations for means after the change, and all
    realisations of the held factors count alike. On other samples noise of the codes counts as disagreement.
    Arguments as for :func:`empida`; ``changed`` must be all factors that are not held.
    """
    if sorted([*held, *changed]) != list(range(factors.shape[1])):
        raise InvalidInput(f"held and changed must be all factors together, got {list(held)} and {list(changed)}")
    columns, starts = _columns(blocks)
    at_held, n_held = number_rows(factors[:, list(held)])
    order, sizes = _by_group(at_held, n_held)
    # A row for each code, observations of one realisation together, so that all that follows runs along memory.
    values = np.ascontiguousarray(codes.take(order, axis=0).T).take(columns, axis=0)
    firsts = np.concatenate([[0], sizes.cumsum()[:-1]])
    values -= np.repeat(np.add.reduceat(values, firsts, axis=1) / sizes, sizes, axis=1)
    moved = np.ascontiguousarray(_distances(values.T, starts).T)
    return np.asarray(_segment_quantile(moved, sizes, quantile).mean(axis=1))
