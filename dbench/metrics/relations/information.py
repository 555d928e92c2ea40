"""Discrete mutual information between every code and every factor, in nats (A Sober Look, section 4.2.3).

The estimate is the plug-in one, biased upwards by about (bins - 1)(values - 1) / 2n nats.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from dbench.codes import Sample
from dbench.codes.sample import finite_array
from dbench.errors import InvalidInput
from dbench.metrics.inputs import as_codes, label_indices, require_count

Factors = NDArray[np.int64] | NDArray[np.float64]

CELLS = 1 << 21  # values of codes in one block; bounds the memory
_FEW = 64  # up to this number of float columns, counting them one by one is as fast as in blocks
_MANY = 8  # from this number of codes and factors on, one sparse product is faster than a count for each factor
_EXACT = 1 << 24  # integers up to here are exact in single precision


def quantise(values: ArrayLike, bins: int = 20) -> NDArray[np.int64]:
    """Cut every column into bins of equal width from its smallest to its largest value, numbered from 0.

    Values are ... x n x d; the last axis but one holds the observations. A value on the edge of two bins, or within a
    billionth of a bin below it, falls into the right one. All values of a constant column fall into bin 0.

    Raises:
        InvalidInput: values that are not finite, or fewer than 1 bin.

    Example:
        >>> quantise(np.array([[0.0], [1.0], [2.0], [4.0]]), bins=4).ravel().tolist()
        [0, 1, 2, 3]
    """
    require_count("bins", bins, 1)
    halves = as_codes("values", values, ndim=max(np.ndim(values), 2)) * 0.5  # keeps the range finite
    low = halves.min(axis=-2, keepdims=True)
    width = halves.max(axis=-2, keepdims=True) - low
    share = np.divide(halves - low, width, out=np.zeros_like(halves), where=width > 0)
    return np.asarray(np.minimum((share * bins + 1e-9).astype(np.int64), bins - 1))


def classes(sample: Sample, bins: int = 20) -> NDArray[np.int64]:
    """Return the factors of a sample as n x k labels; continuous factors are cut into bins of equal width.

    Example:
        >>> factors = np.array([[0.1, 7], [0.2, 7], [0.9, 8]])
        >>> classes(Sample(np.zeros((3, 1)), factors, kinds=("continuous", "discrete")), 2)
        array([[0, 7],
               [0, 7],
               [1, 8]])
    """
    if sample.discrete:
        return sample.factors.astype(np.int64)
    require_count("bins", bins, 2)  # with one bin a continuous factor would have no entropy
    is_label = [kind != "continuous" for kind in sample.kinds]
    return np.where(is_label, sample.factors, quantise(sample.factors, bins)).astype(np.int64)


def _classes(factors: Factors, bins: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bin factors that are floats; return :func:`label_indices` of the labels."""
    if factors.dtype.kind == "f":
        factors = quantise(factors, bins)
    return label_indices(factors)


