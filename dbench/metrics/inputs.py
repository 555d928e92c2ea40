"""Rules on input that several metrics share, and codes put on one scale."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.codes.sample import finite_array
from dbench.errors import InvalidInput
from dbench.shown import some


def require_varying(sample: Sample) -> None:
    """Insist that every factor takes at least two values."""
    constant = [
        name for name, column in zip(sample.factor_names, sample.factors.T, strict=True) if (column == column[0]).all()
    ]
    if constant:
        raise InvalidInput(f"every factor must take at least 2 values, got one value only for {', '.join(constant)}")


def labels_alone(sample: Sample, metric: str) -> Sample:
    """Leave out continuous factors; insist on others, each with at least two values."""
    if sample.labels is None:
        raise InvalidInput(
            f"{metric} needs discrete factors (labels), got continuous ones: {some(sample.factor_names)}"
        )
    require_varying(sample.labels)
    return sample.labels


def ordered_alone(sample: Sample, metric: str) -> Sample:
    """Leave out text of more than two values, whose order means nothing; insist on others."""
    kept = [
        j
        for j, (kind, column) in enumerate(zip(sample.kinds, sample.factors.T, strict=True))
        if kind != "text" or len(np.unique(column)) <= 2
    ]
    if not kept:
        raise InvalidInput(f"{metric} needs factors with an order, got text: {some(sample.factor_names)}")
    return sample.of_factors(kept)


def require_count(name: str, value: int, least: int) -> None:
    """Insist on an integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidInput(f"{name} must be an integer of at least {least}, got {value!r}")


def require_distinct(name: str, numbers: Sequence[int], size: int, least: int = 1) -> list[int]:
    """Return distinct numbers below ``size``, at least so many, or refuse them."""
    checked = [int(number) for number in numbers]
    if len(checked) < least or len(set(checked)) < len(checked) or not all(0 <= number < size for number in checked):
        raise InvalidInput(f"{name} must be distinct numbers from 0 to {size - 1}, at least {least}, got {checked}")
    return checked


def require_positive(name: str, value: float) -> None:
    """Insist on a finite number above 0."""
    if not 0 < value < np.inf:
        raise InvalidInput(f"{name} must be a finite number above 0, got {value}")


def require_matrix(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a finite, non-negative matrix (codes x factors) as float64."""
    matrix = as_codes(name, values)
    if (matrix < 0).any():
        raise InvalidInput(f"{name} must not be negative, got values from {matrix.min()} to {matrix.max()}")
    return matrix


def as_codes(name: str, values: ArrayLike, *, ndim: int = 2) -> NDArray[np.float64]:
    """Return finite codes of the given number of axes (the last two: observations, dimensions) as float64."""
    return finite_array(name, values, ndim=ndim).astype(np.float64, copy=False)


def label_indices(factors: NDArray[np.int64] | NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the labels that occur in each of k columns from 0, in their order: n x k, and the k numbers of labels."""
    columns = [pd.factorize(column, sort=True) for column in factors.T]
    numbers = np.stack([ranks for ranks, _ in columns], axis=1).astype(np.int64)
    return numbers, np.array([len(values) for _, values in columns])


def ranked(factors: ArrayLike) -> NDArray[np.float64]:
    """Read discrete factors as numbers by the rank of their labels; continuous ones stay as they are."""
    numbers = finite_array("factors", factors)
    return (numbers if numbers.dtype.kind == "f" else label_indices(numbers)[0]).astype(np.float64)


def numbers_of(sample: Sample) -> NDArray[np.float64]:
    """Return the factors as numbers, n x k: labels by rank, continuous ones as they are."""
    columns = [
        ranked(column[:, None] if kind == "continuous" else column[:, None].astype(np.int64))
        for kind, column in zip(sample.kinds, sample.factors.T, strict=True)
    ]
    return np.concatenate(columns, axis=1)


def standardise(
    train: NDArray[np.float64], test: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scale both parts by the mean and deviation of the training part; what is constant there becomes 0 in both."""
    halves, other = train * 0.5, test * 0.5  # keeps the range finite
    mean = halves.mean(axis=0)
    centred = halves - mean
    largest = np.abs(centred).max(axis=0)
    alive = largest > 1e-12 * np.abs(halves).max(axis=0)
    unit = np.where(alive, largest, 1.0)
    spread = np.where(alive, (centred / unit).std(axis=0), 1.0)
    x, x_test = ((part - mean) / unit / spread * alive for part in (halves, other))
    return x, x_test
