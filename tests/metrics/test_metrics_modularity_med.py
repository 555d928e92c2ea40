import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from dbench.metrics import code_mutual_information, mean_modularity, med, modularity, modularity_per_code


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40)
def test_modularity_is_the_printed_formula_code_by_code(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.random(size=(rng.integers(1, 6), rng.integers(2, 6))) + 1e-3
    # The formula of section 4.2.4; the template takes the largest entry of each code away.
    expected = [1 - (np.sort(m)[:-1] ** 2).sum() / (m.max() ** 2 * (len(m) - 1)) for m in matrix]
    np.testing.assert_allclose(modularity_per_code(matrix), expected, atol=1e-12)
    assert mean_modularity(matrix) == pytest.approx(np.mean(expected))
    np.testing.assert_allclose(modularity_per_code(1e200 * matrix), expected, atol=1e-12)


def test_codes_without_information_are_left_out_unless_the_study_is_followed(worlds):
    left_out, counted = modularity(worlds["dead"]), modularity(worlds["dead"], idle="zero")
    assert left_out.value > 0.99
    assert counted.value == pytest.approx(left_out.value / 2)
    assert left_out.details["active"] == 3
    assert modularity(worlds["dead first"]).value == pytest.approx(left_out.value)


def test_with_one_factor_every_code_is_modular_and_nothing_is_divided_by_zero():
    assert modularity_per_code([[0.3], [0.0]]).tolist() == [1.0, 0.0]
    assert mean_modularity([[0.3], [0.0]]) == 1.0


@pytest.mark.parametrize(("accuracy", "printed"), [(0.5, 0.583), (0.7, 0.464)])
def test_med_of_the_toy_models_of_appendix_a_is_the_printed_one(toy, accuracy, printed):
    result = med(toy(accuracy), normalise=False)
    # Table 1 prints the mean with completeness and an informativeness of 75%.
    assert (result.value + result.details["completeness"] + 0.75) / 3 == pytest.approx(printed, abs=0.001)


def test_pairwise_information_of_codes_agrees_with_scikit_learn():
    rng = np.random.default_rng(1)
    codes = rng.integers(6, size=(400, 3)) @ np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    result = code_mutual_information(codes)
    pairs = [(0, 1), (0, 2), (1, 2)]
    expected = [mutual_info_score(codes[:, a], codes[:, b]) for a, b in pairs]
    assert result.value == pytest.approx(np.mean(expected))
    assert result.per_code[0] == pytest.approx((expected[0] + expected[1]) / 2)
    assert result.details["pairs"] == 3


def test_independent_codes_score_the_stated_bias_which_correction_takes_off():
    rng = np.random.default_rng(2)
    result = code_mutual_information(rng.uniform(size=(10_000, 6)))
    assert result.details["bias"] == pytest.approx(19**2 / 20_000)
    assert result.value == pytest.approx(result.details["bias"], rel=0.1)
    assert code_mutual_information(rng.uniform(size=(10_000, 6)), corrected=True).value < 0.001


def test_duplicates_share_the_whole_entropy_and_a_single_code_has_no_pair():
    values = np.arange(400.0)[:, None] % 20
    assert code_mutual_information(np.repeat(values, 3, axis=1)).value == pytest.approx(np.log(20))
    assert code_mutual_information(values).value == 0.0
