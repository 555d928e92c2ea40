"""What the posterior's variances allow: the correlation of codes as they are drawn, and of those that say something."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbench.metrics import Score, gaussian_total_correlation, informative_mask

__all__ = ["active_total_correlation", "sampled_total_correlation"]

Array = NDArray[np.float64]


def sampled_total_correlation(mean: Array, logvar: Array, *, generator: np.random.Generator) -> Score:
    """Gaussian total correlation of one draw from each posterior.

    Args:
        mean: n x d posterior means.
        logvar: natural logarithms of the variances, same shape.
        generator: for the draws.
    """
    drawn = mean + np.exp(logvar / 2) * generator.standard_normal(mean.shape)
    score = gaussian_total_correlation(drawn)
    return Score("gaussian_total_correlation[sampled]", score.value, details=score.details)


def active_total_correlation(mean: Array, logvar: Array, *, generator: np.random.Generator) -> Score:
    """Gaussian total correlation of the means of informative codes only; 0 for fewer than two.

    Args:
        mean: n x d posterior means.
        logvar: natural logarithms of the variances, same shape.
        generator: not used.
    """
    active = mean[:, informative_mask(mean, logvar)]
    value = gaussian_total_correlation(active).value if active.shape[1] > 1 else 0.0
    return Score("gaussian_total_correlation[active]", value, details={"active": active.shape[1]})
