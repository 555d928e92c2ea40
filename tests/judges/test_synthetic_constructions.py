"""The constructions of the claims are what their docstrings say."""

import numpy as np
import pytest

from dbench.codes import Sample
from dbench.constructions.causal import below_zero, confounded_codes, factor_grid, random_process, together
from dbench.constructions.model_sets import BROKEN, broken_codes, informative, mixed_models, rotation, uniform_factors
from dbench.constructions.spread_codes import group_cases, toy_law
from dbench.metrics import interventional_robustness


def test_the_first_toy_code_tells_three_quarters_of_both_factors():
    codes, factors, probability = toy_law(0.7)
    assert probability.sum() == pytest.approx(1)
    agreement = [(probability * (codes[:, 0] == factor)).sum() for factor in factors.T]
    assert agreement == pytest.approx([0.75, 0.75])
    assert (probability * (codes[:, 1] == factors[:, 1])).sum() == pytest.approx(0.7)


def test_any_four_of_five_parity_codes_are_independent_of_their_factor():
    codes, factors = group_cases("parity")
    _, counts = np.unique(np.column_stack([codes[:, :4], factors[:, 0]]), axis=0, return_counts=True)
    assert (counts == 32).all()


def test_an_intervention_fixes_one_factor_and_leaves_the_law_a_law():
    process = random_process(np.random.default_rng(0))
    law = process.do(1, 0).joint()
    assert law.sum() == pytest.approx(1)
    assert law[:, :, 1].sum() == 0
    assert law.sum(axis=(0, 2, 3, 4)) == pytest.approx(process.joint().sum(axis=(0, 2, 3, 4)))


def test_confounded_bits_are_equal_as_often_as_said():
    factors = confounded_codes(40_000, np.random.default_rng(0), strength=0.6).factors
    assert (factors[:, 0] == factors[:, 1]).mean() == pytest.approx((1 + 0.6**2) / 2, abs=0.01)


def test_the_grids_have_the_scores_of_their_docstrings():
    assert interventional_robustness(below_zero(), [0], [0], [1]) == pytest.approx(-1 / 3)
    assert interventional_robustness(together(), [0], [0], [1, 2]) == pytest.approx(0.8)


def test_the_majority_of_three_bits_scores_half_below_zero_for_every_bit():
    factors = factor_grid((2, 2, 2))
    sample = Sample((factors.sum(axis=1, keepdims=True) >= 2).astype(float), factors)
    scores = [interventional_robustness(sample, [0], [i], [j for j in range(3) if j != i]) for i in range(3)]
    assert scores == pytest.approx([-0.5] * 3)


def test_a_model_that_mixes_nothing_holds_each_factor_in_a_code_of_its_own():
    rng = np.random.default_rng(0)
    factors = uniform_factors(2_000, 4, rng)
    related = np.abs(np.corrcoef(factors.T, mixed_models(factors, [0.0], rng)[0].T)[:4, 4:])
    assert np.sort(related, axis=0)[-1] == pytest.approx(1, abs=0.01)
    assert sorted(related.argmax(axis=0)) == [0, 1, 2, 3]


@pytest.mark.parametrize("mixing", [0.0, 0.5, 1.0])
def test_a_rotation_is_orthogonal_at_any_mixing(mixing):
    matrix = rotation(5, np.random.default_rng(0), mixing=mixing)
    assert matrix @ matrix.T == pytest.approx(np.eye(5))


@pytest.mark.parametrize("variant", ["reference", *(name for names in BROKEN.values() for name in names)])
def test_a_broken_code_has_as_many_columns_as_flags(variant):
    factors = np.random.default_rng(0).integers(4, size=(10, 4))
    assert broken_codes(factors, np.random.default_rng(0), variant=variant).shape[1] == len(informative(variant))
