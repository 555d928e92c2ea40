"""Worlds in which findings of Mahon et al. about trained models are false, or too small to tell."""

import numpy as np
from counter_worlds import Worlds, rng

from dbench.claims.calibration import Calibration
from dbench.claims.simulation import Law, simulated_zoo
from dbench.claims.zoo_statistics import KNOWING

ALIGNED, TRAINED = "flaws/test_5_1_aligned_code", "flaws/test_5_1_trained_models"
LINEAR, CORRELATED = "flaws/test_appendix_c_linear", "flaws/test_appendix_h_trained_models"
ALL, KNOW = "all models", "models that know something"
METRICS = ("snc", "nk", "mig", "sap", "irs", "dci", "dci.completeness", "dci.informativeness", "med")
# Most models know something, some do not.
MLP = Law(mean=0.6, noise=0.3, shape=lambda hidden: np.clip(hidden, 0.0, 1.0))


def cells(kind, own, other):
    """Relations of two factors to two codes; the second factor's to the first code may be a law of its own."""
    fixed = {"0.0": own, "0.1": 0.2, "1.1": 0.5}
    laws = {f"relation.{kind}.{place}": Law(mean=value, noise=0.0) for place, value in fixed.items()}
    return laws | {f"relation.{kind}.1.0": other}


def outdone(effect, *, kind, generator, seeds=10, point_only=False):
    """The first code, aligned to the first factor, beats the second factor's own where a number is positive."""
    beats = Law(mean=effect, seed=0.1, shape=lambda hidden: np.where(hidden > 0, 0.8, 0.2))
    laws = cells("mutual_information", 1.0, Law(mean=0.2, noise=0.0)) | cells(kind, 1.0, beats)
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def scored(means, *, generator, seeds=10, point_only=False, noise=0.15):
    """Scores around these means, apart from the accuracy of a perceptron."""
    laws = {name: Law(mean=mean, seed=0.03, noise=noise) for name, mean in means.items()}
    laws = {KNOWING[0]: MLP} | laws
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def scored_by(means_at):
    return lambda effect, **options: scored(means_at(effect), **options)


def gaps(effect):
    return {"mlp_accuracy": 0.7, "snc": 0.7 - effect}


def all_above(effect):
    return {"snc": 0.3} | dict.fromkeys(METRICS[2:], effect)


def alike(effect, *, generator, seeds=10, point_only=False):
    laws = {"linear_accuracy": Law(loads={"quality": effect}), "snc": Law(loads={"quality": 1.0}, noise=0.5)}
    return simulated_zoo(laws | {KNOWING[0]: MLP}, generator=generator, seeds=seeds, point_only=point_only)


def pattern(name):
    """Levels of the settings, the same in every world."""
    return lambda objective, strengths: rng(f"pattern {name} {objective}").standard_normal(len(strengths))


def related(own, *, generator, seeds=10, point_only=False):
    """Metrics whose settings share one quality, with weights ``own`` of what each has for itself (1 by default)."""

    def level(name):
        shared, alone = pattern("quality"), pattern(name)
        return lambda o, s: shared(o, s) + own.get(name, 1.0) * alone(o, s)

    laws = {name: Law(mean=level(name), seed=0.1, noise=0.3) for name in METRICS}
    laws |= {KNOWING[0]: Law(mean=0.6, noise=0.0)}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def related_by(own_at):
    return lambda effect, **options: related(own_at(effect), **options)


def dci_apart(effect):
    return dict.fromkeys(METRICS[5:8], effect)


def pair_apart(effect):
    return {"snc": effect, "nk": effect}


def low_apart(effect):
    return dict.fromkeys(METRICS, 0.4) | {"sap": effect, "irs": effect}


def others_apart(effect):
    return dict.fromkeys(METRICS, effect) | {"med": 0.4, "mig": 0.4}


def told(means, name, seeds=10):
    return scored(means, generator=rng(name), seeds=seeds)


