"""Discrete mutual information between every code and every factor, in nats (A Sober Look, section 4.2.3).

The estimate is the plug-in one, biased upwards by about (bins - 1)(values - 1) / 2n nats.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from dbench.codes import Sample
from dbench.codes.sample import finite_array
from dbench.errors import InvalidInput
from dbench.metrics.inputs import as_codes, label_indices, require_count

Factors = NDArray[np.int64] | NDArray[np.float64]


def quantise(values: ArrayLike, bins: int = 20) -> NDArray[np.int64]:
    """Cut every column into bins of equal width from its smallest to its largest value, numbered from 0.

    Values are ... x n x d; the last axis but one holds the observations. A value on a cut, and one that rounding leaves
    a billionth of a bin below it, falls to its right. A constant column falls into bin 0.

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
    """Return the factors as n x k labels: labels as they are, continuous ones cut into bins of equal width.

    Example:
        >>> factors = np.array([[0.1, 7], [0.2, 7], [0.9, 8]])
        >>> classes(Sample(np.zeros((3, 1)), factors, kinds=("continuous", "discrete")), 2)
        array([[0, 7],
               [0, 7],
               [1, 8]])
    """
    if sample.discrete:
        return sample.factors.astype(np.int64, copy=False)
    label = [kind != "continuous" for kind in sample.kinds]
    return np.where(label, sample.factors, quantise(sample.factors, bins)).astype(np.int64)


def _classes(factors: Factors, bins: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if factors.dtype.kind == "f":
        factors = quantise(factors, bins)
    return label_indices(factors)


def entropy(factors: Factors, *, bins: int = 20) -> NDArray[np.float64]:
    """Entropy of each of the k columns of n x k factors, in nats; 0 for a constant one."""
    indices, sizes = _classes(finite_array("factors", factors), bins)
    n = len(indices)
    shares = [np.bincount(column, minlength=size) / n for column, size in zip(indices.T, sizes, strict=True)]
    return np.array([max(-float(xlogy(share, share).sum()), 0.0) for share in shares])


def mutual_information(codes: ArrayLike, factors: ArrayLike, *, bins: int = 20) -> NDArray[np.float64]:
    """Mutual information in nats of every code (n x d) with every factor (n x k), d x k, never negative.

    Of a stack of models (models x n x d) on the same observations it is models x d x k. Integer factors are labels;
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
    stacked = np.moveaxis(quantise(codes, bins), -1, -2).reshape(-1, n)  # one row for each code of each model
    indices, sizes = _classes(factors, bins)
    row = np.arange(len(stacked))[:, None] * bins
    result = np.empty((len(stacked), len(sizes)))
    for j, size in enumerate(sizes):
        cells = ((row + stacked) * size + indices[:, j]).ravel()
        counts = np.bincount(cells, minlength=len(stacked) * bins * size).reshape(len(stacked), bins, size)
        of_code, of_factor = counts.sum(axis=2), counts.sum(axis=1)
        total = xlogy(counts, counts).sum(axis=(1, 2)) + xlogy(n, n)
        information = (total - xlogy(of_code, of_code).sum(axis=1) - xlogy(of_factor, of_factor).sum(axis=1)) / n
        # Rounding leaves about 1e-16 where the answer is exactly 0.
        varies = ((of_code > 0).sum(axis=1) > 1) & (size > 1)
        result[:, j] = np.where(varies, np.maximum(information, 0.0), 0.0)
    return result.reshape(*codes.shape[:-2], d, len(sizes))
