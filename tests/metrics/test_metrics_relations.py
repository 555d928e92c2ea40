import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score
from sklearn.svm import LinearSVC

from dbench.codes import Sample
from dbench.metrics import (
    entropy,
    mutual_information,
    quantise,
    sap,
    squared_correlation,
    svm_predictability,
    tree_importance,
)


@given(seed=st.integers(0, 10_000), bins=st.integers(1, 25), labels=st.integers(1, 7))
@settings(max_examples=40)
def test_mutual_information_agrees_with_scikit_learn_on_bins_of_numpy(seed, bins, labels):
    rng = np.random.default_rng(seed)
    factors = rng.integers(labels, size=(80, 2))
    codes = rng.normal(size=(80, 3)) + factors[:, :1]
    binned = [np.digitize(code, np.histogram_bin_edges(code, bins=bins)[1:-1]) for code in codes.T]
    expected = [[mutual_info_score(factor, code) for factor in factors.T] for code in binned]
    found = mutual_information(codes, factors, bins=bins)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert ((found >= 0) & (found <= entropy(factors) + 1e-12)).all()


def test_many_models_at_once_give_what_each_gives_alone():
    rng = np.random.default_rng(0)
    codes, factors = rng.normal(size=(4, 200, 3)), rng.integers(5, size=(200, 2))
    together = mutual_information(codes, factors)
    assert together.shape == (4, 3, 2)
    for model, alone in zip(codes, together, strict=True):
        np.testing.assert_array_equal(mutual_information(model, factors), alone)


def test_mutual_information_of_a_constant_is_exactly_zero():
    rng = np.random.default_rng(0)
    codes = np.stack([np.full(997, 0.1), rng.normal(size=997)], axis=1)
    factors = np.stack([rng.integers(7, size=997), np.zeros(997, dtype=int)], axis=1)
    information = mutual_information(codes, factors)
    assert information[0].tolist() == [0.0, 0.0]
    assert information[1, 1] == 0.0
    assert information[1, 0] > 0


def test_discrete_factors_are_not_binned_and_continuous_ones_are():
    values = np.arange(400) % 40
    assert entropy(values[:, None]) == pytest.approx(np.log(40))
    assert entropy(values[:, None].astype(float)) == pytest.approx(np.log(20))


def test_quantising_reaches_both_ends_and_survives_huge_and_tiny_ranges():
    assert quantise(np.array([[-1e308], [0.0], [1e308]]), bins=4).ravel().tolist() == [0, 2, 3]
    assert quantise(np.array([[0.0], [1e-300]]), bins=20).ravel().tolist() == [0, 19]
    assert quantise(np.full((5, 1), 3.0)).ravel().tolist() == [0] * 5
    stack = np.random.default_rng(0).normal(size=(2, 9, 3))
    np.testing.assert_array_equal(quantise(stack, bins=4), [quantise(model, bins=4) for model in stack])


@pytest.mark.parametrize("values", [11, 21])
@given(scale=st.floats(1e-3, 1e3), shift=st.floats(-10, 10), exact=st.sampled_from([np.float32, np.float64]))
@settings(max_examples=40)
def test_values_on_the_cuts_fall_to_their_right_at_any_scale_and_shift(values, scale, shift, exact):
    grid = np.arange(values)[:, None]
    lattice = (grid * scale + shift * scale).astype(exact) if exact is np.float64 else (grid / 4).astype(exact)
    assert quantise(lattice, values - 1).ravel().tolist() == [*range(values - 1), values - 2]


def test_trees_find_a_continuous_factor_in_any_unit():
    rng = np.random.default_rng(0)
    factors = rng.uniform(size=(120, 2))
    train, tiny = (Sample(factors + 0.01, factors * unit) for unit in (1.0, 2.0**-40))
    found, same = (tree_importance(s, s, estimator="forest", generator=np.random.default_rng(1)) for s in (train, tiny))
    assert (found.matrix == same.matrix).all()
    assert (found.test == same.test).all()
    assert found.test.min() > 0.9


def test_squared_correlation_agrees_with_numpy_and_gives_constants_zero():
    rng = np.random.default_rng(2)
    factors = rng.normal(size=(300, 2))
    codes = np.concatenate([factors @ rng.normal(size=(2, 2)), np.full((300, 1), 0.1)], axis=1)
    found = squared_correlation(codes, factors)
    assert found[:2] == pytest.approx(np.corrcoef(codes[:, :2].T, factors.T)[:2, 2:] ** 2)
    assert found[2].tolist() == [0.0, 0.0]


