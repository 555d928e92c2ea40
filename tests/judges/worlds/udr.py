"""Worlds in which findings of Duan et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, Worlds, rng

from dbench.claims.calibration import Calibration
from dbench.claims.simulation import Law, simulated_population, simulated_zoo

INVARIANCES, SUPERVISED = "udr/test_3_invariances", "udr/test_4_supervised_metrics"


def udr_world(seeds: int, related: float):
    """Build one hidden quality a model, of which UDR sees as much as ``related`` says."""
    variants = ("udr.lasso", "udr.spearman", "udr.lasso.all", "udr.spearman.all")

    def metric(objective, strengths, stream):
        return stream.standard_normal(len(strengths))

    effects = dict.fromkeys(("factor_vae", "mig", "dci"), metric)
    effects |= {v: (lambda o, s, stream: related * s + stream.standard_normal(len(s))) for v in variants}
    return simulated_population(effects, generator=rng("udr"), seeds=seeds)


WORLDS = [
    Worlds(
        INVARIANCES,
        "PERMUTATION",
        false=lambda m: m.change_of_udr(m.rotated, "spearman"),
        small=lambda m: m.change_of_udr(m.permuted, "spearman", samples=2),
    ),
    Worlds(
        INVARIANCES,
        "SIGN",
        false=lambda m: m.change_of_udr(m.rotated, "lasso"),
        small=lambda m: m.change_of_udr(m.flipped, "spearman", samples=2),
    ),
    Worlds(
        INVARIANCES,
        "SUBSET",
        false=lambda m: m.change_of_udr(m.subset(2), "spearman"),
        small=lambda m: m.change_of_udr(m.subset(5), "spearman", samples=2),
    ),
    Worlds(
        INVARIANCES,
        "CLOSED['permutation']",
        false=lambda m: m.change_in_closed_form(np.full((5, 5), 0.5), np.ones(5, dtype=bool)),
        small=EXACT,
    ),
    Worlds(
        INVARIANCES,
        "CLOSED['sign']",
        false=lambda m: m.change_in_closed_form(-np.full((5, 5), 0.5), np.ones(5, dtype=bool)),
        small=EXACT,
    ),
    Worlds(
        INVARIANCES,
        "CLOSED['subset']",
        false=lambda m: m.change_in_closed_form(*m.closed_form_case("subset")),
        small=EXACT,
    ),
    Worlds(
        SUPERVISED,
        "CORRELATES",
        false=lambda m: m.agreement_with_supervised(udr_world(10, related=0.0), "udr.lasso"),
        small=lambda m: m.agreement_with_supervised(udr_world(2, related=1.0), "udr.lasso"),
    ),
]


def one_quality(effect, *, generator, seeds, point_only):
    """Every metric sees a model's quality against noise of half its variance; UDR as clearly as the effect says."""
    laws = {name: Law(loads={"quality": 1.0}, noise=0.7, seed=0.2) for name in ("factor_vae", "mig", "dci")}
    laws["udr.lasso"] = Law(loads={"quality": effect}, seed=0.2)
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


CALIBRATIONS = [
    Calibration(
        file=SUPERVISED,
        card="CORRELATES",
        world=one_quality,
        estimate=lambda m, zoo: m.agreement_with_supervised(zoo, "udr.lasso"),
        effects=(0.0, 5.0),
        at=0.54,
        at_says="printed (Lasso, same strength)",
    ),
]
