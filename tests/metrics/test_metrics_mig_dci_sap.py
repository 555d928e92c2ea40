import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LassoCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dbench.codes import Sample
from dbench.metrics import dci, dci_completeness, dci_disentanglement, lasso_importance, linear_accuracy, mig, nk, sap


def test_mig_of_exact_copies_with_more_values_than_bins_stays_below_1():
    rng = np.random.default_rng(0)
    factors = np.stack([rng.integers(size, size=15_000) for size in (3, 6, 40, 32, 32)], axis=1)
    sample = Sample(factors, factors)
    assert mig(sample).value == pytest.approx(0.90, abs=0.01)
    assert mig(sample, bins=1280).value > 0.98


def test_the_position_of_dead_codes_changes_nothing(worlds):
    for metric, options in ((mig, {}), (dci, {"estimator": "forest"})):
        first, last = metric(worlds["dead first"], **options), metric(worlds["dead"], **options)
        assert first.value == pytest.approx(last.value, abs=1e-6)
        assert first.value > 0.95


def test_boosted_trees_and_the_forest_rank_alike_and_are_named_apart(worlds):
    parts = [worlds[name].take(np.arange(200)) for name in ("rotated", "dead")]
    gbt, forest = ([dci(part, estimator=kind) for part in parts] for kind in ("gbt", "forest"))
    assert {score.metric for score in gbt} == {"dci"}
    assert {score.metric for score in forest} == {"dci[forest]"}
    assert gbt[0].value < gbt[1].value
    assert forest[0].value < forest[1].value
    assert gbt[1].details["informativeness"] == 1.0


def test_informativeness_is_taken_on_the_test_part(worlds):
    details = dci(worlds["noise"], estimator="forest").details
    assert details["informativeness"] == pytest.approx((1 / 3 + 1 / 4 + 1 / 5) / 3, abs=0.05)
    assert details["informativeness.train"] > details["informativeness"] + 0.1


def test_sap_names_its_relation_and_is_scale_free_with_r2_only(worlds):
    sample = worlds["rotated"]
    shrunk = Sample(sample.codes * 2.0**-10, sample.factors)
    assert sap(sample).metric == "sap[svm]"
    assert sap(sample, relation="r2").metric == "sap[r2]"
    assert sap(shrunk, relation="r2").value == pytest.approx(sap(sample, relation="r2").value)
    named = Sample(sample.codes, 1000 * sample.factors**3)
    assert sap(named, relation="r2").value == sap(sample, relation="r2").value  # labels are names, in order
    assert sap(shrunk).value != sap(sample).value


def test_sap_subtracts_the_chance_accuracy_of_dead_codes(worlds):
    result = sap(worlds["dead"])
    assert result.relation[4] == pytest.approx([1 / 3, 1 / 4, 1 / 5], abs=0.06)
    assert result.per_factor[0] == pytest.approx(2 / 3, abs=0.06)


def test_dci_with_lasso_is_scikit_learns_lasso_on_standardised_codes():
    """Ordered factors of six values behind noisy linear mixtures, and a constant code."""
    rng = np.random.default_rng(11)
    factors = rng.integers(6, size=(600, 3))
    codes = factors @ np.array([[1.0, 0.3, 0.0, 0.0], [0.0, 1.0, 0.0, 0.5], [0.0, 0.0, 2.0, 0.0]])
    codes = np.concatenate([codes + 0.5 * rng.normal(size=codes.shape), np.full((600, 1), 0.1)], axis=1)
    mixed = Sample(codes, factors)
    result = dci(mixed, estimator="lasso", generator=np.random.default_rng(2))
    train, test = mixed.split(1 / 3, np.random.default_rng(2))
    model = make_pipeline(StandardScaler(), LassoCV(cv=5, tol=1e-8, max_iter=50_000))
    weights, scores = [], []
    for y, y_test in zip(train.factors.T, test.factors.T, strict=True):
        model.fit(train.codes, (y - y.mean()) / y.std())
        weights.append(np.abs(model[-1].coef_))
        scores.append(model.score(test.codes, (y_test - y.mean()) / y.std()))
    matrix = np.array(weights).T
    np.testing.assert_allclose(result.relation, matrix, atol=2e-3)
    assert result.metric == "dci[lasso]"
    assert result.value == pytest.approx(dci_disentanglement(matrix), abs=5e-3)
    assert result.details["completeness"] == pytest.approx(dci_completeness(matrix), abs=5e-3)
    assert result.details["informativeness"] == pytest.approx(np.mean(scores), abs=1e-3)
    np.testing.assert_allclose(lasso_importance(train.codes, train.factors), matrix, atol=2e-3)
    assert result.relation[4].tolist() == [0.0] * 3


def test_lasso_keeps_one_of_two_copies_where_trees_share(worlds):
    assert dci(worlds["duplicated"], estimator="lasso").details["completeness"] > 0.99
    assert dci(worlds["duplicated"], estimator="forest").details["completeness"] < 0.8


def test_lasso_reads_labels_by_rank_and_finds_no_line_in_a_category_without_order():
    labels = np.random.default_rng(0).integers(3, size=(900, 2))
    copies = Sample(labels, labels)
    renamed = Sample(labels, np.array([-5, 0, 1000])[labels])
    assert dci(renamed, estimator="lasso").value == dci(copies, estimator="lasso").value
    folded = Sample(np.array([0.0, 1.0, 0.0])[labels], labels)
    assert dci(copies, estimator="lasso").details["informativeness"] > 0.99
    assert abs(dci(folded, estimator="lasso").details["informativeness"]) < 0.05


def test_dci_with_lasso_answers_tiny_samples():
    assert dci(Sample([[0.0], [1.0]], [[0, 1], [1, 0]]), estimator="lasso").value == 0.0


def test_the_preset_of_suter_is_the_forest_of_appendix_d_1():
    rng = np.random.default_rng(1)
    factors = rng.integers(4, size=(3000, 2))
    codes = np.concatenate([factors + 0.3 * rng.normal(size=(3000, 2)), rng.normal(size=(3000, 2))], axis=1)
    sample = Sample(codes, factors)
    result = dci(sample, estimator="suter", generator=np.random.default_rng(5))
    stream = np.random.default_rng(5)
    train, _ = sample.split(1 / 3, stream)
    forests = [
        RandomForestClassifier(50, min_samples_leaf=500, max_features=1, random_state=int(seed)).fit(train.codes, y)
        for seed, y in zip(stream.integers(2**31, size=2), train.factors.T, strict=True)
    ]
    matrix = np.stack([forest.feature_importances_ for forest in forests], axis=1)
    assert result.metric == "dci[suter]"
    assert result.value == pytest.approx(dci_disentanglement(matrix), abs=0.02)
    assert 0 < result.value < dci(sample, estimator="forest").value - 0.3  # trees that never draw the right code count


def test_knockout_and_linear_accuracy_of_exact_copies_reach_the_ceilings_they_state(worlds):
    knocked = nk(worlds["dead"], epochs=30, hidden=64)
    assert knocked.value == pytest.approx(knocked.details["ceiling"], abs=0.05)
    assert knocked.details["chance"] == 0.0
    linear = linear_accuracy(worlds["dead"])
    assert linear.value == pytest.approx(linear.details["ceiling"], abs=0.03)
    assert linear_accuracy(worlds["noise"]).details["ceiling"] == linear.details["ceiling"]
