"""Families for section 6 of A Sober Look: metrics, matrices and codes that agree otherwise."""

from functools import partial
from itertools import product

import numpy as np

from calibration.models import loaded_by, quality
from calibration.row import Row
from dbench.estimates.simulated import Law, simulated_zoo

AGREEMENT, SHARED, STABILITY, STRUCTURE = (
    f"sober/test_{name}" for name in ("6_1_agreement", "6_1_shared_matrix", "6_2_stability", "6_1_structure")
)
FIVE = ("beta_vae_metric", "dci", "factor_vae", "mig", "sap")
METRICS = (*FIVE, "irs", "modularity")
CONSISTENCY = ("beta_vae_metric", "factor_vae")
MATRICES = ("importance", "mutual_information", "predictability")
AGGREGATIONS = ("dci_completeness", "dci_disentanglement", "mig", "modularity", "sap")


# ------------------------------------------------------------------ agreement of metrics
def two_pairs(first, second):
    """All see a model's quality; two pairs see something of their own besides."""
    loads = quality(METRICS, 1.0)
    for pair, hidden, load in ((CONSISTENCY, "consistency", first), (("dci", "mig"), "information", second)):
        loads |= {metric: {"quality": 1.0, hidden: load} for metric in pair}
    return loads


def rivals(effect):
    """IRS and SAP agree most of all, and by far."""
    return two_pairs(1.0, 1.0) | {metric: {"quality": 1.0, "rival": 4.0} for metric in ("irs", "sap")}


def unequal_mig(effect, **zoo):
    """MIG spreads by a factor that the effect gives, whatever DCI is."""
    laws = {"dci": Law(mean=0.5, noise=0.1), "mig": Law(noise=effect, seed=0.1 * effect, shape=np.exp)}
    return simulated_zoo(laws, **zoo)


def noisy_order(effect, **zoo):
    """MIG and DCI follow one quality, each with noise of its own."""
    laws = {metric: Law(mean=0.5, loads={"quality": 0.15}, noise=effect, seed=0.02) for metric in ("dci", "mig")}
    return simulated_zoo(laws, **zoo)


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


def spurious(effect, **zoo):
    """Two factors and four codes: each factor has its code, one code knows nothing; of the rest the SVM makes much."""
    laws = {}
    for factor, code in product(range(2), range(4)):
        for kind, rest in (("importance", 0.02), ("mutual_information", 0.06), ("predictability", effect)):
            # What tells the ignorant code, and chance by it, does not vary: nothing is decided by a hair.
            varies = kind == "predictability" and code != 3
            level = 0.8 if code == factor else 0.02 if code == 3 else rest
            law = Law(mean=level, noise=0.03 * varies, seed=0.02 * varies, shape=np.abs)
            laws[f"relation.{kind}.{factor}.{code}"] = law
    return simulated_zoo(laws, objectives=FEW, **zoo)


# How much of each of six pairs of factors one code shares; the second pattern orders the pairs the other way round.
PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
PATTERN = np.array([0.7, 0.6, 0.5, 0.4, 0.3, 0.2])


def merging(effect, **zoo):
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
    return simulated_zoo(laws, objectives=FEW, **zoo)


def spread(effect, **zoo):
    """Two factors have a code of their own and, the less often the larger the effect, a second; two share two codes."""
    laws = {}
    for factor, code in product(range(4), range(6)):
        second = Law(mean=-effect, seed=0.3, shape=lambda hidden: np.where(hidden > 0, 0.8, 0.0))
        always = Law(mean=float(code >= 4 if factor >= 2 else code == factor), noise=0.0)
        spare = factor < 2 and code == factor + 2
        laws[f"relation.mutual_information.{factor}.{code}"] = second if spare else always
    return simulated_zoo(laws, objectives=FEW, **zoo)


agreement = partial(Row, AGREEMENT, truth_seeds=200)
shared = partial(Row, SHARED, truth_seeds=200)
stability = partial(Row, STABILITY, truth_seeds=50)
structure = partial(Row, STRUCTURE, truth_seeds=100)
BY_IMPORTANCE = {"matrix": "importance"}
less_alike = loaded_by(lambda effect: family(2.0, 2.0 - effect))
less_robust = loaded_by(lambda effect: robust(2.0, 2.0 - effect))
stable = loaded_by(lambda effect: computed(effect, 1.0))
FAMILY = dict(effects=(-2.0, 2.0))
ALIKE = dict(effects=(0.0, 4.0))
PATTERNS = dict(effects=(0.0, 1.0), at=0.9, at_says="nine seeds in ten")
SPREAD = dict(effects=(-2.0, 2.0), at=0.3, at_says="a lead plain to see")
TAIL = dict(effects=(0.0, 0.7), at=0.15, at_says="a tail plain to see")
STRONG = dict(at=0.8, at_says="two thirds of the variance of ranks")
GAP = dict(at=0.3, at_says="a gap plain to see")
MARGIN = dict(at=1.3, at_says="each plainly past its bound")

