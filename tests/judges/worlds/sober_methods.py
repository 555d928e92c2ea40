"""Worlds for sections 5.1 and 5.3 of A Sober Look: reconstruction, methods against each other, and what decides."""

from functools import partial

import numpy as np
from counter_worlds import calibrated
from simulation import Law, simulated_zoo

from dbench.claims.population import PopulationPair
from dbench.claims.zoo_among import SEVERAL_ACTIVE

RECONSTRUCTION, METHODS = "sober/test_5_1_reconstruction", "sober/test_5_3_methods"
VARIANCE = "sober/test_5_3_variance"
METRICS = ("beta_vae_metric", "dci", "factor_vae", "irs", "mig", "modularity", "sap")
STEPS = {"annealed_vae": 0, "beta_tcvae": 1, "beta_vae": 2, "dip_vae_i": 3, "dip_vae_ii": 4, "factor_vae": 5}


def of_all_metrics(law: Law, **zoo):
    """Every metric has one law; one run in six has collapsed."""
    collapsed = Law(mean=1.0, shape=lambda hidden: np.where(hidden > 0, 3.0, 1.0))
    return simulated_zoo(dict.fromkeys(METRICS, law) | {"kl.informative": collapsed}, **zoo)


def reconstructing(effect, **zoo):
    """Models go half of the way, 50 of 100 nats, and the effect further, with a spread of 10."""
    return simulated_zoo({"reconstruction": Law(mean=50 - effect, seed=2, noise=10)}, **zoo)


def two_sets(effect, **zoo):
    """On the second data set the effect, in nats of 100, is left beside what is left on the first."""
    return PopulationPair(reconstructing(20, **zoo), reconstructing(20 - effect, **zoo))


def apart(effect, **zoo):
    """The methods lie at equal steps of the effect, against noise of 1."""
    return of_all_metrics(Law(mean={o: effect * i for o, i in STEPS.items()}, seed=0.2), **zoo)


def ahead(objective: str, effect, **zoo):
    """One method lies above the others on every metric, against noise of 1."""
    return of_all_metrics(Law(mean={objective: effect}, seed=0.2), **zoo)


def rising_apart(effect, **zoo):
    """The methods lie at equal steps of the effect and the strengths rise by 1, against noise of 1."""
    return of_all_metrics(Law(mean={o: effect * i for o, i in STEPS.items()}, trend=1.0, seed=0.2), **zoo)


def strengths_matter(effect, **zoo):
    """The strengths rise by the effect, the objectives lie half a standard deviation apart."""
    apart = {"annealed_vae": -0.5, "beta_vae": 0.5, "dip_vae_i": 0.5, "factor_vae": -0.5}
    return of_all_metrics(Law(mean=apart, trend=effect, seed=0.2), **zoo)


def ends(m):
    return m.Ends(constant=100.0, perfect=0.0)


def ranges(metrics, among=None):
    return lambda m, zoo, confidence: m.overlap(zoo, metrics, confidence, among=among, draws=200)


SHARED = {"true": 0.1}
OVERLAPS = SHARED | {
    "false": 4.0,
    "effects": (0.0, 4.0),
    "at": 0.75,
    "at_says": "three quarters shared",
    "truth_seeds": 50,
}
LUCKY = SHARED | {"false": 20.0, "effects": (0.0, 20.0), "at": 0.5, "at_says": "every second time", "truth_seeds": 100}
ROWS = [
    calibrated(RECONSTRUCTION, "REASONABLE", reconstructing,
               estimated=lambda m, zoo, level: m.way_of_median(zoo, ends(m), level),
               false=-20.0, effects=(-20.0, 40.0), at=0.7, at_says="seven tenths of the way", **SHARED),
    calibrated(RECONSTRUCTION, "HARDER", two_sets,
               estimated=lambda m, pair, level: m.harder(pair, ends(m), ends(m), level),
               false=-20.0, effects=(-20.0, 40.0), at=0.15, at_says="15% of the way more", seeds=5, **SHARED),
    calibrated(METHODS, "OVERLAP", apart, estimated=ranges(METRICS), **OVERLAPS),
    calibrated(METHODS, "EACH_OVERLAPS", apart, estimated=ranges(["mig"]), **OVERLAPS),
    calibrated(METHODS, "NOT_COLLAPSED", apart, estimated=ranges(["mig"], SEVERAL_ACTIVE), **OVERLAPS),
    calibrated(METHODS, "NONE_BETTER", partial(ahead, "beta_vae"), false=3.0, effects=(0.0, 3.0), at=0.53,
               at_says="hardly a difference", truth_seeds=100, **SHARED),
    calibrated(METHODS, "LOWER_IRS", partial(ahead, "dip_vae_i"), false=2.0, effects=(-5.0, 2.0), at=0.1,
               at_says="one pair of runs in ten", **SHARED),
    calibrated(METHODS, "COMPARABLE", partial(ahead, "dip_vae_i"), given={"metric": "mig"}, false=3.0,
               effects=(-3.0, 3.0), at=0.5, at_says="no difference", **SHARED),
    calibrated(VARIANCE, "MINOR", rising_apart, false=3.0, effects=(0.0, 3.0), at=0.37, at_says="printed average",
                   truth_seeds=200, **SHARED),
    calibrated(VARIANCE, "STRENGTH_ADDS", strengths_matter, false=0.0, effects=(0.0, 5.0), at=0.22,
               at_says="printed average", truth_seeds=200, **SHARED),
    calibrated(VARIANCE, "SEED_REMAINS", strengths_matter, false=20.0, effects=(0.0, 20.0), at=0.41,
               at_says="printed average", truth_seeds=200, **SHARED),
    calibrated(VARIANCE, "LESS", rising_apart, given={"other": "seed"}, false=3.0, effects=(0.0, 3.0), at=-0.3,
               at_says="three tenths less", truth_seeds=200, **SHARED),
    calibrated(VARIANCE, "AS_PRINTED", rising_apart,
               estimated=lambda m, zoo, level: m.beside(m.shares(zoo, m.only("objective"), ["mig"], level), 0.4),
               false=3.0, effects=(0.0, 3.0), at=0.0, at_says="as printed", **SHARED),
    calibrated(VARIANCE, "LUCK", strengths_matter, **LUCKY),
    calibrated(VARIANCE, "EACH_LUCKY", strengths_matter, given={"objective": "beta_vae"}, **LUCKY),
]  # fmt: skip
WORLDS, CALIBRATIONS = map(list, zip(*ROWS, strict=True))
