import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LassoCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics import dci, dci_completeness, dci_disentanglement, linear_accuracy, nk


@pytest.fixture(scope="module")
def mixed():
    """Ordered factors of six values behind noisy linear mixtures."""
    rng = np.random.default_rng(11)
    factors = rng.integers(6, size=(600, 3))
    codes = factors @ np.array([[1.0, 0.3, 0.0, 0.0], [0.0, 1.0, 0.0, 0.5], [0.0, 0.0, 2.0, 0.0]])
    return Sample(codes + 0.5 * rng.normal(size=codes.shape), factors)


def test_dci_with_lasso_is_scikit_learns_lasso_on_standardised_codes(mixed):
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
    factors = rng.integers(4, size=(6000, 2))
    codes = np.concatenate([factors + 0.3 * rng.normal(size=(6000, 2)), rng.normal(size=(6000, 2))], axis=1)
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


def test_too_few_observations_for_a_leaf_of_500_are_refused_instead_of_scored_zero(worlds):
    few = worlds["identity"].take(np.arange(900))
    with pytest.raises(InvalidInput, match=r"suter needs at least 1600 training observations .* got 600"):
        dci(few, estimator="suter")


def test_knockout_and_linear_accuracy_of_exact_copies_reach_the_ceilings_they_state(worlds):
    knocked = nk(worlds["dead"], epochs=30, hidden=64)
    assert knocked.value == pytest.approx(knocked.details["ceiling"], abs=0.05)
    assert knocked.details["chance"] == 0.0
    linear = linear_accuracy(worlds["dead"])
    assert linear.value == pytest.approx(linear.details["ceiling"], abs=0.03)
    assert linear_accuracy(worlds["noise"]).details["ceiling"] == linear.details["ceiling"]
