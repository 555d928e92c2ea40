"""Families for section 7 of A Sober Look: scores that say otherwise how useful codes are."""

from functools import partial

import numpy as np

from calibration.models import loaded, loaded_by, quality
from calibration.row import Row
from dbench.estimates.simulated import Law, SimulatedPair, simulated_zoo

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


def two_data_sets(effect, *, seeds=5, **zoo):
    """One score follows accuracy on either data set, on the second one half as much; the others do not."""
    laws = [useful(UNSUPERVISED, 0.0) | quality(("kl",), load) for load in (effect, effect / 2)]
    return SimulatedPair(*(loaded(loads, seeds=seeds, **zoo) for loads in laws))


def groups(effect, **zoo):
    """Accuracies from 0.4 to 0.6, of which DCI and MIG know as much as the effect says, and the seed a little."""
    laws = {metric: Law(loads={"quality": effect}) for metric in ("dci", "mig")}
    laws["downstream.trees.100"] = Law(mean=0.5, loads={"quality": 0.05}, noise=0.03, seed=0.02)
    return simulated_zoo(laws, **zoo)


def total_correlation(effect, **zoo):
    """Accuracies follow a quality that lower total correlations of the active codes go with; some models have none."""
    laws = {name: Law(loads={"quality": 2.0}, seed=0.2) for name in ACCURACY}
    laws["gaussian_tc.mean"] = laws["gaussian_tc.mean.active"] = Law(loads={"quality": -effect}, seed=0.2)
    laws["kl.informative"] = SOME_COLLAPSED
    return simulated_zoo(laws, **zoo)


def efficiency(effect):
    """Accuracies follow a model's quality; the efficiency the less, the larger the effect."""
    return quality(ACCURACY, 2.0) | quality(("efficiency.logistic.100", "efficiency.trees.100"), -effect)


def rising(effect, **zoo):
    """Let the metrics and efficiency share a quality; some models have no informative code."""
    laws = {f"efficiency.{learner}.100": Law(loads={"quality": 2.0}, seed=0.2) for learner in ("logistic", "trees")}
    laws |= {metric: Law(loads={"quality": effect}, seed=0.2) for metric in (*SIX, "modularity")}
    laws["kl.informative"] = SOME_COLLAPSED
    return simulated_zoo(laws, **zoo)


downstream = partial(Row, DOWNSTREAM)
correlated = partial(downstream, truth_seeds=200)
on_both = partial(correlated, seeds=5)
efficient = partial(Row, EFFICIENCY, truth_seeds=200)
annealed = partial(Row, EFFICIENCY)
CORRELATED = dict(effects=(0.0, 4.0))
NONE = dict(effects=(-1.0, 4.0), at=0.0, at_says="no correlation")
NOT_BOTH = dict(effects=(0.1, 4.0), at=0.1, at_says="hardly any correlation")
BETTER = dict(effects=(-0.5, 4.0), at=0.05, at_says="five points in a hundred")
POOR = dict(effects=(-1.0, 4.0), at=-0.7, at_says="a strong correlation")
TREES, MIG = {"learner": "trees"}, {"metric": "mig"}
OF_TC = TREES | {"score": "gaussian_tc.mean"}

ROWS = [
    correlated(
        "METRICS_CORRELATE",
        loaded_by(lambda effect: useful(SIX, effect) | quality(("modularity",), -effect)),
        **CORRELATED,
        at=1.4,
        at_says="no metric near its bound",
    ),
    correlated(
        "EVERY_METRIC",
        loaded_by(lambda effect: useful(SIX, effect)),
        **CORRELATED,
        at=0.5,
        at_says="a large correlation",
        given=TREES,
    ),
    correlated("MODULARITY_DOES_NOT", loaded_by(lambda effect: useful(("modularity",), effect)), **NONE, given=TREES),
    on_both("NOT_CONSISTENT", two_data_sets, **NOT_BOTH),
    on_both("ONE_SCORE", two_data_sets, **NOT_BOTH, given=TREES | {"score": "kl"}),
    downstream(
        "AT_MOST_MILD",
        loaded_by(lambda effect: useful(("kl",), effect)),
        effects=(-3.0, 3.0),
        at=0.2,
        at_says="mild",
        given=TREES | {"score": "kl"},
    ),
    correlated("TC_NOT_BENEFICIAL", total_correlation, **NONE, given=OF_TC),
    correlated("TC_OTHERWISE", total_correlation, **NONE, given=OF_TC | {"reading": "active codes"}),
    downstream("BETTER_GROUP", groups, **BETTER),
    downstream("ONE_GROUPING", groups, **BETTER, given={"metric": "dci"}),
    efficient("NO_RISE", rising, **NONE, given=TREES),
    efficient("BY_METRIC", rising, **NONE, given=MIG),
    efficient("WITH_TREES", rising, **NONE, given=MIG),
    efficient("AMONG_LEARNERS", rising, **NONE, given=TREES | {"reading": "within objectives"}),
    annealed("ANNEALED", loaded_by(efficiency), **POOR),
    annealed("TO_SOME_DEGREE", loaded_by(efficiency), **POOR),
    annealed("ANNEALED_ANYWHERE", loaded_by(efficiency), **POOR, given=TREES),
    annealed(
        "EFFICIENT_ARE_POOR", loaded_by(efficiency), effects=(-1.0, 4.0), at=0.5, at_says="every other one", given=TREES
    ),
]
