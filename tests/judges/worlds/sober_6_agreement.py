"""Worlds in which the metrics of A Sober Look agree otherwise than it finds, or too small to tell."""

import numpy as np
from counter_worlds import Worlds, loaded, loaded_by, quality, rng

from dbench.claims.calibration import Calibration
from dbench.claims.simulation import Law, simulated_zoo

AGREEMENT = "sober/test_6_1_agreement"
FIVE = ("beta_vae_metric", "dci", "factor_vae", "mig", "sap")
METRICS = (*FIVE, "irs", "modularity")


def two_pairs(first, second, others=1.0):
    """All see a model's quality; two pairs see something of their own besides."""
    loads = {metric: {"quality": others} for metric in METRICS}
    for pair, hidden, load in (
        (("beta_vae_metric", "factor_vae"), "consistency", first),
        (("dci", "mig"), "information", second),
    ):
        for metric in pair:
            loads[metric] = {"quality": others, hidden: load}
    return loads


def rivals():
    """IRS and SAP agree most of all, and by far."""
    return two_pairs(1.0, 1.0) | {metric: {"quality": 1.0, "rival": 4.0} for metric in ("irs", "sap")}


def unequal_mig(effect, *, generator, seeds, point_only):
    """MIG spreads by a factor that the effect gives, whatever DCI is."""
    laws = {
        "dci": Law(mean=0.5, noise=0.1),
        "mig": Law(noise=effect, seed=0.1 * effect, shape=np.exp),
    }
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def noisy_order(effect, *, generator, seeds, point_only):
    """MIG and DCI follow one quality, each with noise of its own."""
    laws = {metric: Law(mean=0.5, loads={"quality": 0.15}, noise=effect, seed=0.02) for metric in ("dci", "mig")}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


WORLDS = [
    Worlds(
        AGREEMENT,
        "AGREE",
        false=lambda m: m.smallest_agreement(loaded(quality(FIVE, 0.0), "agree")),
        small=lambda m: m.smallest_agreement(loaded(quality(FIVE, 3.0), "agree, small", seeds=2)),
    ),
    Worlds(
        AGREEMENT,
        "IRS_LESS",
        false=lambda m: m.shortfall_of_irs(loaded(quality(METRICS, 1.5), "irs")),
        small=lambda m: m.shortfall_of_irs(
            loaded(quality(METRICS, 1.5) | quality(("irs",), 0.0), "irs, small", seeds=2)
        ),
    ),
    Worlds(
        AGREEMENT,
        "MODULARITY_APART",
        false=lambda m: m.largest_correlation_with(loaded(quality(METRICS, 3.0), "alike"), "modularity", FIVE),
        small=lambda m: m.largest_correlation_with(
            loaded(quality(METRICS, 0.0), "alike, small", seeds=2), "modularity", FIVE
        ),
    ),
    Worlds(
        AGREEMENT,
        "PAIRS",
        false=lambda m: m.lead_of_pairs(loaded(rivals(), "rivals"), m.CLOSE),
        small=lambda m: m.lead_of_pairs(loaded(two_pairs(2.0, 2.0), "pairs, small", seeds=2), m.CLOSE),
    ),
    Worlds(
        AGREEMENT,
        "STRONGEST",
        false=lambda m: m.lead_of_pairs(loaded(two_pairs(4.0, 0.0), "the other pair"), m.CLOSE[1:]),
        small=lambda m: m.lead_of_pairs(loaded(two_pairs(1.0, 3.0), "first, small", seeds=2), m.CLOSE[1:]),
    ),
    Worlds(
        AGREEMENT,
        "NOT_STRONG",
        false=lambda m: m.largest_correlation_with(
            loaded(quality(METRICS, 3.0), "one notion"), "irs", ("beta_vae_metric", "factor_vae")
        ),
        small=lambda m: m.largest_correlation_with(
            loaded(quality(METRICS, 0.0), "notions, small", seeds=2), "irs", ("beta_vae_metric", "factor_vae")
        ),
    ),
    Worlds(
        AGREEMENT,
        "FACTOR_OF_TWO",
        false=lambda m: m.share_of_twofold(unequal_mig(0.05, generator=rng("equal"), seeds=10, point_only=False)),
        small=lambda m: m.share_of_twofold(unequal_mig(1.0, generator=rng("twofold"), seeds=2, point_only=False)),
    ),
    Worlds(
        AGREEMENT,
        "OTHER_ORDER",
        false=lambda m: m.share_of_reversed(noisy_order(0.01, generator=rng("order"), seeds=10, point_only=False)),
        small=lambda m: m.share_of_reversed(noisy_order(0.3, generator=rng("orders"), seeds=2, point_only=False)),
    ),
]

