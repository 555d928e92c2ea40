"""What a statistic insists on before it counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.errors import InvalidInput

__all__ = ["finite_vector"]


def finite_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return ``values`` as a vector of floats.

    Raises:
        InvalidInput: not a vector, empty, or with a NaN or an infinity, which would go unnoticed in a comparison.
    """
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1 or len(vector) < 1:
        raise InvalidInput(f"{name} must be a vector of at least 1 number, got shape {vector.shape}")
    if not np.isfinite(vector).all():
        raise InvalidInput(f"{name} must be finite, got {vector[~np.isfinite(vector)][0]}")
    return vector
