"""Worlds for what Duan et al. say of UDR's variants, and of strengths and models chosen by it."""

import numpy as np
from counter_worlds import calibrated
from simulation import Law, simulated_zoo

# Two models in three have two informative codes, whatever else they are: what counts is judged among those.
SOME_COLLAPSED = Law(mean=2.2, noise=1.5, shape=lambda x: np.rint(x).clip(0, 10))
VARIANTS, STRENGTHS, MODELS = "udr/test_4_variants", "udr/test_4_strengths", "udr/test_4_models"
METRICS = ("beta_vae_metric", "factor_vae", "mig", "dci")


# ------------------------------------------------------------------ variants
def like_dci(effect, *, generator, seeds=10, point_only=False):
    """All metrics see a quality; DCI sees one more, which UDR sees as clearly as the effect says."""
    laws = {metric: Law(loads={"quality": 1.0}) for metric in METRICS}
    laws |= {"dci": Law(loads={"quality": 1.0, "own": 1.0}), "udr.lasso": Law(loads={"quality": 1.0, "own": effect})}
    laws["kl.informative"] = SOME_COLLAPSED
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def two_variants(better, worse):
    """Two variants see the quality that the metrics see, one of them as clearly as the effect says."""

    def world(effect, *, generator, seeds=10, point_only=False):
        laws = {metric: Law(loads={"quality": 1.0}) for metric in METRICS}
        laws |= {better: Law(loads={"quality": effect}), worse: Law(loads={"quality": 1.0})}
        laws["kl.informative"] = SOME_COLLAPSED
        return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)

    return world


def pulled(effect, *, generator, seeds=10, point_only=False):
    """Scores within a strength follow the strength as much as the effect says; the others do somewhat."""
    steps = {"udr.lasso": effect, "udr.lasso.all": 0.4}
    laws = {name: Law(mean=lambda o, s, step=step: step * (s - s.mean())) for name, step in steps.items()}
    laws["kl.informative"] = SOME_COLLAPSED
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


# ------------------------------------------------------------------ selection
def profiles(variant="udr.lasso", **fixed):
    """Metrics share a profile over the strengths; UDR has one of its own, plus theirs as much as the effect says."""

    def world(effect, *, generator, seeds=10, point_only=False):
        def shared(objective, strengths):
            return np.cos(1.7 * strengths + len(objective))

        def own(objective, strengths):
            return np.sin(2.3 * strengths + 3 * len(objective))

        laws = {metric: Law(mean=shared, noise=0.5) for metric in METRICS}
        for name, share in {variant: effect, **fixed}.items():
            laws[name] = Law(mean=lambda o, s, share=share: share * shared(o, s) + own(o, s), noise=0.5)
        return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)

    return world


def levels(effect, *, generator, seeds=10, point_only=False):
    """UDR lies at the effect."""
    laws = {"udr.lasso": Law(mean=effect, noise=0.1), "kl.informative": Law(mean=5.0, noise=0.0)}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def rising(effect, *, generator, seeds=10, point_only=False):
    """UDR rises with the strength by the effect."""
    return simulated_zoo({"udr.lasso": Law(trend=effect)}, generator=generator, seeds=seeds, point_only=point_only)


def above_plain(effect, *, generator, seeds=10, point_only=False):
    """Plain VAEs lie at 0.1, stronger models higher by the effect."""
    law = Law(mean=lambda objective, strengths: 0.1 + effect * (strengths > 1), noise=0.1)
    return simulated_zoo({"udr.lasso": law}, generator=generator, seeds=seeds, point_only=point_only)


INFORMATIVE = {"models": "informative"}
SAME = {"given": INFORMATIVE | {"pool": "same strength"}}
LASSO = INFORMATIVE | {"relation": "lasso"}
GAIN = {"false": 0.0, "true": 3.0, "effects": (0.0, 5.0)}
ORDER = {"true": 4.0, "effects": (-1.0, 6.0), "at": 0.8, "at_says": "nearly the same order"}

ROWS = [
    calibrated(VARIANTS, "CLOSEST", like_dci, **SAME, false=-1.0, true=2.0, effects=(-1.0, 4.0), at=0.1,
               at_says="a lead that a figure shows"),
    calibrated(VARIANTS, "CLOSEST_EACH", like_dci, given=INFORMATIVE | {"objective": "beta_vae"}, false=-1.0, true=2.0,
               effects=(-1.0, 4.0), at=0.3, at_says="a large lead", truth_seeds=3_000),
    calibrated(VARIANTS, "BETTER", two_variants("udr.lasso", "udr.spearman"), **SAME, **GAIN, at=0.05,
               at_says="smallest difference worth a switch"),
    calibrated(VARIANTS, "FOR_MODELS", two_variants("udr.lasso.all", "udr.lasso"), given=LASSO, **GAIN, at=0.06,
               at_says="printed"),
    calibrated(VARIANTS, "ENTROPY", two_variants("udr.lasso", "udr.lasso.entropy"),
               given=LASSO | {"pool": "same strength"}, **GAIN, at=0.1, at_says="smallest to be called inferior"),
    calibrated(VARIANTS, "PULLED", pulled, given=INFORMATIVE, false=0.0, true=1.0, effects=(0.0, 2.0), at=0.15,
               at_says="a share that a figure shows"),
    calibrated(STRENGTHS, "SELECTS", profiles(), given={"models": "all"}, false=-1.0, **ORDER),
    calibrated(STRENGTHS, "SELECTS_EACH", profiles(), given={"objective": "beta_vae"}, false=-2.0, **ORDER),
    calibrated(STRENGTHS, "FOR_STRENGTHS", profiles(**{"udr.lasso.all": 0.3}), false=-2.0, true=6.0,
               effects=(-1.0, 6.0), at=0.3, at_says="a clearly better order"),
    calibrated(MODELS, "RISES", rising, given={"variant": "udr.lasso", "models": "all"}, false=-2.0, true=10.0,
               effects=(0.0, 10.0), at=0.8, at_says="a clear trend"),
    calibrated(MODELS, "PLAIN_LOW", above_plain, given={"variant": "udr.lasso"}, false=-0.2, true=0.4, at=0.3,
               at_says="four stronger models of five, and a plain UDR of 0.2"),
    calibrated(MODELS, "NONE_GOOD", levels, given={"objective": "of the three", "models": "all"}, false=0.6, true=0.1,
               effects=(0.0, 0.6), at=0.444, at_says="entangled by Figure 4"),
    calibrated(MODELS, "SOME_GOOD", levels, given={"objective": "beta_vae", "models": "all"}, false=0.1, true=0.8,
               effects=(0.1, 0.9), at=0.607, at_says="disentangled by Figure 4"),
]  # fmt: skip
WORLDS, CALIBRATIONS = map(list, zip(*ROWS, strict=True))
