"""Families for what Mahon et al. find of trained models."""

from functools import partial

import numpy as np

from calibration.models import rng
from calibration.row import Row
from dbench.estimates.simulated import Law, simulated_zoo

MISALIGNED, ALIGNED, TRAINED = (
    f"flaws/test_{n}" for n in ("3_1_misalignment", "5_1_aligned_code", "5_1_trained_models")
)
LINEAR, CORRELATED = "flaws/test_appendix_c_linear", "flaws/test_appendix_h_trained_models"
METRICS = ("snc", "nk", "mig", "sap", "irs", "dci", "dci.completeness", "dci.informativeness", "med")
# One strength each, as in the evidence.
SYSTEMS = dict.fromkeys(("beta_vae", "beta_tcvae", "factor_vae", "parted_vae", "parted_vae_semi", "weak_de"), (1.0,))


def zoo(laws, **options):
    """Simulate the six systems; what the options are, the calibration says."""
    return simulated_zoo(laws, objectives=SYSTEMS, **options)


def cells(kind, first, own, other):
    """Relations of two factors to two codes; the first code's with the second factor is a law of its own."""
    fixed = {"0.0": first, "0.1": Law(mean=0.2, noise=0.0), "1.1": Law(mean=own, noise=0.0)}
    return {f"relation.{kind}.{place}": law for place, law in (fixed | {"1.0": other}).items()}


def beaten(effect, seed):
    """A relation that beats the second factor's own code where a number is positive."""
    return Law(mean=effect, seed=seed, shape=lambda hidden: np.where(hidden > 0, 0.8, 0.2))


ONE = Law(mean=1.0, noise=0.0)


def misaligned(effect, **options):
    laws = cells("mutual_information", ONE, 0.5, beaten(effect, 0.3))
    return zoo(laws | {"kl.informative": Law(mean=2.0, noise=0.0)}, **options)


def outdone_in(kind):
    """The first code, aligned to the first factor, beats the second factor's own."""

    def world(effect, **options):
        laws = cells("mutual_information", ONE, 0.5, Law(mean=0.2, noise=0.0))
        return zoo(laws | cells(kind, ONE, 0.5, beaten(effect, 0.1)), **options)

    return world


def scored(means_at):
    """Scores around means that depend on the effect."""
    return lambda effect, **options: zoo(
        {name: Law(mean=mean, seed=0.03, noise=0.15) for name, mean in means_at(effect).items()}, **options
    )


GAPS = scored(lambda effect: {"mlp_accuracy": 0.7, "snc": 0.7 - effect})
LOW_NK = scored(lambda effect: {"nk": -effect, "mlp_accuracy": 0.6})
ABOVE_OURS = scored(lambda effect: {"snc": 0.3, "nk": 0.3} | dict.fromkeys(METRICS[2:], effect))
DCI_ABOVE = scored(
    lambda effect: dict.fromkeys(METRICS, 0.1) | {"snc": 0.3, "nk": 0.3} | dict.fromkeys(METRICS[5:8], effect)
)
LINEAR_ABOVE = scored(lambda effect: {"linear_accuracy": effect, "snc": 0.3})


def together(effect, **options):
    laws = {"linear_accuracy": Law(loads={"quality": effect}), "snc": Law(loads={"quality": 1.0}, noise=0.5)}
    return zoo(laws, **options)


def pattern(name):
    """Levels of the settings, the same in every world."""
    return lambda objective, strengths: rng(f"pattern {name} {objective}").standard_normal(len(strengths))


def related(own_at):
    """Metrics whose settings share one quality, with weights by the effect of what each has alone (1 by default)."""

    def level(name, own):
        shared, alone = pattern("quality"), pattern(name)
        return lambda o, s: shared(o, s) + own.get(name, 1.0) * alone(o, s)

    return lambda effect, **options: simulated_zoo(
        {name: Law(mean=level(name, own_at(effect)), seed=0.1, noise=0.3) for name in METRICS}, **options
    )


DCI_APART = related(lambda effect: dict.fromkeys(METRICS[5:8], effect))
PAIR_APART = related(lambda effect: {"snc": effect, "nk": effect})
PAIR_APART_OF_DCI = related(lambda effect: {"snc": effect, "nk": effect} | dict.fromkeys(METRICS[5:8], 0.4))
LOW_APART = related(lambda effect: dict.fromkeys(METRICS, 0.4) | {"sap": effect, "irs": effect})
OTHERS_APART = related(lambda effect: dict.fromkeys(METRICS, effect) | {"med": 0.4, "mig": 0.4})

SEVEN, THOUSANDTH = "seven in ten", "one factor in a thousand"
row = partial(Row, truth_seeds=200)
correlated = partial(Row, CORRELATED, truth_seeds=200)
ROWS = [
    row(MISALIGNED, "TRAINED", misaligned, effects=(-5.0, 3.0), at=0.667, at_says="printed (12 of 18)"),
    row(ALIGNED, "BEST", outdone_in("mutual_information"), effects=(-5.0, 1.0), at=0.001, at_says=THOUSANDTH),
    row(ALIGNED, "MOST_ACCURATE", outdone_in("predictability"), effects=(-5.0, 1.0), at=0.001, at_says=THOUSANDTH),
    row(TRAINED, "GAP", GAPS, effects=(0.0, 0.6), at=0.295, at_says="smallest printed on dSprites (48.5 against 19.0)"),
    row(TRAINED, "MARGINAL", LOW_NK, effects=(-1.0, 0.5), at=0.7, at_says=SEVEN),
    row(TRAINED, "KEPT", LOW_NK, effects=(-1.0, 0.5), at=0.7, at_says=SEVEN),
    row(TRAINED, "HIGHER", ABOVE_OURS, effects=(-0.5, 1.0), at=0.7, at_says=SEVEN),
    row(TRAINED, "HIGHER_THAN", ABOVE_OURS, effects=(-0.5, 1.0), at=0.7, at_says=SEVEN, given={"own": "snc"}),
    row(TRAINED, "ESPECIALLY_DCI", DCI_ABOVE, effects=(-0.5, 1.0), at=0.7, at_says="as Table 7 has it (1 against 0.3)"),
    row(TRAINED, "ONE_HIGHER", ABOVE_OURS, effects=(-0.5, 1.0), at=0.7, at_says=SEVEN, given={"metric": "mig"}),
    row(LINEAR, "ALIKE", together, effects=(0.0, 5.0), at=0.7, at_says="seven tenths"),
    row(LINEAR, "ASKS_LESS", LINEAR_ABOVE, effects=(-0.5, 1.0), at=0.7, at_says=SEVEN),
    correlated("CONTRAST", PAIR_APART_OF_DCI, effects=(0.0, 3.0), at=0.36, at_says="printed (.94 against .58)"),
    correlated("DCI", DCI_APART, effects=(2.0, 0.0), at=0.96, at_says="between those printed (.94, .95 and 1.0)"),
    correlated("MODERATE", PAIR_APART, effects=(2.0, 0.0), at=0.58, at_says="printed"),
    correlated("LEAST", LOW_APART, effects=(0.0, 4.0), at=0.2, at_says="a fifth"),
    correlated("MOST", OTHERS_APART, effects=(0.0, 2.0), at=0.09, at_says="nearly the largest of these worlds"),
]
