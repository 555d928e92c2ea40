"""Worlds in which representations are useful otherwise than A Sober Look finds, or too small to tell."""

import numpy as np
from counter_worlds import calibrated, loaded, loaded_by, quality
from simulation import Law, simulated_zoo

from dbench.claims.population import PopulationPair

DOWNSTREAM, EFFICIENCY = "sober/test_7_downstream", "sober/test_7_statistical_efficiency"
SIX = ("beta_vae_metric", "dci", "factor_vae", "irs", "mig", "sap")
UNSUPERVISED = (
    "elbo", "gaussian_tc.mean", "gaussian_tc.sampled", "kl", "mutual_information.mean", "mutual_information.sampled",
    "reconstruction",
)  # fmt: skip
ACCURACY = (
    *(f"downstream.logistic.{size}" for size in (10, 100, 1_000, 10_000)),
    *(f"downstream.trees.{size}" for size in (10, 100, 1_000)),
)
# One model in six has fewer than two informative codes, or none.
SOME_COLLAPSED = Law(mean=1.0, shape=lambda hidden: np.where(hidden > 0, 3.0, 0.0))


def useful(scores, load):
    """Let accuracies follow a model's quality, and scores as much as the load says."""
    return quality(ACCURACY, 2.0) | quality(scores, load)


def two_data_sets(effect, *, generator, seeds=5, point_only=False):
    """One score follows accuracy on either data set, on the second one half as much; the others do not."""
    zoos = (
        loaded(useful(UNSUPERVISED, 0.0) | quality(("kl",), load), generator, seeds=seeds, point_only=point_only)
        for load in (effect, effect / 2)
    )
    return PopulationPair(*zoos)


def groups(effect, *, generator, seeds=10, point_only=False):
    """Accuracies from 0.4 to 0.6, of which DCI and MIG know as much as the effect says, and the seed a little."""
    laws = {metric: Law(loads={"quality": effect}) for metric in ("dci", "mig")}
    laws["downstream.trees.100"] = Law(mean=0.5, loads={"quality": 0.05}, noise=0.03, seed=0.02)
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def total_correlation(effect, *, generator, seeds=10, point_only=False):
    """Accuracies follow a quality that lower total correlations of the active codes go with; some models have none."""
    laws = {name: Law(loads={"quality": 2.0}, seed=0.2) for name in ACCURACY}
    laws["gaussian_tc.mean"] = laws["gaussian_tc.mean.active"] = Law(loads={"quality": -effect}, seed=0.2)
    laws["kl.informative"] = SOME_COLLAPSED
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def efficiency(effect):
    """Accuracies follow a model's quality; the efficiency the less, the larger the effect."""
    return quality(ACCURACY, 2.0) | quality(("efficiency.logistic.100", "efficiency.trees.100"), -effect)


def rising(effect, *, generator, seeds=10, point_only=False):
    """Let the metrics and efficiency share a quality; some models have no informative code."""
    laws = {f"efficiency.{learner}.100": Law(loads={"quality": 2.0}, seed=0.2) for learner in ("logistic", "trees")}
    laws |= {metric: Law(loads={"quality": effect}, seed=0.2) for metric in (*SIX, "modularity")}
    laws["kl.informative"] = SOME_COLLAPSED
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def called(pair):
    """A fixture that is called for both data sets."""
    return lambda: pair


def named(zoo):
    """A fixture that is called with the name of a data set."""
    return lambda name: zoo


CORRELATED = {"false": 0.0, "true": 2.0, "effects": (0.0, 4.0), "at": 0.5, "at_says": "a large correlation",
              "truth_seeds": 200}  # fmt: skip
NONE = {"false": 2.0, "true": 0.0, "effects": (-1.0, 4.0), "at": 0.0, "at_says": "no correlation", "truth_seeds": 200}
NOT_BOTH = {"false": 3.0, "true": 0.0, "effects": (0.1, 4.0), "seeds": 5, "handed": called, "truth_seeds": 200,
            "at": 0.1, "at_says": "hardly any correlation"}  # fmt: skip
BETTER = {"false": 0.0, "true": 2.0, "effects": (0.0, 4.0), "at": 0.05, "at_says": "five points in a hundred"}
POOR = {"false": -1.0, "true": 2.0, "effects": (-1.0, 4.0)}
ANNEALED = {**POOR, "at": -0.6, "at_says": "a strong correlation"}
ONE = {"score": "gaussian_tc.mean", "learner": "trees"}

ROWS = [
    calibrated(DOWNSTREAM, "METRICS_CORRELATE",
               loaded_by(lambda effect: useful(SIX, effect) | quality(("modularity",), -effect)),
               false_world=loaded_by(lambda effect: useful((*SIX, "modularity"), 2.0)),
               **(CORRELATED | {"at": 1.4, "at_says": "no metric near its bound"})),
    calibrated(DOWNSTREAM, "EVERY_METRIC", loaded_by(lambda effect: useful(SIX, effect)),
               given={"learner": "trees"}, **CORRELATED),
    calibrated(DOWNSTREAM, "MODULARITY_DOES_NOT", loaded_by(lambda effect: useful(("modularity",), effect)),
               given={"learner": "trees"}, **NONE),
    calibrated(DOWNSTREAM, "NOT_CONSISTENT", two_data_sets, **NOT_BOTH),
    calibrated(DOWNSTREAM, "ONE_SCORE", two_data_sets,
               given={"score": "kl", "learner": "trees"}, **NOT_BOTH),
    calibrated(DOWNSTREAM, "AT_MOST_MILD", loaded_by(lambda effect: useful(("kl",), effect)),
               given={"score": "kl", "learner": "trees"},
               false=3.0, true=0.0, effects=(-3.0, 3.0), at=0.2, at_says="mild"),
    calibrated(DOWNSTREAM, "TC_NOT_BENEFICIAL", total_correlation, given=ONE, **NONE),
    calibrated(DOWNSTREAM, "TC_OTHERWISE", total_correlation, given=ONE | {"reading": "active codes"}, **NONE),
    calibrated(DOWNSTREAM, "BETTER_GROUP", groups,
               **BETTER),
    calibrated(DOWNSTREAM, "ONE_GROUPING", groups,
               given={"metric": "dci"}, **BETTER),
    calibrated(EFFICIENCY, "NO_RISE", rising, **NONE),
    calibrated(EFFICIENCY, "BY_METRIC", rising,
               given={"metric": "mig"}, **NONE),
    calibrated(EFFICIENCY, "WITH_TREES", rising,
               given={"metric": "mig"}, **NONE),
    calibrated(EFFICIENCY, "AMONG_LEARNERS", rising,
               given={"reading": "within objectives", "learner": "trees"}, **NONE),
    calibrated(EFFICIENCY, "ANNEALED", loaded_by(efficiency), handed=named, **ANNEALED),
    calibrated(EFFICIENCY, "ANNEALED_ANYWHERE", loaded_by(efficiency),
               given={"learner": "trees"}, **ANNEALED),
    calibrated(EFFICIENCY, "EFFICIENT_ARE_POOR", loaded_by(efficiency), given={"learner": "trees"}, at=0.5,
               at_says="every other one",
               **(POOR | {"false": -0.3})),
]  # fmt: skip
WORLDS, CALIBRATIONS = map(list, zip(*ROWS, strict=True))
