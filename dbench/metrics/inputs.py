"""Checks of input that several metrics share, and standardisation of codes."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.codes.sample import finite_array
from dbench.errors import InvalidInput
from dbench.shown import some


def require_varying(sample: Sample) -> None:
    """Refuse a sample with a factor that takes a single value."""
    columns = zip(sample.factor_names, sample.factors.T, strict=True)
    constant = [name for name, column in columns if (column == column[0]).all()]
    if constant:
        raise InvalidInput(f"every factor must take at least 2 values, got one value only for {', '.join(constant)}")


def labels_alone(sample: Sample, metric: str) -> Sample:
    """Return the sample without its continuous factors; refuse it if none is left, or one takes a single value."""
    if sample.labels is None:
        raise InvalidInput(
            f"{metric} needs discrete factors (labels), got continuous ones: {some(sample.factor_names)}"
        )
    require_varying(sample.labels)
    return sample.labels


def ordered_alone(sample: Sample, metric: str) -> Sample:
    """Return the sample without text of more than two values, which has no order; refuse it if no factor is left."""
    columns = zip(sample.kinds, sample.factors.T, strict=True)
    kept = [j for j, (kind, column) in enumerate(columns) if kind != "text" or len(np.unique(column)) <= 2]
    if not kept:
        raise InvalidInput(f"{metric} needs factors with an order, got text: {some(sample.factor_names)}")
    return sample.of_factors(kept)


def require_count(name: str, value: int, least: int) -> None:
    """Refuse anything but an integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidInput(f"{name} must be an integer of at least {least}, got {value!r}")


def require_distinct(name: str, numbers: Sequence[int], size: int, least: int = 1) -> list[int]:
    """Return the numbers as a list; refuse them unless they are at least ``least`` distinct integers below ``size``."""
    given: list[object] = [numbers] if np.ndim(numbers) == 0 else list(numbers)
    integers = [int(item) for item in given if isinstance(item, (int, np.integer)) and not isinstance(item, bool)]
    if not least <= len(set(integers)) == len(given) or not all(0 <= number < size for number in integers):
        raise InvalidInput(f"{name} must be distinct numbers from 0 to {size - 1}, at least {least}, got {given!r:.80}")
    return integers


def require_positive(name: str, value: float) -> None:
    """Refuse a number that is not finite or not above 0."""
    if not 0 < value < np.inf:
        raise InvalidInput(f"{name} must be a finite number above 0, got {value}")


def require_source(source: object) -> None:
    """Refuse an object that cannot return the codes of an intervention (``held_codes``)."""
    if not hasattr(source, "held_codes"):
        advice = "RowSource(Sample(codes, factors)) makes one"
        raise InvalidInput(f"source must be a Source of codes, got {type(source).__name__}; {advice}")


def require_squarable(codes: NDArray[np.float64]) -> None:
    """Refuse codes whose sums of squares may overflow, for a metric that does not standardise them."""
    if (largest := max(codes.max(), -codes.min())) > 1e140:
        raise InvalidInput(f"codes must lie within 1e140 of 0 where their units matter, got {largest:g}")


def require_matrix(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a matrix (codes x factors) as float64; refuse one that is not finite or holds a negative entry."""
    matrix = as_codes(name, values)
    if (matrix < 0).any():
        raise InvalidInput(f"{name} must not be negative, got values from {matrix.min()} to {matrix.max()}")
    return matrix


def as_codes(name: str, values: ArrayLike, *, ndim: int = 2) -> NDArray[np.float64]:
    """Return finite codes of the given number of axes (the last two: observations, dimensions) as float64."""
    return finite_array(name, values, ndim=ndim).astype(np.float64, copy=False)


def label_indices(factors: NDArray[np.int64] | NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Replace the labels of each of k columns by their ranks from 0 (n x k); also return how many labels each has."""
    columns = [pd.factorize(column, sort=True) for column in factors.T]
    indices = np.stack([ranks for ranks, _ in columns], axis=1).astype(np.int64)
    return indices, np.array([len(values) for _, values in columns])


def ranked(factors: ArrayLike) -> NDArray[np.float64]:
    """Return discrete factors (integers) as the ranks of their labels, and continuous ones (floats) unchanged."""
    numbers = finite_array("factors", factors)
    return (numbers if numbers.dtype.kind == "f" else label_indices(numbers)[0]).astype(np.float64)


def numbers_of(sample: Sample) -> NDArray[np.float64]:
    """Return the factors of a sample as n x k numbers: labels as ranks, continuous factors unchanged."""
    columns = [
        ranked(column[:, None] if kind == "continuous" else column[:, None].astype(np.int64))
        for kind, column in zip(sample.kinds, sample.factors.T, strict=True)
    ]
    return np.concatenate(columns, axis=1)


def in_range(codes: NDArray[np.float64], *others: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Divide columns whose squares may overflow or vanish by a power of two, which is exact; keep the other columns.

    The ``others``, such as a test part, are divided by the same powers, and clipped to 1e70 in absolute value.
    """
    parts = [codes, *others]
    largest = np.maximum(codes.max(axis=-2, keepdims=True), -codes.min(axis=-2, keepdims=True))
    out_of_range = ((largest > 1e70) | (largest < 1e-70)) & (largest > 0)
    if out_of_range.any():
        power = np.where(out_of_range, -np.frexp(largest)[1], 0)
        with np.errstate(over="ignore"):
            parts = [np.ldexp(part, power) for part in parts]
    return parts[0], *(np.clip(part, -1e70, 1e70) for part in parts[1:])


def standardise(
    train: NDArray[np.float64], test: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standardise both parts by mean and deviation of the training part; a column constant there becomes 0 in both."""
    train, test = in_range(train, test)
    mean = train.mean(axis=0)
    centred = train - mean
    largest = np.abs(centred).max(axis=0)
    alive = largest > 1e-12 * np.abs(train).max(axis=0)
    unit = np.where(alive, largest, 1.0)
    spread = np.where(alive, (centred / unit).std(axis=0), 1.0)
    x, x_test = ((part - mean) / unit / spread * alive for part in (train, test))
    return x, x_test
