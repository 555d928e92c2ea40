"""Worlds for section 6 of A Sober Look: metrics, matrices and computations that agree otherwise than it finds."""

from itertools import product

import numpy as np
from counter_worlds import calibrated, loaded_by, quality
from simulation import Law, simulated_zoo

AGREEMENT, SHARED, STABILITY, STRUCTURE = (
    f"sober/test_{name}" for name in ("6_1_agreement", "6_1_shared_matrix", "6_2_stability", "6_1_structure")
)
FIVE = ("beta_vae_metric", "dci", "factor_vae", "mig", "sap")
METRICS = (*FIVE, "irs", "modularity")
MATRICES = ("importance", "mutual_information", "predictability")
AGGREGATIONS = ("dci_completeness", "dci_disentanglement", "mig", "modularity", "sap")


# ------------------------------------------------------------------ agreement of metrics
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


def rivals(effect):
    """IRS and SAP agree most of all, and by far."""
    return two_pairs(1.0, 1.0) | {metric: {"quality": 1.0, "rival": 4.0} for metric in ("irs", "sap")}


def unequal_mig(effect, *, generator, seeds=10, point_only=False):
    """MIG spreads by a factor that the effect gives, whatever DCI is."""
    laws = {
        "dci": Law(mean=0.5, noise=0.1),
        "mig": Law(noise=effect, seed=0.1 * effect, shape=np.exp),
    }
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def noisy_order(effect, *, generator, seeds=10, point_only=False):
    """MIG and DCI follow one quality, each with noise of its own."""
    laws = {metric: Law(mean=0.5, loads={"quality": 0.15}, noise=effect, seed=0.02) for metric in ("dci", "mig")}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


# ------------------------------------------------------------------ matrices and aggregations
def blends(loads):
    """Give the loads of every aggregation the same on every matrix."""
    return {f"blend.{matrix}.{name}": loads[name] for matrix in MATRICES for name in loads}


def family(load, disentanglement):
    return blends(
        quality(("dci_completeness", "mig", "sap", "modularity"), load)
        | quality(("dci_disentanglement",), disentanglement)
    )


def from_matrix(effect):
    """MIG is like DCI on its own matrix, and like SAP on a shared one, as much as the effect says."""
    own = {"mig": {"quality": 1.0}, "dci": {"quality": effect}, "sap": {"quality": 0.5}}
    return own | family(2.0, 2.0 - effect)


def modularity(effect):
    loads = blends(quality(AGGREGATIONS, 2.0) | quality(("modularity",), 0.0))
    return loads | {"blend.importance.modularity": {"quality": effect}}


def robust(gaps, others):
    """Give each aggregation a quality of its own, seen alike on every matrix."""
    loads = {"mig": gaps, "sap": gaps, "dci_disentanglement": others, "modularity": others, "dci_completeness": gaps}
    return {f"blend.{m}.{name}": {name: load} for m, (name, load) in product(MATRICES, loads.items())}


# ------------------------------------------------------------------ computations
def computed(many, few):
    """Give each metric a quality of its own, seen by its computations from many examples and, by metric, from few."""
    loads = {"": many, "again.": many, "small.": few, "small_again.": few}
    return {
        f"{sample}{metric}": {metric: load[metric] if isinstance(load, dict) else load}
        for (sample, load), metric in product(loads.items(), METRICS)
    }


def leaders(*chosen):
    return lambda effect: computed(4.0, {metric: 1.0 + effect * (metric in chosen) for metric in METRICS})


# ------------------------------------------------------------------ matrices of models
# Two objectives of three strengths: matrices have many entries.
FEW = {"beta_tcvae": (1.0, 2.0, 3.0), "beta_vae": (1.0, 2.0, 3.0)}


def few(laws, generator, seeds, point_only):
    return simulated_zoo(laws, generator=generator, seeds=seeds, objectives=FEW, point_only=point_only)


def spurious(effect, *, generator, seeds=10, point_only=False):
    """Two factors and four codes: each factor has its code, one code knows nothing; of the rest the SVM makes much."""
    laws = {}
    for factor, code in product(range(2), range(4)):
        for kind, rest in (("importance", 0.02), ("mutual_information", 0.06), ("predictability", effect)):
            # What tells the ignorant code, and chance by it, does not vary: nothing is decided by a hair.
            varies = kind == "predictability" and code != 3
            level = 0.8 if code == factor else 0.02 if code == 3 else rest
            law = Law(mean=level, noise=0.03 * varies, seed=0.02 * varies, shape=np.abs)
            laws[f"relation.{kind}.{factor}.{code}"] = law
    return few(laws, generator, seeds, point_only)


# How much of each of six pairs of factors one code shares; the second pattern orders the pairs the other way round.
PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
PATTERN = np.array([0.7, 0.6, 0.5, 0.4, 0.3, 0.2])


