"""Probabilities of superiority, overlap and transfer: known answers, and what they say where nothing is to be found."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import (
    mean_range_overlaps,
    probability_of_superiority,
    superiority_of_groups,
    transfer_chance,
    transfer_success,
    transfer_successes,
)

VALUES = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=12)


@given(VALUES, VALUES)
def test_superiority_is_mann_whitneys_u_and_its_mirror(first, second):
    found = probability_of_superiority(first, second)
    u = stats.mannwhitneyu(first, second, method="asymptotic").statistic if len({*first, *second}) > 1 else None
    assert u is None or found == pytest.approx(u / (len(first) * len(second)))
    assert probability_of_superiority(second, first) == pytest.approx(1 - found)


def overlap(*groups, trim=0.0):
    padded = np.full((len(groups), max(map(len, groups))), np.nan)
    for row, values in zip(padded, groups, strict=True):
        row[: len(values)] = values
    return float(mean_range_overlaps(padded, trim=trim))


def test_overlap_is_the_intersection_over_the_union():
    assert overlap([0, 4], [2, 6]) == pytest.approx(2 / 6)
    assert overlap([0, 4], [1, 2]) == pytest.approx(1 / 4)
    assert overlap([0, 1], [2, 3]) == 0.0
    assert overlap([1, 1], [1]) == 1.0
    # Cut 12% off either side of 11 and of 21 values: 1.2 to 8.8 in both, the outlier gone.
    assert overlap(np.arange(11), [*np.arange(20) / 2, 100], trim=0.12) == pytest.approx(1.0)


def test_a_choice_worth_nothing_may_meet_itself():
    assert [transfer_chance(settings) for settings in (1, 2, 36)] == [1, 3 / 4, 37 / 72]


def test_several_scores_transfer_as_each_pair_of_them_does():
    stream = generator(test="transfer of several")
    sources, targets = stream.integers(4, size=(2, 3, 5, 6)).astype(float)
    found = transfer_successes(sources, targets)
    assert found.shape == (3, 3)
    assert transfer_success(sources[0], targets[1]) == found[0, 1]
    for i, j in np.ndindex(3, 3):
        trials = []
        for chooser, judge in [(s, t) for s in range(5) for t in range(5) if s != t]:
            best = np.flatnonzero(sources[i, chooser] == sources[i, chooser].max())
            trials.append(np.mean([(targets[j, judge, b] >= targets[j, judge]).mean() for b in best]))
        assert found[i, j] == pytest.approx(np.mean(trials))


def test_the_superiority_of_groups_is_that_of_each_against_the_others():
    stream = generator(test="superiority of groups")
    groups = [stream.integers(6, size=n).astype(float) for n in (4, 9, 7)]
    for k, found in enumerate(superiority_of_groups(groups)):
        rest = np.concatenate([group for i, group in enumerate(groups) if i != k])
        assert found == pytest.approx(probability_of_superiority(groups[k], rest))


def test_families_are_overlapped_each_for_itself_and_a_group_that_one_family_lacks_is_no_loss_to_the_others():
    nothing = [np.nan, np.nan]
    families = np.array([[[0.0, 4], [2, 4], [6, 8], nothing], [[0, 4], [0, 4], nothing, nothing]])
    found = mean_range_overlaps(families)
    assert found == pytest.approx([(0.5 + 0 + 0) / 3, 1.0])
    assert mean_range_overlaps(families[:, :2]) == pytest.approx([0.5, 1.0])


@pytest.mark.parametrize("trim", [0.0, 0.12, 0.3])
def test_overlap_is_that_of_numpys_quantiles_in_any_order_of_groups_and_values(trim):
    stream = generator(test="overlap in any order")
    families = stream.normal(size=(5, 4, 7)) + stream.normal(size=(5, 4, 1))
    for family in families[:4]:  # groups of 1 to 7 values at any place, and none at all
        for group, n in zip(family, stream.permutation([0, 1, 3, 7]), strict=True):
            group[stream.permutation(7)[n:]] = np.nan
    for family, found in zip(families, mean_range_overlaps(families, trim=trim), strict=True):
        groups = [group[np.isfinite(group)] for group in family if np.isfinite(group).any()]
        ends = [np.quantile(group, [trim, 1 - trim]) for group in groups]
        shares = [
            max(min(a[1], b[1]) - max(a[0], b[0]), 0) / (max(a[1], b[1]) - min(a[0], b[0]))
            for a, b in itertools.combinations(ends, 2)
        ]
        assert found == pytest.approx(np.mean(shares))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: probability_of_superiority([], [1.0]), "first must be"),
        (lambda: probability_of_superiority([1.0], [math.nan]), "second must be finite, got nan"),
        (lambda: superiority_of_groups([[1.0, 2.0]]), "groups must be at least 2, got 1"),
        (lambda: overlap([1.0], [1.0], trim=0.5), r"trim must lie in \[0, 0.5\), got 0.5"),
        (
            lambda: transfer_successes([np.zeros((2, 3))], [np.zeros((2, 3)), np.zeros((2, 2))]),
            r"got \(2, 3\) and \(2, 2\)",
        ),
        (lambda: transfer_success(np.zeros((1, 3)), np.zeros((2, 3))), "source must be .*at least 2 x 2"),
        (lambda: transfer_success(np.zeros((2, 3)), np.zeros((1, 3))), "target must be .*at least 2 x 2"),
        (lambda: transfer_success(np.zeros((2, 1)), np.zeros((2, 3))), "source must be .*at least 2 x 2"),
        (lambda: transfer_success(np.zeros((2, 3)), np.zeros((2, 1))), "target must be .*at least 2 x 2"),
        (lambda: transfer_success(np.zeros((2, 3)), np.zeros((3, 3))), r"same shape, got \(2, 3\) and \(3, 3\)"),
        (lambda: transfer_success(np.full((2, 3), math.inf), np.zeros((2, 3))), "source must be finite, got inf"),
        (lambda: transfer_chance(0), "got 0"),
        (lambda: mean_range_overlaps(np.zeros((2, 1, 3))), r"two with values in every family, got shape \(2, 1, 3\)"),
    ],
)
def test_bad_input_is_refused_with_the_value_received(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
