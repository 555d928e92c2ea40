"""Worlds in which representations are useful otherwise than A Sober Look finds, or too small to tell."""

import numpy as np
from counter_worlds import Worlds, loaded, loaded_by, quality, rng

from dbench.claims.calibration import Calibration
from dbench.claims.population import PopulationPair
from dbench.claims.simulation import Law, simulated_zoo

DOWNSTREAM, EFFICIENCY = "sober/test_7_downstream", "sober/test_7_statistical_efficiency"
SIX = ("beta_vae_metric", "dci", "factor_vae", "irs", "mig", "sap")
# Boosted trees have the fewest sizes.
ACCURACY = tuple(f"downstream.trees.{size}" for size in (10, 100, 1_000))


def useful(scores, load):
    """Let accuracies follow a model's quality, and scores as much as the load says."""
    return quality(ACCURACY, 2.0) | quality(scores, load)


def two_data_sets(effect, *, generator, seeds=10, point_only=False):
    """The score follows accuracy on either data set, on the second one half as much."""
    zoos = (
        loaded(useful(("kl",), load), generator, seeds=seeds, point_only=point_only) for load in (effect, effect / 2)
    )
    return PopulationPair(*zoos)


def groups(effect, *, generator, seeds=10, point_only=False):
    """Accuracies from 0.4 to 0.6, of which DCI knows as much as the effect says, and the seed a little."""
    laws = {
        "dci": Law(loads={"quality": effect}),
        "downstream.trees.100": Law(mean=0.5, loads={"quality": 0.05}, noise=0.03, seed=0.02),
    }
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def efficiency(load):
    """Accuracies follow a model's quality; efficiency and metric as the load says."""
    return quality(("downstream.trees.100", "downstream.trees.1000"), 2.0) | quality(("efficiency.trees.100",), load)


LEARNING = "informative, within objectives"


def rising(effect, *, generator, seeds=10, point_only=False):
    """Let MIG and efficiency share a quality; five models in six have an informative code."""
    laws = {
        "efficiency.trees.100": Law(loads={"quality": 2.0}, seed=0.2),
        "mig": Law(loads={"quality": effect}, seed=0.2),
        "kl.informative": Law(mean=1.0, shape=lambda hidden: np.where(hidden > 0, 3.0, 0.0)),
    }
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def total_correlation(effect, *, generator, seeds=10, point_only=False):
    """Accuracies follow a quality that lower total correlations of the active codes go with; some models have none."""
    laws = {name: Law(loads={"quality": 2.0}, seed=0.2) for name in ACCURACY}
    laws["gaussian_tc.mean.active"] = Law(loads={"quality": -effect}, seed=0.2)
    laws["kl.informative"] = Law(mean=1.0, shape=lambda hidden: np.where(hidden > 0, 3.0, 1.0))
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def not_beneficial(m, zoo):
    return m.correlation_with_accuracy(zoo, "gaussian_tc.mean.active", "trees", over=m.WITHIN, sign=-1.0)


WORLDS = [
    Worlds(
        DOWNSTREAM,
        "METRICS_CORRELATE",
        false=lambda m: m.smallest_correlation(loaded(useful(SIX, 0.0), "useless"), "trees"),
        small=lambda m: m.smallest_correlation(loaded(useful(SIX, 2.0), "useful, small", seeds=2), "trees"),
    ),
    Worlds(
        DOWNSTREAM,
        "MODULARITY_DOES_NOT",
        false=lambda m: m.correlation_with_accuracy(
            loaded(useful(("modularity",), 2.0), "useful"), "modularity", "trees"
        ),
        small=lambda m: m.correlation_with_accuracy(
            loaded(useful(("modularity",), 0.0), "of no use, small", seeds=2), "modularity", "trees"
        ),
    ),
    Worlds(
        DOWNSTREAM,
        "NOT_CONSISTENT",
        false=lambda m: m.consistency(two_data_sets(3.0, generator=rng("consistent")), "kl", "trees"),
        small=lambda m: m.consistency(two_data_sets(0.0, generator=rng("none"), seeds=2), "kl", "trees"),
    ),
    Worlds(
        DOWNSTREAM,
        "AT_MOST_MILD",
        false=lambda m: m.correlation_with_accuracy(
            loaded(useful(("kl",), 3.0), "strong"), "kl", "trees", over=m.WITHIN
        ),
        small=lambda m: m.correlation_with_accuracy(
            loaded(useful(("kl",), 0.0), "mild, small", seeds=2), "kl", "trees", over=m.WITHIN
        ),
    ),
    Worlds(
        DOWNSTREAM,
        "TC_NOT_BENEFICIAL",
        false=lambda m: not_beneficial(m, total_correlation(2.0, generator=rng("lower is better"))),
        small=lambda m: not_beneficial(m, total_correlation(0.0, generator=rng("no matter"), seeds=2)),
    ),
    Worlds(
        DOWNSTREAM,
        "BETTER_GROUP",
        false=lambda m: m.lead_of_best_third(groups(0.0, generator=rng("no group"), seeds=20), "dci"),
        small=lambda m: m.lead_of_best_third(groups(2.0, generator=rng("group, small"), seeds=2), "dci"),
    ),
    Worlds(
        EFFICIENCY,
        "NO_RISE",
        false=lambda m: m.correlation_with_efficiency(rising(2.0, generator=rng("rises")), "mig", "trees", LEARNING),
        small=lambda m: m.correlation_with_efficiency(
            rising(0.0, generator=rng("does not rise"), seeds=2), "mig", "trees", LEARNING
        ),
    ),
    Worlds(
        EFFICIENCY,
        "EFFICIENT_ARE_POOR",
        false=lambda m: m.share_of_poor_among_efficient(loaded(efficiency(1.0), "good and efficient"), "trees"),
        small=lambda m: m.share_of_poor_among_efficient(loaded(efficiency(-2.0), "poor, small", seeds=2), "trees"),
    ),
    Worlds(
        EFFICIENCY,
        "ANNEALED",
        false=lambda m: m.efficiency_against_accuracy(loaded(efficiency(1.0), "good annealed"), "trees"),
        small=lambda m: m.efficiency_against_accuracy(loaded(efficiency(-2.0), "poor annealed", seeds=2), "trees"),
    ),
]