def merging(effect, *, generator, seeds=10, point_only=False):
    """Four factors, a code for each pair of them: the importances order the pairs as the others do, or the reverse.

    Codes that hold no factor stand beside them, so that chance can be told.
    """
    laws = {}
    for kind in MATRICES:
        weight = effect if kind == "importance" else 1.0
        shared = weight * PATTERN + (1 - weight) * PATTERN[::-1]
        for factor in range(4):
            for code, pair in enumerate(PAIRS):
                level = float(shared[code]) if factor in pair else 0.02
                laws[f"relation.{kind}.{factor}.{code}"] = Law(mean=level, noise=0.05, seed=0.05, shape=np.abs)
            laws[f"relation.{kind}.{factor}.{len(PAIRS)}"] = Law(mean=0.01, noise=0.0)
    return few(laws, generator, seeds, point_only)


def spread(effect, *, generator, seeds=10, point_only=False):
    """Two factors have a code of their own and, the less often the larger the effect, a second; two share two codes."""
    laws = {}
    for factor, code in product(range(4), range(6)):
        second = Law(mean=-effect, seed=0.3, shape=lambda hidden: np.where(hidden > 0, 0.8, 0.0))
        always = Law(mean=float(code >= 4 if factor >= 2 else code == factor), noise=0.0)
        spare = factor < 2 and code == factor + 2
        laws[f"relation.mutual_information.{factor}.{code}"] = second if spare else always
    return few(laws, generator, seeds, point_only)


def named(zoo):
    """A fixture that is called with the name of a data set."""
    return lambda name: zoo


STRONG = {"at": 0.7, "at_says": "half of the variance of ranks", "truth_seeds": 200}
GAP = {"at": 0.3, "at_says": "a gap plain to see", "truth_seeds": 200}
LEAD = {"at": 0.15, "at_says": "a lead plain to see", "truth_seeds": 200}
MARGIN = {"at": 1.3, "at_says": "each plainly past its bound", "truth_seeds": 200}
FAMILY = {"false": 0.0, "true": 2.0, "effects": (0.0, 2.0)}
FIVE_ALIKE = {"false": 0.0, "true": 3.0, "effects": (0.0, 4.0), **STRONG}
CONSISTENCY = ("beta_vae_metric", "factor_vae")
COMMON_PAIR = {"false": 0.0, "true": 1.0, "effects": (0.0, 1.0), "at": 0.9, "at_says": "nine seeds in ten",
               "truth_seeds": 100, "handed": named}  # fmt: skip

