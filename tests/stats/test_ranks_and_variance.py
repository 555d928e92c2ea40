"""Rank statistics and variance explained: known answers, and what they say where nothing is to be found."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import luck_beats_choice, rank_correlation, sweep_correlations, variance_explained

SCORES = st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=30)


def test_rank_correlation_is_one_minus_six_sums_of_squares_without_ties():
    # Ranks 1 to 5 against 2, 1, 4, 3, 5: squared differences sum to 4, so 1 - 6 * 4 / (5 * 24).
    assert rank_correlation([10, 20, 30, 40, 50], [0.2, 0.1, 0.4, 0.3, 0.5]) == pytest.approx(0.8)


def test_ties_share_the_mean_of_their_ranks():
    # Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: Pearson 4.5 / sqrt(4.5 * 5).
    assert rank_correlation([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(4.5 / math.sqrt(4.5 * 5))


def test_a_constant_orders_nothing():
    assert rank_correlation([1, 1, 1], [1, 2, 3]) == 0.0


@given(SCORES, st.randoms())
def test_rank_correlation_depends_on_the_order_alone(first, random):
    second = [random.random() for _ in first]
    found = rank_correlation(first, second)
    assert -1 <= found <= 1
    assert rank_correlation(np.exp(first), second) == pytest.approx(found)
    assert rank_correlation([-value for value in first], second) == pytest.approx(-found)
    assert rank_correlation(second, first) == pytest.approx(found)


@given(st.lists(SCORES, min_size=1, max_size=4))
def test_sweeps_are_ranked_as_each_alone(rows):
    width = min(len(row) for row in rows)
    levels = np.arange(width) % 4
    found = sweep_correlations(levels, [row[:width] for row in rows])
    assert found == pytest.approx([rank_correlation(levels, row[:width]) for row in rows])


def test_luck_never_beats_choice_where_the_settings_are_separated():
    assert luck_beats_choice(np.arange(3) * 10 + np.random.default_rng(0).uniform(size=(8, 3))) == 0.0


def test_luck_against_choice_counts_every_two_seeds_against_every_two():
    # The worse setting scores 0 and 3, the better 1 and 4: the better of the two seeds, 3, beats the worse, 1.
    assert luck_beats_choice(np.array([[0.0, 1.0], [3.0, 4.0]])) == 1.0
    # Worse: 0, 0, 2 (the better of two is 0 once in three draws, else 2). Better: 1, 3, 3 (the worse is 1 twice in
    # three draws, else 3). Luck wins when 2 meets 1: 2/3 * 2/3.
    assert luck_beats_choice(np.array([[0.0, 1.0], [0.0, 3.0], [2.0, 3.0]])) == pytest.approx(4 / 9)


def test_a_tie_counts_for_the_choice():
    assert luck_beats_choice(np.zeros((4, 3))) == 0.0


def test_luck_beats_choice_five_times_in_six_where_the_settings_do_nothing():
    """With few seeds less, as the docstring says: the seeds compared are those that order the settings."""
    stream = generator(test="luck without effect")

    def mean_over_worlds(seeds: int, worlds: int) -> float:
        return float(np.mean([luck_beats_choice(stream.standard_normal((seeds, 6))) for _ in range(worlds)]))

    assert mean_over_worlds(5, 200) == pytest.approx(0.72, abs=0.025)
    assert mean_over_worlds(10, 100) == pytest.approx(0.76, abs=0.025)
    assert mean_over_worlds(500, 3) == pytest.approx(5 / 6, abs=0.02)


def test_groups_that_decide_everything_explain_everything():
    assert variance_explained([1, 1, 5, 5, 9, 9], list("aabbcc")) == 1.0


def test_the_correction_is_ezekiels():
    # Two groups of three, means 2 and 4, each with residual sum 2: R2 = 6 / 10, adjusted 1 - 0.4 * 5 / 4.
    assert variance_explained([1, 2, 3, 3, 4, 5], [0, 0, 0, 1, 1, 1]) == pytest.approx(0.5)


@pytest.mark.parametrize("seeds", [2, 5, 20])
def test_groups_that_do_nothing_explain_nothing_on_average(seeds):
    worlds = generator(test="no variance explained", seeds=seeds).standard_normal((2_000, seeds * 12))
    groups = np.tile(np.arange(12), seeds)
    found = np.array([variance_explained(world, groups) for world in worlds])
    assert abs(found.mean()) < 4 * found.std() / math.sqrt(len(found))
    assert found.min() < 0


def test_names_of_groups_do_not_matter():
    values = np.random.default_rng(0).standard_normal(12)
    numbers = np.repeat([0, 1, 2], 4)
    assert variance_explained(values, numbers) == variance_explained(values, np.array(["z", "x", "y"])[numbers])


def test_a_constant_score_has_nothing_to_explain():
    assert variance_explained([0.1 + 0.2] * 6, [0, 0, 0, 1, 1, 1]) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rank_correlation([1, 2], [1, 2, 3]), r"equal length >= 2, got \(2,\) and \(3,\)"),
        (lambda: rank_correlation([1], [1]), "equal length >= 2"),
        (lambda: rank_correlation([1, math.nan, 2], [1, 2, 3]), "first must be finite, got nan"),
        (lambda: rank_correlation([1, 2], [1, math.inf]), "second must be finite, got inf"),
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
