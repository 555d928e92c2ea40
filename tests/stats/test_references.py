"""Statistics against published worked examples, scipy and scikit-learn, or the same value found another way."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dbench.errors import InvalidInput
from dbench.stats import (
    correlation,
    jackknife,
    luck_beats_choice,
    mean_of,
    rank_correlation,
    rank_correlations,
    share_of,
    sweep_correlations,
    variance_explained,
)

QUICK = settings(max_examples=25)
UNITS = st.lists(st.integers(-20, 20), min_size=3, max_size=9)
# Efron and Tibshirani, 'An introduction to the bootstrap', 1993, table 3.1: 15 law schools.
LSAT = np.array([576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594.0])
GPA = np.array([3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96])


def test_the_jackknife_gives_the_standard_error_of_the_law_school_example():
    # Printed: correlation 0.776, jackknife standard error 0.143.
    found = jackknife(lambda kept: correlation(LSAT[kept], GPA[kept]), 15).at(0.95)
    assert found.value == correlation(LSAT, GPA) == pytest.approx(0.776, abs=5e-4)
    assert (found.high - found.low) / 2 / stats.t.ppf(0.975, 14) == pytest.approx(0.143, abs=5e-4)


@QUICK
@given(UNITS, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_of_a_mean_is_scipys(units, confidence):
    found = mean_of(units).at(confidence)
    if np.ptp(units):
        known = stats.ttest_1samp(units, 0).confidence_interval(confidence)
        assert (found.low, found.high) == pytest.approx((known.low, known.high))


@QUICK
@given(st.integers(1, 60), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_of_a_share_is_scipys(n, data, confidence):
    successes = data.draw(st.integers(0, n))
    found, known = share_of(successes, n).at(confidence), stats.binomtest(successes, n)
    assert (found.low, found.high) == pytest.approx(tuple(known.proportion_ci(confidence)), abs=1e-12)
    assert found.value == successes / n


@QUICK
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=12))
def test_rank_correlations_with_ties_are_scipys(rows):
    table = np.array(rows, dtype=float)
    if np.ptp(table, axis=0).all():
        known = stats.spearmanr(table).statistic
        np.testing.assert_allclose(rank_correlations(table), known, atol=1e-12)
        assert rank_correlation(table[:, 0], table[:, 1]) == pytest.approx(known[0, 1])
        np.testing.assert_allclose(sweep_correlations(table[:, 0], table.T), known[0], atol=1e-12)


@QUICK
@given(st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=5), min_size=2, max_size=4))
def test_variance_explained_follows_from_scipys_f_of_a_one_way_analysis(groups):
    n, g = sum(map(len, groups)), len(groups)
    if all(np.ptp(group) for group in groups):
        f = stats.f_oneway(*groups).statistic
        # F = (R2 / (g - 1)) / ((1 - R2) / (n - g)), and the adjusted R2 is 1 - (1 - R2) (n - 1) / (n - g).
        r2 = f * (g - 1) / (f * (g - 1) + n - g)
        found = variance_explained(np.concatenate(groups), np.repeat(np.arange(g), [len(group) for group in groups]))
        assert found == pytest.approx(1 - (1 - r2) * (n - 1) / (n - g), abs=1e-9)


@pytest.mark.parametrize(
    "scores", [[0.1 + 0.2] * 8, [1.0, np.nextafter(1.0, 2.0)] * 4, [1e9, np.nextafter(1e9, np.inf)] * 4, [0.0] * 8]
)
def test_a_score_that_is_constant_but_for_rounding_has_nothing_to_explain(scores):
    assert variance_explained(scores, [0, 1] * 4) == 0.0


@pytest.mark.parametrize("unit", [1.0, 1e-12, 1e-200, 1e200])
def test_groups_that_decide_everything_explain_everything_in_any_unit(unit):
    assert variance_explained(np.array([1, 1, 5, 5, 9, 9]) * unit, list("aabbcc")) == 1.0


@QUICK
@given(st.integers(0, 10_000))
def test_luck_is_what_counting_every_two_seeds_against_every_two_gives(seed):
    scores = np.random.default_rng(seed).random((4, 6))
    means = scores.mean(axis=0)
    wins = [
        max(scores[i, bad], scores[j, bad]) > min(scores[k, good], scores[m, good])
        for bad, good in itertools.permutations(range(6), 2)
        if means[bad] < means[good]
        for i, j in itertools.combinations(range(4), 2)
        for k, m in itertools.combinations(range(4), 2)
    ]
    assert luck_beats_choice(scores) == pytest.approx(np.mean(wins))


def test_two_seeds_are_enough_for_luck_and_a_tie_counts_for_the_choice():
    # The worse setting scores 0 and 3, the better 1 and 4: the better of the two seeds, 3, beats the worse, 1.
    assert luck_beats_choice(np.array([[0.0, 1.0], [3.0, 4.0]])) == 1.0
    assert luck_beats_choice(np.zeros((4, 3))) == 0.0


def test_settings_of_equal_means_are_in_no_order():
    scores = np.array([[0.0, 1.0], [0.0, 1.0], [3.0, 1.0]])
    assert luck_beats_choice(scores) == luck_beats_choice(scores[:, ::-1]) == (2 / 3 + 1) / 2


def test_a_constant_orders_nothing():
    assert rank_correlation([1, 1, 1], [1, 2, 3]) == 0.0
    assert rank_correlations([[1, 1], [1, 2], [1, 3]]).tolist() == [[1, 0], [0, 1]]
    assert rank_correlations([[1, 2], [2, 1]]) == pytest.approx(np.array([[1, -1], [-1, 1]]))
    assert sweep_correlations([1, 2, 3], [[1, 1, 1], [1, 2, 3]]).tolist() == [0, 1]
    assert sweep_correlations([1, 1], [[1, 2]]).tolist() == [0]


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=30))
def test_rounding_takes_no_rank_correlation_beyond_one(scores):
    assert rank_correlation(scores, scores) <= 1
    assert rank_correlation(scores, [-score for score in scores]) >= -1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rank_correlation([1, 2], [1, 2, 3]), r"equal length >= 2, got \(2,\) and \(3,\)"),
        (lambda: rank_correlation([1], [1]), "equal length >= 2"),
        (lambda: rank_correlation([1, math.nan, 2], [1, 2, 3]), "first must be finite, got nan"),
        (lambda: rank_correlation([1, 2], [1, math.inf]), "second must be finite, got inf"),
        (lambda: rank_correlations([[1.0, 2.0]]), r"at least 2 x 1, got shape \(1, 2\)"),
        (lambda: rank_correlations([[1.0], [math.nan]]), "finite, got nan"),
        (lambda: sweep_correlations([1, 2, 3], [[1, 2]]), r"each of 3 levels, got shape \(1, 2\)"),
        (lambda: sweep_correlations([1, 2], [[1, math.nan]]), "sweeps must be finite, got nan"),
        (lambda: luck_beats_choice(np.zeros((1, 3))), r"got shape \(1, 3\)"),
        (lambda: luck_beats_choice(np.zeros(3)), r"got shape \(3,\)"),
        (lambda: luck_beats_choice(np.array([[0.0, 1.0], [math.nan, 2.0]])), "finite, got nan"),
        (lambda: variance_explained([], []), "at least 1 number"),
        (lambda: variance_explained([1, 2, 3], [1, 2]), r"got \(3,\) and \(2,\)"),
        (lambda: variance_explained([1, 2, 3], [[1, 2, 3]]), r"got \(3,\) and \(1, 3\)"),
        (lambda: variance_explained([1, 2], [1, 2]), "got 2 values in 2 groups"),
        (lambda: variance_explained([1, math.nan, 3], [1, 1, 2]), "finite, got nan"),
    ],
)
def test_bad_input_is_refused_with_the_value_received(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
