"""Every metric against the value that algebra gives on a small distribution, all of whose cases are enumerated."""

import itertools
from math import log, log2, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbench.codes import GridSource, Sample
from dbench.metrics import METRICS, bin_accuracy, factor_vae

# Two fair bits, each copied by a code that is wrong once in four.
NOISY = np.array([(a, b, a ^ (e == 0), b ^ (f == 0)) for a, b in np.ndindex(2, 2) for e, f in np.ndindex(4, 4)])
# Two fair bits; one code holds both as a number, 2 a + b, the other holds b.
SHARED = np.array([(a, b, 2 * a + b, b) for a, b in np.ndindex(2, 2)])

BIT = 0.75 * log2(3) - 1  # bits that a noisy copy tells of a bit
# What algebra gives for the two, within ``slack`` where rows are split at random, with options.
# DCI with Lasso: standardised, a = sqrt(5/4) c - d / 2 and b = d; the cross-validated penalty is small but not 0.
# SAP: by symmetry 2 a + b is cut at 3/2, which tells all of a and nothing of b.
CLOSED_FORMS = {
    "code_mutual_information": [dict(noisy=0, shared=log(2))],
    "dci": [
        dict(
            noisy=1,
            shared=(sqrt(1.25) + 1.5 * (5 / 3 - log2(3))) / (sqrt(1.25) + 1.5),
            slack=0.04,
            options={"estimator": "lasso"},
        )
    ],
    "dci_explicitness": [dict(noisy=1, shared=1, slack=0.02)],
    "dcimig": [dict(noisy=BIT, shared=1 / 2)],
    "downstream": [dict(noisy=3 / 4, shared=1, slack=0.04, options={"sizes": (400,)})],
    "explicitness": [dict(noisy=3 / 4, shared=1, slack=0.04)],
    "gaussian_total_correlation": [dict(noisy=0, shared=-log(1 - 0.2) / 2)],
    "infoc": [dict(noisy=1, shared=1 / 2)],
    "infoe": [dict(noisy=BIT, shared=1, slack=0.07)],
    "infom": [dict(noisy=1, shared=1 / 2)],
    "irs": [dict(noisy=1, shared=(1.5 * 2 / 3 + 0.5) / 2)],
    "jemmig": [dict(noisy=1 - (4 - 1.5 * log2(3)) / (1 + log2(20)), shared=1 - 1 / (1 + log2(20)))],
    "linear_accuracy": [dict(noisy=1 / 2, shared=1, slack=0.08)],
    "mcc": [
        dict(noisy=1 / 2, shared=(2 / sqrt(5) + 1) / 2, slack=0.01, options={"correlation": correlation})
        for correlation in ("pearson", "spearman")
    ],
    "med": [dict(noisy=1, shared=(3 * (5 / 3 - log2(3)) + 1) / 4)],
    "mig": [dict(noisy=BIT, shared=1 / 2)],
    "mig_sup": [dict(noisy=BIT, shared=1 / 2)],
    "minimality": [dict(noisy=BIT, shared=3 / 4)],
    "mlp_accuracy": [dict(noisy=1 / 2, shared=1, slack=0.08, options={"epochs": 30, "hidden": 32, "batch": 64})],
    "modularity": [dict(noisy=1, shared=1 / 2)],
    "nk": [dict(noisy=1 / 4, shared=1 / 4, slack=0.04, options={"epochs": 30, "hidden": 32, "batch": 64})],
    "r2": [dict(noisy=1 / 4, shared=1, slack=0.05)],
    "sap": [
        dict(noisy=1 / 4, shared=1 / 2, slack=0.04),
        dict(noisy=1 / 4, shared=0.8, options={"relation": "r2"}),
    ],
    "snc": [dict(noisy=1 / 2, shared=1)],
    "statistical_efficiency": [dict(noisy=1, shared=1, slack=0.04, options={"few": 100, "many": 400})],
    "sufficiency": [dict(noisy=BIT, shared=1)],
}
CASES = [(name, case) for name, cases in CLOSED_FORMS.items() for case in cases]


def repeated(table, n=1280):
    rows = np.tile(table, (n // len(table), 1))
    return Sample(rows[:, 2:], rows[:, :2])


@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{n}-{'-'.join(c.get('options', ''))}" for n, c in CASES])
def test_the_value_is_what_algebra_gives(name, case):
    for table, value in ((NOISY, case["noisy"]), (SHARED, case["shared"])):
        found = METRICS[name](repeated(table), **case.get("options", {})).value
        assert found == pytest.approx(value, abs=case.get("slack", 1e-9))


@given(seed=st.integers(0, 100_000))
@settings(max_examples=25)
def test_the_accuracy_of_bins_is_the_best_over_all_ways_to_share_them_out(seed):
    rng = np.random.default_rng(seed)
    shares = rng.integers(1, 3, size=3)
    size = int(rng.integers(2, 4))
    label = rng.permutation(np.repeat([0, 1, 2], shares * size))
    bins = label[: len(label) // size * size].reshape(-1, size)  # the code is the place
    owners = set(itertools.permutations(np.repeat([0, 1, 2], shares * size // np.gcd.reduce(shares * size))))
    if np.gcd.reduce(shares * size) == size:
        best = max((bins == np.array(owner)[:, None]).mean() for owner in owners)
        assert bin_accuracy(np.arange(float(len(label))), label) == (pytest.approx(best), len(bins))


def test_a_factor_that_no_code_holds_is_lost_and_the_others_are_always_guessed(grid):
    result = factor_vae(GridSource(grid[:, :2].astype(float), (3, 4, 5)), train_votes=2000, test_votes=2000)
    # A fixed third factor leaves both codes to chance; either is known as the vote for its own factor.
    assert result.per_factor.tolist() == [1.0, 1.0, 0.0]
    assert result.value == pytest.approx(2 / 3, abs=4 * np.sqrt(2 / 9 / 2000))
