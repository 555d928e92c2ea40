"""Worlds for section 5.2 of A Sober Look: total correlation and mutual information of codes."""

from functools import partial

import numpy as np
from counter_worlds import Worlds, rng

from dbench.claims.calibration import Calibration
from dbench.claims.simulation import Law, simulated_zoo

TREND = "sober/test_5_2_total_correlation"
SAMPLED, MEAN = "sober/test_5_2_sampled_codes", "sober/test_5_2_mean_codes"
INFORMATION = "sober/test_5_2_mutual_information"


def both_ways(kind: str, law: Law) -> dict[str, Law]:
    """Give the total correlation of all codes and of the active ones one law; one model in six has collapsed."""
    collapsed = Law(mean=1.0, shape=lambda hidden: np.where(hidden > 0, 3.0, 1.0))
    return {f"gaussian_tc.{kind}": law, f"gaussian_tc.{kind}.active": law, "kl.informative": collapsed}


def plain_above(effect, *, generator, seeds=10, point_only=False):
    """A plain VAE lies above all other settings by the effect, against noise of 1."""

    def mean(objective, strengths):
        return effect * ((objective == "beta_vae") & (strengths == 1.0))

    laws = both_ways("sampled", Law(mean=mean, seed=0.3))
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def level(kind: str, objective: str, effect, *, generator, seeds=10, point_only=False):
    """One objective's total correlations are e^effect times those of all others, each with a spread of half."""
    laws = both_ways(kind, Law(mean={objective: effect}, seed=0.1, noise=0.5, shape=np.exp))
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def swept(kind: str, objective: str, sign: float, effect, *, generator, seeds=10, point_only=False):
    """The total correlation of an objective follows its strength, against noise of 1."""
    laws = both_ways(kind, Law(trend={objective: sign * effect}, seed=0.3))
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def changes(kind: str, trends: dict[str, float], noise: float, effect, *, generator, seeds=10, point_only=False):
    """Objectives change over their sweeps by so many times the effect, in nats."""
    laws = both_ways(kind, Law(trend={o: times * effect for o, times in trends.items()}, seed=noise, noise=noise))
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def informative(score: str, sign: float, effect, *, generator, seeds=10, point_only=False):
    """Mutual information follows the regularisation of every objective, against noise of 1."""
    trends = dict.fromkeys(("beta_tcvae", "beta_vae", "dip_vae_i", "dip_vae_ii", "factor_vae"), sign * effect)
    laws = {f"mutual_information.{score}": Law(trend=trends | {"annealed_vae": -sign * effect}, seed=0.3)}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


BETAS_FALL = {"beta_tcvae": -1.0, "beta_vae": -1.0}
BETAS_RISE = {"beta_tcvae": 1.0, "beta_vae": 1.0}

