import itertools
import sys
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr, zscore
from sklearn.linear_model import Lasso, LassoCV

from dbench.errors import UnknownName
from dbench.metrics import dci_disentanglement, udr, udr_agreements, udr_pair, udr_scores
from dbench.metrics.lasso import cross_validated_lasso

udr_module = sys.modules["dbench.metrics.udr"]  # the package holds the function under this name


@given(seed=st.integers(0, 10_000))
@example(seed=1487)  # two codes correlate at 0.9999965, and scikit-learn stops short of the optimum
@settings(max_examples=4)
def test_the_lasso_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 7))
    x = zscore(rng.normal(size=(150, d)) @ (np.eye(d) + 0.7 * rng.normal(size=(d, d))))
    y = zscore(np.tanh(x @ rng.normal(size=(d, 3))) + rng.normal(size=(150, 3)))
    fit = cross_validated_lasso(x, y)
    for target in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn's own notes on convergence
            reference = LassoCV(cv=5, tol=1e-10, max_iter=200_000).fit(x, y[:, target])
        assert fit.penalty[target] == pytest.approx(reference.alpha_)
        # The least value of the objective tells a solution, also where nearly equal codes leave the weights open.
        ours, theirs = (
            ((y[:, target] - x @ weights) ** 2).mean() / 2 + reference.alpha_ * np.abs(weights).sum()
            for weights in (fit.weights[:, target], reference.coef_)
        )
        assert ours <= theirs + 1e-12


def test_weights_of_as_many_codes_as_models_have_satisfy_the_conditions_of_optimality():
    rng = np.random.default_rng(0)
    x = zscore(rng.normal(size=(300, 10)) @ rng.normal(size=(10, 10)))
    y = zscore(x @ rng.normal(size=(10, 40)) + 4 * rng.normal(size=(300, 40)))
    fit = cross_validated_lasso(x, y)
    gradient = x.T @ (y - x @ fit.weights) / len(x)
    expected = np.where(fit.weights != 0, np.sign(fit.weights) * fit.penalty, gradient)
    np.testing.assert_allclose(gradient, expected, atol=1e-9)
    assert (np.abs(gradient) <= fit.penalty + 1e-9).all()


def test_constant_and_copied_predictors_are_no_obstacle_and_a_constant_target_gets_no_weights():
    rng = np.random.default_rng(1)
    z = zscore(rng.normal(size=(200, 2)))
    x = np.concatenate([z, z[:, :1], np.zeros((200, 1))], axis=1)
    y = zscore(z @ rng.normal(size=(2, 5)) + 0.3 * rng.normal(size=(200, 5)))
    fit, alone = cross_validated_lasso(x, y), cross_validated_lasso(z, y)
    assert np.isfinite(fit.weights).all()
    assert fit.weights[3].tolist() == [0.0] * 5
    np.testing.assert_allclose(fit.weights[0] + fit.weights[2], alone.weights[0], atol=1e-6)
    assert not cross_validated_lasso(z, np.zeros((200, 2))).weights.any()


def test_equation_2_is_worked_out_by_hand():
    matrix = np.array([[0.8, 0.2], [0.1, 0.3]])
    columns = [0.64 / 0.9, 0.09 / 0.5]
    rows = [0.64 / 1.0, 0.09 / 0.4]
    both = np.array([True, True])
    assert udr_pair(matrix, both, both) == pytest.approx((sum(columns) + sum(rows)) / 4)
    first = np.array([True, False])
    # The indicator chooses which terms are added; the sums inside go over all codes.
    assert udr_pair(matrix, first, both) == pytest.approx((sum(columns) + rows[0]) / 3)
    assert udr_pair(matrix, both, first) == pytest.approx((columns[0] + sum(rows)) / 3)


