"""Post-interventional disagreement of codes, estimated from observations (Suter et al. 2019, algorithm 1).

Factors I are held, factors J are changed, and the codes L are read as one vector. For each realisation of the held
factors, the disagreement is how far at most the mean code moves when the changed factors are set too. Its average
over realisations is EMPIDA(L|I, J).
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
    """Number the distinct rows of a matrix of class numbers by hashing, in linear time; also return their count."""
    key, n_keys = np.zeros(len(columns), dtype=np.int64), 1
    for column in columns.T:
        size = int(column.max()) + 1
        if n_keys * size > 2**62:  # renumber the keys that occur, so that products stay below n times the size
            key, distinct = pd.factorize(key)
            n_keys = len(distinct)
        key, n_keys = key * size + column, n_keys * size
    numbers, distinct = pd.factorize(key)
    return numbers.astype(np.int64), len(distinct)


def _means(values: Array, group: Indices, count: int, weights: Array) -> Array:
    """Weighted mean of each column within each group; weights are normalised within the group."""
    sums = csr_array((weights, (group, np.arange(len(group)))), shape=(count, len(group)))
    return np.asarray(sums @ values / sums.sum(axis=1)[:, None])


def _columns(blocks: Sequence[Sequence[int]]) -> tuple[Indices, Indices]:
    """Concatenate the column numbers of all blocks; also return where each block starts."""
    lengths = [len(block) for block in blocks]
    return np.concatenate([np.asarray(block, dtype=np.int64) for block in blocks]), np.cumsum([0, *lengths[:-1]])


def _distances(differences: Array, starts: Indices) -> Array:
    """Euclidean length of each row within each block of columns."""
    if len(starts) == differences.shape[1]:  # every block is a single column
        return np.abs(differences)
    return np.asarray(np.sqrt(np.add.reduceat(differences**2, starts, axis=1)))


def _grouped_quantile(values: Array, group: Indices, count: int, quantile: float) -> Array:
    """Quantile of each column of m x b values within each group (groups x b), interpolated linearly; 1.0: maximum."""
    order, sizes = _by_group(group, count)
    return _segment_quantile(np.ascontiguousarray(values.take(order, axis=0).T), sizes, quantile).T


def _by_group(group: Indices, count: int) -> tuple[Indices, Indices]:
    """Return the order that sorts by group, and the group sizes; sorting 16-bit numbers takes linear time."""
    small = group.astype(np.uint16) if count <= 2**16 else group
    return np.argsort(small, kind="stable"), np.bincount(group, minlength=count)


def _segment_quantile(columns: Array, sizes: Indices, quantile: float) -> Array:
    """Quantile of each row of b x m values within consecutive segments of these sizes (b x segments)."""
    starts = np.concatenate([[0], sizes.cumsum()[:-1]])
    if quantile == 1.0:
        return np.asarray(np.maximum.reduceat(columns, starts, axis=1))
    position = quantile * (sizes - 1)
    low = np.floor(position).astype(np.int64)
    high, fraction = np.minimum(low + 1, sizes - 1), position - low
    result = np.empty((len(columns), len(sizes)))
    group = np.repeat(np.arange(len(sizes)), sizes)
    for column, row in zip(columns, result, strict=True):
        ordered = column[np.lexsort((column, group))]
        row[:] = (1 - fraction) * ordered[starts + low] + fraction * ordered[starts + high]
    return result


def _frequency(factors: Indices, without: set[int]) -> Array:
    """For each observation, the number of observations with the same values of all factors except those left out."""
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

    E[Z_L | do(G_A = a)] is the mean over the observations with G_A = a, weighted by p(g_rest) / p(g), where rest are
    all factors outside A and p are relative frequencies (equation 7): this corrects for confounded factors. Weights
    are normalised within the mean: as printed they sum to less than 1 where a combination of factors was not observed,
    which would pull means to 0. The maximum is over observed combinations. Without ``reweight`` conditional means
    replace interventional ones; ``quantile`` is that of the disagreements over realisations of J (paper: 1.0, maximum).

    Codes are n x d, factors n x k class numbers; ``held`` may be empty, ``changed`` not, and they are disjoint. Returns
    one value of at least 0, in units of the codes, for each of the ``blocks``, groups L of code numbers. Linear in n.
    """
    columns, starts = _columns(blocks)
    values = codes.take(columns, axis=1)  # keeps rows contiguous, unlike fancy indexing
    at_held, n_held = number_rows(factors[:, list(held)])
    at_changed, n_changed = number_rows(factors[:, list(changed)])
    at_both, first_keys = pd.factorize(at_held * n_changed + at_changed)
    n_both = len(first_keys)
    weights_held = weights_both = np.ones(len(codes))
    if reweight:
        frequency = _frequency(factors, set())
        weights_held = _frequency(factors, set(held)) / frequency
        weights_both = _frequency(factors, {*held, *changed}) / frequency
    mean_held = _means(values, at_held, n_held, weights_held)
    mean_both = _means(values, at_both, n_both, weights_both)
    held_of = first_keys // n_changed
    largest = _grouped_quantile(_distances(mean_both - mean_held[held_of], starts), held_of, n_held, quantile)
    return np.asarray(np.bincount(at_held, minlength=n_held) / len(codes) @ largest)


def crossed_empida(
    codes: Array,
    factors: Indices,
    blocks: Sequence[Sequence[int]],
    held: Sequence[int],
    changed: Sequence[int],
    *,
    quantile: float = 1.0,
) -> Array:
    """EMPIDA of samples that hold every combination of factors once and without noise (Appendix A.1).

    Conditional means replace interventional ones, single observations replace means after the change, and all
    realisations of the held factors have equal weight. On other samples noise of the codes counts as disagreement.
    Arguments are those of :func:`empida`; ``changed`` must be all factors that are not held.
    """
    if sorted([*held, *changed]) != list(range(factors.shape[1])):
        raise InvalidInput(f"held and changed must be all factors together, got {list(held)} and {list(changed)}")
    columns, starts = _columns(blocks)
    at_held, n_held = number_rows(factors[:, list(held)])
    order, sizes = _by_group(at_held, n_held)
    # One row for each code, sorted by realisation, so that the steps below read contiguous memory.
    values = np.ascontiguousarray(codes.take(order, axis=0).T).take(columns, axis=0)
    firsts = np.concatenate([[0], sizes.cumsum()[:-1]])
    values -= np.repeat(np.add.reduceat(values, firsts, axis=1) / sizes, sizes, axis=1)
    moved = np.ascontiguousarray(_distances(values.T, starts).T)
    return np.asarray(_segment_quantile(moved, sizes, quantile).mean(axis=1))
