"""Worlds for sections 6 and 7 of A Sober Look on made representations: findings false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, Worlds, by_test

from dbench.stats import exact

RELATIONS, DIFFERENCES, MATRICES, EFFICIENCY = (
    f"sober/test_{name}" for name in ("6_1_relations", "6_1_differences", "6_1_matrices", "7_efficiency")
)
LEVEL = 0.95


def confounded(factors: np.ndarray) -> np.ndarray:
    """Let only those combinations occur in which the last two factors are equal."""
    return factors[:, -1] == factors[:, -2]


def estimates(file, card, function, false, small):
    """Build an entry from what a function of the claim file is given: positional, then by keyword."""

    def of(given):
        return lambda m: getattr(m, function)(*given[0], **given[1])

    return Worlds(file, card, false=of(false), small=of(small))


AT = (LEVEL,)
MIG = "mig"
WORLDS = by_test(
    (
        RELATIONS,
        "PENALISED",
        {"aggregation": "mig", "penalised": "many-to-one", "spared": "one-to-many"},
        EXACT,
    ),
)
WORLDS += [
    # As if MIG looked at disentanglement.
    estimates(
        RELATIONS,
        "GROUPS",
        "place",
        ((MIG, {"one-to-many": 1.0, "many-to-one": -1.0}, LEVEL), {}),
        ((MIG, {"many-to-one": 1.0, "one-to-many": -1.0}, LEVEL), {"repetitions": 2}),
    ),
    estimates(
        RELATIONS,
        "HIGH_ON",
        "place",
        ((MIG, {"one-to-many": 1.0}, LEVEL), {}),
        ((MIG, {"one-to-one": 1.0}, LEVEL), {"repetitions": 2}),
    ),
    estimates(
        RELATIONS,
        "LOW_ON",
        "place",
        ((MIG, {"one-to-one": 1.0}, LEVEL), {}),
        ((MIG, {"one-to-many": 1.0}, LEVEL), {"repetitions": 2}),
    ),
    *(
        estimates(RELATIONS, card, "loss", ((MIG, false, LEVEL), {}), ((MIG, small, LEVEL), {"repetitions": 2}))
        for card, false, small in (
            ("PUNISHED", "one-to-one", "one-to-many"),
            ("SPARED", "one-to-many", "one-to-one"),
            ("SPARED_BY_R2", "one-to-many", "one-to-one"),
        )
    ),
    Worlds(
        DIFFERENCES,
        "FACTOR_OF_TWO",
        false=lambda m: m.ratio_of_laws("straight", "straight"),
        small=lambda m: exact(4.0, n=16),
    ),
    estimates(
        MATRICES, "TAIL", "excess_tail", (AT, {"matrix": "information", "n": 300}), (AT, {"repetitions": 2, "n": 150})
    ),
    estimates(
        MATRICES,
        "TAIL_ABOVE_CHANCE",
        "excess_tail",
        (AT, {"corrected": True, "matrix": "trees", "n": 300}),
        (AT, {"corrected": True, "repetitions": 2, "n": 150}),
    ),
    Worlds(
        MATRICES,
        "CURVE",
        false=lambda m: m.share_as_worked_out(np.eye(5), m.WORKED_OUT),
        small=lambda m: m.share_as_worked_out(m.GROUPED[:1], m.WORKED_OUT[:1]),
    ),
    *(
        estimates(
            MATRICES,
            card,
            "share_of_first_merges",
            (AT, {"packed": not packed, "same": not packed, "n": 500}),
            (AT, {"packed": packed, "same": not packed, "repetitions": 5, "n": 500}),
        )
        for card, packed in (("DISAGREE", True), ("AGREE", False))
    ),
    *by_test(
        (DIFFERENCES, "EQUIVALENT", {"grids": ((2, 2, 2),), "support": confounded}, {"grids": ((2, 2),)}),
        (DIFFERENCES, "REVERSED", {"first": "copied", "second": "leaky"}, {"repetitions": 2}),
        (
            DIFFERENCES,
            "APART",
            {"metric": "factor_vae", "first": "two of four", "second": "straight beside sums"},
            {"metric": "factor_vae", "repetitions": 2},
        ),
        (EFFICIENCY, "EFFICIENT", {"poor": 0.0, "good": 0.0}, {"repetitions": 2}),
        # Ten observations cannot hold sixteen values, so those that come later do help.
        (EFFICIENCY, "SIMILAR", {"signal": 1.0, "few": 10}, {"repetitions": 2}),
        (EFFICIENCY, "POOR", {"poor": 0.0, "good": 0.0}, {"repetitions": 2}),
    ),
]
