"""Families for what Duan et al. say of UDR's variants, and of strengths and models chosen by it."""

from functools import partial

import numpy as np

from calibration.models import loaded_by, quality
from calibration.row import Row
from dbench.estimates.simulated import OBJECTIVES, Law, SimulatedPopulation, simulated_zoo

# Two models in three have two informative codes, whatever else they are: what counts is judged among those.
SOME_COLLAPSED = Law(mean=2.2, noise=1.5, shape=lambda x: np.rint(x).clip(0, 10))
VARIANTS, STRENGTHS, MODELS, SUPERVISED, INFORMATIVE, COMPARISONS = (
    f"udr/test_4_{name}"
    for name in ("variants", "strengths", "models", "supervised_metrics", "informative", "comparisons")
)
METRICS = ("beta_vae_metric", "factor_vae", "mig", "dci")


# ------------------------------------------------------------------ variants
def one_quality(effect, **zoo):
    """Every metric sees a model's quality against noise of half its variance; UDR as clearly as the effect says."""
    laws = {name: Law(loads={"quality": 1.0}, noise=0.7, seed=0.2) for name in METRICS}
    laws |= {"udr.lasso": Law(loads={"quality": effect}, seed=0.2), "kl.informative": SOME_COLLAPSED}
    return simulated_zoo(laws, **zoo)


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
    """Plain VAEs lie at 0, stronger models higher by the effect."""
    law = Law(mean=lambda objective, strengths: effect * (strengths > 1), noise=0.1)
    return simulated_zoo({"udr.lasso": law}, **zoo)


# ------------------------------------------------------------------ single comparisons
def pairs(clear, noise, *, generator, seeds=10, objectives=("beta_vae",)):
    """Build a zoo in whose every comparison a model's quality shows as clearly as this, under noise of this size."""
    scores, strengths = {}, {o: OBJECTIVES[o] for o in objectives}
    for objective, values in strengths.items():
        quality = generator.standard_normal((len(values), seeds))
        found = clear * quality.ravel()[:, None] + noise * generator.standard_normal((quality.size, quality.size))
        for n in range(quality.size):
            scores[f"udr.lasso.with.{n}", objective] = found[:, n].reshape(quality.shape).T
        for metric in METRICS:
            scores[metric, objective] = (quality + 0.5 * generator.standard_normal(quality.shape)).T
        scores["kl.informative", objective] = np.full((seeds, len(values)), 5.0)
    return SimulatedPopulation(scores, strengths)


def seen(effect, **zoo):
    return pairs(effect, 1.0, **zoo)


def noisy(effect, **zoo):
    return pairs(1.0, effect, **zoo)


# ------------------------------------------------------------------ informative codes, seeds
def apart(effect, **zoo):
    """Codes lie as many powers of ten from the threshold as the effect says, on either side."""
    law = Law(shape=lambda x: 0.01 * 10 ** (effect * x).clip(-12, 4))
    return simulated_zoo({f"kl.{code}": law for code in range(10)}, **zoo)


def few_codes(effect, **zoo):
    """UDR follows the number of informative codes as the effect says."""
    count = Law(mean=5.0, loads={"number": 1.5}, noise=0.0, shape=lambda x: np.rint(x).clip(0, 10))
    return simulated_zoo({"kl.informative": count, "udr.lasso": Law(loads={"number": effect})}, **zoo)


def chosen(effect, **zoo):
    """Settings lie a step of the effect apart from one another."""
    order = {objective: 6 * n for n, objective in enumerate(sorted(OBJECTIVES))}
    law = Law(mean=lambda objective, strengths: effect * (order[objective] + strengths))
    return simulated_zoo(dict.fromkeys(METRICS, law), **zoo)


AMONG = {"models": "informative"}
GAIN = dict(effects=(0.0, 5.0))
ORDER = dict(effects=(-1.0, 6.0), at=0.8, at_says="nearly the same order")
variants = partial(Row, VARIANTS, given=AMONG)
same_strength = partial(variants, given=AMONG | {"pool": "same strength"})
models = partial(Row, MODELS, given={"variant": "udr.lasso", "models": "all"})
# The table of pairs grows with the square of the seeds.
compared = partial(Row, COMPARISONS, truth_seeds=40)
pooled = partial(compared, given={"pool": "all to all"})
count = partial(Row, INFORMATIVE, given={"variant": "udr.lasso", "models": "all"})