WORLDS = [
    Worlds(
        ALIGNED,
        "BEST",
        false=lambda m: m.share_outdone(
            outdone(0.0, kind="mutual_information", generator=rng("often outdone")),
            "mutual_information",
            margin=0.0,
            card=m.BEST,
        ),
        small=lambda m: m.share_outdone(
            outdone(-9.0, kind="mutual_information", generator=rng("two seeds"), seeds=2),
            "mutual_information",
            margin=0.0,
            card=m.BEST,
        ),
    ),
    Worlds(
        ALIGNED,
        "MOST_ACCURATE",
        false=lambda m: m.share_outdone(
            outdone(0.0, kind="predictability", generator=rng("often outdone")),
            "predictability",
            margin=0.02,
            card=m.MOST_ACCURATE,
        ),
        small=lambda m: m.share_outdone(
            outdone(-9.0, kind="predictability", generator=rng("two seeds"), seeds=2),
            "predictability",
            margin=0.02,
            card=m.MOST_ACCURATE,
        ),
    ),
    Worlds(
        TRAINED,
        "GAP",
        false=lambda m: m.smallest_gap(told(gaps(0.0), "no gap"), ALL),
        small=lambda m: m.smallest_gap(told(gaps(0.5), "two seeds", 2), ALL),
    ),
    Worlds(
        TRAINED,
        "KEPT",
        false=lambda m: m.share_kept(told({"nk": 0.6}, "nothing kept"), KNOW),
        small=lambda m: m.share_kept(told({"nk": 0.0}, "two seeds", 2), KNOW),
    ),
    Worlds(
        TRAINED,
        "MARGINAL",
        false=lambda m: m.share_marginal(told({"nk": 0.4}, "large drops"), KNOW),
        small=lambda m: m.share_marginal(told({"nk": 0.0}, "two seeds", 2), KNOW),
    ),
    Worlds(
        TRAINED,
        "HIGHER",
        false=lambda m: m.share_higher(told({"mig": 0.1, "snc": 0.3}, "lower"), "mig", "snc", KNOW),
        small=lambda m: m.share_higher(told({"mig": 0.5, "snc": 0.3}, "two seeds", 2), "mig", "snc", KNOW),
    ),
    Worlds(
        TRAINED,
        "ALL_HIGHER",
        false=lambda m: m.share_higher_in_general(told(all_above(0.1), "lower"), "snc", KNOW),
        small=lambda m: m.share_higher_in_general(told(all_above(0.5), "two seeds", 2), "snc", KNOW),
    ),
    Worlds(
        LINEAR,
        "ASKS_LESS",
        false=lambda m: m.share_linear_above(told({"linear_accuracy": 0.1, "snc": 0.3}, "lower"), KNOW),
        small=lambda m: m.share_linear_above(told({"linear_accuracy": 0.5, "snc": 0.3}, "two seeds", 2), KNOW),
    ),
    Worlds(
        LINEAR,
        "ALIKE",
        false=lambda m: m.likeness(alike(0.0, generator=rng("unlike")), KNOW),
        small=lambda m: m.likeness(alike(3.0, generator=rng("two seeds"), seeds=2), KNOW),
    ),
    Worlds(
        CORRELATED,
        "DCI",
        false=lambda m: m.smallest_within_dci(related(dci_apart(2.0), generator=rng("apart")), m.SETTINGS[1]),
        small=lambda m: m.smallest_within_dci(related(dci_apart(0), generator=rng("two"), seeds=2), m.SETTINGS[1]),
    ),
    Worlds(
        CORRELATED,
        "MODERATE",
        false=lambda m: m.snc_with_nk(related(pair_apart(0.0), generator=rng("the same")), m.SETTINGS[1]),
        small=lambda m: m.snc_with_nk(related(pair_apart(1.0), generator=rng("two"), seeds=2), m.SETTINGS[1]),
    ),
    Worlds(
        CORRELATED,
        "LEAST",
        false=lambda m: m.distance_below(related(low_apart(0.0), generator=rng("closest")), m.SETTINGS[1]),
        small=lambda m: m.distance_below(related(low_apart(3.0), generator=rng("two"), seeds=2), m.SETTINGS[1]),
    ),
    Worlds(
        CORRELATED,
        "MOST",
        false=lambda m: m.distance_above(related(others_apart(0.0), generator=rng("closer")), m.SETTINGS[1]),
        small=lambda m: m.distance_above(related(others_apart(3.0), generator=rng("two"), seeds=2), m.SETTINGS[1]),
    ),
]


