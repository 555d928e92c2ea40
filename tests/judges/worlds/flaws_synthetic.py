"""Worlds in which constructed findings of Mahon et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, rows

from dbench.codes import Sample
from dbench.constructions.group_codes import group_cases, xor_cases
from dbench.constructions.modular_sum import modular_sum_cases

GROUPS, MISALIGNED, TOY, DISTRIBUTED = (
    f"flaws/test_{name}" for name in ("2_strong_and_weak", "3_1_misalignment", "3_1_toy_models", "3_2_distributed")
)
SNC, LINEAR, NK = "flaws/test_4_2_snc", "flaws/test_4_2_linear", "flaws/test_4_3_nk"
EQUAL, DIVISOR_1 = {"sizes": (500, 500)}, {"sizes": (401, 300, 299)}


def lone(n, stream, **_):
    factors = stream.integers(4, size=(n, 2))
    return Sample(factors + 0.01 * stream.standard_normal((n, 2)), factors)


def unrelated(n, stream, **_):
    return Sample(stream.standard_normal((n, 2)), stream.integers(4, size=(n, 2)))


def first_bit_cases():
    bits = np.indices((2, 2)).reshape(2, -1).T
    return np.column_stack([bits, bits[:, 0]])


def factors_as_codes(**size):
    """Cases of the band code whose factors are its codes."""
    codes, _ = modular_sum_cases(**size)
    return codes, codes


def exchanged(spread):
    """Groups of codes that hold each the other's factor."""
    codes, factors = group_cases(spread)
    return codes, factors[:, ::-1]


def digits_alone(spread):
    """Codes that are a factor each."""
    factors = np.indices((32, 32)).reshape(2, -1).T
    return factors, factors


def fourth(spread):
    return [part[::4] for part in group_cases(spread)]


SOME = {"spread": "parity", "cases": fourth}

WORLDS = rows(
    (TOY, "ORDER", {"metric": "mig", "first": 0.7, "second": 0.5}, EXACT),
    (TOY, "SAMPLED", {"metric": "sap", "first": 0.7, "second": 0.5, "n": 2_000},
     {"metric": "sap", "n": 100, "repetitions": 2}),
    (TOY, "SAMPLED", {"metric": "nk", "first": 1.0, "second": 0.5}, {"metric": "nk", "n": 100, "repetitions": 2}),
    (TOY, "CELLS", {"metric": "mig", "model": "M1", "share": 0.7}, EXACT),
    (MISALIGNED, "GREEDY", {"model": lone}, {"samples": 5}),
    (MISALIGNED, "INJECTIVE", {"assign": lambda matrix: matrix.argmax(axis=0)}, {"matrices": 10}),
    (GROUPS, "LOW", {"metric": "snc", "spread": "parity", "draw": lone, "size": (5, 500)},
     {"metric": "snc", "spread": "parity", "size": (2, 500)}),
    (GROUPS, "NK_EXACT", {"spread": "digits", "cases": digits_alone}, SOME),
    (GROUPS, "WEAK", {"spread": "digits", "cases": exchanged}, SOME),
    (GROUPS, "ALONE", {"spread": "digits", "cases": digits_alone}, SOME),
    (DISTRIBUTED, "ONLY_TOGETHER", {"cases": first_bit_cases}, {"cases": lambda: xor_cases()[:3]}),
    (DISTRIBUTED, "LINEAR", {"cases": first_bit_cases}, {"cases": lambda: xor_cases()[:3]}),
    (DISTRIBUTED, "CONTINUOUS_LINEAR", {"draw": lone}, {"repetitions": 2}),
    (DISTRIBUTED, "CONTINUOUS_INFORMATION", {"draw": lone}, {"repetitions": 2}),
    (DISTRIBUTED, "NO_INFORMATION", {"n_codes": 3, "classes": 2, "cases": factors_as_codes},
     {"n_codes": 3, "classes": 2, "cases": lambda **size: [part[:10] for part in modular_sum_cases(**size)]}),
    (DISTRIBUTED, "BOUND", {"n_codes": 16, "cases": factors_as_codes}, EXACT),
    (DISTRIBUTED, "LINEAR_CLASSIFIER", {"draw": lone, "repetitions": 5}, {"repetitions": 2}),
    (DISTRIBUTED, "KNOCK_OUT", {"draw": lone}, {"repetitions": 2, "n": 300}),
    (DISTRIBUTED, "TREES", {"n_codes": 12, "classes": 2, "n": 300, "draw": unrelated, "repetitions": 3},
     {"n_codes": 4, "classes": 2, "n": 200, "repetitions": 2}),
    (DISTRIBUTED, "SNC_LOW", {"n_codes": 4, "classes": 3, "draw": lone, "repetitions": 5},
     {"n_codes": 4, "classes": 2, "repetitions": 2}),
    (SNC, "PERFECT", EQUAL | {"noise": 0.5}, EXACT),
    (SNC, "LEAST_BIN", DIVISOR_1 | {"noise": 0.5}, EXACT),
    (SNC, "NOISE", EQUAL | {"times": 1, "signal": 5.0}, EQUAL | {"times": 1, "repetitions": 2}),
    (SNC, "NOISE_SMALL_DIVISOR", DIVISOR_1 | {"signal": 5.0}, {"sizes": (41, 30, 29), "repetitions": 2}),
    (SNC, "NOISE_LEAST_BIN", DIVISOR_1 | {"times": 1, "signal": 5.0}, DIVISOR_1 | {"times": 1, "repetitions": 2}),
    (SNC, "GUESSING", {"sizes": (400, 300, 300)}, EXACT),
    (SNC, "BEST", {"second_accuracy": 0.6}, EXACT),
    (SNC, "BEST_NO_CONFLICT", {"classes": 4}, {"tables": 10}),
    (LINEAR, "ASKS_LESS", {"mix": lambda stream: np.eye(5), "n": 200}, {"repetitions": 2, "n": 200}),
    (LINEAR, "LINEAR", {"mix": lambda stream: np.zeros((5, 5)), "n": 200}, {"repetitions": 2, "n": 200}),
    (LINEAR, "IMPLIED", {"mix": lambda stream: np.zeros((5, 5)), "n": 200}, {"repetitions": 2, "n": 200}),
    (LINEAR, "STRICTLY", {"linear": lambda labels: 0.5}, {"longest": 3}),
    (NK, "TELLS_APART", {"own": unrelated, "n": 300}, {"n": 300, "repetitions": 2}),
    (NK, "NEAR_ZERO", {"draw": lone, "n": 300}, {"draw": unrelated, "n": 300, "repetitions": 2}),
    (NK, "ONLY_ALONE", {}, {"functions": range(1, 6)}),
    (NK, "ONLY_ALONE_SAMPLED", {"draw": lone, "n": 300}, {"n": 300, "repetitions": 2}),
    (NK, "CHEAPER", {"estimator": "forest", "n": 1_000, "turns": 8}, {"estimator": "forest", "n": 100, "turns": 2}),
)  # fmt: skip
