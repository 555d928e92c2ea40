"""Worlds in which the matrices of trained models look otherwise than A Sober Look finds, or too small to tell."""

import numpy as np
from counter_worlds import Worlds, rng

from dbench.claims.calibration import Calibration
from dbench.claims.simulation import Law, simulated_zoo

STRUCTURE = "sober/test_6_1_structure"
KINDS = ("importance", "mutual_information", "predictability")
# Two objectives of three strengths: matrices have many entries.
FEW = {"beta_tcvae": (1.0, 2.0, 3.0), "beta_vae": (1.0, 2.0, 3.0)}


def zoo(laws, generator, *, seeds, point_only=False):
    return simulated_zoo(laws, generator=generator, seeds=seeds, objectives=FEW, point_only=point_only)


def spurious(effect, *, generator, seeds=10, point_only=False):
    """Two factors and four codes: each factor has its code; the rest is spurious, in the SVM matrix at this level."""
    rest = {"importance": 0.02, "mutual_information": 0.02, "predictability": effect}
    laws = {
        f"relation.{kind}.{factor}.{code}": Law(
            mean=0.8 if code == factor else rest[kind], noise=0.03, seed=0.02, shape=np.abs
        )
        for kind in KINDS
        for factor in range(2)
        for code in range(4)
    }
    return zoo(laws, generator, seeds=seeds, point_only=point_only)


# How much of each of six pairs of factors one code shares; the second pattern orders the pairs the other way round.
PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
PATTERN = np.array([0.7, 0.6, 0.5, 0.4, 0.3, 0.2])


def merging(effect, *, generator, seeds=10, point_only=False):
    """Four factors, a code for each pair of them: the importances order the pairs as the others do, or the reverse.

    Codes that hold no factor stand beside them, so that chance can be told.
    """
    laws = {}
    for kind in KINDS:
        weight = effect if kind == "importance" else 1.0
        shared = weight * PATTERN + (1 - weight) * PATTERN[::-1]
        for factor in range(4):
            for code, pair in enumerate(PAIRS):
                level = float(shared[code]) if factor in pair else 0.02
                laws[f"relation.{kind}.{factor}.{code}"] = Law(mean=level, noise=0.05, seed=0.05, shape=np.abs)
            laws[f"relation.{kind}.{factor}.{len(PAIRS)}"] = Law(mean=0.01, noise=0.0)
    return zoo(laws, generator, seeds=seeds, point_only=point_only)


def spread(effect, *, generator, seeds=10, point_only=False):
    """Two factors; each has a code for itself and, the less often the larger the effect, a second one."""
    laws = {}
    for factor in range(2):
        for code in range(4):
            name = f"relation.mutual_information.{factor}.{code}"
            if code == factor:
                laws[name] = Law(mean=1.0, noise=0.0)
            elif code == factor + 2:
                laws[name] = Law(mean=-effect, seed=0.3, shape=lambda hidden: np.where(hidden > 0, 0.8, 0.0))
            else:
                laws[name] = Law(noise=0.0)
    return zoo(laws, generator, seeds=seeds, point_only=point_only)


WORLDS = [
    Worlds(
        STRUCTURE,
        "TAIL",
        false=lambda m: m.excess_tail(spurious(0.02, generator=rng("no tail")), corrected=False),
        small=lambda m: m.excess_tail(spurious(0.4, generator=rng("tail, small"), seeds=2), corrected=False),
    ),
    Worlds(
        STRUCTURE,
        "MERGES_AGREE",
        false=lambda m: m.agreement_of_merges(merging(0.0, generator=rng("reverse")), corrected=True),
        small=lambda m: m.agreement_of_merges(merging(1.0, generator=rng("same, small"), seeds=2), corrected=True),
    ),
    Worlds(
        STRUCTURE,
        "ONE_TO_MANY",
        false=lambda m: m.lead_over_one_to_many(spread(-2.0, generator=rng("spread")), "one-to-one", 0.1),
        small=lambda m: m.lead_over_one_to_many(spread(2.0, generator=rng("alone"), seeds=2), "one-to-one", 0.1),
    ),
]

CALIBRATIONS = [
    Calibration(
        file=STRUCTURE,
        card="TAIL",
        world=spurious,
        estimate=lambda m, zoo: m.excess_tail(zoo, corrected=False),
        effects=(0.02, 0.6),
        at=0.15,
        at_says="a tail plain to see",
        truth_seeds=100,
    ),
    Calibration(
        file=STRUCTURE,
        card="MERGES_AGREE",
        world=merging,
        estimate=lambda m, zoo: m.agreement_of_merges(zoo, corrected=False),
        effects=(0.0, 1.0),
        at=0.8,
        at_says="nearly the same order",
        truth_seeds=30,
    ),
    Calibration(
        file=STRUCTURE,
        card="ONE_TO_MANY",
        world=spread,
        estimate=lambda m, zoo: m.lead_over_one_to_many(zoo, "one-to-one", 0.1),
        effects=(-2.0, 2.0),
        at=0.3,
        at_says="twice as many, of all factors",
        truth_seeds=100,
    ),
]
