"""Worlds in which findings of Duan et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, Worlds, worlds_and_calibration

from dbench.claims.simulation import Law, simulated_zoo

INVARIANCES, SUPERVISED = "udr/test_3_invariances", "udr/test_4_supervised_metrics"


# Two models in three have two informative codes, whatever their quality.
SOME_COLLAPSED = Law(mean=2.2, noise=1.5, shape=lambda x: np.rint(x).clip(0, 10))


def one_quality(effect, *, generator, seeds=10, point_only=False):
    """Every metric sees a model's quality against noise of half its variance; UDR as clearly as the effect says."""
    metrics = ("beta_vae_metric", "factor_vae", "mig", "dci")
    laws = {name: Law(loads={"quality": 1.0}, noise=0.7, seed=0.2) for name in metrics}
    laws |= {"udr.lasso": Law(loads={"quality": effect}, seed=0.2), "kl.informative": SOME_COLLAPSED}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


CORRELATES, OF_CORRELATES = worlds_and_calibration(
    SUPERVISED,
    "CORRELATES",
    one_quality,
    lambda m, zoo: m.agreement_with_supervised(zoo, "udr.lasso", "informative"),
    false=0.0,
    true=5.0,
    effects=(0.0, 5.0),
    at=0.54,
    at_says="printed (Lasso, same strength)",
)
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
    CORRELATES,
]
CALIBRATIONS = [OF_CORRELATES]
