"""Statistics that the claims rest on; every function that draws takes a generator."""

from dbench.stats.correlations import (
    Significance,
    compare_dependent_correlations,
    compare_independent_correlations,
    correlation,
    correlation_test,
)
from dbench.stats.estimate import Estimate, exact
from dbench.stats.intervals import jackknife_interval, mean_interval, share_interval, uniform_deviation_interval
from dbench.stats.ranks import luck_beats_choice, rank_correlation
from dbench.stats.variance import variance_explained

__all__ = [
    "Estimate",
    "Significance",
    "compare_dependent_correlations",
    "compare_independent_correlations",
    "correlation",
    "correlation_test",
    "exact",
    "jackknife_interval",
    "luck_beats_choice",
    "mean_interval",
    "rank_correlation",
    "share_interval",
    "uniform_deviation_interval",
    "variance_explained",
]
