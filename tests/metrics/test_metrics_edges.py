"""Cases at the edge of a metric's rules, options and details, each with an answer worked out by hand."""

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dbench.codes import GridSource, Sample
from dbench.errors import InvalidInput
from dbench.metrics import (
    METRICS,
    beta_vae_metric,
    dci,
    downstream,
    explicitness,
    factor_vae,
    gaussian_total_correlation,
    interventional_robustness,
    irs,
    linear_accuracy,
    mig,
    mlp_accuracy,
    mutual_information,
    nk,
    posterior_mig,
    snc,
    tree_importance,
)
from dbench.metrics.boosted_trees import boosted_trees
from dbench.metrics.dci_explicitness import _explicitness
from dbench.metrics.inputs import in_range, label_indices
from dbench.metrics.interventions import _segment_quantile
from dbench.metrics.lasso import _walk
from dbench.metrics.linear_accuracy import linear_accuracies
from dbench.metrics.relations.importance import _ensemble
from dbench.metrics.snc import _bins_of_each_class
from dbench.metrics.softmax import softmax_regressions
from dbench.seeds import generator

BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
# Half and a quarter of the observations hold 1.
UNEVEN = Sample(np.tile(BITS[:, :1], (3, 1)).astype(float), np.tile([[0, 0], [0, 0], [1, 0], [1, 1]], (3, 1)))


def test_a_split_that_gains_nothing_is_made_for_what_it_makes_possible():
    """Neither bit says anything of their exclusive or; after either split the other bit says all."""
    codes = np.tile(BITS, (5, 1)).astype(float)
    label = np.tile(BITS[:, 0] ^ BITS[:, 1], 5)
    found = boosted_trees(codes, label, codes, stages=1, depth=2, generator=generator(test="exclusive or"))
    assert (found.test == label).all()


def test_a_walk_along_a_lasso_path_that_is_broken_off_stands_still():
    """Orthogonal predictors: the first corner lies at the larger covariance, where its weight begins to grow."""
    stop, slopes = np.array([0.5]), np.array([[2.0, 1.0]])
    whole = _walk(np.eye(2)[None].copy(), slopes, stop, max_corners=20)
    broken = _walk(np.eye(2)[None].copy(), slopes, stop, max_corners=2)
    assert [segment.start[0] for segment in broken] == [2.0, 2.0, 1.0]
    assert broken[-1].weights.tolist() == [[1.0, 0.0]]
    assert broken[-1].slope.tolist() == [[0.0, 0.0]]
    assert whole[-1].start[0] <= 0.5


def test_a_single_training_point_leaves_one_guess_for_all():
    score = beta_vae_metric(GridSource(BITS.astype(float), (2, 2)), train_points=1, test_points=50)
    assert score.details["train"] == 1.0
    assert sorted(score.per_factor) == [0.0, 1.0]


def test_a_single_test_vote_is_all_right_or_all_wrong():
    score = factor_vae(GridSource(BITS.astype(float), (2, 2)), train_votes=50, test_votes=1)
    assert (score.value, sorted(score.per_factor)) == (1.0, [0.0, 1.0])


def test_the_accuracy_of_each_factor_is_its_own():
    part = Sample(BITS[:, :1].astype(float), BITS)
    assert linear_accuracies(part, part).tolist() == [1.0, 0.5]


def test_a_quantile_of_one_observation_is_that_observation():
    columns = np.arange(64.0)[None]
    assert _segment_quantile(columns, np.array([1, 63]), 0.5).tolist() == [[0.0, 32.0]]
    assert _segment_quantile(columns[:, :3], np.array([2, 1]), 0.5).tolist() == [[0.5, 2.0]]


@pytest.mark.parametrize("estimator", ["gbt", "forest"])
def test_a_target_that_does_not_vary_in_training_is_predicted_there_without_error(estimator):
    train = Sample(BITS.astype(float), np.zeros((4, 1), dtype=int))
    test = Sample(BITS.astype(float), np.array([[0], [0], [0], [1]]))
    found = tree_importance(train, test, estimator=estimator, generator=generator(test="constant target"))
    assert not found.matrix.any()
    assert (found.train.tolist(), found.test.tolist()) == ([1.0], [0.75])


def test_codes_that_are_used_for_no_factor_are_cut_into_no_bins():
    assert snc(Sample(np.ones((4, 2)), BITS)).details["bins.max"] == 0


