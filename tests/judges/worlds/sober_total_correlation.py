"""Worlds for section 5.2 of A Sober Look: total correlation and mutual information of codes."""

from functools import partial

import numpy as np
from counter_worlds import asked, calibrated
from simulation import Law, SimulatedPopulation, simulated_zoo

SAMPLED, MEAN = "sober/test_5_2_sampled_codes", "sober/test_5_2_mean_codes"
INFORMATION = "sober/test_5_2_mutual_information"
BETAS = ("beta_tcvae", "beta_vae")
COLLAPSED = Law(mean=1.0, shape=lambda hidden: np.where(hidden > 0, 3.0, 1.0))


def both_ways(kind: str, law: Law) -> dict[str, Law]:
    """Give the total correlation of all codes and of the active ones one law; one model in six has collapsed."""
    return {f"gaussian_tc.{kind}": law, f"gaussian_tc.{kind}.active": law, "kl.informative": COLLAPSED}


def plain_above(effect, **zoo):
    """A plain VAE lies above all other settings by the effect, against noise of 1."""

    def mean(objective, strengths):
        return effect * ((objective == "beta_vae") & (strengths == 1.0))

    return simulated_zoo(both_ways("sampled", Law(mean=mean, seed=0.3)), **zoo)


def level(kind: str, objectives: tuple[str, ...], effect, **zoo):
    """The total correlations of some objectives are e^effect times those of all others, each with a spread of half."""
    law = Law(mean=dict.fromkeys(objectives, effect), seed=0.1, noise=0.5, shape=np.exp)
    return simulated_zoo(both_ways(kind, law), **zoo)


def swept(kind: str, objectives: tuple[str, ...], sign: float, effect, **zoo):
    """The total correlation of some objectives follows the strength, against noise of 1."""
    return simulated_zoo(both_ways(kind, Law(trend=dict.fromkeys(objectives, sign * effect), seed=0.3)), **zoo)


def rising(effect, **zoo):
    """The mean codes' total correlation of both beta objectives rises by the effect over the sweep, from 1 nat."""
    law = Law(mean=1.0, trend=dict.fromkeys(BETAS, effect), seed=0.1, noise=0.1)
    return simulated_zoo(both_ways("mean", law), **zoo)


def changes(kind: str, trends: dict[str, float], noise: float, effect, **zoo):
    """Objectives change over their sweeps by so many times the effect, in nats."""
    law = Law(trend={o: times * effect for o, times in trends.items()}, seed=noise, noise=noise)
    return simulated_zoo(both_ways(kind, law), **zoo)


def sensitive(effect, **zoo):
    """AnnealedVAE changes by the effect over its sweep and beta-VAE by 0.3 nats, the others not at all."""
    law = Law(trend={"annealed_vae": effect, "beta_vae": 0.3}, seed=0.05, noise=0.05)
    return simulated_zoo(both_ways("sampled", law), **zoo)


def noise_of_samples(effect, **zoo):
    """The mean codes' total correlation exceeds the sampled ones' by e^effect times those, with a spread of e."""
    known = {name: Law(mean=mean, seed=0.3, shape=np.exp) for name, mean in (("sampled", -2.0), ("excess", effect))}
    drawn = simulated_zoo(known | {"kl.informative": COLLAPSED}, **zoo)
    tables = {}
    for o in drawn.objectives:
        sampled = drawn.scores("sampled", o)
        mean = sampled * (1 + drawn.scores("excess", o))
        for suffix in ("", ".active"):
            tables |= {(f"gaussian_tc.mean{suffix}", o): mean, (f"gaussian_tc.sampled{suffix}", o): sampled}
        tables["kl.informative", o] = drawn.scores("kl.informative", o)
    strengths = {o: drawn.strengths(o) for o in drawn.objectives}
    return SimulatedPopulation(tables, strengths, point_only=drawn.point_only)


def informative(effect, **zoo):
    """Information rises with the regularisation of every objective for mean codes, and falls for sampled ones."""
    rises = dict.fromkeys((*BETAS, "dip_vae_i", "dip_vae_ii", "factor_vae"), effect) | {"annealed_vae": -effect}
    falls = {o: rise if o == "dip_vae_i" else -rise for o, rise in rises.items()}
    laws = {"mutual_information.mean": Law(trend=rises, seed=0.3)}
    return simulated_zoo(laws | {"mutual_information.sampled": Law(trend=falls, seed=0.3)}, **zoo)


def overlapping(effect, **zoo):
    """The strengths rise by the effect, against noise of 1."""
    return simulated_zoo(both_ways("mean", Law(trend=effect, seed=0.2)), **zoo)


DIPS = ("dip_vae_i", "dip_vae_ii")
BETAS_FALL, BETAS_RISE = dict.fromkeys(BETAS, -1.0), dict.fromkeys(BETAS, 1.0)
# Of two seeds with one model collapsed too little is left to be judged at all.
sampled, mean, information = (partial(calibrated, file, few=4) for file in (SAMPLED, MEAN, INFORMATION))