@given(st.integers(0, 10_000))
def test_a_pair_scores_between_0_and_1_and_alike_from_both_sides(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.uniform(size=(4, 3)) * (rng.uniform(size=(4, 3)) < 0.5)
    a, b = rng.uniform(size=4) < 0.7, rng.uniform(size=3) < 0.7
    score = udr_pair(matrix, a, b)
    assert 0.0 <= score <= 1.0
    assert udr_pair(matrix.T, b, a) == pytest.approx(score)


def test_permutations_score_one_and_nothing_scores_zero():
    flags = np.ones(4, dtype=bool)
    assert udr_pair(np.eye(4)[[2, 0, 3, 1]], flags, flags) == 1.0
    assert udr_pair(np.zeros((4, 4)), flags, flags) == 0.0
    assert udr_pair(np.eye(4), ~flags, ~flags) == 0.0


def models():
    """Three that share axes (permuted, turned round, scaled), and three rotations."""
    rng = np.random.default_rng(2)
    z = rng.uniform(-1.7, 1.7, size=(600, 4))
    aligned = [z, -z[:, [2, 0, 3, 1]], 5 * z[:, ::-1] + 1]
    rotated = [z @ np.linalg.qr(rng.normal(size=(4, 4)))[0] for _ in range(3)]
    return np.stack(aligned + rotated)


# Spearman correlations of unrelated codes are not 0 in a finite sample, and equation 2 sums them.
@pytest.mark.parametrize(("relation", "least"), [("lasso", 0.97), ("spearman", 0.85)])
def test_models_that_share_axes_score_near_one_and_rotations_do_not(relation, least):
    scores = udr_scores(models(), np.ones((6, 4), dtype=bool), groups=list("aaabbb"), relation=relation)
    assert (scores[:3] > least).all()
    assert (scores[3:] < 0.7).all()


def test_agreement_is_measured_not_disentanglement():
    entangled = np.repeat(models()[3:4], 3, axis=0)
    assert udr(entangled, np.ones((3, 4), dtype=bool)).value > 0.99


def test_relations_are_those_of_the_reference_libraries():
    codes, flags = models()[[0, 4]], np.ones((2, 4), dtype=bool)
    first, second = (zscore(model) for model in codes)
    rho = np.abs(spearmanr(codes[0], codes[1]).statistic[:4, 4:])
    assert udr_scores(codes, flags, relation="spearman")[0] == pytest.approx(udr_pair(rho, *flags))
    weights = [LassoCV(cv=5, tol=1e-10).fit(second, target).coef_ for target in first.T]
    assert udr_scores(codes, flags)[0] == pytest.approx(udr_pair(np.abs(weights), *flags), abs=1e-5)


def test_comparisons_are_drawn_without_replacement_and_repeat_with_the_generator():
    codes, flags = models(), np.ones((6, 4), dtype=bool)
    draws = [udr_scores(codes, flags, comparisons=2, generator=np.random.default_rng(0)) for _ in range(2)]
    np.testing.assert_array_equal(*draws)
    np.testing.assert_allclose(udr_scores(codes, flags, comparisons=5), udr_scores(codes, flags))
    np.testing.assert_allclose(udr_scores(codes, flags, comparisons=50), udr_scores(codes, flags))


def test_two_comparisons_are_with_two_different_models():
    codes = models() + np.random.default_rng(1).normal(size=models().shape)
    flags = np.ones((6, 4), dtype=bool)
    agreements = udr_agreements(codes, flags, relation="spearman")[0, 1:]
    pairs = {round(np.mean(pair), 9) for pair in itertools.combinations(agreements, 2)}
    streams = [np.random.default_rng(seed) for seed in range(60)]
    drawn = [udr_scores(codes, flags, relation="spearman", comparisons=2, generator=stream)[0] for stream in streams]
    assert {round(score, 9) for score in drawn} == pairs


def test_groups_are_scored_as_if_alone():
    codes, flags = models(), np.ones((6, 4), dtype=bool)
    together = udr_scores(codes, flags, groups=[0, 1, 0, 1, 0, 1])
    np.testing.assert_allclose(together[::2], udr_scores(codes[::2], flags[:3]))


def test_constant_codes_relate_to_nothing_and_faint_ones_as_much_as_any():
    rng = np.random.default_rng(0)
    codes = models()[:3]
    dead = np.concatenate([codes, np.full((3, 600, 2), 0.1)], axis=2)
    faint = np.concatenate([codes, 1e-4 * (codes[:, :, :2] + rng.normal(size=(3, 600, 2)))], axis=2)
    flags = np.tile([True] * 4 + [False] * 2, (3, 1))
    alone = udr_scores(codes, flags[:, :4], relation="spearman")
    np.testing.assert_allclose(udr_scores(dead, flags, relation="spearman"), alone)
    assert (udr_scores(faint, flags, relation="spearman") < alone - 0.05).all()


def test_models_without_informative_codes_score_zero():
    nothing = np.zeros((6, 4), dtype=bool)
    assert udr_scores(models(), nothing).tolist() == [0.0] * 6
    assert not udr_agreements(models(), nothing, aggregation="entropy").any()


def test_a_lasso_of_fixed_penalty_never_reaches_one_which_is_why_it_is_cross_validated():
    z = zscore(models()[0])
    assert Lasso(alpha=0.1).fit(z, z[:, 0]).coef_[0] == pytest.approx(0.9, abs=0.01)
    assert cross_validated_lasso(z, z).weights[0, 0] > 0.998


@pytest.mark.parametrize("comparisons", [None, 2])
def test_products_taken_for_a_group_at_once_or_model_by_model_give_the_same(monkeypatch, comparisons):
    rng = np.random.default_rng(0)
    codes = rng.normal(size=(7, 200, 3)) + 2 * rng.normal(size=(200, 3))
    groups = ["a", "b", "a", "b", "a", "b", "b"]  # members that do not stand beside each other
    flags, found = np.ones((7, 3), dtype=bool), []
    for room in (4_000_000, 100, 0):  # for both groups, for the smaller one, for none
        monkeypatch.setattr(udr_module, "TOGETHER", room)
        stream = np.random.default_rng(1)
        found.append(udr_scores(codes, flags, groups=groups, comparisons=comparisons, generator=stream))
    np.testing.assert_allclose(found[1], found[0], atol=1e-12)
    np.testing.assert_allclose(found[2], found[0], atol=1e-12)


@pytest.mark.parametrize("relation", ["lasso", "spearman"])
def test_scores_are_the_medians_of_agreements(relation):
    codes = models() + np.random.default_rng(1).normal(size=models().shape)
    flags = np.arange(24).reshape(6, 4) % 5 > 0
    agreements = udr_agreements(codes, flags, relation=relation)
    others = [np.median(np.delete(row, i)) for i, row in enumerate(agreements)]
    np.testing.assert_allclose(udr_scores(codes, flags, relation=relation), others, atol=1e-12)
    np.testing.assert_allclose(np.diag(agreements), 1, atol=0.5)


def test_entropy_takes_the_other_models_codes_for_factors():
    codes = models()[:2] + np.random.default_rng(2).normal(size=(2, 600, 4))
    flags = np.array([[True, False, True, True], [False, True, True, True]])
    by_hand = np.empty((2, 2))
    for i, j in np.ndindex(2, 2):
        matrix = np.abs(spearmanr(codes[i], codes[j]).statistic[:4, 4:])
        by_hand[i, j] = (dci_disentanglement(matrix[flags[i]]) + dci_disentanglement(matrix.T[flags[j]])) / 2
    found = udr_agreements(codes, flags, relation="spearman", aggregation="entropy")
    np.testing.assert_allclose(found, by_hand, atol=1e-9)
    assert 0.05 < found[0, 1] < found[0, 0] < 1


def test_an_aggregation_that_does_not_exist_is_named():
    with pytest.raises(UnknownName, match="aggregation"):
        udr_agreements(models(), np.ones((6, 4)), aggregation="mean")
