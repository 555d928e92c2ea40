"""Exact tests and intervals of few units, against enumeration by hand, scipy and worlds of known truth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import permutation_interval, permutation_p, sign_flip_p


def test_all_flips_of_three_units_are_counted_by_hand():
    # Sums of +-1 +-2 +-4: 7, 5, 3, 1 and their negatives; the observed 7 is one of eight.
    assert sign_flip_p([1, 2, 4], alternative="greater") == 1 / 8
    assert sign_flip_p([1, 2, 4]) == 2 / 8
    assert sign_flip_p([1, 2, 4], alternative="less") == 1.0
    assert sign_flip_p([-1, 2, 4], alternative="greater") == 2 / 8


def test_the_interval_of_six_units_leaves_out_one_typical_value_on_either_side():
    # 2 k / 64 <= 0.05 gives k = 1: the smallest and the largest mean of a subset are those of one unit.
    found = permutation_interval([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    assert (found.low, found.value, found.high, found.n) == (1.0, 10.5, 32.0, 6)


def test_the_interval_holds_what_the_test_does_not_reject():
    units = generator(test="inverted test").standard_normal(8) + 0.3
    found = permutation_interval(units)
    step = 1e-9
    for end, inside in ((found.low, step), (found.high, -step)):
        assert sign_flip_p(units - (end + inside)) > 0.05
        assert sign_flip_p(units - (end - inside)) <= 0.05


def test_sixteen_units_are_not_too_many():
    assert sign_flip_p(np.ones(16)) == 2 / 2**16
    assert permutation_interval(np.ones(16)).low == 1.0


@pytest.mark.parametrize("n", [1, 5])
def test_units_too_few_for_the_confidence_give_no_ends(n):
    assert permutation_interval(np.arange(float(n))).low == -math.inf
    assert permutation_interval(np.arange(5.0), confidence=0.9).low == 0.0


@pytest.mark.parametrize("law", ["cauchy", "uniform"])
def test_the_interval_covers_the_centre_of_any_symmetric_law(law):
    stream = generator(test="coverage of typical values", law=law)
    worlds = stream.standard_cauchy((2_000, 7)) if law == "cauchy" else stream.uniform(-1, 1, (2_000, 7))
    found = [permutation_interval(world) for world in worlds]
    # 2 k / 128 <= 0.05: k = 3, so 1 - 6/128 exactly.
    assert np.mean([e.low <= 0 <= e.high for e in found]) == pytest.approx(1 - 6 / 128, abs=0.02)


def test_two_samples_agree_with_scipy_where_all_regroupings_are_tried():
    stream = generator(test="two samples")
    first, second = stream.standard_normal(5), stream.standard_normal(6) + 0.8
    for alternative in ("greater", "less", "two-sided"):
        known = stats.permutation_test(
            (first, second), lambda a, b: a.mean() - b.mean(), alternative=alternative, n_resamples=np.inf
        )
        found = permutation_p(first, second, alternative=alternative)
        # scipy doubles the smaller tail; ours counts |difference|.
        if alternative == "two-sided":
            assert found == pytest.approx(known.pvalue, abs=0.02)
        else:
            assert found == pytest.approx(known.pvalue)


def test_many_regroupings_are_drawn_and_agree_with_the_t_test():
    stream = generator(test="drawn regroupings")
    first, second = stream.standard_normal(30), stream.standard_normal(30)
    for shift, known in ((0.1, 0.6), (0.5, 0.1)):  # the second moved so that its mean lies above, by much or little
        moved = second - second.mean() + first.mean() + shift
        expected = stats.ttest_ind(first, moved).pvalue
        assert expected == pytest.approx(known, abs=0.2)
        assert permutation_p(first, moved, generator=stream) == pytest.approx(expected, abs=0.02)


def test_the_level_of_the_two_sample_test_is_kept():
    worlds = generator(test="level of regrouping").standard_normal((500, 10))
    p = np.array([permutation_p(w[:5], w[5:]) for w in worlds])
    assert (p <= 0.05).mean() <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 500)
    assert (p <= 0.5).mean() == pytest.approx(0.5, abs=0.08)


@given(st.lists(st.integers(-20, 20).map(float), min_size=1, max_size=8))
def test_a_p_value_is_a_positive_probability_and_the_tails_overlap_in_the_observed(units):
    greater, less = (sign_flip_p(units, alternative=side) for side in ("greater", "less"))
    assert 0 < sign_flip_p(units) <= 1
    assert greater + less > 1 - 1e-12
    assert sign_flip_p([-unit for unit in units], alternative="less") == greater


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: permutation_interval(np.zeros(17)), "at most 16 units, got 17"),
        (lambda: permutation_interval([]), "at least 1 number"),
        (lambda: sign_flip_p(np.zeros(17)), "at most 16 units, got 17"),
        (lambda: sign_flip_p([1.0, math.nan]), "finite, got nan"),
        (lambda: sign_flip_p([1.0], alternative="above"), "got 'above'"),
        (lambda: permutation_p(np.zeros(10), np.zeros(9)), "pass a generator"),
        (lambda: permutation_p([], [1.0]), "first must be"),
        (
            lambda: permutation_p(np.zeros(30), np.zeros(30), generator=generator(test="none"), draws=0),
            "draws must be at least 1, got 0",
        ),
    ],
)
def test_bad_input_is_refused_with_the_value_received(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
