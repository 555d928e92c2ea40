"""Worlds in which findings of Duan et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, calibrated, loaded_by, quality, rows
from simulation import Law, simulated_zoo

METRICS = ("beta_vae_metric", "factor_vae", "mig", "dci")
INVARIANCES, SUPERVISED = "udr/test_3_invariances", "udr/test_4_supervised_metrics"
# Two models in three have two informative codes, whatever their quality.
SOME_COLLAPSED = Law(mean=2.2, noise=1.5, shape=lambda x: np.rint(x).clip(0, 10))


def one_quality(effect, **zoo):
    """Every metric sees a model's quality against noise of half its variance; UDR as clearly as the effect says."""
    laws = {name: Law(loads={"quality": 1.0}, noise=0.7, seed=0.2) for name in METRICS}
    laws |= {"udr.lasso": Law(loads={"quality": effect}, seed=0.2), "kl.informative": SOME_COLLAPSED}
    return simulated_zoo(laws, **zoo)


WORLDS = [
    calibrated(SUPERVISED, "CORRELATES", one_quality, -1.0, 5.0, (0.0, 5.0), 0.54, "printed (Lasso, same strength)",
               given={"variant": "udr.lasso", "models": "informative"}),
    calibrated(SUPERVISED, "CONTROL", loaded_by(lambda effect: quality(METRICS, effect)), 0.0, 5.0, (0.0, 5.0), 0.67,
               "printed"),
    *rows(
        (INVARIANCES, "INVARIANT", lambda m: m.change_of_udr(m.rotated, "spearman"),
         lambda m: m.change_of_udr(m.permuted, "spearman", samples=2)),
        (INVARIANCES, "CLOSED",
         lambda m: m.change_in_closed_form(np.full((5, 5), 0.5), np.ones(5, dtype=bool)), EXACT),
    ),
]  # fmt: skip
