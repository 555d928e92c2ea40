import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics import domain_shift_robustness, exact_copies, irs, shuffled
from dbench.metrics.ceilings import between
from dbench.metrics.interventions import _grouped_quantile, crossed_empida, empida, number_rows


def literal_empida(codes, factors, held, changed):
    """Algorithm 1 line by line, with weights normalised within each mean."""
    n, k = factors.shape

    def frequency(row, columns):
        return (factors[:, columns] == row[columns]).all(axis=1).mean()

    def mean(where, columns):
        rest = [j for j in range(k) if j not in columns]
        weights = [frequency(factors[i], rest) / frequency(factors[i], list(range(k))) for i in where]
        return np.average(codes[where], axis=0, weights=weights)

    total = 0.0
    for value in {tuple(row) for row in factors[:, held]}:
        inside = [i for i in range(n) if tuple(factors[i, held]) == value]
        centre, worst = mean(inside, held), 0.0
        for other in {tuple(factors[i, changed]) for i in inside}:
            cell = [i for i in inside if tuple(factors[i, changed]) == other]
            worst = max(worst, np.linalg.norm(mean(cell, held + changed) - centre))
        total += len(inside) / n * worst
    return total


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_empida_is_that_of_algorithm_1_line_by_line(seed):
    rng = np.random.default_rng(seed)
    first = rng.integers(3, size=40)
    factors = np.stack([first, (first + rng.integers(2, size=40)) % 3, rng.integers(2, size=40)], axis=1)
    codes = factors @ rng.normal(size=(3, 3)) + rng.normal(size=(40, 3))
    for held, changed in [([0], [1, 2]), ([0], [1]), ([], [0, 1, 2]), ([0, 2], [1]), ([], [1])]:
        found = empida(codes, factors, [[0, 2], [1]], held, changed)
        expected = [literal_empida(codes[:, block], factors, held, changed) for block in ([0, 2], [1])]
        np.testing.assert_allclose(found, expected, rtol=1e-10)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_the_crossed_special_case_agrees_with_algorithm_1_on_a_grid(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, size=3)
    grid = np.stack(np.meshgrid(*[np.arange(size) for size in sizes], indexing="ij"), axis=-1).reshape(-1, 3)
    codes = np.tanh(grid @ rng.normal(size=(3, 4)))
    general, special = (irs(Sample(codes, grid), crossed=crossed) for crossed in (False, True))
    np.testing.assert_allclose(general.relation, special.relation, atol=1e-12)
    np.testing.assert_array_equal(general.per_code, general.relation.max(axis=1))
    assert general.value == pytest.approx(special.value)
    together = [[0, 2], [1, 3]]
    general, special = (estimate(codes, grid, together, [1], [0, 2]) for estimate in (empida, crossed_empida))
    np.testing.assert_allclose(general, special)


def test_domain_shift_robustness_tells_features_that_move_with_the_domain():
    grid = np.array(list(itertools.product(range(3), range(4), range(2))))
    codes = np.stack([grid[:, 0], grid[:, 0] + 0.5 * grid[:, 2], grid[:, 2]], axis=1).astype(float)
    sample = Sample(codes, grid)
    assert domain_shift_robustness(sample, [0], [2]) == pytest.approx(1.0)
    assert domain_shift_robustness(sample, [1], [2]) == pytest.approx(1 - 0.25 / 1.25)
    assert domain_shift_robustness(sample, [2], [2]) == pytest.approx(0.0)
    assert domain_shift_robustness(sample, [0, 1], [2]) > domain_shift_robustness(sample, [1], [2])
    with pytest.raises(InvalidInput, match="domain must be distinct"):
        domain_shift_robustness(sample, [0], [3])


def test_idle_codes_leave_by_their_weight_and_constant_ones_altogether(worlds):
    assert irs(worlds["dead"]).value == pytest.approx(1.0)
    assert irs(worlds["dead"]).details["active"] == 3
    assert irs(worlds["dead"]).per_code[3:].tolist() == [0.0, 0.0, 0.0]
    assert 0.95 < irs(worlds["identity"]).value < 1.0
    rounding = Sample(np.stack([np.full(1500, 0.1) + 1e-17, worlds["dead"].codes[:, 0]], 1), worlds["dead"].factors)
    assert irs(rounding).details["active"] == 1


