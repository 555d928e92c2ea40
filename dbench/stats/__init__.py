"""Statistics that the claims use. Every function that draws random numbers takes a generator."""

from dbench.stats.correlations import (
    Significance,
    compare_dependent_correlations,
    compare_independent_correlations,
    correlation,
    correlation_test,
)
from dbench.stats.estimate import Estimate, Interval, exact
from dbench.stats.intervals import bootstrap, jackknife, jackknife_each, mean_of, share_of, uniform_deviation
from dbench.stats.multiplicity import common_direction, largest_of, most_below, smallest_of
from dbench.stats.ranks import luck_beats_choice, rank_correlation, rank_correlations, sweep_correlations
from dbench.stats.superiority import (
    mean_range_overlaps,
    probability_of_superiority,
    superiority_of_groups,
    transfer_chance,
    transfer_success,
    transfer_successes,
)
from dbench.stats.variance import variance_explained

__all__ = [
    "Estimate",
    "Interval",
    "Significance",
    "bootstrap",
    "common_direction",
    "compare_dependent_correlations",
    "compare_independent_correlations",
    "correlation",
    "correlation_test",
    "exact",
    "jackknife",
    "jackknife_each",
    "largest_of",
    "luck_beats_choice",
    "mean_of",
    "mean_range_overlaps",
    "most_below",
    "probability_of_superiority",
    "rank_correlation",
    "rank_correlations",
    "share_of",
    "smallest_of",
    "superiority_of_groups",
    "sweep_correlations",
    "transfer_chance",
    "transfer_success",
    "transfer_successes",
    "uniform_deviation",
    "variance_explained",
]