def test_labels_that_lie_far_apart_are_numbered_like_others():
    numbers, sizes = label_indices(np.array([[10**12, 0], [0, 5], [10**12, 5]]))
    assert (numbers.tolist(), sizes.tolist()) == ([[1, 0], [0, 1], [1, 1]], [2, 2])


@pytest.mark.parametrize("seed", range(4))
def test_a_factor_that_no_test_point_shares_has_no_hits(seed):
    source = GridSource(np.indices((2, 2, 2)).reshape(3, -1).T.astype(float), (2, 2, 2))
    stream = generator(test="one point", seed=seed)
    score = beta_vae_metric(source, train_points=500, test_points=1, generator=stream)
    assert (score.value, sorted(score.per_factor)) == (1.0, [0.0, 0.0, 1.0])


def test_logistic_regressions_are_fitted_together_until_the_last_one_is_done():
    """At the minimum the penalty's gradient is minus that of the loss."""
    stream = generator(test="logistic regressions")
    x, labels = stream.normal(size=(60, 2)), np.arange(60) % 3
    penalties = np.array([1e-4, 1.0, 1e4])
    fitted = softmax_regressions(x, labels, np.ones((3, 60), dtype=bool), penalties)
    for weights, penalty in zip(fitted.swapaxes(0, 1), penalties, strict=True):
        logits = x @ weights[:2] + weights[2]
        wrong = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True) - np.eye(3)[labels]
        assert np.abs(x.T @ wrong / 60 + weights[:2] / penalty / 60).max() < 1.1e-4
        assert np.abs(wrong.mean(axis=0)).max() < 1.1e-4


def test_a_logistic_regression_that_is_done_stays_as_it_is_while_others_go_on():
    stream = generator(test="logistic regressions")
    x, labels, members = stream.normal(size=(60, 2)), np.arange(60) % 3, np.ones((6, 60), dtype=bool)
    fitted = softmax_regressions(x, labels, members, np.ones(6))
    start = np.where(np.arange(6)[:, None] == 0, fitted, 0.0)
    after = softmax_regressions(x, labels, members, np.ones(6), start=start, steps=2)
    np.testing.assert_array_equal(after[:, 0], fitted[:, 0])
    assert (after[:, 1:] != 0).all()


@pytest.mark.parametrize(
    "name", ["dcimig", "infoc", "infom", "jemmig", "med", "mig", "minimality", "modularity", "sufficiency"]
)
def test_rounding_takes_no_score_of_information_beyond_its_bounds(name):
    stream = generator(test="rounding")
    for n in range(4, 60):
        labels = stream.permutation(n)[:, None] % stream.integers(2, 9)
        assert 0.0 <= METRICS[name](Sample(1.0 * labels, labels)).value <= 1.0


def test_total_correlation_of_huge_codes_counts_those_that_meet_their_mean():
    codes = 1e200 * np.array([[-1.0, 1.0], [0.0, 0.0], [1.0, 0.5], [0.0, -1.5]])
    score = gaussian_total_correlation(codes)
    assert (score.details["active"], score.value) == (2, pytest.approx(gaussian_total_correlation(codes / 1e200).value))


@pytest.mark.parametrize("rows", [3, 4, 5, 6])
def test_a_lasso_of_few_rows_has_as_many_folds_as_there_are(rows):
    labels = np.arange(rows)[:, None]
    assert np.isfinite(dci(Sample(1.0 * labels, labels), estimator="lasso").value)


@pytest.mark.parametrize("metric", [partial(mlp_accuracy, epochs=1, hidden=2), linear_accuracy])
def test_classifiers_say_the_accuracy_of_each_factor(metric):
    score = metric(UNEVEN)
    assert score.per_factor.shape == (2,)
    assert score.per_factor.mean() == pytest.approx(score.value)
    assert score.details["chance"] == pytest.approx((0.5 + 0.625) / 2)  # of guesses in proportion
    assert 0 <= score.details["accuracy"] <= 1


def test_the_bins_asked_for_are_those_of_the_relation():
    sample = Sample(np.arange(12.0)[:, None], UNEVEN.factors)
    found = [nk(sample, epochs=1, hidden=2, bins=bins).relation for bins in (2, 12)]
    for relation, bins in zip(found, (2, 12), strict=True):
        np.testing.assert_allclose(relation, mutual_information(sample.codes, sample.factors, bins=bins))
    assert (found[0] < found[1]).all()


