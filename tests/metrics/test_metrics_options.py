"""What options and details of metrics say, on samples of known answer."""

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics import (
    downstream,
    explicitness,
    irs,
    linear_accuracy,
    mlp_accuracy,
    mutual_information,
    nk,
)
from dbench.metrics.aggregations import disentanglement_per_code
from dbench.metrics.classifiers import _squarable
from dbench.metrics.irs import interventional_robustness
from dbench.metrics.relations.importance import _ensemble, tree_importance
from dbench.metrics.snc import _bins_of_each_class
from dbench.metrics.softmax import softmax_regressions
from dbench.seeds import generator

BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
# Half and a quarter of the observations hold 1.
UNEVEN = Sample(np.tile(BITS[:, :1], (3, 1)).astype(float), np.tile([[0, 0], [0, 0], [1, 0], [1, 1]], (3, 1)))


@pytest.mark.parametrize("metric", [mlp_accuracy, nk])
@pytest.mark.parametrize("name", ["epochs", "batch", "hidden"])
def test_a_perceptron_takes_counts_from_one(metric, name):
    with pytest.raises(InvalidInput, match=f"{name} must be .* at least 1, got 0"):
        metric(UNEVEN, **{name: 0})
    assert np.isfinite(metric(UNEVEN, **({"epochs": 2, "hidden": 2} | {name: 1})).value)


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
    squared, same = _squarable(train, train)
    np.testing.assert_array_equal(squared, same)
    assert np.isfinite(squared**2).all()
    assert (squared[0, :, 1] == [1, 2]).all()
    assert (squared[1, :, 0] == [1, 2]).all()
    assert 0.5 <= squared[1, 0, 1] < 1
    np.testing.assert_allclose(squared[0, :, 0], [1 / 2 * squared[0, 1, 0] * -1, squared[0, 1, 0]])


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


def test_a_code_that_says_nothing_of_the_only_factor_is_not_concentrated_on_it():
    assert disentanglement_per_code(np.array([[0.0], [2.0]])).tolist() == [0.0, 1.0]
