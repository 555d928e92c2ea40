"""Worlds in which findings of A Sober Look are false, or too small to tell."""

import numpy as np
import torch
from counter_worlds import Worlds, population, rng, trend

from dbench.claims.calibration import Calibration
from dbench.claims.simulation import Law, simulated_zoo
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
    levels = dict(zip((*TC_EFFECTS, "kl.informative"), (mean, sampled, mean, sampled, 5), strict=True))
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


def sweep(score: str, sign: float):
    """One score that follows the strength of every objective, against noise of 1."""

    def world(effect, *, generator, seeds, point_only):
        laws = {score: Law(trend=sign * effect, seed=0.3)}
        return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)

    return world


def mean_above_sampled(effect, *, generator, seeds, point_only):
    """The mean codes' total correlation exceeds the sampled ones' by the effect; one model in six has collapsed."""
    laws = {name: Law(mean=effect if ".mean" in name else 0.0, seed=0.3) for name in TC_EFFECTS}
    laws["kl.informative"] = Law(mean=1.0, shape=lambda hidden: np.where(hidden > 0, 3.0, 1.0))
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def levels(effect, *, generator, seeds, point_only):
    """The objectives lie at equal steps and the strengths rise by 1, against noise of 1."""
    steps = {o: effect * i for i, o in enumerate(("annealed_vae", "beta_tcvae", "beta_vae", "dip_vae_i", "dip_vae_ii"))}
    laws = {"mig": Law(mean=steps, trend=1.0, seed=0.2)}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def strengths_matter(effect, *, generator, seeds, point_only):
    """The strengths rise by the effect, the objectives lie half a standard deviation apart."""
    apart = {"annealed_vae": -0.5, "beta_vae": 0.5, "dip_vae_i": 0.5, "factor_vae": -0.5}
    laws = {"mig": Law(mean=apart, trend=effect, seed=0.2)}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


CALIBRATIONS = [
    Calibration(
        file=TC,
        card="SAMPLED_FALLS",
        world=sweep("gaussian_tc.sampled", -1.0),
        estimate=lambda m, zoo: m.trend_with_strength(zoo, "beta_vae", "gaussian_tc.sampled"),
        effects=(0.0, 12.0),
        at=-0.8,
        at_says="a sweep that looks monotone",
    ),
    Calibration(
        file=TC,
        card="MEAN_RISES",
        world=sweep("gaussian_tc.mean", 1.0),
        estimate=lambda m, zoo: m.trend_with_strength(zoo, "beta_vae", "gaussian_tc.mean"),
        effects=(0.0, 12.0),
        at=0.8,
        at_says="a sweep that looks monotone",
    ),
    Calibration(
        file=TC,
        card="MEAN_EXCEEDS_SAMPLED",
        world=mean_above_sampled,
        estimate=lambda m, zoo: m.share_with_higher_mean(zoo, "active"),
        effects=(-1.0, 4.0),
        at=0.75,
        at_says="three models in four",
    ),
    Calibration(
        file=VARIANCE,
        card="MINOR_PART",
        world=levels,
        estimate=lambda m, zoo: m.share_of_objective(zoo, "mig"),
        effects=(0.0, 3.0),
        at=0.37,
        at_says="printed average",
    ),
    Calibration(
        file=VARIANCE,
        card="STRENGTH_ADDS",
        world=strengths_matter,
        estimate=lambda m, zoo: m.share_added_by_strength(zoo, "mig"),
        effects=(0.0, 5.0),
        at=0.22,
        at_says="printed average",
    ),
    Calibration(
        file=VARIANCE,
        card="SEED_REMAINS",
        world=strengths_matter,
        estimate=lambda m, zoo: m.share_left_to_seed(zoo, "mig"),
        effects=(0.0, 20.0),
        at=0.41,
        at_says="printed average",
    ),
    Calibration(
        file=VARIANCE,
        card="LUCK",
        world=strengths_matter,
        estimate=lambda m, zoo: m.luck_against_choice(zoo, "beta_vae", "mig"),
        effects=(0.0, 20.0),
        at=0.7,
        at_says="seven pairs of settings in ten",
        truth_seeds=100,
    ),
]
