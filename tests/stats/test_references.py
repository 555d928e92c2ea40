"""Statistics against published worked examples, scipy and scikit-learn, or the same value found another way."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dbench.stats import (
    correlation,
    jackknife_interval,
    luck_beats_choice,
    mean_interval,
    rank_correlation,
    rank_correlations,
    share_interval,
    sweep_correlations,
    transfer_success,
    variance_explained,
)

QUICK = settings(max_examples=25, deadline=None)
UNITS = st.lists(st.integers(-20, 20), min_size=3, max_size=9)
# Efron and Tibshirani, 'An introduction to the bootstrap', 1993, table 3.1: 15 law schools.
LSAT = np.array([576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594.0])
GPA = np.array([3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96])


def test_the_jackknife_gives_the_standard_error_of_the_law_school_example():
    # Printed: correlation 0.776, jackknife standard error 0.143.
    found = jackknife_interval(lambda kept: correlation(LSAT[kept], GPA[kept]), 15)
    assert found.value == pytest.approx(0.776, abs=5e-4)
    assert (found.high - found.low) / 2 / stats.t.ppf(0.975, 14) == pytest.approx(0.143, abs=5e-4)


@QUICK
@given(UNITS, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_of_a_mean_is_scipys(units, confidence):
    found = mean_interval(units, confidence=confidence)
    if np.ptp(units):
        known = stats.ttest_1samp(units, 0).confidence_interval(confidence)
        assert (found.low, found.high) == pytest.approx((known.low, known.high))


@QUICK
@given(st.integers(1, 60), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_of_a_share_is_scipys(n, data, confidence):
    successes = data.draw(st.integers(0, n))
    found, known = share_interval(successes, n, confidence=confidence), stats.binomtest(successes, n)
    assert (found.low, found.high) == pytest.approx(tuple(known.proportion_ci(confidence)), abs=1e-12)


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


@pytest.mark.parametrize("level", [1.0, 1e9])
def test_what_varies_by_rounding_alone_has_nothing_to_explain(level):
    scores, groups = np.tile([level, np.nextafter(level, np.inf)], 4), np.tile([0, 1], 4)
    assert variance_explained(scores, groups) == 0.0


@QUICK
@given(st.integers(0, 10_000))
def test_luck_and_transfer_are_what_counting_every_draw_gives(seed):
    source, target = np.random.default_rng(seed).permutation(np.arange(48.0)).reshape(2, 4, 6)
    means = source.mean(axis=0)
    wins = [
        max(source[i, bad], source[j, bad]) > min(source[k, good], source[m, good])
        for bad, good in itertools.permutations(range(6), 2)
        if means[bad] < means[good]
        for i, j in itertools.combinations(range(4), 2)
        for k, m in itertools.combinations(range(4), 2)
    ]
    if len(set(means)) == 6:
        assert luck_beats_choice(source) == pytest.approx(np.mean(wins))
    successes = [
        target[judge, source[chooser].argmax()] >= target[judge, other]
        for chooser, judge in itertools.permutations(range(4), 2)
        for other in range(6)
    ]
    assert transfer_success(source, target) == pytest.approx(np.mean(successes))
