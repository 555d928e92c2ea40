"""Worlds in which findings of A Sober Look are false, or too small to tell."""

import numpy as np
import torch
from counter_worlds import Worlds, population, rng, trend

from dbench_fixtures.counterexamples.entangling import entangling, householder

THEOREM, TC, VARIANCE = "sober/test_3_impossibility", "sober/test_5_2_total_correlation", "sober/test_5_3_variance"
TC_EFFECTS = ("gaussian_tc.mean", "gaussian_tc.sampled", "gaussian_tc.mean.active", "gaussian_tc.sampled.active")


def by_objective(objective, strengths, stream):
    return (objective == "beta_vae") * 10 + stream.standard_normal(len(strengths))


def by_strength(objective, strengths, stream):
    return strengths + 0.01 * stream.standard_normal(len(strengths))


def skewed(marginal: str = "uniform"):
    """A map that is no rotation: it squeezes one direction, and so changes the distribution."""
    return entangling(marginal, torch.tensor([[1.0, 0.6], [0.0, 1.0]], dtype=torch.float64))


def straight():
    """The identity, which entangles nothing."""
    return entangling("normal", torch.eye(3, dtype=torch.float64))


def proper():
    return entangling("uniform", householder(2, 0.146))


def tc_levels(mean: float, sampled: float, seeds: int = 10):
    levels = dict(zip(TC_EFFECTS, (mean, sampled, mean, sampled), strict=True))
    return population(
        seeds, **{name: (lambda o, s, g, c=c: c + g.standard_normal(len(s))) for name, c in levels.items()}
    )


WORLDS = [
    Worlds(
        THEOREM,
        "BIJECTION",
        false=lambda m: m.round_trip_error(skewed(), rng("skewed")),
        small=lambda m: m.round_trip_error(proper(), rng("small"), n=100),
    ),
    Worlds(
        THEOREM,
        "DISTRIBUTION",
        false=lambda m: m.joint_deviation(skewed(), rng("skewed")),
        small=lambda m: m.joint_deviation(proper(), rng("small"), n=2_000),
    ),
    Worlds(
        THEOREM,
        "JACOBIAN",
        false=lambda m: m.smallest_derivative(straight(), rng("straight")),
        small=lambda m: m.smallest_derivative(proper(), rng("small"), n=100),
    ),
    Worlds(
        TC,
        "SAMPLED_FALLS",
        false=lambda m: m.trend_with_strength(
            population(**{"gaussian_tc.sampled": trend(0)}), "beta_vae", "gaussian_tc.sampled"
        ),
        small=lambda m: m.trend_with_strength(
            population(2, **{"gaussian_tc.sampled": trend(-1)}), "beta_vae", "gaussian_tc.sampled"
        ),
    ),
    Worlds(
        TC,
        "MEAN_RISES",
        false=lambda m: m.trend_with_strength(
            population(**{"gaussian_tc.mean": trend(0)}), "beta_vae", "gaussian_tc.mean"
        ),
        small=lambda m: m.trend_with_strength(
            population(2, **{"gaussian_tc.mean": trend(1)}), "beta_vae", "gaussian_tc.mean"
        ),
    ),
    Worlds(
        TC,
        "MEAN_EXCEEDS_SAMPLED",
        false=lambda m: m.share_with_higher_mean(tc_levels(0, 2), "all"),
        small=lambda m: m.share_with_higher_mean(tc_levels(2, 0, seeds=2), "active"),
    ),
    Worlds(
        VARIANCE,
        "MINOR_PART",
        false=lambda m: m.share_of_objective(population(mig=by_objective), "mig"),
        small=lambda m: m.share_of_objective(population(2, mig=trend(0)), "mig"),
    ),
    Worlds(
        VARIANCE,
        "STRENGTH_ADDS",
        false=lambda m: m.share_added_by_strength(population(mig=by_objective), "mig"),
        small=lambda m: m.share_added_by_strength(population(2, mig=trend(1)), "mig"),
    ),
    Worlds(
        VARIANCE,
        "SEED_REMAINS",
        false=lambda m: m.share_left_to_seed(population(mig=by_strength), "mig"),
        small=lambda m: m.share_left_to_seed(population(2, mig=trend(0)), "mig"),
    ),
    Worlds(
        VARIANCE,
        "PUBLISHED",
        false=lambda m: m.mean_of(np.full(56, 0.8)),
        small=lambda m: m.mean_of(np.full(7, 0.3)),
    ),
    Worlds(
        VARIANCE,
        "PUBLISHED_ADDS",
        false=lambda m: m.mean_of(np.zeros(56)),
        small=lambda m: m.mean_of(np.full(7, 0.3)),
    ),
    Worlds(
        VARIANCE,
        "LUCK",
        false=lambda m: m.luck_against_choice(population(mig=by_strength), "beta_vae", "mig"),
        small=lambda m: m.luck_against_choice(population(2, mig=trend(0)), "beta_vae", "mig"),
    ),
]
