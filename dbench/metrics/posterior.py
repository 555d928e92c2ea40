"""Which codes a Gaussian posterior uses at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput

__all__ = ["informative_codes", "kl_per_code"]


def kl_per_code(mean: NDArray[np.float64], logvar: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean divergence of each code's Gaussian posterior from the standard normal prior, in nats.

    Args:
        mean: n x d posterior means, or models x n x d.
        logvar: natural logarithms of the variances, same shape.

    Returns:
        d (or models x d) values of at least 0.
    """
    mean, logvar = np.asarray(mean, dtype=np.float64), np.asarray(logvar, dtype=np.float64)
    if mean.shape != logvar.shape or mean.ndim < 2 or 0 in mean.shape:
        raise InvalidInput(f"mean and logvar must share a shape of n x d, got {mean.shape} and {logvar.shape}")
    if not (np.isfinite(mean).all() and np.isfinite(logvar).all()):
        raise InvalidInput("mean and logvar must be finite, got NaN or infinite entries")
    with np.errstate(over="ignore"):
        divergence = 0.5 * (mean**2 + np.expm1(logvar) - logvar).mean(axis=-2)
    if not np.isfinite(divergence).all():
        raise InvalidInput(f"the posterior's divergence must be finite, got logvar up to {logvar.max()}")
    return np.asarray(np.maximum(divergence, 0.0))


def informative_codes(
    mean: NDArray[np.float64], logvar: NDArray[np.float64], *, threshold: float = 0.01
) -> NDArray[np.bool_]:
    """Codes whose mean divergence from the prior exceeds ``threshold`` nats (Duan et al. 2020, equation 3).

    Args:
        mean: n x d posterior means, or models x n x d.
        logvar: natural logarithms of the variances, same shape.
        threshold: in nats.

    Returns:
        d (or models x d) booleans.
    """
    return kl_per_code(mean, logvar) > threshold
