import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbench.codes import Sample
from dbench.metrics import bin_accuracy, nk, snc

FAST = {"epochs": 50, "hidden": 64, "batch": 32}


def test_a_class_owns_bins_as_its_share_is_wherever_they_lie():
    label = np.repeat([0, 1, 2], [40, 30, 30])
    middle = np.concatenate([np.arange(40) + 30, np.arange(30), np.arange(30) + 70.0])
    assert bin_accuracy(middle, label) == (1.0, 10)
    label[:5], label[40:45] = 1, 0  # half a bin of each
    assert bin_accuracy(np.arange(100.0), label) == (0.9, 10)


def test_a_perfect_code_scores_one_on_unequal_classes_of_a_common_divisor():
    label = np.repeat([3, -1, 8], [40, 30, 30])
    result = snc(Sample(label[:, None].astype(float), label[:, None]))
    assert result.value == 1.0
    assert result.details["guessing"] == pytest.approx(0.16 + 0.09 + 0.09)


def test_the_chance_level_is_the_sum_of_squared_class_shares():
    label = np.repeat([0, 1], [75, 25])[np.random.default_rng(0).permutation(100)]
    result = snc(Sample(np.arange(100.0)[:, None], label[:, None]))
    assert result.details["guessing"] == pytest.approx(0.75**2 + 0.25**2)
    expected = (result.details["accuracy"] - 0.625) / 0.375
    assert result.value == pytest.approx(max(0.0, expected))


@pytest.mark.parametrize(("accuracy", "printed"), [(0.5, 0.125), (0.7, 0.225)])
def test_the_toy_models_of_appendix_a_are_above_chance_by_the_printed_amounts(toy, accuracy, printed):
    result = snc(toy(accuracy))
    assert result.details["above_chance"] == pytest.approx(printed, abs=0.005)
    # Appendix A leaves out the division by 1 - r = 0.5 that equation 3 asks for.
    assert result.value == pytest.approx(2 * printed, abs=0.01)


def test_ties_do_not_leak_the_order_of_the_observations():
    label = np.repeat(np.arange(4), 25)  # sorted, as on a factor grid
    assert bin_accuracy(np.zeros(100), label) == (0.25, 4)
    half = (label >= 2).astype(float)  # tells halves apart, nothing within them
    assert bin_accuracy(half, label) == (0.5, 4)


@given(st.integers(0, 10_000), st.integers(2, 5))
@settings(max_examples=40)
def test_snc_lies_within_its_bounds_and_every_point_is_in_a_bin(seed, labels):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(labels + 1, 120))
    label = np.concatenate([np.arange(labels), rng.integers(labels, size=n - labels)])
    code = rng.integers(6, size=n).astype(float)
    accuracy, bins = bin_accuracy(code, label, min_bin_size=int(rng.integers(1, n + 1)))
    assert 0.0 <= accuracy <= 1.0 + 1e-12
    assert 1 <= bins <= n
    assert 0.0 <= snc(Sample(code[:, None], label[:, None])).value <= 1.0


def test_bins_of_one_point_let_noise_score_one_and_the_default_does_not():
    rng = np.random.default_rng(0)
    label = rng.integers(3, size=1001)
    label[:2] = 0
    noise = rng.normal(size=1001)
    sizes = np.bincount(label)
    assert np.gcd.reduce(sizes) == 1
    assert bin_accuracy(noise, label, min_bin_size=1)[0] == 1.0
    assert snc(Sample(noise[:, None], label[:, None])).value < 0.15


def test_a_bin_holds_by_default_a_fifth_of_the_mean_class_or_the_common_divisor_of_the_classes():
    label = np.repeat([0, 1, 2], [33, 33, 34])  # divisor 1, a fifth of a class 6.67: 100 // 6 bins
    assert bin_accuracy(np.arange(100.0), label)[1] == 16
    assert snc(Sample(np.arange(100.0)[:, None], label[:, None])).details["bins.max"] == 16
    label = np.repeat([0, 1], [40, 60])  # divisor 20, more than a fifth of a class
    assert bin_accuracy(np.arange(100.0), label)[1] == 5
    label = np.arange(9) % 3 % 2  # fewer than five points a class: no bin is empty
    assert bin_accuracy(np.arange(9.0), label)[1] == 3


def test_random_draws_keep_exact_copies_near_one(worlds):
    assert snc(worlds["identity"]).value > 0.95
    assert snc(worlds["dead"]).value == snc(worlds["dead first"]).value
    assert snc(worlds["rotated"]).value < 0.7


def test_a_factor_without_a_code_of_its_own_scores_zero(worlds):
    sample = worlds["identity"]
    result = snc(Sample(sample.codes[:, :1], sample.factors))
    assert result.per_factor[1:].tolist() == [0.0, 0.0]
    assert result.details["product"] == 0.0
    knocked = nk(Sample(sample.codes[:, :1], sample.factors), **FAST)
    assert knocked.per_factor[1:].tolist() == [0.0, 0.0]


def test_a_second_copy_makes_the_knockout_harmless(worlds):
    result = nk(worlds["duplicated"], **FAST)
    assert result.details["accuracy.without"] == pytest.approx(result.details["accuracy"], abs=0.01)
    assert result.details["accuracy"] > 0.99


def test_without_its_code_the_commonest_value_of_a_factor_is_guessed():
    first, second = np.repeat([0, 1], [420, 180]), np.tile([0, 0, 0, 1, 2], 120)
    factors = np.stack([first, second], axis=1)
    result = nk(Sample(factors - factors.mean(axis=0), factors), **FAST)
    assert result.details["ceiling"] == pytest.approx(1 - (0.7 + 0.6) / 2)
    assert result.per_factor == pytest.approx([0.3, 0.4], abs=0.08)
