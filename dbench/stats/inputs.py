"""Input checks and scaling that several statistics share."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.errors import InvalidInput


def finite_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a vector of at least one finite float. NaN is refused because comparisons with it go unnoticed."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1 or len(vector) < 1:
        raise InvalidInput(f"{name} must be a vector of at least 1 number, got shape {vector.shape}")
    if not np.isfinite(vector).all():
        raise InvalidInput(f"{name} must be finite, got {vector[~np.isfinite(vector)][0]}")
    return vector


def finite_matrix(name: str, values: ArrayLike, *, rows: int = 1, columns: int = 1) -> NDArray[np.float64]:
    """Return a matrix of at least ``rows`` x ``columns`` finite floats; anything else is refused."""
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] < rows or matrix.shape[1] < columns:
        raise InvalidInput(f"{name} must be a matrix of at least {rows} x {columns}, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise InvalidInput(f"{name} must be finite, got {matrix[~np.isfinite(matrix)][0]}")
    return matrix


def in_unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale a vector by a power of two, so that its largest value is near 1 and squares cannot overflow; exact."""
    return np.asarray(np.ldexp(vector, -np.frexp(np.abs(vector).max())[1]))


def varies(vector: NDArray[np.float64]) -> bool:
    """Whether the numbers of a vector differ by more than rounding errors."""
    unit = in_unit(vector)
    return bool(np.ptp(unit) > 1e-12 * np.abs(unit).max())
