import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dbench.codes import FunctionSource, GridSource, Sample
from dbench.errors import InvalidInput
from dbench.metrics import (
    beta_vae_metric,
    downstream,
    explicitness,
    linear_accuracy,
    mlp_accuracy,
    statistical_efficiency,
)
from dbench.metrics.explicitness import area_under_curve
from dbench.metrics.inputs import standardise
from dbench.metrics.linear_accuracy import adjusted_accuracy
from dbench.metrics.softmax import softmax_regressions

SIZES = (3, 4, 5)
QUICK = {"train_points": 600, "test_points": 400}


@pytest.mark.parametrize("classes", [2, 4])
def test_many_softmax_regressions_at_once_are_those_of_scikit_learn_one_by_one(classes):
    rng = np.random.default_rng(classes)
    x = rng.normal(size=(120, 3)) * [1.0, 10.0, 0.01]
    labels = (x[:, 0] + rng.normal(size=120)).argsort().argsort() * classes // 120
    members = np.stack([np.ones(120, dtype=bool), rng.random(120) < 0.7])
    penalties = np.array([0.3, 5.0])
    found = softmax_regressions(x, labels, members, penalties, tolerance=1e-10, steps=1000)
    for b, (member, penalty) in enumerate(zip(members, penalties, strict=True)):
        reference = LogisticRegression(C=penalty, tol=1e-10, max_iter=10_000).fit(x[member], labels[member])
        expected, logits = reference.decision_function(x), x @ found[:-1, b] + found[-1, b]
        if classes == 2:
            np.testing.assert_allclose(logits[:, 1] - logits[:, 0], expected, atol=1e-4)
        else:
            np.testing.assert_allclose(log_softmax(logits, axis=1), log_softmax(expected, axis=1), atol=1e-4)


def test_a_class_a_fold_has_not_seen_is_never_guessed_there():
    x, labels = np.array([[-2.0, 1], [-1, 0], [1, 1], [2, 0], [3, 1]]), np.array([0, 0, 2, 2, 1])
    members = np.array([[True] * 4 + [False], [True] * 5])
    fitted = softmax_regressions(x, labels, members, np.ones(2))
    assert fitted[:, 0, 1].tolist() == [0.0, 0.0, -1e9]
    assert np.abs(fitted[:, 1]).max() < 100
    again = softmax_regressions(x, labels, members, np.ones(2), start=fitted, steps=0)
    np.testing.assert_array_equal(again, fitted)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25)
def test_the_area_under_the_curve_agrees_with_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(5, size=(30, 2)).astype(float)
    positive = rng.random(size=(30, 2)) < 0.4
    positive[:2] = [[True, False], [False, True]]
    expected = [roc_auc_score(positive[:, j], scores[:, j]) for j in range(2)]
    np.testing.assert_allclose(area_under_curve(scores, positive), expected)


def test_standardising_leaves_constants_at_zero_and_survives_huge_ranges():
    train = np.array([[1e308, 0.1, 1.0], [-1e308, 0.1, 3.0]])
    x, test = standardise(train, np.array([[1e308, 7.0, 5.0]]))
    assert x.tolist() == [[1, 0, -1], [-1, 0, 1]]
    assert test.tolist() == [[1, 0, 3]]


def test_explicitness_is_the_mean_area_of_one_regression_a_value(worlds):
    sample = worlds["rotated"].take(np.arange(300))
    result = explicitness(sample, generator=np.random.default_rng(3))
    train, test = sample.split(1 / 3, np.random.default_rng(3))
    model, expected = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-8, max_iter=1000)), []
    for j, size in enumerate(SIZES):
        areas = []
        for value in range(size):
            scores = model.fit(train.codes, train.factors[:, j] == value).decision_function(test.codes)
            areas.append(roc_auc_score(test.factors[:, j] == value, scores))
        expected.append(np.mean(areas))
    assert result.per_factor == pytest.approx(expected, abs=1e-3)
    assert result.details["values"] == 12


def test_explicitness_of_exact_copies_is_its_ceiling_and_of_noise_chance(worlds):
    exact, noise = explicitness(worlds["dead"]), explicitness(worlds["noise"])
    assert exact.value < 0.95
    assert exact.value == pytest.approx(exact.details["ceiling"], abs=0.02)
    assert noise.value == pytest.approx(0.5, abs=0.05)
    # A linear rule cannot single out a middle value, and a rotation hides nothing from it.
    assert explicitness(worlds["rotated"]).value == pytest.approx(exact.value, abs=0.02)


def test_rescaled_explicitness_puts_chance_at_zero(worlds):
    plain, rescaled = explicitness(worlds["rotated"]), explicitness(worlds["rotated"], rescaled=True)
    assert rescaled.value == pytest.approx(2 * plain.value - 1)
    assert rescaled.details["ceiling"] == pytest.approx(2 * plain.details["ceiling"] - 1)
    assert rescaled.details["chance"] == 0.0
    assert rescaled.metric == "explicitness[rescaled]"


def test_values_missing_from_one_part_are_left_out_of_explicitness():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=(40, 1))
    labels[7] = 9  # seen once: not in both parts
    result = explicitness(Sample(rng.normal(size=(40, 2)), labels))
    assert result.details["values"] == 2


def test_beta_vae_metric_knows_copies_from_noise_but_not_from_rotations(exact):
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    copies = GridSource(exact, SIZES)
    assert beta_vae_metric(copies, **QUICK).value == 1.0
    assert beta_vae_metric(GridSource(exact @ turn, SIZES), **QUICK).value > 0.9
    noise = FunctionSource(copies.draw_factors, lambda f, g: g.normal(size=(len(f), 4)), ("a", "b", "c"))
    result = beta_vae_metric(noise, **QUICK)
    assert result.value == pytest.approx(result.details["chance"], abs=0.08)
    assert result.details["chance"] == pytest.approx(1 / 3)


