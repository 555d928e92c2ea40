"""Worlds in which constructed findings of Mahon et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, rows

from dbench.codes import Sample
from dbench.constructions.group_codes import group_cases

TOY, GROUPS = "flaws/test_3_1_toy_models", "flaws/test_2_strong_and_weak"
SNC, LINEAR, NK = "flaws/test_4_2_snc", "flaws/test_4_2_linear", "flaws/test_4_3_nk"


def openly(n, stream, *, spread="parity"):
    """Codes that each hold a bit openly."""
    factors = stream.integers(2, size=(n, 2))
    return Sample(np.tile(factors, 5) + 0.01 * stream.standard_normal((n, 10)), factors)


def lone(n, stream, **_):
    factors = stream.integers(4, size=(n, 2))
    return Sample(factors + 0.01 * stream.standard_normal((n, 2)), factors)


def copied(n, stream, **_):
    factors = stream.integers(2, size=(n, 1))
    return Sample(np.hstack([factors, factors]) + 0.01 * stream.standard_normal((n, 2)), factors)


def unrelated(n, stream, **_):
    return Sample(stream.standard_normal((n, 2)), stream.integers(4, size=(n, 2)))


WORLDS = rows(
    (TOY, "ORDER", {"metric": "mig", "first": 0.7, "second": 0.5}, EXACT),
    (TOY, "SAMPLED", {"metric": "sap", "first": 0.7, "second": 0.5, "n": 2_000},
     {"metric": "sap", "n": 100, "repetitions": 2}),
    (TOY, "CELLS", {"metric": "mig", "model": "M1", "share": 0.7}, EXACT),
    (GROUPS, "LOW", lambda m: m.mean_score("snc", "parity", openly, repetitions=5, n=500),
     lambda m: m.mean_score("snc", "parity", repetitions=2, n=500)),
    (GROUPS, "NK_EXACT", lambda m: m.largest_knockout(*[np.indices((32, 32)).reshape(2, -1).T] * 2),
     lambda m: m.largest_knockout(*(part[:9] for part in group_cases("digits")))),
    (GROUPS, "WEAK", lambda m: m.weak_disentanglement(group_cases("digits")[0], group_cases("digits")[1][:, ::-1]),
     lambda m: m.weak_disentanglement(*(part[::4] for part in group_cases("parity")))),
    (GROUPS, "ALONE", lambda m: m.largest_share_alone(group_cases("digits")[0], group_cases("digits")[0][:, :2]),
     lambda m: m.largest_share_alone(*(part[::4] for part in group_cases("parity")))),
    (SNC, "PERFECT", lambda m: m.score_of_copy((500, 500), noise=0.5), EXACT),
    (SNC, "LEAST_BIN", lambda m: m.score_of_copy((401, 300, 299), noise=0.5, min_bin_size=None), EXACT),
    (SNC, "NOISE", lambda m: m.score_of_noise((500, 500), signal=5.0),
     lambda m: m.score_of_noise((500, 500), repetitions=2)),
    (SNC, "NOISE_SMALL_DIVISOR",
     lambda m: m.score_of_noise((401, 300, 299), min_bin_size=1, signal=5.0, repetitions=5),
     lambda m: m.score_of_noise((41, 30, 29), min_bin_size=1, repetitions=2)),
    (SNC, "NOISE_LEAST_BIN", lambda m: m.score_of_noise((401, 300, 299), signal=5.0),
     lambda m: m.score_of_noise((401, 300, 299), repetitions=2)),
    (LINEAR, "ASKS_LESS", lambda m: m.linear_accuracy(m.straight, less_snc=True, n=200),
     lambda m: m.linear_accuracy(less_snc=True, repetitions=2, n=200)),
    (LINEAR, "LINEAR",
     lambda m: m.linear_accuracy(m.noise_only, n=200), lambda m: m.linear_accuracy(repetitions=2, n=200)),
    (LINEAR, "IMPLIED",
     lambda m: m.linear_accuracy(m.noise_only, n=200), lambda m: m.linear_accuracy(m.straight, repetitions=2, n=200)),
    (NK, "TELLS_APART", lambda m: m.lead_of(unrelated, n=300), lambda m: m.lead_of(lone, n=300, repetitions=2)),
    (NK, "NEAR_ZERO",
     lambda m: m.mean_nk(lone, n=300), lambda m: m.mean_nk(m.doubled_codes, n=300, repetitions=2)),
    (NK, "ONLY_ALONE_SAMPLED", lambda m: m.mean_nk(lone, n=300), lambda m: m.mean_nk(copied, n=300, repetitions=2)),
    (SNC, "GUESSING", {"sizes": (400, 300, 300)}, EXACT),
    (LINEAR, "STRICTLY", {"linear": lambda labels: 0.5}, {"longest": 3}),
    (SNC, "BEST", {"second_accuracy": 0.6}, EXACT),
    (SNC, "BEST_NO_CONFLICT", {"classes": 4}, {"tables": 10}),
    (NK, "ONLY_ALONE", {}, {"functions": range(1, 6)}),
    (NK, "CHEAPER", {"estimator": "forest", "n": 1_000, "turns": 8}, {"estimator": "forest", "n": 100, "turns": 2}),
)  # fmt: skip
