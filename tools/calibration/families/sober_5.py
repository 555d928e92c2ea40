"""Families for sections 5.1 to 5.3 of A Sober Look: reconstruction, codes, methods against each other, what decides."""

from functools import partial

import numpy as np

from calibration.row import Row, claim_file
from dbench.estimates.simulated import OBJECTIVES, Law, SimulatedPair, SimulatedPopulation, simulated_zoo
from dbench.estimates.zoo_among import SEVERAL_ACTIVE

RECONSTRUCTION, METHODS, VARIANCE = (f"sober/test_5_{name}" for name in ("1_reconstruction", "3_methods", "3_variance"))
SAMPLED, MEAN, LEVELS = (f"sober/test_5_2_{name}" for name in ("sampled_codes", "mean_codes", "mean_codes_levels"))
INFORMATION = "sober/test_5_2_mutual_information"
METRICS = ("beta_vae_metric", "dci", "factor_vae", "irs", "mig", "modularity", "sap")
STEPS = {"annealed_vae": 0, "beta_tcvae": 1, "beta_vae": 2, "dip_vae_i": 3, "dip_vae_ii": 4, "factor_vae": 5}
BETAS = ("beta_tcvae", "beta_vae")
COLLAPSED = Law(mean=1.0, shape=lambda hidden: np.where(hidden > 0, 3.0, 1.0))


def of_all_metrics(law: Law, **zoo):
    """Every metric has one law; one run in six has collapsed."""
    return simulated_zoo(dict.fromkeys(METRICS, law) | {"kl.informative": COLLAPSED}, **zoo)


def reconstructing(effect, **zoo):
    """Models go half of the way, 50 of 100 nats, and the effect further, with a spread of 10."""
    return simulated_zoo({"reconstruction": Law(mean=50 - effect, seed=2, noise=10)}, **zoo)


def two_sets(effect, **zoo):
    """On the second data set the effect, in nats of 100, is left beside what is left on the first."""
    return SimulatedPair(reconstructing(20, **zoo), reconstructing(20 - effect, **zoo))


def apart(effect, **zoo):
    """The methods lie at equal steps of the effect, against noise of 1."""
    return of_all_metrics(Law(mean={o: effect * i for o, i in STEPS.items()}, seed=0.2), **zoo)


def ahead(objective: str, effect, **zoo):
    """One method lies above the others on every metric, against noise of 1."""
    return of_all_metrics(Law(mean={objective: effect}, seed=0.2), **zoo)


def ahead_of_disagreeing(effect, **zoo):
    """Half of the metrics order the methods one way and half the other; beta-VAE lies above by the effect on all."""
    laws = {"kl.informative": COLLAPSED}
    for number, metric in enumerate(METRICS):
        means = {o: 0.5 * step * (-1) ** number + effect * (o == "beta_vae") for o, step in STEPS.items()}
        laws[metric] = Law(mean=means, seed=0.2)
    return simulated_zoo(laws, **zoo)


def rising_apart(effect, **zoo):
    """The methods lie at equal steps of the effect and the strengths rise by 1, against noise of 1."""
    return of_all_metrics(Law(mean={o: effect * i for o, i in STEPS.items()}, trend=1.0, seed=0.2), **zoo)


def strengths_matter(effect, **zoo):
    """The strengths rise by the effect, the objectives lie half a standard deviation apart."""
    apart = {"annealed_vae": -0.5, "beta_vae": 0.5, "dip_vae_i": 0.5, "factor_vae": -0.5}
    return of_all_metrics(Law(mean=apart, trend=effect, seed=0.2), **zoo)


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


def swept(kind: str, trends: dict[str, float], effect, *, mean=0.0, seed=0.3, noise=1.0, **zoo):
    """The total correlation of some objectives changes over the sweep by so many times the effect."""
    law = Law(mean=mean, trend={o: times * effect for o, times in trends.items()}, seed=seed, noise=noise)
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
    return SimulatedPopulation(tables, strengths)


def informative(effect, **zoo):
    """Information rises with the regularisation of every objective for mean codes, and falls for sampled ones."""
    rises = dict.fromkeys((*BETAS, "dip_vae_i", "dip_vae_ii", "factor_vae"), effect) | {"annealed_vae": -effect}
    falls = {o: rise if o == "dip_vae_i" else -rise for o, rise in rises.items()}
    laws = {"mutual_information.mean": Law(trend=rises, seed=0.3)}
    return simulated_zoo(laws | {"mutual_information.sampled": Law(trend=falls, seed=0.3)}, **zoo)


