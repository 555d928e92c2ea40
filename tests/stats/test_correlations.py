"""Correlations and their comparison, against published examples and worlds of known truth."""

import numpy as np
import pytest
from scipy import stats

from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import (
    compare_dependent_correlations,
    compare_independent_correlations,
    correlation,
    correlation_test,
)

METHODS = ("williams", "steiger", "hotelling")


def test_correlation_and_its_test_are_those_of_scipy():
    rng = generator(test="correlation")
    a = rng.standard_normal(18)
    b = a + rng.standard_normal(18)
    expected = stats.pearsonr(a, b)
    assert correlation(a, b) == pytest.approx(expected.statistic, abs=1e-12)
    assert correlation_test(correlation(a, b), 18).p == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("unit", [2.0**-700, 2.0**1000])
def test_a_correlation_is_the_same_in_any_unit(unit):
    a, b = generator(test="unit").standard_normal((2, 9))
    assert correlation(unit * a, b) == correlation(a, b)


def test_rounding_takes_no_correlation_beyond_one():
    vectors = generator(test="rounding").standard_normal((200, 7))
    assert all(correlation(v, 3 * v) <= 1 and correlation(v, -v) >= -1 for v in vectors)


def test_the_test_gives_the_worked_example_of_mahon_et_al():
    assert correlation_test(0.85, 18).statistic == pytest.approx(6.45, abs=0.005)
    assert correlation_test(0.85, 6).statistic == pytest.approx(3.23, abs=0.005)


# From the documentation of psych (r.test; p < 0.37 is 0.375 cut off) and of bruceR (cor_diff; p = 1e-05).
@pytest.mark.parametrize(
    ("correlations", "n", "t", "p"), [((0.4, 0.5, 0.1), 103, -0.89, 0.375), ((0.2, 0.45, 0.8), 100, -4.56, 1e-5)]
)
def test_williams_gives_the_examples_of_two_packages(correlations, n, t, p):
    result = compare_dependent_correlations(*correlations, n)
    assert result.statistic == pytest.approx(t, abs=0.005)
    assert result.p == pytest.approx(p, abs=min(0.001, p / 2))


@pytest.mark.parametrize("method", ["williams", "hotelling"])
def test_four_points_leave_one_degree_of_freedom_whose_law_is_that_of_cauchy(method):
    result = compare_dependent_correlations(0.8, 0.1, 0.3, 4, method=method)
    assert result.p == pytest.approx(1 - 2 / np.pi * np.arctan(result.statistic))


def test_the_three_statistics_are_those_of_a_matrix_of_round_numbers():
    # Correlations 0.6, 0 and 0 on 5 points: determinant 0.64, mean 0.3.
    found = {method: compare_dependent_correlations(0.6, 0.0, 0.0, 5, method=method).statistic for method in METHODS}
    assert found["williams"] == pytest.approx(0.6 * np.sqrt(4 / (2 * 4 / 2 * 0.64 + 0.09)))
    assert found["hotelling"] == pytest.approx(0.6 * np.sqrt(2 / 1.28))
    covariance = -0.09 * (1 - 0.18) / 2 / 0.91**2
    assert found["steiger"] == pytest.approx(0.5 * np.log(1.6 / 0.4) * np.sqrt(2 / (2 - 2 * covariance)))


def test_independent_comparison_gives_a_hand_computed_value():
    # atanh 0.5 = 0.5493, variance 1/100 + 1/100
    result = compare_independent_correlations(0.5, 0.0, 103, 103)
    assert result.statistic == pytest.approx(0.5493 / 0.1414, abs=1e-3)
    assert result.p == pytest.approx(1.03e-4, rel=0.02)


@pytest.mark.parametrize("method", METHODS)
def test_swapping_the_predictors_flips_the_sign_alone(method):
    one = compare_dependent_correlations(0.7, 0.4, 0.5, 18, method=method)
    other = compare_dependent_correlations(0.4, 0.7, 0.5, 18, method=method)
    assert one.statistic == pytest.approx(-other.statistic)
    assert one.statistic > 0
    assert one.p == pytest.approx(other.p)


@pytest.mark.parametrize("method", METHODS)
def test_equal_correlations_do_not_differ(method):
    assert compare_dependent_correlations(0.6, 0.6, 0.2, 18, method=method) == (0.0, 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_related_predictors_are_told_apart_better_than_separate_samples(method):
    related = compare_dependent_correlations(0.8, 0.6, 0.8, 30, method=method)
    assert related.p < compare_independent_correlations(0.8, 0.6, 30, 30).p


@pytest.mark.parametrize("method", ["williams", "steiger"])
def test_the_level_is_kept_on_18_points_whose_predictors_serve_equally_well(method):
    rng = generator(test="dependent correlations", method=method)
    shared = rng.standard_normal((2000, 18))
    common = 0.7 * shared + rng.standard_normal((2000, 18))
    rejected = 0
    for y, base in zip(shared, common, strict=True):
        first, second = base + 0.5 * rng.standard_normal((2, 18))
        of_pairs = (correlation(*pair) for pair in ((first, y), (second, y), (first, second)))
        rejected += compare_dependent_correlations(*of_pairs, 18, method=method).p < 0.05
    assert 0.035 < rejected / 2000 < 0.065


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: correlation([1, 2, 3], [1, 1, 1]), "vary"),
        (lambda: correlation([1, 2, 3], [0.3, 0.1 + 0.2, 0.3]), "vary"),
        (lambda: correlation([1, 2, np.nan], [1, 2, 3]), "finite"),
        (lambda: correlation([1, 2, 3], [1, np.inf, 3]), "finite"),
        (lambda: correlation([1, 2], [1, 2]), ">= 3"),
        (lambda: correlation([1, 2, 3], [1, 2]), "equal length"),
        (lambda: correlation_test(1.0, 18), "strictly between"),
        (lambda: correlation_test(-1.0, 18), "strictly between"),
        (lambda: correlation_test(-1.5, 18), "strictly between"),
        (lambda: correlation_test(0.5, 2), "at least 3"),
        (lambda: compare_independent_correlations(0.5, 0.4, 3, 18), "at least 4"),
        (lambda: compare_dependent_correlations(0.9, -0.9, 0.9, 18), "no data have"),
        (lambda: compare_dependent_correlations(0.5, 0.4, 0.3, 18, method="wiliams"), "got 'wiliams'"),
    ],
)
def test_what_cannot_be_correlated_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