CALIBRATIONS = [
    Calibration(
        file=DOWNSTREAM,
        card="METRICS_CORRELATE",
        world=loaded_by(lambda effect: useful(SIX, effect)),
        estimate=lambda m, zoo: m.smallest_correlation(zoo, "trees"),
        effects=(0.0, 4.0),
        at=0.5,
        at_says="a large correlation",
        truth_seeds=200,
    ),
    Calibration(
        file=DOWNSTREAM,
        card="MODULARITY_DOES_NOT",
        world=loaded_by(lambda effect: useful(("modularity",), effect)),
        estimate=lambda m, zoo: m.correlation_with_accuracy(zoo, "modularity", "trees"),
        effects=(-1.0, 4.0),
        at=0.0,
        at_says="no correlation",
    ),
    Calibration(
        file=DOWNSTREAM,
        card="NOT_CONSISTENT",
        world=two_data_sets,
        estimate=lambda m, pair: m.consistency(pair, "kl", "trees"),
        effects=(0.1, 4.0),
        at=0.1,
        at_says="hardly any correlation",
    ),
    Calibration(
        file=DOWNSTREAM,
        card="AT_MOST_MILD",
        world=loaded_by(lambda effect: useful(("kl",), effect)),
        estimate=lambda m, zoo: m.correlation_with_accuracy(zoo, "kl", "trees", over=m.WITHIN),
        effects=(-3.0, 3.0),
        at=0.2,
        at_says="mild",
    ),
    Calibration(
        file=DOWNSTREAM,
        card="TC_NOT_BENEFICIAL",
        world=total_correlation,
        estimate=not_beneficial,
        effects=(-1.0, 4.0),
        at=0.0,
        at_says="no correlation",
    ),
    Calibration(
        file=DOWNSTREAM,
        card="BETTER_GROUP",
        world=groups,
        estimate=lambda m, zoo: m.lead_of_best_third(zoo, "dci"),
        effects=(0.0, 4.0),
        at=0.05,
        at_says="five points in a hundred",
    ),
    Calibration(
        file=EFFICIENCY,
        card="NO_RISE",
        world=rising,
        estimate=lambda m, zoo: m.correlation_with_efficiency(zoo, "mig", "trees", LEARNING),
        effects=(-1.0, 4.0),
        at=0.0,
        at_says="no correlation",
    ),
    Calibration(
        file=EFFICIENCY,
        card="EFFICIENT_ARE_POOR",
        world=loaded_by(lambda effect: efficiency(-effect)),
        estimate=lambda m, zoo: m.share_of_poor_among_efficient(zoo, "trees"),
        effects=(-1.0, 4.0),
        at=0.5,
        at_says="every other one",
    ),
    Calibration(
        file=EFFICIENCY,
        card="ANNEALED",
        world=loaded_by(lambda effect: efficiency(-effect)),
        estimate=lambda m, zoo: m.efficiency_against_accuracy(zoo, "trees"),
        effects=(-1.0, 4.0),
        at=-0.6,
        at_says="a strong correlation",
    ),
]
