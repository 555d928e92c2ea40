"""Worlds in which findings of Mahon et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, rows

from dbench.codes import Sample
from dbench.constructions.group_codes import xor_cases
from dbench.constructions.modular_sum import modular_sum_cases

DISTRIBUTED = "flaws/test_3_2_distributed"
UNRELATED = np.indices((2, 2)).reshape(2, -1).T


def openly(n, stream, **_):
    """Codes that each hold their factor openly."""
    factors = stream.integers(3, size=(n, 4))
    return Sample(factors + 0.01 * stream.standard_normal(factors.shape), factors)


def first_bit(n, stream):
    bits = stream.integers(2, size=(n, 2))
    return Sample(bits + 0.05 * stream.standard_normal(bits.shape), bits[:, :1])


def plain_copy(n, stream):
    codes = stream.uniform(size=(n, 2))
    return Sample(codes, codes[:, :1].copy())


def noise_codes(n, stream, *, n_codes, classes):
    return Sample(stream.standard_normal((n, n_codes)), stream.integers(classes, size=(n, n_codes)))


def cases_of(function) -> np.ndarray:
    bits = np.indices((2, 2)).reshape(2, -1)
    return np.stack([*bits, function(*bits)], axis=1)


WORLDS = rows(
    (DISTRIBUTED, "ONLY_TOGETHER",
     lambda m: m.only_together(cases_of(lambda first, second: first)), lambda m: m.only_together(xor_cases()[:3])),
    (DISTRIBUTED, "LINEAR",
     lambda m: m.linear_strength(cases_of(np.bitwise_or)), lambda m: m.linear_strength(xor_cases()[:3])),
    (DISTRIBUTED, "CONTINUOUS_LINEAR",
     lambda m: m.continuous("linear", plain_copy), lambda m: m.continuous("linear", repetitions=2)),
    (DISTRIBUTED, "CONTINUOUS_INFORMATION",
     lambda m: m.continuous("information", plain_copy), lambda m: m.continuous("information", repetitions=2)),
    (DISTRIBUTED, "NO_INFORMATION",
     lambda m: m.band_information(*[modular_sum_cases(n_codes=3, classes=2)[0]] * 2),
     lambda m: m.band_information(*(a[:10] for a in modular_sum_cases(n_codes=3, classes=2)))),
    (DISTRIBUTED, "BOUND", lambda m: m.band_excess(m.band_importance(16), (UNRELATED, UNRELATED)), EXACT),
    (DISTRIBUTED, "LINEAR_CLASSIFIER", {"draw": first_bit, "repetitions": 5}, {"repetitions": 2}),
    (DISTRIBUTED, "KNOCK_OUT", {"hidden_pair": False}, {"repetitions": 2, "n": 300}),
    (DISTRIBUTED, "TREES", {"n_codes": 12, "classes": 2, "n": 300, "draw": noise_codes, "repetitions": 3},
     {"n_codes": 4, "classes": 2, "n": 200, "repetitions": 2}),
    (DISTRIBUTED, "SNC_LOW", {"n_codes": 4, "classes": 3, "draw": openly, "repetitions": 5},
     {"n_codes": 4, "classes": 2, "repetitions": 2}),
)  # fmt: skip