def active(card, world, *case, **more):
    """Fewer models count where their active codes are asked for."""
    return mean(card, world, *case, false_world=partial(world, seeds=30), **more)


betas_fall, annealed_high = partial(swept, "sampled", BETAS, -1.0), partial(level, "mean", ("annealed_vae",))
low_sampled, low_mean = (partial(level, kind, DIPS) for kind in ("sampled", "mean"))
factor = partial(level, "sampled", ("factor_vae",))
# A sweep without a trend has 0.
TREND = (-2.0, 1.0, (0.0, 12.0))
ABOVE = (-2.0, 1.0, (-1.0, 5.0), 0.9, "nine pairs of runs in ten")
LOW = (0.5, 1.0, (-4.0, 1.0), 0.25, "a quarter of a plain VAE's")
RISES = (0.2, 1.0, (0.0, 1.0), 0.8, "eight tenths more")
DIP1_LOW = (1.0, *LOW[1:])
DIP2_HIGH = (-2.0, 1.0, (-4.0, 1.0), 1.0, "as much as a plain VAE")
HIGH = (-1.0, 1.0, (0.0, 3.0), 4.0, "four times a plain VAE's")
MORE = (-2.0, 1.0, (-4.0, 4.0), 0.5, "half of the models")
HALF = (8.0, 1.0, (0.0, 20.0), 0.5, "every second time")
MONOTONE, SEEN = "a sweep that looks monotone", "a trend to be seen"

WORLDS = [
    sampled("FALLS", betas_fall, *TREND, -0.8, MONOTONE),
    sampled("EACH_FALLS", betas_fall, *TREND, -0.8, MONOTONE, given={"objective": "beta_vae"}),
    sampled("HIGHEST", plain_above, *ABOVE),
    sampled("WITHOUT_FACTOR", plain_above, *ABOVE),
    sampled("DIPS_LOW", low_sampled, *LOW),
    sampled("EACH_LOW", low_sampled, *LOW, given={"objective": "dip_vae_i"}),
    sampled("FACTOR_FLAT", factor, 1.0, 1.0, (-1.5, 1.0), 0.2, "three tenths of it"),
    sampled("FACTOR_LOW", factor, *LOW),
    sampled("NO_DECREASE", partial(swept, "sampled", ("factor_vae",), -1.0), 12.0, 1.0, (-2.0, 12.0), 0.0, "no trend"),
    sampled("MOST", sensitive, 0.2, 1.0, (0.15, 3.0), 0.75, "four times as much"),
    sampled("ANNEALED_FALLS", partial(swept, "sampled", ("annealed_vae",), 1.0), *TREND, 0.8, MONOTONE),
    sampled("DIPS_FALL", partial(swept, "sampled", DIPS, -1.0), *TREND, -0.7, SEEN, given={"objective": "dip_vae_ii"}),
    sampled("DIPS_FALL_LESS", partial(changes, "sampled", BETAS_FALL, 0.05), -0.2, 1.0, (-0.2, 0.5), 0.15,
            "0.15 nats more", given={"objective": "dip_vae_i"}),
    mean("RISES", rising, *RISES),
    mean("EACH_RISES", rising, *RISES, given={"objective": "beta_vae"}),
    active("RISES_ACTIVE", partial(swept, "mean", BETAS, 1.0), *TREND, 0.8, MONOTONE),
    mean("FACTOR_RISES", partial(swept, "mean", ("factor_vae",), 1.0), *TREND, 0.7, SEEN),
    mean("FACTOR_LESS", partial(changes, "mean", BETAS_RISE, 0.1), -0.4, 1.0, (-0.4, 1.0), 0.3, "0.3 nats more"),
    mean("DIP1_LOW", low_mean, *DIP1_LOW),
    active("DIP1_ACTIVE", low_mean, *DIP1_LOW),
    mean("DIP2_FAILS", low_mean, *DIP2_HIGH, handed=asked),
    active("DIP2_ACTIVE", low_mean, *DIP2_HIGH, handed=asked),
    mean("DIP2_FACTORISES", low_mean, *LOW, handed=asked),
    mean("ANNEALED_HIGH", annealed_high, *HIGH),
    active("ANNEALED_ACTIVE", annealed_high, *HIGH),
    mean("EXCEEDS", noise_of_samples, *MORE),
    active("EXCEEDS_ACTIVE", noise_of_samples, *MORE),
    mean("OVERLAP", overlapping, *HALF, truth_seeds=100),
    mean("EACH_OVERLAPS", overlapping, *HALF, truth_seeds=100, given={"objective": "beta_vae"}),
    information("DIRECTIONS", informative, 0.0, 1.0, (0.0, 12.0), 0.5, SEEN),
    information("MEAN_RISES", informative, 0.0, 1.0, (0.0, 12.0), 0.5, SEEN),
    information("SAMPLED_FALLS", informative, 0.0, 1.0, (0.0, 12.0), 0.5, SEEN),
    information("DIP1_RISES", informative, *TREND, 0.7, SEEN),
]  # fmt: skip
