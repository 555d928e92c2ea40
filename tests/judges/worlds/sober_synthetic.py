"""Worlds in which findings of A Sober Look about constructions and its Table 5 are false, or too small to tell."""

import numpy as np
import torch
from counter_worlds import EXACT, rng, rows

from dbench.constructions.entangling import entangling, householder
from dbench.constructions.uncorrelated import parity_law
from dbench.stats import exact

THEOREM, CONSEQUENCE, TC = "sober/test_3_impossibility", "sober/test_3_consequence", "sober/test_4_2_gaussian_tc"
VARIANCE, EFFICIENCY = "sober/test_5_3_variance", "sober/test_7_efficiency"
RELATIONS, DIFFERENCES, MATRICES = (f"sober/test_6_1_{name}" for name in ("relations", "differences", "matrices"))
# No rotation: it squeezes one direction, and so changes the distribution, which observations show.
SKEWED = torch.tensor([[1.0, 0.6], [0.0, 1.0]], dtype=torch.float64)
INDEPENDENT_BITS = np.indices((2, 2)).reshape(2, -1).T.astype(np.float64)
STRONG, HARDLY_MIXING = {"matrix": "d2-alpha0.146"}, {"matrix": "none", "of": {"none": householder(2, 0.001)}}
UNMOVED = {"score": "gaussian_total_correlation"}


def averages(card, false, small):
    """So many cells of the table, each of this value."""
    return VARIANCE, card, lambda m: m.mean_of(np.full(56, false)), lambda m: m.mean_of(np.full(7, small))


def confounded(factors: np.ndarray) -> np.ndarray:
    """Let only those combinations occur in which the last two factors are equal."""
    return factors[:, -1] == factors[:, -2]


def of_mig(card, false, small):
    return RELATIONS, card, {"metric": "mig"} | false, {"metric": "mig", "repetitions": 2} | small


def relation(card, false, small):
    return of_mig(card, {"relation": false}, {"relation": small})


WORLDS = rows(
    (THEOREM, "THEOREM", lambda m: m.distribution(entangling("uniform", SKEWED), rng("skewed"), 0.95),
     lambda m: m.distribution(entangling("uniform", householder(2, 0.146)), rng("small"), 0.95, n=900)),
    (CONSEQUENCE, "ENTANGLED", {"metric": "sap"} | HARDLY_MIXING, {"metric": "mig", "repetitions": 2} | STRONG),
    (CONSEQUENCE, "BEST", {"metric": "mig", "entangled": True} | STRONG, {"metric": "mig", "repetitions": 2} | STRONG),
    (CONSEQUENCE, "UNMOVED", UNMOVED | {"matrix": "skewed", "of": {"skewed": SKEWED}},
     UNMOVED | STRONG | {"repetitions": 2}),
    (CONSEQUENCE, "WEAKLY", {"metric": "sap"} | HARDLY_MIXING,
     {"metric": "mig", "matrix": "d2-alpha0.01", "repetitions": 2}),
    (TC, "NEVER_HIGH", {"codes": "normal", "correlation": 1.0}, {"codes": "normal", "repetitions": 5}),
    (TC, "DEPENDENT_LAW", {"law": lambda: INDEPENDENT_BITS}, {"law": lambda: parity_law()[:3]}),
    averages("PUBLISHED", 0.8, 0.3),
    averages("PUBLISHED_ADDS", 0.0, 0.3),
    averages("PUBLISHED_SEED", 0.0, 0.4),
    averages("PUBLISHED_LESS", 0.2, -0.1),
    averages("AVERAGES", 0.06, 0.0),
    (RELATIONS, "PENALISED", {"aggregation": "mig", "penalised": "many-to-one", "spared": "one-to-many"}, EXACT),
    # As if MIG looked at disentanglement.
    of_mig("GROUPS", {"looks_at": {"mig": ("one-to-many", "many-to-one")}}, {}),
    of_mig("HIGH_ON", {"looks_at": {"mig": ("one-to-many",)}}, {"looks_at": {"mig": ("one-to-one",)}}),
    relation("LOW_ON", "one-to-one", "one-to-many"),
    relation("PUNISHED", "one-to-one", "one-to-many"),
    relation("SPARED", "one-to-many", "one-to-one"),
    relation("SPARED_BY_R2", "one-to-many", "one-to-one"),
    (DIFFERENCES, "FACTOR_OF_TWO", {"second": "straight"}, lambda m: exact(4.0, n=16)),
    (MATRICES, "TAIL", {"matrix": "information", "n": 300}, {"repetitions": 2, "n": 150}),
    (MATRICES, "TAIL_ABOVE_CHANCE", {"matrix": "trees", "n": 300}, {"repetitions": 2, "n": 150}),
    (MATRICES, "CURVE", {"matrix": np.eye(5)}, {"matrix": np.array([[0.9, 0, 0, 0, 0]]), "points": [(0.9, 1, 1)]}),
    (MATRICES, "DISAGREE", {"packed": False, "n": 500}, {"repetitions": 5, "n": 500}),
    (MATRICES, "AGREE", {"packed": True, "n": 500}, {"repetitions": 5, "n": 500}),
    (DIFFERENCES, "EQUIVALENT", {"grids": ((2, 2, 2),), "support": confounded}, {"grids": ((2, 2),)}),
    (DIFFERENCES, "REVERSED", {"first": "copied", "second": "leaky"}, {"repetitions": 2}),
    (DIFFERENCES, "APART", {"metric": "factor_vae", "first": "two of four", "second": "straight beside sums"},
     {"metric": "factor_vae", "repetitions": 2}),
    (EFFICIENCY, "EFFICIENT", {"poor": 0.0, "good": 0.0}, {"repetitions": 2}),
    # Ten observations cannot hold sixteen values, so those that come later do help.
    (EFFICIENCY, "SIMILAR", {"signal": 1.0, "few": 10}, {"repetitions": 2}),
    (EFFICIENCY, "POOR", {"poor": 0.0, "good": 0.0}, {"repetitions": 2}),
)  # fmt: skip
