"""Agreement of scores and equivalence of effects: known answers, coverage, levels and power."""

import math

import numpy as np
import pytest

from dbench.claims import Verdict, within
from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import (
    agreement_gap,
    cross_validated_variance_explained,
    equivalence_p,
    jackknife_interval,
    mean_interval,
    mean_rank_correlation,
    rank_correlation,
    rank_correlations,
    variance_explained,
)


def test_the_matrix_holds_the_correlations_of_all_pairs():
    table = generator(test="matrix").integers(0, 4, size=(15, 3)).astype(float)
    found = rank_correlations(table)
    for i in range(3):
        for j in range(3):
            assert found[i, j] == pytest.approx(rank_correlation(table[:, i], table[:, j]))
    constant = rank_correlations(np.c_[table, np.ones(15)])
    assert constant[3].tolist() == [0, 0, 0, 1]


def test_within_settings_what_both_owe_to_the_strength_is_gone():
    strength = np.arange(6.0) * 100
    noise = generator(test="within settings").standard_normal((2, 12, 6))
    first, second = strength + noise
    assert rank_correlation(first.ravel(), second.ravel()) > 0.95
    assert abs(mean_rank_correlation(first, second)) < 0.3
    # By hand: one setting in the same order, one in the opposite.
    assert mean_rank_correlation(np.array([[1.0, 1], [2, 2]]), np.array([[1.0, 2], [2, 1]])) == 0.0


def test_the_gap_is_the_difference_of_two_correlations():
    assert agreement_gap([1, 2, 3, 4], [1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(2.0)
    assert agreement_gap([1, 2, 3, 4], [1, 3, 2, 4], [1, 2, 4, 3]) == pytest.approx(0.0)


@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.parametrize("second", [0.8, 0.4])
def test_the_jackknife_of_the_gap_covers_nearly_as_often_as_it_says(n, second):
    """One score and two that follow it, correlations 0.8 and ``second``; six settings a seed."""

    def spearman(r):
        return 6 / math.pi * math.asin(r / 2)

    stream = generator(test="coverage of the gap", n=n, second=second)
    shared, one, two = stream.standard_normal((3, 400, n, 6))
    first, other = 0.8 * shared + 0.6 * one, second * shared + math.sqrt(1 - second**2) * two
    truth, hits = spearman(0.8) - spearman(second), 0
    for a, b, c in zip(shared, first, other, strict=True):
        found = jackknife_interval(
            lambda kept, a=a, b=b, c=c: agreement_gap(a[kept].ravel(), b[kept].ravel(), c[kept].ravel()), n
        )
        hits += found.low <= truth <= found.high
    assert 0.90 <= hits / 400 <= 0.985


def test_cross_validation_predicts_each_unit_from_the_others():
    # Two seeds, groups of means 0 and 2 at seed 0, 1 and 3 at seed 1: each is missed by 1. By the grand mean of the
    # other seed: 0 - 2, 2 - 2, 1 - 1, 3 - 1, squares 8.
    found = cross_validated_variance_explained([0, 2, 1, 3], ["a", "b", "a", "b"], [0, 0, 1, 1])
    assert found == pytest.approx(1 - 4 / 8)
    assert cross_validated_variance_explained([5, 7, 5, 7], [0, 1, 0, 1], [0, 0, 1, 1]) == 1.0
    assert cross_validated_variance_explained([5, 5, 5, 5], [0, 1, 0, 1], [0, 0, 1, 1]) == 0.0


def test_both_corrections_agree_where_the_settings_explain_half_and_plain_r2_does_not():
    stream, settings = generator(test="two corrections"), np.tile(np.arange(12), 10)
    seeds = np.repeat(np.arange(10), 12)
    means = np.arange(12) / np.std(np.arange(12))
    worlds = [means[settings] + stream.standard_normal(120) for _ in range(200)]
    adjusted = np.mean([variance_explained(world, settings) for world in worlds])
    validated = np.mean([cross_validated_variance_explained(world, settings, seeds) for world in worlds])
    assert adjusted == pytest.approx(0.5, abs=0.02)
    assert validated == pytest.approx(0.45, abs=0.02)


def test_a_world_without_effect_explains_less_than_nothing_to_unseen_seeds():
    worlds = generator(test="nothing to predict").standard_normal((200, 120))
    settings, seeds = np.tile(np.arange(12), 10), np.repeat(np.arange(10), 12)
    found = [cross_validated_variance_explained(world, settings, seeds) for world in worlds]
    assert -0.2 < np.mean(found) < 0


def test_equivalence_is_the_rule_within_at_a_confidence_of_ninety():
    stream = generator(test="two one-sided tests")
    decided = set()
    for _ in range(200):
        units = stream.normal(0.2, 0.4, size=8)
        reproduced = within(-0.5, 0.5).decide(mean_interval(units, confidence=0.90)) is Verdict.REPRODUCED
        assert (equivalence_p(units, -0.5, 0.5) < 0.05) == reproduced
        decided.add(reproduced)
    assert decided == {True, False}


def test_equivalence_keeps_its_level_at_the_margin_and_finds_no_effect_where_there_is_none():
    worlds = 0.4 * generator(test="level of equivalence").standard_normal((2_000, 10))
    at_margin = np.mean([equivalence_p(world + 0.5, -0.5, 0.5) < 0.05 for world in worlds])
    assert at_margin == pytest.approx(0.05, abs=0.015)
    assert np.mean([equivalence_p(world, -0.5, 0.5) < 0.05 for world in worlds]) > 0.9


def test_units_without_spread_are_equivalent_inside_only():
    assert equivalence_p([0.1, 0.1], -0.5, 0.5) == 0.0
    assert equivalence_p([0.5, 0.5], -0.5, 0.5) == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rank_correlations([[1.0, 2.0]]), r"at least 2 x 1, got shape \(1, 2\)"),
        (lambda: rank_correlations([[1.0], [math.nan]]), "finite, got nan"),
        (lambda: mean_rank_correlation(np.zeros((2, 3)), np.zeros((2, 2))), r"same shape, got \(2, 3\) and \(2, 2\)"),
        (lambda: agreement_gap([1, 2], [1, 2], [1]), "equal length"),
        (lambda: equivalence_p([1.0], -1, 1), "at least 2 units, got 1"),
        (lambda: equivalence_p([1.0, 2.0], 1, 1), "low < high, got 1 and 1"),
        (lambda: equivalence_p([1.0, 2.0], -math.inf, 1), "finite with low < high"),
        (lambda: cross_validated_variance_explained([1, 2], [0, 0], [0, 0]), "units must be at least 2, got 1"),
        (lambda: cross_validated_variance_explained([1, 2, 3], [0, 0, 1], [0, 1, 1]), "at least 2 units"),
        (lambda: cross_validated_variance_explained([1, 2], [0, 0], [0]), "equal length"),
    ],
)
def test_bad_input_is_refused_with_the_value_received(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
