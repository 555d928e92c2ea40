"""Rank statistics and variance explained: known answers, and what they say where nothing is to be found."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbench.errors import InvalidInput
from dbench.stats import (
    luck_beats_choice,
    rank_correlation,
    rank_correlations,
    sweep_correlations,
    variance_explained,
)

SCORES = st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=30)


def test_a_constant_orders_nothing():
    assert rank_correlation([1, 1, 1], [1, 2, 3]) == 0.0
    assert rank_correlations([[1, 1], [1, 2], [1, 3]]).tolist() == [[1, 0], [0, 1]]


@given(SCORES)
def test_rounding_takes_no_rank_correlation_beyond_one(scores):
    assert rank_correlation(scores, scores) <= 1
    assert rank_correlation(scores, [-score for score in scores]) >= -1


@given(st.lists(SCORES, min_size=1, max_size=4))
def test_sweeps_are_ranked_as_each_alone(rows):
    width = min(len(row) for row in rows)
    levels = np.arange(width) % 4
    found = sweep_correlations(levels, [row[:width] for row in rows])
    assert found == pytest.approx([rank_correlation(levels, row[:width]) for row in rows])


def test_luck_against_choice_counts_every_two_seeds_against_every_two():
    # The worse setting scores 0 and 3, the better 1 and 4: the better of the two seeds, 3, beats the worse, 1.
    assert luck_beats_choice(np.array([[0.0, 1.0], [3.0, 4.0]])) == 1.0
    # Worse: 0, 0, 2 (the better of two is 0 once in three draws, else 2). Better: 1, 3, 3 (the worse is 1 twice in
    # three draws, else 3). Luck wins when 2 meets 1: 2/3 * 2/3.
    assert luck_beats_choice(np.array([[0.0, 1.0], [0.0, 3.0], [2.0, 3.0]])) == pytest.approx(4 / 9)


def test_a_tie_counts_for_the_choice():
    assert luck_beats_choice(np.zeros((4, 3))) == 0.0


def test_groups_that_decide_everything_explain_everything():
    assert variance_explained([1, 1, 5, 5, 9, 9], list("aabbcc")) == 1.0


def test_the_correction_is_ezekiels():
    # Two groups of three, means 2 and 4, each with residual sum 2: R2 = 6 / 10, adjusted 1 - 0.4 * 5 / 4.
    assert variance_explained([1, 2, 3, 3, 4, 5], list("zzzaaa")) == pytest.approx(0.5)


def test_a_constant_score_has_nothing_to_explain():
    assert variance_explained([0.1 + 0.2] * 6, [0, 0, 0, 1, 1, 1]) == 0.0


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