def test_the_corrected_beta_vae_metric_takes_chance_off(grid):
    source = GridSource(0.01 * grid, SIZES)
    plain, corrected = (beta_vae_metric(source, corrected=flag, **QUICK) for flag in (False, True))
    assert 0.4 < plain.value < 0.9
    assert corrected.value == pytest.approx((plain.value - 1 / 3) / (2 / 3))
    assert corrected.details["ceiling"] == 1.0
    single = beta_vae_metric(GridSource(np.arange(4.0)[:, None], (4,)), corrected=True, **QUICK)
    assert (single.value, single.details["iterations"]) == (1.0, 0)


def test_adjusted_accuracy_is_that_of_the_caption():
    factors = np.array([[0, 0], [0, 1], [0, 0], [1, 1]])
    adjusted, chance = adjusted_accuracy(np.array([0.75, 0.3]), factors)
    r = 0.75**2 + 0.25**2
    assert adjusted == pytest.approx([(0.75 - r) / (1 - r), 0.0])
    assert chance == pytest.approx((r + 0.5) / 2)


def test_linear_accuracy_agrees_with_scikit_learn(worlds):
    sample = worlds["rotated"].take(np.arange(400))
    result = linear_accuracy(sample, generator=np.random.default_rng(5))
    train, test = sample.split(1 / 3, np.random.default_rng(5))
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    parts = zip(train.factors.T, test.factors.T, strict=True)
    expected = [model.fit(train.codes, seen).score(test.codes, unseen) for seen, unseen in parts]
    assert result.details["accuracy"] == pytest.approx(np.mean(expected), abs=0.01)


def test_a_perceptron_reads_what_a_linear_rule_cannot():
    rng = np.random.default_rng(0)
    bits = rng.integers(2, size=(900, 2))
    sample = Sample(bits + 0.1 * rng.normal(size=(900, 2)), (bits[:, :1] ^ bits[:, 1:]))
    assert linear_accuracy(sample).value < 0.6  # a corner can be cut off: 3 of 4
    result = mlp_accuracy(sample, epochs=40, hidden=32)
    assert result.value > 0.9
    assert result.details["accuracy"] == pytest.approx(1 - (1 - result.value) / 2, abs=0.01)


def test_downstream_chooses_the_strength_that_scikit_learns_search_would():
    rng = np.random.default_rng(4)
    factors = rng.integers(4, size=(400, 1))
    codes = rng.normal(size=(400, 30))
    codes[:, :1] += factors  # so little that weak penalties score 0.05 otherwise
    sample = Sample(codes, factors)
    result = downstream(sample, sizes=(100, 250), test=150, generator=np.random.default_rng(1))
    order = np.random.default_rng(1).permutation(400)
    test, train = sample.take(order[:150]), sample.take(order[150:])
    search = GridSearchCV(LogisticRegression(max_iter=1000), {"C": np.logspace(-4, 4, 10)}, cv=KFold(5))
    expected = search.fit(train.codes, train.factors[:, 0]).score(test.codes, test.factors[:, 0])
    assert result.value == pytest.approx(expected, abs=0.02)
    assert result.value == result.details["accuracy.250"]
    assert result.details["test"] == 150


def test_more_observations_help_and_efficiency_is_their_ratio(worlds):
    sample = worlds["rotated"]
    result = downstream(sample, sizes=(10, 100), test=500, generator=np.random.default_rng(0))
    assert result.details["accuracy.10"] < result.details["accuracy.100"]
    ratio = statistical_efficiency(sample, few=10, many=100, test=500, generator=np.random.default_rng(0))
    assert ratio.value == pytest.approx(result.details["accuracy.10"] / result.details["accuracy.100"])
    assert ratio.value == pytest.approx(ratio.details["accuracy.few"] / ratio.details["accuracy.many"])
    assert ratio.per_factor.shape == (3,)
    assert ratio.metric == "statistical_efficiency[logistic]"


def test_without_any_accuracy_efficiency_is_0():
    sample = Sample(np.zeros((4, 1)), [[0], [1], [2], [3]])  # no value that is tested was there to learn from
    score = statistical_efficiency(sample, few=1, many=2, test=2, generator=np.random.default_rng(0))
    assert (score.value, score.per_factor.tolist()) == (0.0, [0.0])


def test_boosted_trees_repeat_under_one_generator_and_read_exact_copies(worlds):
    result = downstream(worlds["dead"].of_factors([0]), sizes=(40,), test=200, model="gbt")
    assert result.value > 0.95
    assert result.metric == "downstream[gbt]"
    rng = np.random.default_rng(0)
    bit = rng.integers(2, size=(200, 1))
    wrong = bit ^ (rng.random(size=(200, 12)) < 0.4)  # several codes tell twenty rows as much, and a draw decides
    found = [downstream(wrong, bit, sizes=(20,), model="gbt", generator=np.random.default_rng(3)) for _ in range(4)]
    assert len({score.value for score in found}) == 1


def test_ten_observations_without_most_values_are_answered(worlds):
    result = downstream(worlds["identity"], sizes=(1, 2, 10))
    assert set(result.details) >= {"accuracy.1", "accuracy.2", "accuracy.10"}
    assert 0 < result.details["accuracy.1"] < result.details["accuracy.10"]


def test_sizes_beyond_the_sample_are_refused_and_the_default_takes_what_fits(worlds):
    assert downstream(worlds["identity"].take(np.arange(60))).details["size"] == 10
    with pytest.raises(InvalidInput, match="room for 500 test observations among 1500, got a size of 10000"):
        statistical_efficiency(worlds["identity"])