DIPS = ("dip_vae_i", "dip_vae_ii")
BETAS_FALL, BETAS_RISE = dict.fromkeys(BETAS, -1.0), dict.fromkeys(BETAS, 1.0)
# Of two seeds with one model collapsed too little is left to be judged at all.
sampled, mean, levels, information = (partial(Row, file) for file in (SAMPLED, MEAN, LEVELS, INFORMATION))


betas_fall, annealed_high = partial(swept, "sampled", BETAS_FALL), partial(level, "mean", ("annealed_vae",))
low_sampled, low_mean = (partial(level, kind, DIPS) for kind in ("sampled", "mean"))
factor = partial(level, "sampled", ("factor_vae",))
rising = partial(swept, "mean", BETAS_RISE, mean=1.0, seed=0.1, noise=0.1)
overlapping = partial(swept, "mean", dict.fromkeys(OBJECTIVES, 1.0), seed=0.2)
dips_fall = partial(swept, "sampled", dict.fromkeys(DIPS, -1.0))
# Of a constant picture and of a perfect reconstruction.
ENDS = (100.0, 0.0)
OVERLAPS = dict(effects=(0.0, 4.0), at=0.75, at_says="three quarters shared")
LUCKY = dict(effects=(0.0, 20.0), at=0.6, at_says="three times in five")
overlap = partial(Row, METHODS, truth_seeds=50)
variance = partial(Row, VARIANCE, truth_seeds=200)
# A sweep without a trend has 0.
TREND = dict(effects=(-2.0, 12.0))
ABOVE = dict(effects=(-1.0, 5.0), at=0.9, at_says="nine pairs of runs in ten")
LOW = dict(effects=(-4.0, 1.0), at=0.25, at_says="a quarter of a plain VAE's", log_normal=True)
RISES = dict(effects=(0.0, 3.0), at=1.2, at_says="each a fifth past its bound")
DIP1_LOW = dict(effects=(-4.0, 1.0), at=0.25, at_says="a quarter of a plain VAE's", log_normal=True)
DIP2_HIGH = dict(effects=(-4.0, 1.0), at=1.5, at_says="half more than a plain VAE", log_normal=True)
HIGH = dict(effects=(0.0, 3.0), at=4.0, at_says="four times a plain VAE's", log_normal=True)
MORE = dict(effects=(-4.0, 4.0), at=0.7, at_says="seven models of ten")
HALF = dict(effects=(0.0, 20.0), at=0.6, at_says="three times in five")
MONOTONE, SEEN = "a sweep that looks monotone", "a trend to be seen"


def not_collapsed(models):
    """Leave out what the card's test counts besides."""
    return claim_file(METHODS).overlap(models, ["mig"], 200, among=SEVERAL_ACTIVE)