def entry(file, card, world, estimate, effects, at, at_says):
    return Calibration(
        file=file,
        card=card,
        world=world,
        estimate=estimate,
        effects=effects,
        at=at,
        at_says=at_says,
        truth_seeds=200,
    )


def outdone_in(kind):
    return lambda effect, **options: outdone(effect, kind=kind, **options)


CALIBRATIONS = [
    entry(
        ALIGNED,
        "BEST",
        outdone_in("mutual_information"),
        lambda m, zoo: m.share_outdone(zoo, "mutual_information", margin=0.0, card=m.BEST),
        (-5.0, 1.0),
        0.001,
        "one factor in a thousand",
    ),
    entry(
        ALIGNED,
        "MOST_ACCURATE",
        outdone_in("predictability"),
        lambda m, zoo: m.share_outdone(zoo, "predictability", margin=0.02, card=m.MOST_ACCURATE),
        (-5.0, 1.0),
        0.001,
        "one factor in a thousand",
    ),
    entry(
        TRAINED,
        "GAP",
        scored_by(gaps),
        lambda m, zoo: m.smallest_gap(zoo, ALL),
        (0.0, 0.6),
        0.295,
        "smallest printed on dSprites (48.5 against 19.0)",
    ),
    entry(
        TRAINED,
        "KEPT",
        scored_by(lambda effect: {"nk": -effect}),
        lambda m, zoo: m.share_kept(zoo, KNOW),
        (-1.0, 0.5),
        0.7,
        "seven models in ten",
    ),
    entry(
        TRAINED,
        "MARGINAL",
        scored_by(lambda effect: {"nk": -effect}),
        lambda m, zoo: m.share_marginal(zoo, KNOW),
        (-1.0, 0.5),
        0.7,
        "seven models in ten",
    ),
    entry(
        TRAINED,
        "HIGHER",
        scored_by(lambda effect: {"mig": effect, "snc": 0.3}),
        lambda m, zoo: m.share_higher(zoo, "mig", "snc", KNOW),
        (-0.5, 1.0),
        0.7,
        "seven models in ten",
    ),
    entry(
        TRAINED,
        "ALL_HIGHER",
        scored_by(all_above),
        lambda m, zoo: m.share_higher_in_general(zoo, "snc", KNOW),
        (-0.5, 1.0),
        0.7,
        "seven in ten",
    ),
    entry(
        LINEAR,
        "ASKS_LESS",
        scored_by(lambda effect: {"linear_accuracy": effect, "snc": 0.3}),
        lambda m, zoo: m.share_linear_above(zoo, KNOW),
        (-0.5, 1.0),
        0.7,
        "seven models in ten",
    ),
    entry(
        LINEAR,
        "ALIKE",
        alike,
        lambda m, zoo: m.likeness(zoo, KNOW),
        (0.0, 5.0),
        0.7,
        "a rank correlation well above a half",
    ),
    entry(
        CORRELATED,
        "DCI",
        related_by(dci_apart),
        lambda m, zoo: m.smallest_within_dci(zoo, m.SETTINGS[1]),
        (2.0, 0.0),
        0.94,
        "printed",
    ),
    entry(
        CORRELATED,
        "MODERATE",
        related_by(pair_apart),
        lambda m, zoo: m.snc_with_nk(zoo, m.SETTINGS[1]),
        (2.0, 0.0),
        0.58,
        "printed",
    ),
    entry(
        CORRELATED,
        "LEAST",
        related_by(low_apart),
        lambda m, zoo: m.distance_below(zoo, m.SETTINGS[1]),
        (0.0, 4.0),
        0.2,
        "a fifth",
    ),
    entry(
        CORRELATED,
        "MOST",
        related_by(others_apart),
        lambda m, zoo: m.distance_above(zoo, m.SETTINGS[1]),
        (0.0, 2.0),
        0.09,
        "nearly the largest of these worlds",
    ),
]