ROWS = [
    Row(
        SUPERVISED,
        "CORRELATES",
        one_quality,
        effects=(0.0, 5.0),
        at=0.6,
        at_says="printed (Lasso, all to all)",
        given=AMONG | {"variant": "udr.lasso"},
    ),
    Row(
        SUPERVISED,
        "CONTROL",
        loaded_by(lambda effect: quality(METRICS, effect)),
        effects=(0.0, 5.0),
        at=0.67,
        at_says="printed",
    ),
    same_strength("CLOSEST", like_dci, effects=(-1.0, 4.0), at=0.1, at_says="a lead that a figure shows"),
    variants(
        "CLOSEST_EACH",
        like_dci,
        effects=(-1.0, 4.0),
        at=0.3,
        at_says="a large lead",
        given=AMONG | {"objective": "beta_vae"},
        truth_seeds=3_000,
    ),
    same_strength(
        "BETTER",
        two_variants("udr.lasso", "udr.spearman"),
        **GAIN,
        at=0.05,
        at_says="smallest difference worth a switch",
    ),
    variants(
        "FOR_MODELS",
        two_variants("udr.lasso.all", "udr.lasso"),
        **GAIN,
        at=0.06,
        at_says="printed",
        given=AMONG | {"relation": "lasso"},
    ),
    variants(
        "ENTROPY",
        two_variants("udr.lasso", "udr.lasso.entropy"),
        **GAIN,
        at=0.1,
        at_says="smallest to be called inferior",
        given=AMONG | {"relation": "lasso", "pool": "same strength"},
    ),
    variants("PULLED", pulled, effects=(0.0, 2.0), at=0.15, at_says="a share that a figure shows"),
    Row(STRENGTHS, "SELECTS", profiles(), **ORDER, given={"models": "all"}),
    Row(STRENGTHS, "SELECTS_EACH", profiles(), **ORDER, given={"objective": "beta_vae"}),
    Row(
        STRENGTHS,
        "FOR_STRENGTHS",
        profiles(**{"udr.lasso.all": 0.3}),
        effects=(-1.0, 6.0),
        at=0.3,
        at_says="a clearly better order",
    ),
    models("RISES", rising, effects=(-2.0, 10.0), at=0.8, at_says="a clear trend"),
    models(
        "PLAIN_LOW",
        above_plain,
        effects=(-0.2, 0.4),
        at=0.15,
        at_says="thirteen stronger models of twenty, and a plain UDR of 0",
        given={"variant": "udr.lasso"},
    ),
    models(
        "NONE_GOOD",
        levels,
        effects=(-0.2, 0.6),
        at=0.1,
        at_says="half of what counts as low",
        given={"objective": "dip_vae_i", "models": "all"},
    ),
    models(
        "SOME_GOOD",
        levels,
        effects=(0.1, 0.9),
        at=0.895,
        at_says="printed of CCI-VAE (Figure 4)",
        given={"objective": "beta_vae", "models": "all"},
    ),
    pooled("FIVE", seen, effects=(0.0, 4.0), at=0.61, at_says="printed of 45"),
    pooled("FIVE_OF_MANY", noisy, effects=(0.0, 3.0), at=0.05, at_says="clearly more than the printed share"),
    compared("GROWS", seen, effects=(-0.1, 0.1), at=0.1, at_says="printed"),
    compared(
        "LONE",
        partial(seen, objectives=tuple(OBJECTIVES)),
        effects=(-2.0, 4.0),
        at=0.1,
        at_says="chance",
        given={"models": "all"},
    ),
    Row(INFORMATIVE, "GAP", apart, effects=(1.0, 50.0), at=0.05, at_says="one code in twenty"),
    Row(INFORMATIVE, "NOT_DELICATE", apart, effects=(1.0, 200.0), at=0.05, at_says="one model in twenty"),
    count("HIGHER", few_codes, effects=(2.0, -2.0), at=-0.4, at_says="a moderate correlation"),
    count("NOT_PUNISHED", few_codes, effects=(2.0, -2.0), at=0.0, at_says="no correlation"),
    Row(INFORMATIVE, "TRANSFER", chosen, effects=(0.0, 5.0), at=0.807, at_says="printed"),
]