def test_bins_are_shared_out_by_the_largest_remainder():
    """Of seven bins for 5, 3 and 2 of ten: 3.5, 2.1 and 1.4."""
    assert _bins_of_each_class(np.array([5, 3, 2]), 7).tolist() == [4, 2, 1]


def test_chance_of_downstream_accuracy_is_the_mean_share_of_the_commonest_value():
    assert downstream(UNEVEN, test=4).details["chance"] == (1 / 2 + 3 / 4) / 2


def test_a_training_size_that_just_fits_is_taken():
    many = Sample(np.tile(UNEVEN.codes, (10, 1)), np.tile(UNEVEN.factors, (10, 1)))
    assert [downstream(many, test=test).details["size"] for test in (20, 21, 111)] == [100, 10, 9]


def test_of_four_observations_one_is_tested_and_no_value_can_be_told_from_another():
    sample = Sample(BITS.astype(float), BITS[:, :1])
    found = [explicitness(sample, generator=generator(test="four", draw=draw)) for draw in range(5)]
    assert [(score.value, score.details["values"]) for score in found] == [(0.5, 0)] * 5


def test_the_corrected_robustness_of_a_constant_code_is_none():
    bits = np.tile(BITS, (16, 1))
    grid = Sample(np.column_stack([bits[:, 0], np.zeros(64)]).astype(float), bits)
    assert irs(grid, corrected=True).per_code.tolist() == [1.0, 0.0]


def test_the_normaliser_is_a_distance_of_codes_together():
    """Two codes that copy two bits lie at (1/2, 1/2) from their mean; one bit held, each lies at (0, 1/2) from its."""
    found = interventional_robustness(Sample(BITS.astype(float), BITS), [0, 1], [0], [1])
    assert found == pytest.approx(1 - np.sqrt(0.5))


def test_codes_of_each_model_are_brought_to_squares_that_can_be_told():
    train = np.array([[[1e200, 1.0], [-2e200, 2.0]], [[1.0, 1e-200], [2.0, 0.0]]])
    squared, same = in_range(train, train)
    np.testing.assert_array_equal(squared, same)
    assert np.isfinite(squared**2).all()
    assert (squared[0, :, 1] == [1, 2]).all()
    assert (squared[1, :, 0] == [1, 2]).all()
    assert 0.5 <= squared[1, 0, 1] < 1
    np.testing.assert_allclose(squared[0, :, 0], [1 / 2 * squared[0, 1, 0] * -1, squared[0, 1, 0]])


@pytest.mark.parametrize("unit", [2.0**-600, 2.0**600, 2.0**1019])
def test_informativeness_does_not_depend_on_the_unit_of_a_continuous_factor(unit):
    stream = np.random.default_rng(0)
    factors = stream.uniform(-8, 8, size=(90, 2))
    codes = factors + stream.normal(size=factors.shape)
    one, other = (dci(Sample(codes, factors * by), estimator="lasso").details for by in (1.0, unit))
    assert other == pytest.approx(one)
    assert one["informativeness"] > 0.5


def test_a_test_row_that_lies_far_beyond_is_cut():
    train, test = np.array([[-1.0, 0.0], [1.0, 1e100]]), np.array([[1e200, 5e199], [-3.0, -1e100]])
    assert in_range(train)[0][:, 0].tolist() == [-1.0, 1.0]
    kept, cut = in_range(train, test)
    assert (kept[:, 0] == train[:, 0]).all()
    assert cut[:, 0].tolist() == [1e70, -3.0]
    assert cut[1, 1] == -kept[1, 1]
    assert cut[0, 1] == 1e70


@pytest.mark.parametrize(
    ("metric", "given", "option", "value"),
    [
        (mig, Sample(np.arange(30.0).reshape(6, 5), np.arange(6)[:, None] % 3), "bins", np.int8(100)),
        (partial(factor_vae, train_votes=20), GridSource(BITS.astype(float), (2, 2)), "batch", np.int8(100)),
        (partial(beta_vae_metric, train_points=20), GridSource(BITS.astype(float), (2, 2)), "batch", np.uint8(200)),
    ],
)
def test_a_narrow_integer_is_the_number_that_it_is(metric, given, option, value):
    assert metric(given, **{option: value}).value == metric(given, **{option: int(value)}).value


