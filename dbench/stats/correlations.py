"""Pearson correlations, tests of their significance, and tests of whether two differ."""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtr

from dbench.errors import InvalidInput
from dbench.stats.inputs import finite_vector, in_unit, varies


class Significance(NamedTuple):
    """A test statistic with its p-value."""

    statistic: float
    p: float


def correlation(first: ArrayLike, second: ArrayLike) -> float:
    """Pearson's correlation of two vectors of at least 3 finite numbers.

    Raises:
        InvalidInput: shapes differ, a number is not finite, or a vector is constant: its correlation is undefined.
    """
    a, b = finite_vector("first", first), finite_vector("second", second)
    if a.shape != b.shape or len(a) < 3:
        raise InvalidInput(f"first and second must be vectors of equal length >= 3, got {a.shape} and {b.shape}")
    if not (varies(a) and varies(b)):
        raise InvalidInput("first and second must vary, got a constant vector")
    a, b = in_unit(a), in_unit(b)
    a, b = a - a.mean(), b - b.mean()
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return float(np.clip(a @ b, -1.0, 1.0))


def correlation_test(r: float, n: int) -> Significance:
    """Test whether a correlation of n points differs from 0: r sqrt(n - 2) / sqrt(1 - r^2), two-sided p."""
    _check(n, 3, r)
    statistic = r * math.sqrt(n - 2) / math.sqrt(1 - r * r)
    return Significance(statistic, _two_sided_t(statistic, n - 2))


def compare_independent_correlations(r_first: float, r_second: float, n_first: int, n_second: int) -> Significance:
    """Test whether two correlations of independent samples differ: Fisher's z, two-sided p.

    The difference of the transformed correlations has variance 1 / (n_first - 3) + 1 / (n_second - 3).
    """
    _check(min(n_first, n_second), 4, r_first, r_second)
    spread = math.sqrt(1 / (n_first - 3) + 1 / (n_second - 3))
    statistic = (math.atanh(r_first) - math.atanh(r_second)) / spread
    return Significance(statistic, _two_sided_z(statistic))


def compare_dependent_correlations(
    r_first: float,
    r_second: float,
    r_between: float,
    n: int,
    *,
    method: Literal["williams", "steiger", "hotelling"] = "williams",
) -> Significance:
    """Test whether two correlations on the same n points that share one variable differ; two-sided p.

    Steiger, 'Tests for comparing elements of a correlation matrix', Psychological Bulletin 87, 1980:
    Williams' T2 (equation 7; Student's t, n - 3 degrees of freedom), which keeps its level in small samples;
    Hotelling's T1 (equation 6; the same distribution), exact only given the observed values of the two
    predictors; Steiger's Z with pooled correlations (equations 11 and 14; normal).

    ``r_first`` and ``r_second`` are the correlations of two predictors with the shared variable, ``r_between`` is the
    correlation of the two predictors.

    Raises:
        InvalidInput: a correlation outside (-1, 1), fewer than 4 points, an unknown method, or three
            correlations that no data can have together.
    """
    _check(n, 4, r_first, r_second, r_between)
    determinant = 1 - r_first**2 - r_second**2 - r_between**2 + 2 * r_first * r_second * r_between
    if determinant <= 0:
        raise InvalidInput(
            f"no data have the correlations {r_first:g}, {r_second:g} and {r_between:g} together: "
            f"the determinant of their matrix must be positive, got {determinant:g}"
        )
    difference, mean = r_first - r_second, (r_first + r_second) / 2
    if method == "williams":
        spread = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r_between) ** 3
        statistic = difference * math.sqrt((n - 1) * (1 + r_between) / spread)
        return Significance(statistic, _two_sided_t(statistic, n - 3))
    if method == "hotelling":
        statistic = difference * math.sqrt((n - 3) * (1 + r_between) / (2 * determinant))
        return Significance(statistic, _two_sided_t(statistic, n - 3))
    if method == "steiger":
        covariance = r_between * (1 - 2 * mean**2) - mean**2 * (1 - 2 * mean**2 - r_between**2) / 2
        covariance /= (1 - mean**2) ** 2
        statistic = (math.atanh(r_first) - math.atanh(r_second)) * math.sqrt((n - 3) / (2 - 2 * covariance))
        return Significance(statistic, _two_sided_z(statistic))
    raise InvalidInput(f"method must be 'williams', 'steiger' or 'hotelling', got {method!r}")


def _check(n: int, least: int, *correlations: float) -> None:
    """Refuse fewer than ``least`` points, and correlations outside (-1, 1)."""
    if n < least:
        raise InvalidInput(f"n must be at least {least}, got {n}")
    for r in correlations:
        if not -1 < r < 1:
            raise InvalidInput(f"a correlation must lie strictly between -1 and 1, got {r}")


def _two_sided_t(statistic: float, degrees: int) -> float:
    return float(2 * stdtr(degrees, -abs(statistic)))


def _two_sided_z(statistic: float) -> float:
    return float(2 * ndtr(-abs(statistic)))