@pytest.mark.parametrize("count", [1, 7, 400])  # few groups and many are computed in different ways
@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.99, 1.0])
def test_grouped_quantiles_are_those_of_numpy_group_by_group(count, quantile):
    rng = np.random.default_rng(count)
    values = rng.normal(size=(900, 3)).round(1)
    group = np.concatenate([np.arange(count), rng.integers(count, size=900 - count)])
    expected = [np.quantile(values[group == number], quantile, axis=0) for number in range(count)]
    np.testing.assert_allclose(_grouped_quantile(values, group, count, quantile), expected, atol=1e-12)


def test_more_groups_than_16_bits_can_number_are_kept_apart():
    group = np.random.default_rng(0).permutation(np.repeat(np.arange(70_000), 2))
    values = group + np.random.default_rng(1).random(140_000)
    found = _grouped_quantile(values[:, None], group, 70_000, 1.0)[:, 0]
    assert (np.floor(found) == np.arange(70_000)).all()


def test_the_quantile_lets_one_outlier_pass():
    grid = np.array(list(itertools.product(range(2), range(200))))
    codes = grid[:, :1].astype(float)
    codes[7] += 0.5
    sample = Sample(codes, grid)
    strict, lenient = (irs(sample, quantile=quantile).relation[0, 0] for quantile in (1.0, 0.98))
    assert strict < 0.8
    assert lenient > 0.99
    by_hand = np.abs(codes[:200, 0] - codes[:200, 0].mean())
    found = crossed_empida(codes, grid, [[0]], [0], [1], quantile=0.98)
    assert found[0] == pytest.approx(np.quantile(by_hand, 0.98) / 2, abs=1e-12)


@pytest.mark.parametrize("crossed", [False, True])
def test_chance_and_ceiling_are_the_scores_of_shuffled_codes_and_of_exact_copies(worlds, crossed):
    sample = worlds["identity"]
    result = irs(sample, bins=2, crossed=crossed, generator=np.random.default_rng(1))
    shuffled_sample, copied = shuffled(sample, np.random.default_rng(1)), exact_copies(sample)
    assert result.details["chance"] == pytest.approx(irs(shuffled_sample, bins=2, crossed=crossed).value)
    assert result.details["ceiling"] == pytest.approx(irs(copied, bins=2, crossed=crossed).value)
    corrected = irs(sample, bins=2, crossed=crossed, corrected=True, generator=np.random.default_rng(1))
    expected = between(result.per_code, result.details["chance"], result.details["ceiling"])
    assert corrected.per_code == pytest.approx(expected)


def test_scaling_all_codes_alike_changes_nothing_and_codes_may_be_huge(worlds):
    sample = worlds["rotated"]
    value = irs(sample).value
    for factor in (1e-200, 1e300, -3.0):
        assert irs(Sample(sample.codes * factor, sample.factors)).value == pytest.approx(value)
    assert irs(Sample((sample.codes + 8) * 2.0**1019, sample.factors)).value == pytest.approx(value)


def test_rows_are_numbered_alike_where_keys_would_overflow():
    rng = np.random.default_rng(0)
    columns = rng.integers(2, size=(60, 3))
    numbers, count = number_rows(columns * (2**40 - 1))
    expected, small = number_rows(columns)
    assert count == small
    assert numbers.tolist() == expected.tolist()
    assert number_rows(columns[:, :0])[1] == 1
    # Of sizes whose product is a power of 2 beyond 64 bits, the first column would be lost.
    assert number_rows(np.array([[0, 1, 1], [1, 1, 1], [0, 2**32 - 1, 2**32 - 1]]))[0].tolist() == [0, 1, 2]


def test_a_single_factor_leaves_nothing_to_change():
    labels = np.arange(30)[:, None] % 3
    assert irs(Sample(np.random.default_rng(0).normal(size=(30, 2)), labels)).value == 1.0