@pytest.mark.parametrize("name", ["dcimig", "infoc", "infom", "jemmig", "med", "mig", "mig_sup", "sufficiency"])
def test_a_continuous_factor_is_cut_into_two_bins_or_more(name):
    factors = np.arange(12.0)[:, None]
    with pytest.raises(InvalidInput, match="bins must be an integer of at least 2, got 1"):
        METRICS[name](Sample(factors, factors), bins=1)
    assert np.isfinite(METRICS[name](Sample(factors, factors), bins=2).value)


def test_forests_are_those_of_the_papers():
    forest, suter = (_ensemble(name, True, 0, None) for name in ("forest", "suter"))
    assert (forest.n_estimators, forest.max_depth) == (10, 6)
    assert (suter.n_estimators, suter.min_samples_leaf, suter.max_features) == (50, 500, 1)


def test_a_regression_under_a_heavy_penalty_is_that_of_scikit_learn():
    """The penalty outweighs the data a thousand times."""
    x = np.array([[-2.0, 1], [-1, 0], [1, 1], [2, 0], [3, 1], [0, 2]])
    labels = np.array([0, 0, 1, 1, 2, 2])
    fitted = softmax_regressions(x, labels, np.ones((1, 6), dtype=bool), np.array([1e-4]), tolerance=1e-9)[:, 0]
    known = LogisticRegression(C=1e-4, tol=1e-10, max_iter=1000).fit(x, labels)
    np.testing.assert_allclose(fitted[:-1].T, known.coef_, atol=1e-7)


def test_a_code_with_a_value_at_its_mean_is_split_on():
    codes = np.tile([[-1.0], [0.0], [1.0]], (5, 1))
    sample = Sample(codes, codes.astype(int) + 1)
    found = tree_importance(sample, sample, estimator="forest", generator=generator(test="at the mean"))
    assert (found.matrix.tolist(), found.test.tolist()) == ([[1.0]], [1.0])


def test_two_test_rows_can_tell_a_factor_and_one_cannot():
    x, y = np.tile([[-1.0], [1.0]], (20, 1)), np.tile([[-1.0], [1.0]], (20, 1))
    assert _explicitness(x, y, x[:2], y[:2]) == pytest.approx((1.0, 1.0), abs=0.01)
    assert _explicitness(x, y, x[:1], y[:1]) == (0.0, 0.0)


def test_a_constant_code_is_dead_at_a_variance_of_0_too():
    codes = np.column_stack([np.tile([-1.0, 1.0], 500), np.full(1000, 0.1)])  # whose mean is not 0.1
    assert gaussian_total_correlation(codes, dead=0.0).details == {"active": 1, "dead": 1, "singular": 0}


def test_the_variance_that_a_threshold_is_held_against_has_no_bias():
    """Of two draws that differ by 2 it is 2."""
    source = GridSource(np.array([[-1.0], [1.0]]), (2,))
    options = {"variance_draws": 2, "train_votes": 2, "test_votes": 2, "batch": 2}
    active = {
        threshold: {
            factor_vae(source, **options, threshold=threshold, generator=np.random.default_rng(seed)).details["active"]
            for seed in range(8)
        }
        for threshold in (2.0, 2.1)
    }
    assert active == {2.0: {0, 1}, 2.1: {0}}  # the draws may be the same


@pytest.mark.parametrize(
    "metric", [linear_accuracy, partial(mlp_accuracy, epochs=2, hidden=2), partial(nk, epochs=2, hidden=2)]
)
def test_a_third_of_the_observations_is_tested(metric):
    rng = np.random.default_rng(0)
    found = [
        10 * metric(Sample(rng.normal(size=(30, 2)), rng.integers(2, size=(30, 1))), generator=rng).details["accuracy"]
        for _ in range(8)
    ]
    np.testing.assert_allclose(found, np.rint(found), atol=1e-9)


def test_variances_of_a_posterior_come_third_also_where_codes_and_factors_are_arrays():
    codes, factors = np.tile(BITS, (20, 1)).astype(float), np.tile(BITS, (20, 1))
    logvar = np.full(codes.shape, -9.0)
    assert posterior_mig(codes, factors, logvar).value == posterior_mig(Sample(codes, factors), logvar).value