ROWS = [
    Row(
        RECONSTRUCTION,
        "REASONABLE",
        reconstructing,
        effects=(-20.0, 40.0),
        at=0.7,
        at_says="seven tenths of the way",
        given={"ends": ENDS},
    ),
    Row(
        RECONSTRUCTION,
        "HARDER",
        two_sets,
        effects=(-20.0, 40.0),
        at=0.15,
        at_says="15% of the way more",
        seeds=5,
        given={"variant": "noisy_dsprites", "ends": (ENDS, ENDS)},
    ),
    overlap("OVERLAP", apart, **OVERLAPS, given={"draws": 200}),
    overlap("EACH_OVERLAPS", apart, **OVERLAPS, given={"metric": "mig", "draws": 200}),
    overlap("NOT_COLLAPSED", apart, **OVERLAPS, estimated=not_collapsed),
    Row(
        METHODS,
        "NONE_BETTER",
        ahead_of_disagreeing,
        effects=(0.0, 3.0),
        at=0.45,
        at_says="hardly a difference",
        truth_seeds=100,
    ),
    Row(
        METHODS,
        "LOWER_IRS",
        partial(ahead, "dip_vae_i"),
        effects=(-5.0, 2.0),
        at=0.1,
        at_says="one pair of runs in ten",
    ),
    Row(
        METHODS,
        "COMPARABLE",
        partial(ahead, "dip_vae_i"),
        effects=(-3.0, 3.0),
        at=0.5,
        at_says="no difference",
        given={"metric": "mig"},
    ),
    variance("MINOR", rising_apart, effects=(0.0, 3.0), at=0.37, at_says="printed average"),
    variance("STRENGTH_ADDS", strengths_matter, effects=(0.0, 5.0), at=0.24, at_says="printed of dSprites"),
    variance("SEED_REMAINS", strengths_matter, effects=(0.0, 20.0), at=0.41, at_says="printed average"),
    variance("LESS", rising_apart, effects=(0.0, 3.0), at=-0.3, at_says="three tenths less", given={"other": "seed"}),
    Row(
        VARIANCE,
        "AS_PRINTED",
        rising_apart,
        effects=(0.0, 3.0),
        at=0.0,
        at_says="as printed",
        given={"share": "objective", "metric": "mig", "printed": 0.4},
    ),
    variance("LUCK", strengths_matter, **LUCKY, truth_seeds=100),
    variance("EACH_LUCKY", strengths_matter, **LUCKY, truth_seeds=100, given={"objective": "beta_vae"}),
    sampled("FALLS", betas_fall, **TREND, at=-0.85, at_says=MONOTONE),
    sampled("EACH_FALLS", betas_fall, **TREND, at=-0.85, at_says=MONOTONE, given={"objective": "beta_vae"}),
    sampled("HIGHEST", plain_above, **ABOVE),
    sampled("WITHOUT_FACTOR", plain_above, **ABOVE),
    sampled("DIPS_LOW", low_sampled, **LOW),
    sampled("EACH_LOW", low_sampled, **LOW, given={"objective": "dip_vae_i"}),
    sampled("FACTOR_FLAT", factor, effects=(-3.0, 1.0), at=1.4, at_says="three tenths of it", log_normal=True),
    sampled("FACTOR_LOW", factor, **LOW),
    sampled(
        "NO_DECREASE", partial(swept, "sampled", {"factor_vae": -1.0}), effects=(-2.0, 12.0), at=0.0, at_says="no trend"
    ),
    sampled("MOST", sensitive, effects=(0.15, 3.0), at=0.75, at_says="four times as much"),
    sampled("ANNEALED_FALLS", partial(swept, "sampled", {"annealed_vae": 1.0}), **TREND, at=0.8, at_says=MONOTONE),
    sampled("DIPS_FALL", dips_fall, **TREND, at=-0.7, at_says=SEEN, given={"objective": "dip_vae_ii"}),
    sampled(
        "DIPS_FALL_LESS",
        partial(swept, "sampled", BETAS_FALL, seed=0.05, noise=0.05),
        effects=(-0.2, 0.5),
        at=0.15,
        at_says="0.15 nats more",
        given={"objective": "dip_vae_i"},
    ),
    mean("RISES", rising, **RISES),
    mean("EACH_RISES", rising, **RISES, given={"objective": "beta_vae"}),
    mean("RISES_ACTIVE", partial(swept, "mean", BETAS_RISE), **TREND, at=0.8, at_says=MONOTONE),
    mean("FACTOR_RISES", partial(swept, "mean", {"factor_vae": 1.0}), **TREND, at=0.7, at_says=SEEN),
    mean(
        "FACTOR_LESS",
        partial(swept, "mean", BETAS_RISE, seed=0.1, noise=0.1),
        effects=(-0.4, 1.0),
        at=0.3,
        at_says="0.3 nats more",
    ),
    levels("DIP1_LOW", low_mean, **DIP1_LOW),
    levels("DIP1_ACTIVE", low_mean, **DIP1_LOW),
    levels("DIP2_FAILS", low_mean, **DIP2_HIGH),
    levels("DIP2_ACTIVE", low_mean, **DIP2_HIGH),
    levels("DIP2_FACTORISES", low_mean, **LOW),
    levels("ANNEALED_HIGH", annealed_high, **HIGH),
    levels("ANNEALED_ACTIVE", annealed_high, **HIGH),
    levels("EXCEEDS", noise_of_samples, **MORE),
    levels("EXCEEDS_ACTIVE", noise_of_samples, **MORE),
    mean("OVERLAP", overlapping, **HALF, truth_seeds=100),
    mean("EACH_OVERLAPS", overlapping, **HALF, truth_seeds=100, given={"objective": "beta_vae"}),
    information("DIRECTIONS", informative, effects=(0.0, 12.0), at=0.7, at_says=SEEN),
    information("MEAN_RISES", informative, effects=(0.0, 12.0), at=0.7, at_says=SEEN),
    information("SAMPLED_FALLS", informative, effects=(0.0, 12.0), at=0.7, at_says=SEEN),
    information("DIP1_RISES", informative, **TREND, at=0.7, at_says=SEEN),
]
