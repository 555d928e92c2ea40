"""Informative codes: those whose Gaussian posterior differs from the prior (Duan et al. 2020, equation 3)."""

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput
from dbench.metrics.inputs import as_codes
from dbench.metrics.registry import Score, metric

ACTIVE = 0.01
"""Mean divergence from the prior, in nats, above which a code is informative (Duan et al. 2020, equation 3)."""


def kl_per_code(mean: NDArray[np.float64], logvar: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean KL divergence of each code's Gaussian posterior from the standard normal prior, in nats.

    Means and natural logarithms of variances are n x d, or models x n x d.
    """
    mean = as_codes("mean", mean, ndim=max(np.ndim(mean), 2))
    logvar = as_codes("logvar", logvar, ndim=max(np.ndim(logvar), 2))
    if mean.shape != logvar.shape:
        raise InvalidInput(f"mean and logvar must share a shape of n x d, got {mean.shape} and {logvar.shape}")
    with np.errstate(over="ignore"):
        divergence = 0.5 * (mean**2 + np.expm1(logvar) - logvar).mean(axis=-2)
    if not np.isfinite(divergence).all():
        raise InvalidInput(
            "the posterior's divergence must be finite, "
            f"got logvar up to {logvar.max()} and mean up to {np.abs(mean).max()} from 0"
        )
    return np.asarray(np.maximum(divergence, 0.0))


def informative_mask(
    mean: NDArray[np.float64], logvar: NDArray[np.float64], *, threshold: float = ACTIVE
) -> NDArray[np.bool_]:
    """Mask of the codes whose mean divergence from the prior (:func:`kl_per_code`) exceeds ``threshold`` nats."""
    if not 0 <= threshold < np.inf:
        raise InvalidInput(f"threshold must be a finite number of at least 0, got {threshold}")
    return kl_per_code(mean, logvar) > threshold


@metric(
    needs="posterior",
    bounds=(0, None),
    better=None,
    cite="duan2020",
    label="informative codes",
    varies={"scale": "the prior is a standard normal", "shift": "the prior is a standard normal"},
    parts={"per_code": "(KL)"},
)
def informative_codes(mean: NDArray[np.float64], logvar: NDArray[np.float64], *, threshold: float = ACTIVE) -> Score:
    """Number of codes whose posterior differs from the prior by more than a hundredth of a nat.

    Code i is informative if the mean over observations x of KL(q(z_i | x) || N(0, 1)) exceeds the threshold (equation
    3; 0.01 nats in its appendix), for a Gaussian posterior (mean^2 + variance - 1 - log variance) / 2. Bounds 0 and d.
    The count does not measure quality: copies count too. Means and natural logarithms of variances are n x d.

    Returns:
        Score with the divergence of each code, in nats, as value per code; details ``threshold`` and ``kl``, the
        divergence summed over codes.

    Raises:
        InvalidInput: shapes that differ or are not n x d, NaN or infinity, a negative threshold.

    Example:
        >>> mean = np.random.default_rng(0).normal(size=(100, 2))
        >>> for scale in ([1.0, 1.0], [1.0, 0.0], [0.0, 0.0]):  # codes that stay at 0 with variance 1 are idle
        ...     print(informative_codes(mean * scale, np.where(scale, -2.0, 0.0) + 0 * mean).value)
        2.0
        1.0
        0.0

    See Also:
        :func:`udr`; https://doi.org/10.48550/arXiv.1905.12614
    """
    if np.ndim(mean) != 2:
        raise InvalidInput(f"mean must be a matrix (observations x codes), got shape {np.shape(mean)}")
    divergence = kl_per_code(mean, logvar)
    count = int(informative_mask(mean, logvar, threshold=threshold).sum())
    return Score(
        "informative_codes",
        count,
        per_code=divergence,
        details={"threshold": threshold, "kl": float(divergence.sum())},
    )
