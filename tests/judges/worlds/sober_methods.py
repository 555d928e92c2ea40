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


OVERLAPS = (4.0, 0.1, (0.0, 4.0), 0.75, "three quarters shared")
LUCKY = (20.0, 0.1, (0.0, 20.0), 0.5, "every second time")
overlap = partial(calibrated, METHODS, truth_seeds=50)
variance = partial(calibrated, VARIANCE, truth_seeds=200)
WORLDS = [
    calibrated(RECONSTRUCTION, "REASONABLE", reconstructing, -20.0, 0.1, (-20.0, 40.0), 0.7, "seven tenths of the way",
               estimated=lambda m, zoo, level: m.way_of_median(zoo, ends(m), level)),
    calibrated(RECONSTRUCTION, "HARDER", two_sets, -20.0, 0.1, (-20.0, 40.0), 0.15, "15% of the way more", seeds=5,
               estimated=lambda m, pair, level: m.harder(pair, ends(m), ends(m), level)),
    overlap("OVERLAP", apart, *OVERLAPS, estimated=ranges(METRICS)),
    overlap("EACH_OVERLAPS", apart, *OVERLAPS, estimated=ranges(["mig"])),
    overlap("NOT_COLLAPSED", apart, *OVERLAPS, estimated=ranges(["mig"], SEVERAL_ACTIVE)),
    calibrated(METHODS, "NONE_BETTER", partial(ahead, "beta_vae"), 3.0, 0.1, (0.0, 3.0), 0.53, "hardly a difference",
               truth_seeds=100),
    calibrated(METHODS, "LOWER_IRS", partial(ahead, "dip_vae_i"), 2.0, 0.1, (-5.0, 2.0), 0.1,
               "one pair of runs in ten"),
    calibrated(METHODS, "COMPARABLE", partial(ahead, "dip_vae_i"), 3.0, 0.1, (-3.0, 3.0), 0.5, "no difference",
               given={"metric": "mig"}),
    variance("MINOR", rising_apart, 3.0, 0.1, (0.0, 3.0), 0.37, "printed average"),
    variance("STRENGTH_ADDS", strengths_matter, 0.0, 0.1, (0.0, 5.0), 0.22, "printed average"),
    variance("SEED_REMAINS", strengths_matter, 20.0, 0.1, (0.0, 20.0), 0.41, "printed average"),
    variance("LESS", rising_apart, 3.0, 0.1, (0.0, 3.0), -0.3, "three tenths less", given={"other": "seed"}),
    calibrated(VARIANCE, "AS_PRINTED", rising_apart, 3.0, 0.1, (0.0, 3.0), 0.0, "as printed",
               estimated=lambda m, zoo, level: m.beside(m.shares(zoo, m.only("objective"), ["mig"], level), 0.4)),
    variance("LUCK", strengths_matter, *LUCKY, truth_seeds=100),
    variance("EACH_LUCKY", strengths_matter, *LUCKY, truth_seeds=100, given={"objective": "beta_vae"}),
]  # fmt: skip
