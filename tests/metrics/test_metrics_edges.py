"""Cases at the edge of a metric's rules, each with an answer that can be worked out by hand."""

import numpy as np
import pytest

from dbench.codes import GridSource, Sample
from dbench.metrics import (
    beta_vae_metric,
    factor_vae,
    gaussian_total_correlation,
    snc,
)
from dbench.metrics.boosted_trees import boosted_trees
from dbench.metrics.inputs import label_indices
from dbench.metrics.interventions import _segment_quantile
from dbench.metrics.lasso import _walk
from dbench.metrics.linear_accuracy import linear_accuracies
from dbench.metrics.relations.importance import tree_importance
from dbench.metrics.softmax import softmax_regressions
from dbench.seeds import generator

BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_a_split_that_gains_nothing_is_made_for_what_it_makes_possible():
    """Neither bit says anything of their exclusive or; after either split the other bit says all."""
    codes = np.tile(BITS, (5, 1)).astype(float)
    found = boosted_trees(
        codes, codes.sum(axis=1).astype(int) % 2, codes, stages=1, depth=2, generator=generator(test="exclusive or")
    )
    assert (found.test == codes.sum(axis=1) % 2).all()


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
    assert _segment_quantile(columns[:, :3], np.array([1, 2]), 0.5).tolist() == [[0.0, 1.5]]


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


def test_the_total_correlation_of_tiny_codes_is_that_of_large_ones():
    """Their variance is so small that floats hold but a few digits of it."""
    codes = generator(test="tiny codes").normal(size=(50, 3)).cumsum(axis=1)
    expected = gaussian_total_correlation(codes).value
    assert gaussian_total_correlation(1e-160 * codes, dead=0.0).value == pytest.approx(expected)


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
