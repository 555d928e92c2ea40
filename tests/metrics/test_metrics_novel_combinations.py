"""Accuracy on novel combinations: constructed codes whose answer is known, and what is refused."""

import numpy as np
import pytest

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics import adjust_for_chance, novel_combinations

SIZES = (3, 4, 40)
NAMES = ("shape", "scale", "pos")
GRID = np.indices(SIZES).reshape(3, -1).T
NOVEL = (GRID[:, :2] == [1, 2]).all(axis=1)
QUICK = {"epochs": 20, "batch": 32, "hidden": 32}


def noise(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def score(codes, held_out=NOVEL, factors=(0, 1), labels=GRID, **options):
    return novel_combinations(Sample(codes, labels, NAMES), held_out, factors, **(QUICK | options))


def one_hot(column, size):
    return np.eye(size)[GRID[:, column]] + 0.05 * noise(len(GRID), size)


# A part of the code for each factor: values of one never move the codes of another.
DISENTANGLED = np.concatenate([one_hot(0, 3), one_hot(1, 4)], axis=1)


def test_disentangled_codes_generalise():
    disentangled = score(np.concatenate([DISENTANGLED, noise(len(GRID), 2, seed=1)], axis=1))
    assert disentangled.value == 1
    assert disentangled.details["mlp"] == disentangled.details["linear"] == 1


def test_a_lookup_code_does_not_though_random_splits_are_classified_perfectly():
    """A place of its own for each combination, so that nothing is shared between those of one value."""
    lookup = score(noise(12, 8)[GRID[:, 0] * 4 + GRID[:, 1]] + 0.01 * noise(len(GRID), 8, seed=1))
    assert lookup.value == 0
    assert lookup.details["mlp"] == lookup.details["linear"] == 0
    assert lookup.details["random_split.mlp"] == lookup.details["random_split.linear"] == 1


def test_noise_is_at_chance_on_random_splits_and_not_above_it_on_novel_ones():
    # Three hundred random points of twelve combinations: the share that is guessed has a deviation of 0.016.
    result = score(noise(len(GRID), 5), held_out=np.arange(len(GRID)) % 12 < 8)
    assert result.details["chance"] == 1 / 12
    assert abs(result.details["random_split.mlp"] - 1 / 12) < 0.06
    assert score(noise(len(GRID), 5)).details["mlp"] <= 1 / 12 + 0.06


def test_both_must_be_right():
    """Shape is in the codes, scale is not: the one is recognised, the combination is not."""
    result = score(np.concatenate([one_hot(0, 3), noise(len(GRID), 2, seed=1)], axis=1))
    assert result.details["mlp.0"] == 1
    assert result.details["mlp"] == result.details["mlp.1"] < 0.6
    assert result.details["linear"] <= min(result.details["linear.0"], result.details["linear.1"])


def test_a_linear_classifier_misses_what_a_perceptron_finds():
    """Scale is how far a code lies from 0, on either side: its values alternate along the line."""
    side = np.where(noise(len(GRID), seed=2) > 0, 1, -1)
    codes = np.column_stack([one_hot(0, 3), GRID[:, 1] * side + 0.05 * noise(len(GRID))])
    details = score(codes, epochs=60).details
    assert details["random_split.mlp"] > 0.95
    assert details["random_split.linear"] < 0.7


def test_only_held_out_points_are_tested():
    """Codes of the novel points are all that is spoilt: the answer falls to the guess those codes give."""
    codes = DISENTANGLED.copy()
    codes[NOVEL] = codes[(GRID[:, :2] == [0, 0]).all(axis=1)]
    details = score(codes).details
    assert details["mlp"] == details["linear"] == 0


def test_factors_not_asked_for_do_not_matter_nor_does_it_to_say_that_all_points_are_trained_on():
    known = score(DISENTANGLED).details
    other = np.column_stack([GRID[:, :2], GRID[::-1, 2]])
    assert score(DISENTANGLED, labels=other).details == known
    assert score(DISENTANGLED, train=440).details == known
    assert score(DISENTANGLED, train=200, epochs=40).details["mlp"] > 0.9


def test_the_generator_decides_the_score_and_labels_may_have_any_names():
    labels = np.column_stack([np.array([7, -1, 30])[GRID[:, 0]], GRID[:, 1:]])
    assert score(DISENTANGLED, labels=labels).details["mlp"] == 1
    one, two = (score(noise(len(GRID), 4), generator=np.random.default_rng(seed)).details for seed in (1, 2))
    assert one != two


def test_adjusting_for_chance_follows_the_formula():
    assert adjust_for_chance(0.5, 0.25) == pytest.approx(1 / 3)
    assert adjust_for_chance(0.1, 0.25) == 0
    assert adjust_for_chance(1.0, 0.25) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"held_out": NOVEL[1:]}, r"held_out must be a mask of 480 booleans, got bool of shape \(479,\)"),
        ({"held_out": NOVEL.astype(int)}, "held_out must be a mask of 480 booleans, got int64"),
        ({"held_out": np.zeros(480, bool)}, "some of the 480 points and not all, got 0"),
        ({"held_out": np.ones(480, bool)}, "some of the 480 points and not all, got 480"),
        ({"held_out": GRID[:, 1] == 3}, "must occur among the familiar points, got 3 of factor 'scale' only"),
        ({"factors": ()}, r"factors must be distinct numbers from 0 to 2, at least 1, got \[\]"),
        ({"factors": (1, 1)}, r"factors must be distinct numbers from 0 to 2, at least 1, got \[1, 1\]"),
        ({"factors": (0, 3)}, r"factors must be distinct numbers from 0 to 2, at least 1, got \[0, 3\]"),
        ({"epochs": 0}, "epochs must be an integer of at least 1, got 0"),
        ({"train": 0}, "train must be an integer of at least 1, got 0"),
        ({"train": 441}, "train must be at most the number of familiar points, 440, got 441"),
        ({"penalty": 0.0}, "penalty must be a finite number above 0"),
        ({"labels": GRID + 0.5}, "novel_combinations needs discrete factors"),
    ],
)
def test_what_makes_no_sense_is_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        score(noise(len(GRID), 3), **change)
