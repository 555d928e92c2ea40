"""Worlds for sections 6 and 7 of A Sober Look on made representations: findings false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, rows

from dbench.stats import exact

RELATIONS, DIFFERENCES, MATRICES, EFFICIENCY = (
    f"sober/test_{name}" for name in ("6_1_relations", "6_1_differences", "6_1_matrices", "7_efficiency")
)


def confounded(factors: np.ndarray) -> np.ndarray:
    """Let only those combinations occur in which the last two factors are equal."""
    return factors[:, -1] == factors[:, -2]


def of_mig(card, false, small):
    return RELATIONS, card, {"metric": "mig"} | false, {"metric": "mig", "repetitions": 2} | small


def relation(card, false, small):
    return of_mig(card, {"relation": false}, {"relation": small})


WORLDS = rows(
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
    (MATRICES, "CURVE", {"matrix": np.eye(5)}, {"matrix": np.array([[0.9, 0, 0, 0, 0]]), "expected": [(0.9, 1, 1)]}),
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
