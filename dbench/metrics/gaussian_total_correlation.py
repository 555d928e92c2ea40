"""Total correlation of a Gaussian fitted to the codes (A Sober Look, section 4.2.9). Lower is more independent."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.inputs import as_codes
from dbench.metrics.registry import Score, metric

Array = NDArray[np.float64]

SMALLEST_EIGENVALUE = 1e-12


@metric(
    needs="sample",
    bounds=(0, None),
    better="lower",
    cite="locatello2020",
    label="TC",
    varies={"scale": "the variance of a dead code is in units of the codes"},
    variants={"active": {"needs": "posterior"}, "sampled": {"needs": "posterior"}},
)
def gaussian_total_correlation(codes: Sample | ArrayLike, *, dead: float = 1e-12) -> Score:
    """Divergence of a Gaussian with the codes' covariance from the product of its marginals, in nats.

    Minus half the log determinant of the correlation matrix. Bounds 0 and infinity. Degenerate inputs: codes with
    a variance of at most ``dead`` are left out (a constant is independent of everything); with at most one active
    code the score is 0; exactly dependent codes (duplicates, more codes than observations) would give infinity, so
    eigenvalues of the correlation matrix are floored at 1e-12, and each floored one contributes at most 13.8
    nats. The score measures linear dependence only; for rotated low-rank codes it depends on the noise floor, not on
    entanglement. Posterior means and draws from the posterior answer different questions.

    Returns:
        Score with details ``active`` (codes used), ``dead`` (codes left out) and ``singular`` (floored eigenvalues).

    Raises:
        InvalidInput: fewer than 2 observations, NaN, or a negative ``dead``.

    Example:
        >>> a, b = np.random.default_rng(0).normal(size=(2, 10_000))
        >>> for other in (b, a + b, a + 0.01 * b):
        ...     print(round(gaussian_total_correlation(np.stack([a, other], axis=1)).value, 2))
        0.0
        0.34
        4.61

    See Also:
        :func:`code_mutual_information`; https://doi.org/10.3929/ethz-b-000450167
    """
    values = codes.codes if isinstance(codes, Sample) else as_codes("codes", codes)
    if len(values) < 2:
        raise InvalidInput(f"codes must hold at least 2 observations, got {len(values)}")
    if not 0 <= dead < np.inf:
        raise InvalidInput(f"dead must be a finite variance of at least 0, got {dead}")
    deviation, correlation = _fast_moments(values, dead) or _careful_moments(values)
    active = deviation > np.sqrt(dead)
    count = int(active.sum())
    total, floored = 0.0, 0
    if count > 1:
        eigenvalues = np.linalg.eigvalsh(correlation[np.ix_(active, active)])
        floored = int((eigenvalues < SMALLEST_EIGENVALUE).sum())
        total = max(-0.5 * float(np.log(np.maximum(eigenvalues, SMALLEST_EIGENVALUE)).sum()), 0.0)
    details = {"active": count, "dead": len(active) - count, "singular": floored}
    return Score("gaussian_total_correlation", total, details=details)


def _fast_moments(values: Array, dead: float) -> tuple[Array, Array] | None:
    """Return standard deviations and correlations from one product, or None if it may overflow or lose precision."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.ones(len(values)) @ values / len(values)
        centred = values - mean
        covariance = centred.T @ centred / len(values)
        variance = np.diagonal(covariance)
        # Variances must be far above the rounding error of the mean, and products far from underflow and overflow.
        if not ((variance > np.maximum(1e-20 * mean**2, max(dead, 1e-140))) & (variance < 1e140)).all():
            return None
    deviation = np.sqrt(variance)
    return deviation, covariance / np.outer(deviation, deviation)


def _careful_moments(values: Array) -> tuple[Array, Array]:
    """Return standard deviations and correlations of codes of any magnitude; both are 0 for a constant code."""
    shrunk = values * 2.0**-24  # keeps sums finite
    centred = shrunk - shrunk.mean(axis=0)
    # The mean of equal values can have a rounding error, which must not count as variance.
    largest = np.where((values != values[0]).any(axis=0), np.abs(centred).max(axis=0), 0.0)
    centred = np.divide(centred, largest, out=np.zeros_like(centred), where=largest > 0)
    deviation = np.sqrt((centred**2).mean(axis=0))
    standardised = np.divide(centred, deviation, out=np.zeros_like(centred), where=deviation > 0)
    return largest * deviation * 2.0**24, standardised.T @ standardised / len(values)
