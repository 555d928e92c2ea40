"""Worlds in which scores are as stable with few examples, or stable at no size, or too small to tell."""

from itertools import product

from counter_worlds import Worlds, loaded, loaded_by

from dbench.claims.calibration import Calibration

STABILITY = "sober/test_6_2_stability"
METRICS = ("beta_vae_metric", "dci", "factor_vae", "irs", "mig", "modularity", "sap")
COMPUTED = ("", "again.", "small.", "small_again.")


def computed(many, few):
    """Give each metric a quality of its own, and each computation its noise.

    Args:
        many: load of the quality on the computations from many examples.
        few: the same from few examples, by metric.
    """
    loads = dict(zip(COMPUTED, (many, many, few, few), strict=True))
    return {
        f"{sample}{metric}": {metric: load[metric] if isinstance(load, dict) else load}
        for (sample, load), metric in product(loads.items(), METRICS)
    }


def leaders(effect, chosen):
    return computed(4.0, {metric: 1.0 + effect * (metric in chosen) for metric in METRICS})


WORLDS = [
    Worlds(
        STABILITY,
        "STABLE",
        false=lambda m: m.stability(loaded(computed(0.5, 0.5), "unstable"), "mig"),
        small=lambda m: m.stability(loaded(computed(8.0, 1.0), "stable, small", seeds=2), "mig"),
    ),
    Worlds(
        STABILITY,
        "LESS_WITH_FEW",
        false=lambda m: m.loss_with_few(loaded(computed(3.0, 3.0), "no loss")),
        small=lambda m: m.loss_with_few(loaded(computed(4.0, 0.5), "loss, small", seeds=2)),
    ),
    Worlds(
        STABILITY,
        "MOST_EFFICIENT",
        false=lambda m: m.lead_in_efficiency(
            loaded(leaders(3.0, m.LAST), "the last first"), m.FIRST, (*m.SECOND, *m.LAST)
        ),
        small=lambda m: m.lead_in_efficiency(
            loaded(leaders(3.0, m.FIRST), "first, few", seeds=2), m.FIRST, (*m.SECOND, *m.LAST)
        ),
    ),
    Worlds(
        STABILITY,
        "NEXT_EFFICIENT",
        false=lambda m: m.lead_in_efficiency(loaded(leaders(3.0, m.LAST), "the last next"), m.SECOND, m.LAST),
        small=lambda m: m.lead_in_efficiency(loaded(leaders(3.0, m.SECOND), "next, few", seeds=2), m.SECOND, m.LAST),
    ),
]

CALIBRATIONS = [
    Calibration(
        file=STABILITY,
        card="STABLE",
        world=loaded_by(lambda effect: computed(effect, 1.0)),
        estimate=lambda m, zoo: m.stability(zoo, "mig"),
        effects=(0.0, 8.0),
        at=0.9,
        at_says="a stable score",
        truth_seeds=100,
    ),
    Calibration(
        file=STABILITY,
        card="LESS_WITH_FEW",
        world=loaded_by(lambda effect: computed(3.0, 3.0 - effect)),
        estimate=lambda m, zoo: m.loss_with_few(zoo),
        effects=(0.0, 3.0),
        at=0.3,
        at_says="a loss plain to see",
        truth_seeds=50,
    ),
    Calibration(
        file=STABILITY,
        card="MOST_EFFICIENT",
        world=loaded_by(lambda effect: leaders(effect, ("factor_vae", "irs"))),
        estimate=lambda m, zoo: m.lead_in_efficiency(zoo, m.FIRST, (*m.SECOND, *m.LAST)),
        effects=(-0.5, 4.0),
        at=0.2,
        at_says="a lead plain to see",
        truth_seeds=50,
    ),
    Calibration(
        file=STABILITY,
        card="NEXT_EFFICIENT",
        world=loaded_by(lambda effect: leaders(effect, ("dci", "mig"))),
        estimate=lambda m, zoo: m.lead_in_efficiency(zoo, m.SECOND, m.LAST),
        effects=(-0.5, 4.0),
        at=0.2,
        at_says="a lead plain to see",
        truth_seeds=50,
    ),
]
