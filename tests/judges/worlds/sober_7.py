"""Worlds in which representations are useful otherwise than A Sober Look finds, or too small to tell."""

import numpy as np
from counter_worlds import calibrated, loaded, loaded_by, quality

from dbench.claims.population import PopulationPair
from dbench.claims.simulation import Law, simulated_zoo

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
    calibrated(DOWNSTREAM, "METRICS_CORRELATE", "test_metrics_are_correlated_with_downstream_accuracy",
               loaded_by(lambda effect: useful(SIX, effect)), **CORRELATED),
    calibrated(DOWNSTREAM, "EVERY_METRIC", "test_every_metric_is_correlated_with_downstream_accuracy",
               loaded_by(lambda effect: useful(SIX, effect)), given={"learner": "trees"}, **CORRELATED),
    calibrated(DOWNSTREAM, "MODULARITY_DOES_NOT", "test_modularity_is_not_correlated_with_downstream_accuracy",
               loaded_by(lambda effect: useful(("modularity",), effect)), given={"learner": "trees"}, **NONE),
    calibrated(DOWNSTREAM, "NOT_CONSISTENT", "test_no_unsupervised_score_is_correlated_in_one_direction_everywhere",
               two_data_sets, **NOT_BOTH),
    calibrated(DOWNSTREAM, "ONE_SCORE",
               "test_one_unsupervised_score_is_not_correlated_in_one_direction_everywhere", two_data_sets,
               given={"score": "kl", "learner": "trees"}, **NOT_BOTH),
    calibrated(DOWNSTREAM, "AT_MOST_MILD", "test_an_unsupervised_score_is_mildly_correlated_at_most",
               loaded_by(lambda effect: useful(("kl",), effect)), given={"score": "kl", "learner": "trees"},
               false=3.0, true=0.0, effects=(-3.0, 3.0), at=0.2, at_says="mild"),
    calibrated(DOWNSTREAM, "TC_NOT_BENEFICIAL", "test_a_lower_total_correlation_brings_no_accuracy",
               total_correlation, given=ONE, **NONE),
    calibrated(DOWNSTREAM, "TC_OTHERWISE", "test_a_lower_total_correlation_brings_no_accuracy_otherwise",
               total_correlation, given=ONE | {"reading": "active codes"}, **NONE),
    calibrated(DOWNSTREAM, "BETTER_GROUP", "test_the_more_disentangled_third_does_better_with_few_samples", groups,
               **BETTER),
    calibrated(DOWNSTREAM, "ONE_GROUPING", "test_the_third_best_by_one_metric_does_better_with_few_samples", groups,
               given={"metric": "dci"}, **BETTER),
    calibrated(EFFICIENCY, "NO_RISE", "test_efficiency_does_not_rise_with_the_metrics", rising, **NONE),
    calibrated(EFFICIENCY, "BY_METRIC", "test_efficiency_does_not_rise_with_a_metric", rising,
               given={"metric": "mig"}, **NONE),
    calibrated(EFFICIENCY, "WITH_TREES", "test_efficiency_of_trees_does_not_rise_with_a_metric", rising,
               given={"metric": "mig"}, **NONE),
    calibrated(EFFICIENCY, "AMONG_LEARNERS", "test_efficiency_does_not_rise_among_models_that_learn", rising,
               given={"reading": "within objectives", "learner": "trees"}, **NONE),
    calibrated(EFFICIENCY, "ANNEALED", "test_annealed_models_are_efficient_where_they_are_inaccurate",
               loaded_by(efficiency), handed=named, **ANNEALED),
    calibrated(EFFICIENCY, "ANNEALED_ANYWHERE",
               "test_annealed_models_elsewhere_are_efficient_where_they_are_inaccurate", loaded_by(efficiency),
               given={"learner": "trees"}, **ANNEALED),
    calibrated(EFFICIENCY, "EFFICIENT_ARE_POOR", "test_many_of_the_most_efficient_models_are_poor",
               loaded_by(efficiency), given={"learner": "trees"}, at=0.5, at_says="every other one",
               **(POOR | {"false": -0.3})),
]  # fmt: skip
WORLDS, CALIBRATIONS = map(list, zip(*ROWS, strict=True))
