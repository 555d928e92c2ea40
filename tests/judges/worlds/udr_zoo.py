"""Worlds for what Duan et al. say of UDR's variants, and of strengths and models chosen by it."""

from functools import partial

import numpy as np
from counter_worlds import calibrated
from simulation import Law, simulated_zoo

# Two models in three have two informative codes, whatever else they are: what counts is judged among those.
SOME_COLLAPSED = Law(mean=2.2, noise=1.5, shape=lambda x: np.rint(x).clip(0, 10))
VARIANTS, STRENGTHS, MODELS = "udr/test_4_variants", "udr/test_4_strengths", "udr/test_4_models"
METRICS = ("beta_vae_metric", "factor_vae", "mig", "dci")


# ------------------------------------------------------------------ variants
def like_dci(effect, **zoo):
    """All metrics see a quality; DCI sees one more, which UDR sees as clearly as the effect says."""
    laws = dict.fromkeys(METRICS, Law(loads={"quality": 1.0})) | {"dci": Law(loads={"quality": 1.0, "own": 1.0})}
    laws |= {"udr.lasso": Law(loads={"quality": 1.0, "own": effect}), "kl.informative": SOME_COLLAPSED}
    return simulated_zoo(laws, **zoo)


def two_variants(better, worse):
    """Two variants see the quality that the metrics see, one of them as clearly as the effect says."""

    def world(effect, **zoo):
        laws = dict.fromkeys(METRICS, Law(loads={"quality": 1.0})) | {better: Law(loads={"quality": effect})}
        laws |= {worse: Law(loads={"quality": 1.0}), "kl.informative": SOME_COLLAPSED}
        return simulated_zoo(laws, **zoo)

    return world


def pulled(effect, **zoo):
    """Scores within a strength follow the strength as much as the effect says; the others do somewhat."""
    steps = {"udr.lasso": effect, "udr.lasso.all": 0.4}
    laws = {name: Law(mean=lambda o, s, step=step: step * (s - s.mean())) for name, step in steps.items()}
    laws["kl.informative"] = SOME_COLLAPSED
    return simulated_zoo(laws, **zoo)


# ------------------------------------------------------------------ selection
def profiles(**fixed):
    """Metrics share a profile over the strengths; UDR has one of its own, plus theirs as much as the effect says."""

    def world(effect, **zoo):
        def shared(objective, strengths):
            return np.cos(1.7 * strengths + len(objective))

        def own(objective, strengths):
            return np.sin(2.3 * strengths + 3 * len(objective))

        laws = {metric: Law(mean=shared, noise=0.5) for metric in METRICS}
        for name, share in {"udr.lasso": effect, **fixed}.items():
            laws[name] = Law(mean=lambda o, s, share=share: share * shared(o, s) + own(o, s), noise=0.5)
        return simulated_zoo(laws, **zoo)

    return world


def levels(effect, **zoo):
    """UDR lies at the effect."""
    laws = {"udr.lasso": Law(mean=effect, noise=0.1), "kl.informative": Law(mean=5.0, noise=0.0)}
    return simulated_zoo(laws, **zoo)


def rising(effect, **zoo):
    """UDR rises with the strength by the effect."""
    return simulated_zoo({"udr.lasso": Law(trend=effect)}, **zoo)


def above_plain(effect, **zoo):
    """Plain VAEs lie at 0.1, stronger models higher by the effect."""
    law = Law(mean=lambda objective, strengths: 0.1 + effect * (strengths > 1), noise=0.1)
    return simulated_zoo({"udr.lasso": law}, **zoo)


INFORMATIVE = {"models": "informative"}
GAIN = (0.0, 3.0, (0.0, 5.0))
ORDER = (4.0, (-1.0, 6.0), 0.8, "nearly the same order")
variants = partial(calibrated, VARIANTS, given=INFORMATIVE)
same_strength = partial(variants, given=INFORMATIVE | {"pool": "same strength"})
models = partial(calibrated, MODELS, given={"variant": "udr.lasso", "models": "all"})

WORLDS = [
    same_strength("CLOSEST", like_dci, -1.0, 2.0, (-1.0, 4.0), 0.1, "a lead that a figure shows"),
    variants("CLOSEST_EACH", like_dci, -1.0, 2.0, (-1.0, 4.0), 0.3, "a large lead",
             given=INFORMATIVE | {"objective": "beta_vae"}, truth_seeds=3_000),
    same_strength("BETTER", two_variants("udr.lasso", "udr.spearman"), *GAIN, 0.05,
                  "smallest difference worth a switch"),
    variants("FOR_MODELS", two_variants("udr.lasso.all", "udr.lasso"), *GAIN, 0.06, "printed",
             given=INFORMATIVE | {"relation": "lasso"}),
    variants("ENTROPY", two_variants("udr.lasso", "udr.lasso.entropy"), *GAIN, 0.1, "smallest to be called inferior",
             given=INFORMATIVE | {"relation": "lasso", "pool": "same strength"}),
    variants("PULLED", pulled, 0.0, 1.0, (0.0, 2.0), 0.15, "a share that a figure shows"),
    calibrated(STRENGTHS, "SELECTS", profiles(), -1.0, *ORDER, given={"models": "all"}),
    calibrated(STRENGTHS, "SELECTS_EACH", profiles(), -2.0, *ORDER, given={"objective": "beta_vae"}),
    calibrated(STRENGTHS, "FOR_STRENGTHS", profiles(**{"udr.lasso.all": 0.3}), -2.0, 6.0, (-1.0, 6.0), 0.3,
               "a clearly better order"),
    models("RISES", rising, -2.0, 10.0, (0.0, 10.0), 0.8, "a clear trend"),
    models("PLAIN_LOW", above_plain, -0.2, 0.4, (-0.2, 0.4), 0.3,
           "four stronger models of five, and a plain UDR of 0.2", given={"variant": "udr.lasso"}),
    models("NONE_GOOD", levels, 0.6, 0.1, (0.0, 0.6), 0.444, "entangled by Figure 4",
           given={"objective": "of the three", "models": "all"}),
    models("SOME_GOOD", levels, 0.1, 0.8, (0.1, 0.9), 0.607, "disentangled by Figure 4",
           given={"objective": "beta_vae", "models": "all"}),
]  # fmt: skip
