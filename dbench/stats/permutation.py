"""Exact inference for few units: every relabelling is tried, no law of the noise is assumed."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.errors import InvalidInput
from dbench.stats.estimate import Estimate
from dbench.stats.inputs import check_confidence, finite_vector

__all__ = ["permutation_interval", "permutation_p", "sign_flip_p"]

Alternative = Literal["greater", "less", "two-sided"]

# 2 ** 16 subsets of units, and as many regroupings of two samples, take a few hundredths of a second.
_MOST_FLIPPED = 16
_MOST_REGROUPINGS = 2**16
# Equal sums differ by rounding; relative to the largest absolute sum.
_SAME = 1e-12


def _subset_sums(units: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum every subset of the units, the empty one first: subset i holds unit j where bit j of i is set."""
    sums = np.zeros(1)
    for unit in units:
        sums = np.concatenate([sums, sums + unit])
    return sums


def permutation_interval(values: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Mean of independent units with the interval of the values that no sign-flip test rejects.

    The means of the 2^n - 1 non-empty subsets cut the line into 2^n pieces, each of which holds the centre of a
    symmetric law with the same probability (Hartigan, 'Using subsample values as typical values', Journal of the
    American Statistical Association 64, 1969, theorem 1). The interval leaves out the k outermost pieces on either
    side, k the largest with 2 k / 2^n <= 1 - confidence, so it covers at least as often as it says, for any
    symmetric law: normality is not assumed, outliers do no harm to it.

    Args:
        values: one number a unit, at most 16; with more, Student's t (:func:`dbench.stats.mean_interval`) does.
        confidence: of the two-sided interval. n units give at most 1 - 2 / 2^n: with less than 6 there are no ends
            at 95%.

    Raises:
        InvalidInput: no units, too many, or a value that is not finite.
    """
    check_confidence(confidence)
    units = finite_vector("values", values)
    n = len(units)
    if n > _MOST_FLIPPED:
        raise InvalidInput(f"values must be at most {_MOST_FLIPPED} units, got {n}: use mean_interval")
    mean = float(units.mean())
    outer = math.floor(2.0**n * (1 - confidence) / 2 * (1 + _SAME))
    if outer < 1:
        return Estimate(mean, -math.inf, math.inf, n, confidence)
    sizes = _subset_sums(np.ones(n))[1:]
    typical = np.sort(_subset_sums(units)[1:] / sizes)
    low, high = float(typical[outer - 1]), float(typical[-outer])
    return Estimate(mean, min(low, mean), max(high, mean), n, confidence)


def sign_flip_p(values: ArrayLike, *, alternative: Alternative = "two-sided") -> float:
    """P-value of 'the law of the units is symmetric about 0', from the mean under all 2^n flips of sign.

    Args:
        values: one number a unit, at most 16.
        alternative: on which side of 0 the mean lies instead.

    Returns:
        Never below 1 / 2^n (two-sided: 2 / 2^n): the data as they stand are one of the flips.

    Raises:
        InvalidInput: no units, too many, a value that is not finite, or an unknown alternative.
    """
    units = finite_vector("values", values)
    if len(units) > _MOST_FLIPPED:
        raise InvalidInput(f"values must be at most {_MOST_FLIPPED} units, got {len(units)}")
    flipped = units.sum() - 2 * _subset_sums(units)
    return _tail(flipped, float(units.sum()), alternative)


def permutation_p(
    first: ArrayLike,
    second: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    generator: np.random.Generator | None = None,
    draws: int = 10_000,
) -> float:
    """P-value of 'both samples come from one law', from the difference of means under regrouping.

    All regroupings where there are at most 65,536 of them (9 against 9 units), so that the answer is exact; else
    ``draws`` random ones, the observed one counted in (Phipson and Smyth, 2010).

    Args:
        first: units of one sample.
        second: units of the other.
        alternative: where the mean of the first lies as against that of the second.
        generator: draws the regroupings where there are too many to try.
        draws: how many then.

    Raises:
        InvalidInput: an empty sample, a value that is not finite, an unknown alternative, or too many regroupings
            and no generator.
    """
    a, b = finite_vector("first", first), finite_vector("second", second)
    pooled, n = np.concatenate([a, b]), len(a)
    # The sum of the first sample orders the regroupings as the difference of means does; centring makes it two-sided.
    pooled = pooled - pooled.mean()
    observed = float(pooled[:n].sum())
    if math.comb(len(pooled), n) <= _MOST_REGROUPINGS:
        chosen = np.array(list(combinations(range(len(pooled)), n)))
        return _tail(pooled[chosen].sum(axis=1), observed, alternative)
    if generator is None:
        raise InvalidInput(f"{len(a)} against {len(b)} units have too many regroupings to try all: pass a generator")
    if draws < 1:
        raise InvalidInput(f"draws must be at least 1, got {draws}")
    sums = generator.permuted(np.tile(pooled, (draws, 1)), axis=1)[:, :n].sum(axis=1)
    return _tail(np.append(sums, observed), observed, alternative)


def _tail(sums: NDArray[np.float64], observed: float, alternative: Alternative) -> float:
    """Share of the sums that lie at least as far out as the observed one."""
    slack = _SAME * float(np.abs(sums).max())
    if alternative == "greater":
        return float((sums >= observed - slack).mean())
    if alternative == "less":
        return float((sums <= observed + slack).mean())
    if alternative == "two-sided":
        return float((np.abs(sums) >= abs(observed) - slack).mean())
    raise InvalidInput(f"alternative must be 'greater', 'less' or 'two-sided', got {alternative!r}")