CALIBRATIONS = [
    Calibration(
        file=AGREEMENT,
        card="AGREE",
        world=loaded_by(lambda effect: quality(FIVE, effect)),
        estimate=lambda m, zoo: m.smallest_agreement(zoo),
        effects=(0.0, 4.0),
        at=0.7,
        at_says="half of the variance of ranks",
        truth_seeds=200,
    ),
    Calibration(
        file=AGREEMENT,
        card="IRS_LESS",
        world=loaded_by(lambda effect: quality(METRICS, 1.5) | quality(("irs",), 1.5 - effect)),
        estimate=lambda m, zoo: m.shortfall_of_irs(zoo),
        effects=(0.0, 1.5),
        at=0.3,
        at_says="a gap plain to see",
        truth_seeds=200,
    ),
    Calibration(
        file=AGREEMENT,
        card="MODULARITY_APART",
        world=loaded_by(lambda effect: quality(FIVE, 3.0) | quality(("modularity",), effect)),
        estimate=lambda m, zoo: m.largest_correlation_with(zoo, "modularity", FIVE),
        effects=(0.0, 4.0),
        at=0.2,
        at_says="weak",
        truth_seeds=200,
    ),
    Calibration(
        file=AGREEMENT,
        card="PAIRS",
        world=loaded_by(lambda effect: two_pairs(effect, effect)),
        estimate=lambda m, zoo: m.lead_of_pairs(zoo, m.CLOSE),
        effects=(0.0, 4.0),
        at=0.15,
        at_says="a lead plain to see",
        truth_seeds=200,
    ),
    Calibration(
        file=AGREEMENT,
        card="STRONGEST",
        world=loaded_by(lambda effect: two_pairs(1.0, effect)),
        estimate=lambda m, zoo: m.lead_of_pairs(zoo, m.CLOSE[1:]),
        effects=(0.0, 5.0),
        at=0.15,
        at_says="a lead plain to see",
        truth_seeds=200,
    ),
    Calibration(
        file=AGREEMENT,
        card="NOT_STRONG",
        world=loaded_by(lambda effect: quality(METRICS, 2.0) | quality(("irs",), effect)),
        estimate=lambda m, zoo: m.largest_correlation_with(zoo, "irs", ("beta_vae_metric", "factor_vae")),
        effects=(0.0, 4.0),
        at=0.3,
        at_says="mild",
        truth_seeds=200,
    ),
    Calibration(
        file=AGREEMENT,
        card="FACTOR_OF_TWO",
        world=unequal_mig,
        estimate=lambda m, zoo: m.share_of_twofold(zoo),
        effects=(0.05, 3.0),
        at=0.15,
        at_says="one pair in seven",
        truth_seeds=200,
    ),
    Calibration(
        file=AGREEMENT,
        card="OTHER_ORDER",
        world=noisy_order,
        estimate=lambda m, zoo: m.share_of_reversed(zoo),
        effects=(0.0, 0.5),
        at=0.03,
        at_says="three pairs in a hundred",
        truth_seeds=200,
    ),
]