# Card, its world, the estimate, the effect of a world where it is false, and for the calibration the range of effects,
# the statistic at which the power is stated, and what that is. A sweep without a trend has 0.
MONOTONE, SEEN = "a sweep that looks monotone", "a trend to be seen"
CASES = [
    (SAMPLED, "HIGHEST", plain_above, lambda m, zoo: m.superiority_of_plain(zoo, "factor_vae", "active"),
     -2.0, (-1.0, 5.0), 0.9, "nine pairs of runs in ten"),
    (SAMPLED, "DIP_LOW", partial(level, "sampled", "dip_vae_i"),
     lambda m, zoo: m.share_of_plain(zoo, "dip_vae_i", "active"),
     0.5, (-4.0, 1.0), 0.25, "a quarter of a plain VAE's"),
    (SAMPLED, "FACTOR_LOW", partial(level, "sampled", "factor_vae"),
     lambda m, zoo: m.share_of_plain(zoo, "factor_vae", "active"),
     0.5, (-4.0, 1.0), 0.25, "a quarter of a plain VAE's"),
    (SAMPLED, "FACTOR_FLAT", partial(swept, "sampled", "factor_vae", -1.0),
     lambda m, zoo: m.trend(zoo, "factor_vae", "active"), 12.0, (-2.0, 12.0), 0.0, "no trend"),
    (SAMPLED, "DIPS_FALL", partial(swept, "sampled", "dip_vae_ii", -1.0),
     lambda m, zoo: m.trend(zoo, "dip_vae_ii", "active"), -2.0, (0.0, 12.0), -0.7, SEEN),
    (SAMPLED, "DIPS_FALL_LESS", partial(changes, "sampled", BETAS_FALL, 0.05),
     lambda m, zoo: m.fall_beyond(zoo, "dip_vae_i", "active"), -0.2, (-0.2, 0.5), 0.15, "0.15 nats more"),
    (SAMPLED, "ANNEALED_MOST", partial(changes, "sampled", {"annealed_vae": 1.0}, 0.05),
     lambda m, zoo: m.sensitivity_beyond(zoo, "active"), -0.3, (-0.3, 1.0), 0.15, "0.15 nats more"),
    (SAMPLED, "ANNEALED_FALLS", partial(swept, "sampled", "annealed_vae", 1.0),
     lambda m, zoo: m.trend(zoo, "annealed_vae", "active"), -2.0, (0.0, 12.0), 0.8, MONOTONE),
    (TREND, "SAMPLED_FALLS_ACTIVE", partial(swept, "sampled", "beta_vae", -1.0),
     lambda m, zoo: m.trend_with_strength(zoo, "beta_vae", "gaussian_tc.sampled.active"),
     -2.0, (0.0, 12.0), -0.8, MONOTONE),
    (TREND, "MEAN_RISES_ACTIVE", partial(swept, "mean", "beta_vae", 1.0),
     lambda m, zoo: m.trend_with_strength(zoo, "beta_vae", "gaussian_tc.mean.active"),
     -2.0, (0.0, 12.0), 0.8, MONOTONE),
    (MEAN, "FACTOR_RISES", partial(swept, "mean", "factor_vae", 1.0),
     lambda m, zoo: m.trend(zoo, "factor_vae", "active"), -2.0, (0.0, 12.0), 0.7, SEEN),
    (MEAN, "FACTOR_LESS", partial(changes, "mean", BETAS_RISE, 0.1),
     lambda m, zoo: m.rise_of_betas_beyond(zoo, "active"), -0.4, (-0.4, 1.0), 0.3, "0.3 nats more"),
    (MEAN, "DIP1_LOW", partial(level, "mean", "dip_vae_i"),
     lambda m, zoo: m.largest_share_of_plain(zoo, "dip_vae_i", "active"),
     1.0, (-4.0, 1.0), 0.25, "a quarter of a plain VAE's"),
    (MEAN, "DIP2_FAILS", partial(level, "mean", "dip_vae_ii"),
     lambda m, zoo: m.share_of_plain(m.DIP2_FAILS, zoo, "dip_vae_ii", "active"),
     -2.0, (-4.0, 1.0), 1.0, "as much as a plain VAE"),
    (MEAN, "DIP2_FACTORISES", partial(level, "mean", "dip_vae_ii"),
     lambda m, zoo: m.share_of_plain(m.DIP2_FACTORISES, zoo, "dip_vae_ii", "active"),
     0.5, (-4.0, 1.0), 0.25, "a quarter of a plain VAE's"),
    (MEAN, "ANNEALED_HIGH", partial(level, "mean", "annealed_vae"),
     lambda m, zoo: m.share_of_plain(m.ANNEALED_HIGH, zoo, "annealed_vae", "active"),
     -1.0, (0.0, 3.0), 4.0, "four times a plain VAE's"),
    (INFORMATION, "SAMPLED_FALLS", partial(informative, "sampled", -1.0),
     lambda m, zoo: m.general_trend(zoo, "mutual_information.sampled", m.EXCEPT_DIP_VAE_I),
     0.0, (0.0, 12.0), -0.5, SEEN),
    (INFORMATION, "DIP1_RISES", partial(informative, "sampled", 1.0),
     lambda m, zoo: m.general_trend(zoo, "mutual_information.sampled", ["dip_vae_i"]),
     -2.0, (0.0, 12.0), 0.7, SEEN),
    (INFORMATION, "MEAN_RISES", partial(informative, "mean", 1.0),
     lambda m, zoo: m.general_trend(zoo, "mutual_information.mean", m.ALL), 0.0, (0.0, 12.0), 0.5, SEEN),
]  # fmt: skip


def overlapping(effect, *, generator, seeds=10, point_only=False):
    """The strengths rise by the effect, against noise of 1."""
    laws = both_ways("mean", Law(trend=effect, seed=0.2))
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def luck(m, zoo):
    return m.luck_against_strength(zoo, "beta_vae", "active")


def worlds_of(file, card, world, estimate, false_effect) -> Worlds:
    """The same family twice: at an effect where the finding is false, and with two seeds."""
    return Worlds(
        file,
        card,
        false=lambda m: estimate(m, world(false_effect, generator=rng(f"{card} false"))),
        # Four: of two seeds with one model collapsed too little is left to be judged at all.
        small=lambda m: estimate(m, world(1.0, generator=rng(f"{card} small"), seeds=4)),
    )


WORLDS = [worlds_of(*case[:5]) for case in CASES] + [worlds_of(MEAN, "OVERLAP", overlapping, luck, 100.0)]
CALIBRATIONS = [
    Calibration(file=file, card=card, world=world, estimate=estimate, effects=effects, at=at, at_says=says)
    for file, card, world, estimate, _, effects, at, says in CASES
] + [
    Calibration(
        file=MEAN,
        card="OVERLAP",
        world=overlapping,
        estimate=luck,
        effects=(0.0, 20.0),
        at=0.7,
        at_says="seven pairs of settings in ten",
        truth_seeds=100,
    )
]