ROWS = [
    calibrated(AGREEMENT, "AGREE", loaded_by(lambda effect: quality(FIVE, effect) | quality(("modularity",), -effect)),
               false_world=loaded_by(lambda effect: quality((*FIVE, "modularity"), 2.0)), **(FIVE_ALIKE | MARGIN)),
    calibrated(AGREEMENT, "EVERY_PAIR", loaded_by(lambda effect: quality(FIVE, effect)), **FIVE_ALIKE),
    calibrated(AGREEMENT, "IRS_LESS", loaded_by(lambda effect: quality(METRICS, 1.5) | quality(("irs",), 1.5 - effect)),
               false=0.0, true=1.5, effects=(0.0, 1.5), **GAP),
    calibrated(AGREEMENT, "MODULARITY_APART",
               loaded_by(lambda effect: quality(FIVE, 3.0) | quality(("modularity",), effect)),
               false=3.0, true=0.0, effects=(0.0, 4.0), at=0.2, at_says="weak", truth_seeds=200),
    calibrated(AGREEMENT, "PAIRS", loaded_by(lambda effect: two_pairs(effect, effect)), false=0.0,
               false_world=loaded_by(rivals),
               true=2.0, effects=(0.0, 4.0), **LEAD),
    calibrated(AGREEMENT, "STRONGEST", loaded_by(lambda effect: two_pairs(1.0, effect)), false=0.0,
               false_world=loaded_by(lambda effect: two_pairs(4.0, 0.0)), true=3.0, effects=(0.0, 5.0), **LEAD),
    calibrated(AGREEMENT, "NOT_STRONG", loaded_by(lambda effect: quality(CONSISTENCY, 2.0) | quality(("irs",), effect)),
               false=4.0, true=0.0, effects=(0.0, 4.0), at=0.3, at_says="mild", truth_seeds=200),
    calibrated(AGREEMENT, "FACTOR_OF_TWO", unequal_mig,
               false=0.16, true=1.0, effects=(0.05, 3.0), at=0.15, at_says="one pair in seven", truth_seeds=200),
    calibrated(AGREEMENT, "OTHER_ORDER", noisy_order,
               false=0.03, true=0.3, effects=(0.0, 0.5), at=0.03, at_says="three pairs in a hundred",
               truth_seeds=200),
    calibrated(SHARED, "FAMILIES", loaded_by(lambda effect: family(2.0, 2.0 - effect)), **FAMILY, **MARGIN),
    calibrated(SHARED, "FAMILY_AGREES", loaded_by(lambda effect: family(effect, 1.0)), given={"matrix": "importance"},
               false=0.0, true=3.0, effects=(0.0, 4.0), **STRONG),
    calibrated(SHARED, "DISENTANGLEMENT_LESS", loaded_by(lambda effect: family(2.0, 2.0 - effect)),
               given={"matrix": "importance"}, **FAMILY, **(GAP | {"truth_seeds": 500})),
    calibrated(SHARED, "MODULARITY_VARIES", loaded_by(modularity), false=0.0, true=3.0, effects=(0.0, 4.0), at=0.5,
               at_says="from none to strong", truth_seeds=100),
    calibrated(SHARED, "FROM_MATRIX", loaded_by(from_matrix), **(FAMILY | GAP | {"at": 0.2})),
    calibrated(SHARED, "OWN_MATRICES", loaded_by(from_matrix), **(FAMILY | GAP | {"effects": (0.0, 4.0)})),
    calibrated(SHARED, "SHARED_MATRIX", loaded_by(lambda effect: family(2.0, 2.0 - effect)),
               given={"matrix": "importance"}, **FAMILY, **GAP),
    calibrated(SHARED, "MATRIX_MATTERS", loaded_by(lambda effect: robust(2.0, 2.0 - effect)), **FAMILY, **MARGIN),
    calibrated(SHARED, "RANKING_CHANGES", loaded_by(lambda effect: robust(effect, 1.0)), given={"aggregation": "mig"},
               false=8.0, true=0.5, effects=(0.0, 8.0), **STRONG),
    calibrated(SHARED, "GAPS_WITHSTAND", loaded_by(lambda effect: robust(2.0, 2.0 - effect)), **FAMILY, **GAP),
    calibrated(STABILITY, "STABLE", loaded_by(lambda effect: computed(effect, 1.0)), false=0.5, true=8.0,
               effects=(0.0, 8.0), at=0.9,
               at_says="stable scores", truth_seeds=50),
    calibrated(STABILITY, "BY_METRIC", loaded_by(lambda effect: computed(effect, 1.0)), given={"metric": "mig"},
               false=0.5, true=8.0,
               effects=(0.0, 8.0), at=0.9, at_says="a stable score", truth_seeds=100),
    calibrated(STABILITY, "LESS_WITH_FEW", loaded_by(lambda effect: computed(3.0, 3.0 - effect)), false=0.0,
               true=2.5, effects=(0.0, 3.0), at=0.3,
               at_says="a loss plain to see", truth_seeds=50),
    calibrated(STABILITY, "ORDER", loaded_by(leaders("factor_vae", "irs")), given={"leaders": "FactorVAE and IRS"},
               false=3.0,
               false_world=loaded_by(leaders("mig", "sap")), true=3.0, effects=(-0.5, 4.0), at=0.2,
               at_says="a lead plain to see", truth_seeds=50),
    calibrated(STRUCTURE, "TAIL", spurious,
               false=0.05, true=0.5, effects=(0.05, 0.7), at=0.15, at_says="a tail plain to see", truth_seeds=100),
    calibrated(STRUCTURE, "TAIL_ABOVE_CHANCE", spurious,
               false=0.05, true=0.5, effects=(0.05, 0.7), at=0.15, at_says="a tail plain to see", truth_seeds=100),
    calibrated(STRUCTURE, "MOST_ENTANGLED", merging,
               **COMMON_PAIR),
    calibrated(STRUCTURE, "ON_ONE", merging, given={"name": "dsprites"}, **COMMON_PAIR),
    calibrated(STRUCTURE, "MOST_ABOVE_CHANCE", merging, **COMMON_PAIR),
    calibrated(STRUCTURE, "DISAGREE_ELSEWHERE", merging,
               **(COMMON_PAIR | {"false": 1.0, "true": 0.0, "at": 0.1, "at_says": "one seed in ten"})),
    calibrated(STRUCTURE, "ONE_TO_MANY", spread,
               false=-2.0, true=2.0, effects=(-2.0, 2.0), at=0.3, at_says="a lead plain to see", truth_seeds=100),
    calibrated(STRUCTURE, "ONE_RELATION", spread,
               given={"preferred": "one-to-one", "share": 0.1}, false=-2.0, true=2.0, effects=(-2.0, 2.0), at=0.3,
               at_says="a lead plain to see", truth_seeds=100),
]  # fmt: skip
WORLDS, CALIBRATIONS = map(list, zip(*ROWS, strict=True))