ROWS = [
    agreement(
        "AGREE", loaded_by(lambda effect: quality(FIVE, effect) | quality(("modularity",), -effect)), **ALIKE, **MARGIN
    ),
    agreement("EVERY_PAIR", loaded_by(lambda effect: quality(FIVE, effect)), **ALIKE, **STRONG),
    agreement(
        "IRS_LESS",
        loaded_by(lambda effect: quality(METRICS, 1.5) | quality(("irs",), 1.5 - effect)),
        effects=(-1.0, 1.5),
        **GAP,
    ),
    agreement(
        "MODULARITY_APART",
        loaded_by(lambda effect: quality(FIVE, 3.0) | quality(("modularity",), effect)),
        effects=(0.0, 4.0),
        at=0.2,
        at_says="weak",
    ),
    agreement(
        "PAIRS",
        loaded_by(lambda effect: two_pairs(effect, effect)),
        effects=(0.0, 4.0),
        at=0.15,
        at_says="a lead plain to see",
    ),
    agreement(
        "STRONGEST",
        loaded_by(lambda effect: two_pairs(1.0, effect)),
        effects=(0.0, 5.0),
        at=0.15,
        at_says="a lead plain to see",
    ),
    agreement(
        "NOT_STRONG",
        loaded_by(lambda effect: quality(CONSISTENCY, 2.0) | quality(("irs",), effect)),
        effects=(0.0, 4.0),
        at=0.3,
        at_says="mild",
    ),
    agreement("FACTOR_OF_TWO", unequal_mig, effects=(0.05, 3.0), at=0.15, at_says="one pair in seven"),
    agreement("OTHER_ORDER", noisy_order, effects=(0.0, 0.5), at=0.1, at_says="one pair in ten"),
    shared(
        "FAMILIES",
        loaded_by(lambda effect: family(4.0, 4.0 - effect)),
        effects=(-2.0, 4.0),
        at=1.2,
        at_says="each plainly past its bound",
    ),
    shared("FAMILY_AGREES", loaded_by(lambda effect: family(effect, 1.0)), **ALIKE, **STRONG, given=BY_IMPORTANCE),
    shared("DISENTANGLEMENT_LESS", less_alike, **FAMILY, **GAP, given=BY_IMPORTANCE, truth_seeds=500),
    shared("MODULARITY_VARIES", loaded_by(modularity), **ALIKE, at=0.6, at_says="from none to strong", truth_seeds=100),
    shared("FROM_MATRIX", loaded_by(from_matrix), **FAMILY, at=0.2, at_says="a gap plain to see"),
    shared("OWN_MATRICES", loaded_by(from_matrix), effects=(0.0, 4.0), **GAP),
    shared("SHARED_MATRIX", less_alike, **FAMILY, **GAP, given=BY_IMPORTANCE),
    shared("MATRIX_MATTERS", less_robust, **FAMILY, **MARGIN),
    shared(
        "RANKING_CHANGES",
        loaded_by(lambda effect: robust(effect, 1.0)),
        effects=(0.0, 8.0),
        at=0.5,
        at_says="a quarter of the variance of ranks",
        given={"aggregation": "mig"},
    ),
    shared("GAPS_WITHSTAND", less_robust, **FAMILY, **GAP),
    stability("STABLE", stable, effects=(0.0, 8.0), at=0.95, at_says="stable scores"),
    stability(
        "BY_METRIC",
        stable,
        effects=(0.0, 8.0),
        at=0.95,
        at_says="a stable score",
        given={"metric": "mig"},
        truth_seeds=100,
    ),
    stability(
        "LESS_WITH_FEW",
        loaded_by(lambda effect: computed(3.0, 3.0 - effect)),
        effects=(-1.0, 3.0),
        at=0.3,
        at_says="a loss plain to see",
    ),
    stability(
        "ORDER",
        loaded_by(leaders("factor_vae", "irs")),
        effects=(-0.5, 4.0),
        at=0.2,
        at_says="a lead plain to see",
        given={"leaders": "FactorVAE and IRS"},
    ),
    structure("TAIL", spurious, **TAIL),
    structure("TAIL_ABOVE_CHANCE", spurious, **TAIL),
    structure("MOST_ENTANGLED", merging, **PATTERNS),
    structure("ON_ONE", merging, **PATTERNS, given={"name": "dsprites"}),
    structure("MOST_ABOVE_CHANCE", merging, **PATTERNS),
    structure(
        "DISAGREE_ELSEWHERE",
        merging,
        effects=(0.0, 1.0),
        at=0.1,
        at_says="one seed in ten",
        given={"variant": "noisy_dsprites"},
    ),
    structure("ONE_TO_MANY", spread, **SPREAD),
    structure("ONE_RELATION", spread, **SPREAD, given={"preferred": "one-to-one", "share": 0.1}),
]