def test_rounding_takes_no_squared_correlation_beyond_one():
    codes = np.random.default_rng(0).normal(size=(7, 200))
    assert squared_correlation(codes, 3 * codes).max() <= 1.0


@pytest.mark.parametrize("centre", [0.0, 10.0])
def test_predictability_is_the_test_accuracy_of_a_linear_machine_on_one_code(centre):
    rng = np.random.default_rng(4)
    factors = rng.integers(3, size=(300, 1))
    sample = Sample(centre + factors + rng.normal(size=(300, 2)) * [0.2, 5.0], factors)
    train, test = sample.take(np.arange(200)), sample.take(np.arange(200, 300))
    found = svm_predictability(train, test)
    for i in range(2):
        machine = LinearSVC(C=0.01, dual=True, max_iter=100_000, random_state=0, tol=1e-6)
        machine.fit(train.codes[:, [i]], train.factors[:, 0])
        assert found[i, 0] == pytest.approx(machine.score(test.codes[:, [i]], test.factors[:, 0]), abs=0.011)


def test_a_machine_reaches_its_limit_on_codes_of_any_scale():
    rng = np.random.default_rng(4)
    factors = rng.integers(3, size=(300, 1))
    codes = factors + 0.2 * rng.normal(size=(300, 1))
    found = [svm_predictability(*[Sample(scale * codes, factors)] * 2)[0, 0] for scale in (1e3, 1e12, 1e100)]
    # Scikit-learn's own machine gets there through the scale of the intercept; at 1e12 as it is, it gets lost.
    reference = LinearSVC(C=0.01 * 1e6, intercept_scaling=1e-3, dual=False, tol=1e-10, max_iter=100_000)
    expected = reference.fit(codes, factors[:, 0]).score(codes, factors[:, 0])
    assert found == pytest.approx([expected] * 3, abs=0.011)


@pytest.mark.parametrize("scale", [1e4, 1e8, 1e100])
def test_a_machine_is_found_for_exact_copies_of_any_scale(scale):
    factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T
    assert sap(Sample(scale * factors, factors)).value == sap(Sample(1.0 * factors, factors)).value


def test_steps_are_halved_until_the_last_machine_gains_by_them():
    four = Sample(1e4 * np.array([[5.0], [7.0], [9.0], [-12.0]]), np.array([[1], [0], [0], [3]]))
    assert svm_predictability(four, four, penalty=1e6).tolist() == [[1.0]]


def test_a_part_with_one_label_only_is_predicted_by_that_label():
    codes = np.arange(6.0)[:, None]
    train, test = Sample(codes, np.ones((6, 1), dtype=int)), Sample(codes, (np.arange(6) % 2)[:, None])
    assert svm_predictability(train, test).tolist() == [[0.5]]


def test_importances_are_normalised_over_codes_and_do_not_depend_on_scale():
    rng = np.random.default_rng(5)
    factors = rng.integers(4, size=(400, 2))
    codes = np.concatenate([factors + 0.3 * rng.normal(size=(400, 2)), np.zeros((400, 1))], axis=1)
    matrices = []
    for scale in (1.0, 2.0**-40):
        part = Sample(codes * scale, factors)
        fitted = tree_importance(part, part, estimator="forest", generator=np.random.default_rng(0))
        np.testing.assert_allclose(fitted.matrix.sum(axis=0), 1.0)
        assert fitted.matrix[2].tolist() == [0.0, 0.0]
        matrices.append(fitted.matrix)
    np.testing.assert_array_equal(*matrices)


def test_a_middling_code_is_important_once_a_better_one_is_not_always_a_candidate():
    rng = np.random.default_rng(8)
    factors = rng.integers(4, size=(1000, 1))
    part = Sample(factors + rng.normal(size=(1000, 3)) * [0.3, 0.5, 9.0], factors)

    def importances(candidates: int | None) -> list[float]:
        stream = np.random.default_rng(0)
        found = tree_importance(part, part, estimator="forest", candidates=candidates, generator=stream)
        return found.matrix[:, 0].tolist()

    assert importances(3) == importances(None)
    assert importances(None)[1] < 0.2 < 0.3 < importances(1)[1] < importances(1)[0]