def entropy(factors: Factors, *, bins: int = 20) -> NDArray[np.float64]:
    """Entropy of each column, in nats: k numbers, 0 for a constant column.

    Args:
        factors: n x k; integers are labels, floats are cut into bins.
        bins: number of bins of equal width.

    Raises:
        InvalidInput: values that are not finite, or fewer than 1 bin for floats.

    Example:
        >>> entropy(np.array([[0, 5], [1, 5]])).round(3).tolist()
        [0.693, 0.0]
    """
    values = finite_array("factors", factors)
    if values.dtype.kind == "f" and values.shape[1] > _FEW:  # wide codes
        step = max(CELLS // len(values), 1)
        blocks = (values[:, start : start + step] for start in range(0, values.shape[1], step))
        return np.concatenate([_of_bins(quantise(block, bins), bins) for block in blocks])
    indices, sizes = _classes(values, bins)
    n = len(indices)
    shares = [np.bincount(column, minlength=size) / n for column, size in zip(indices.T, sizes, strict=True)]
    return np.array([max(0.0, -float(xlogy(share, share).sum())) for share in shares])


def _of_bins(labels: NDArray[np.int64], bins: int) -> NDArray[np.float64]:
    """Entropy of each of d columns of labels below ``bins``."""
    n, d = labels.shape
    counts = np.bincount((labels + np.arange(d) * bins).ravel(), minlength=d * bins).reshape(d, bins)
    return np.asarray(np.maximum(-xlogy(counts / n, counts / n).sum(axis=1), 0.0))


def _counts(
    stacked: NDArray[np.int64], indices: NDArray[np.int64], sizes: NDArray[np.int64], bins: int
) -> Iterator[NDArray[np.int64]]:
    """Yield, for each of k factors, the counts (m x bins x labels) of bins of m binned codes (m x n) by labels."""
    m, n = stacked.shape
    cells = np.arange(m)[:, None] * bins + stacked
    if min(m, len(sizes)) < _MANY or n >= _EXACT:
        for j, size in enumerate(sizes):
            joint = (cells * size + indices[:, j]).ravel()
            yield np.bincount(joint, minlength=m * bins * size).reshape(m, bins, size)
        return
    # One sparse product gives the counts for all factors.
    from scipy.sparse import csc_matrix

    ends = np.cumsum(sizes)
    labels = np.zeros((n, ends[-1]), dtype=np.float32)
    for j, start in enumerate(ends - sizes):
        labels[np.arange(n), start + indices[:, j]] = 1
    ones = np.ones(cells.size, dtype=np.float32)
    bin_members = csc_matrix((ones, cells.T.ravel().astype(np.int32), np.arange(n + 1) * m), shape=(m * bins, n))
    counts = (bin_members @ labels).astype(np.int64)
    for start, end in zip(ends - sizes, ends, strict=True):
        yield np.ascontiguousarray(counts[:, start:end]).reshape(m, bins, end - start)


def mutual_information(codes: ArrayLike, factors: ArrayLike, *, bins: int = 20) -> NDArray[np.float64]:
    """Mutual information in nats of every code (n x d) with every factor (n x k): d x k, never negative.

    For a stack of models (models x n x d) of the same observations it is models x d x k. Integer factors are labels;
    codes, and factors that are floats, are cut into bins of equal width. Exactly 0 for a constant code or factor.

    Raises:
        InvalidInput: values that are not finite, observations that differ in number, or fewer than 1 bin.

    Example:
        >>> codes = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        >>> mutual_information(codes, np.array([[5], [5], [7], [7]])).round(3).tolist()
        [[0.693], [0.0]]
    """
    codes, factors = as_codes("codes", codes, ndim=max(np.ndim(codes), 2)), finite_array("factors", factors)
    if codes.shape[-2] != len(factors):
        raise InvalidInput(f"codes and factors must have equally many rows, got {codes.shape[-2]} and {len(factors)}")
    n, d = codes.shape[-2:]
    rows = np.moveaxis(codes, -1, -2).reshape(-1, n)  # one row for each code of each model
    indices, sizes = _classes(factors, bins)
    result = np.empty((len(rows), len(sizes)))
    step = max(CELLS // n, 1)
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        stacked = quantise(rows[block].T, bins).T
        for j, counts in enumerate(_counts(stacked, indices, sizes, bins)):
            of_code, of_factor = counts.sum(axis=2), counts.sum(axis=1)
            total = xlogy(counts, counts).sum(axis=(1, 2)) + xlogy(n, n)
            information = (total - xlogy(of_code, of_code).sum(axis=1) - xlogy(of_factor, of_factor).sum(axis=1)) / n
            # Rounding leaves about 1e-16 where the answer is exactly 0.
            varies = ((of_code > 0).sum(axis=1) > 1) & (sizes[j] > 1)
            result[block, j] = np.where(varies, np.maximum(information, 0.0), 0.0)
    return result.reshape(*codes.shape[:-2], d, len(sizes))
