"""Worlds for sections 6 and 7 of A Sober Look on made representations: findings false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, rows

from dbench.stats import exact

RELATIONS, DIFFERENCES, MATRICES, EFFICIENCY = (
    f"sober/test_{name}" for name in ("6_1_relations", "6_1_differences", "6_1_matrices", "7_efficiency")
)
LEVEL = 0.95


def confounded(factors: np.ndarray) -> np.ndarray:
    """Let only those combinations occur in which the last two factors are equal."""
    return factors[:, -1] == factors[:, -2]


def place(card, false, small):
    """The place of MIG, by the weights of relations."""
    return (
        RELATIONS, card, lambda m: m.place("mig", false, LEVEL), lambda m: m.place("mig", small, LEVEL, repetitions=2)
    )  # fmt: skip


def loss(card, false, small):
    return RELATIONS, card, lambda m: m.loss("mig", false, LEVEL), lambda m: m.loss("mig", small, LEVEL, repetitions=2)


WORLDS = rows(
    (RELATIONS, "PENALISED", {"aggregation": "mig", "penalised": "many-to-one", "spared": "one-to-many"}, EXACT),
    # As if MIG looked at disentanglement.
    place("GROUPS", {"one-to-many": 1.0, "many-to-one": -1.0}, {"many-to-one": 1.0, "one-to-many": -1.0}),
    place("HIGH_ON", {"one-to-many": 1.0}, {"one-to-one": 1.0}),
    place("LOW_ON", {"one-to-one": 1.0}, {"one-to-many": 1.0}),
    loss("PUNISHED", "one-to-one", "one-to-many"),
    loss("SPARED", "one-to-many", "one-to-one"),
    loss("SPARED_BY_R2", "one-to-many", "one-to-one"),
    (DIFFERENCES, "FACTOR_OF_TWO", lambda m: m.ratio_of_laws("straight", "straight"), lambda m: exact(4.0, n=16)),
    (MATRICES, "TAIL", lambda m: m.excess_tail(LEVEL, matrix="information", n=300),
     lambda m: m.excess_tail(LEVEL, repetitions=2, n=150)),
    (MATRICES, "TAIL_ABOVE_CHANCE", lambda m: m.excess_tail(LEVEL, corrected=True, matrix="trees", n=300),
     lambda m: m.excess_tail(LEVEL, corrected=True, repetitions=2, n=150)),
    (MATRICES, "CURVE", lambda m: m.share_as_worked_out(np.eye(5), m.WORKED_OUT),
     lambda m: m.share_as_worked_out(m.GROUPED[:1], m.WORKED_OUT[:1])),
    (MATRICES, "DISAGREE", lambda m: m.share_of_first_merges(LEVEL, packed=False, same=False, n=500),
     lambda m: m.share_of_first_merges(LEVEL, packed=True, same=False, repetitions=5, n=500)),
    (MATRICES, "AGREE", lambda m: m.share_of_first_merges(LEVEL, packed=True, same=True, n=500),
     lambda m: m.share_of_first_merges(LEVEL, packed=False, same=True, repetitions=5, n=500)),
    (DIFFERENCES, "EQUIVALENT", {"grids": ((2, 2, 2),), "support": confounded}, {"grids": ((2, 2),)}),
    (DIFFERENCES, "REVERSED", {"first": "copied", "second": "leaky"}, {"repetitions": 2}),
    (DIFFERENCES, "APART", {"metric": "factor_vae", "first": "two of four", "second": "straight beside sums"},
     {"metric": "factor_vae", "repetitions": 2}),
    (EFFICIENCY, "EFFICIENT", {"poor": 0.0, "good": 0.0}, {"repetitions": 2}),
    # Ten observations cannot hold sixteen values, so those that come later do help.
    (EFFICIENCY, "SIMILAR", {"signal": 1.0, "few": 10}, {"repetitions": 2}),
    (EFFICIENCY, "POOR", {"poor": 0.0, "good": 0.0}, {"repetitions": 2}),
)  # fmt: skip
