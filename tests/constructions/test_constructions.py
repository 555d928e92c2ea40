"""Constructions are what their docstrings say, worked out another way than there."""

import numpy as np
import pytest

from dbench.codes import Sample
from dbench.constructions.characteristics import (
    BATTERY,
    COPIES,
    PRINTED,
    THREE_VALUES,
    beta_vae_limit,
    binned_gap_of_power,
    coin_copies,
    factor_vae_limit,
    nearly_straight_rotation,
    plain_powers,
    random_scale,
    stretched,
)
from dbench.constructions.relations import RELATIONS, dependent_codes, related, two_shared
from dbench.constructions.small_codes import partitions, small_codes
from dbench.metrics import dci_disentanglement, mutual_information
from dbench.seeds import generator


def rng(name: str) -> np.random.Generator:
    return generator(test="constructions", draw=name)


def test_the_set_partitions_of_n_points_are_as_many_as_bells_numbers():
    assert [len(set(partitions(n))) for n in range(1, 7)] == [1, 2, 5, 15, 52, 203]


def test_a_small_code_is_changed_by_exactly_the_factors_it_should_be():
    codes = small_codes((2, 2))
    parity = next(i for i, column in enumerate(codes.labels.T) if column.tolist() == [0, 1, 1, 0])
    assert codes.changes[parity].tolist() == [True, True]
    assert codes.share[parity].tolist() == [0.0, 0.0]
    first = next(i for i, column in enumerate(codes.labels.T) if column.tolist() == [0, 0, 1, 1])
    assert codes.touches[first].tolist() == [True, False]
    assert codes.determines[first].tolist() == [True, False]


def test_the_rotation_of_fact_2_has_the_printed_squares():
    rotation = nearly_straight_rotation()
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(11), atol=1e-12)
    np.testing.assert_allclose(rotation**2, PRINTED, atol=0.004)
    assert dci_disentanglement(rotation**2) == pytest.approx(dci_disentanglement(PRINTED), abs=0.01)


def test_coin_copies_differ_by_what_is_worked_out():
    source, stream = coin_copies(), rng("coins")
    for fixed in range(3):
        first, second = (source.draw_factors(100_000, stream) for _ in range(2))
        second[:, fixed] = first[:, fixed]
        found = np.abs(source.codes(first, stream) - source.codes(second, stream)).mean(axis=0)
        # Both copy the shared factor with probability p^2; else two uniforms on [-1, 1] differ, by 2/3 on average.
        np.testing.assert_allclose(found, 2 / 3 * (1 - COPIES.T[fixed] ** 2), atol=0.01)


def test_three_of_k_comes_out_for_factor_vae_only_if_an_idle_code_wins():
    assert beta_vae_limit(10, 2) == pytest.approx(0.3)
    assert factor_vae_limit(10, 2) == pytest.approx(0.2)
    assert factor_vae_limit(10, 2, idle_code_wins=True) == pytest.approx(0.3)
    assert beta_vae_limit(4, 4) == factor_vae_limit(4, 4) == 1.0


def test_the_gap_of_bins_is_that_of_samples_whose_ends_are_known():
    # With an odd number of bins no cut falls where the code crowds, so that samples do reach the limit.
    sample = plain_powers(200_000, rng("powers"), power=5)
    ended = Sample(np.vstack([sample.codes, [[-1, -1], [1, 1]]]), np.vstack([sample.factors, [[-1, -1], [1, 1]]]))
    information = mutual_information(ended.codes, ended.factors, bins=21)
    assert information[0, 0] / np.log(21) == pytest.approx(binned_gap_of_power(5, bins=21), abs=0.005)
    assert binned_gap_of_power(1) == pytest.approx(1.0)


def test_no_bins_of_equal_width_part_zero_from_one_below_a_thousand():
    sample = stretched(30_000, rng("stretched"))
    share = mutual_information(sample.codes, sample.factors, bins=999)[0, 0] / np.log(3)
    assert share == pytest.approx(1 - 2 / 3 * np.log(2) / np.log(3), abs=0.005)
    assert set(np.unique(sample.codes)) == set(THREE_VALUES)


def test_a_random_scale_rises_strictly():
    assert (np.diff(random_scale(12, rng("scale"))) > 0).all()


@pytest.mark.parametrize("relation", [name for name in RELATIONS if name != "none"])
def test_every_relation_keeps_all_there_is_to_know(relation):
    sample = related(relation).sample(5_000, rng(relation))
    together = np.unique(sample.codes.round(9), axis=0, return_inverse=True)[1].ravel()
    rows = np.unique(np.column_stack([together, sample.factors]), axis=0)
    assert len(rows) == len(np.unique(together))


def test_a_sum_of_two_bits_tells_half_of_each():
    sample = two_shared(50_000, rng("shared"))
    information = mutual_information(sample.codes, sample.factors) / np.log(2)
    np.testing.assert_allclose(information[1, 2:], [0.5, 0.5], atol=0.01)
    np.testing.assert_allclose(information[0, :2], [2.0, 2.0], atol=0.01)


@pytest.mark.parametrize("name", ["square", "circle", "parity"])
def test_dependent_codes_are_uncorrelated(name):
    correlation = np.corrcoef(dependent_codes(name, 100_000, rng(name)).T)
    np.testing.assert_allclose(correlation, np.eye(len(correlation)), atol=0.02)


def _changes(name: str) -> np.ndarray:
    """Which factors ever change which codes, by redrawing one factor at a time (codes x factors)."""
    source = BATTERY[name].source
    factors = source.draw_factors(500, rng("before"))
    moved = []
    for j in range(factors.shape[1]):
        other = factors.copy()
        other[:, j] = source.draw_factors(500, rng("after"))[:, j]
        # The same coins before and after, so that only the factor makes a difference.
        moved.append((source.codes(factors, rng("coins")) != source.codes(other, rng("coins"))).any(axis=0))
    return np.stack(moved, axis=1)


@pytest.mark.parametrize("name", sorted(BATTERY))
def test_the_battery_has_the_characteristics_it_is_said_to_have(name):
    changes = _changes(name)
    assert BATTERY[name].first == (changes.sum(axis=1) <= 1).all()
    codes_of_factor = changes.sum(axis=0)
    assert BATTERY[name].second == (None if (codes_of_factor == 0).any() else (codes_of_factor == 1).all())
