import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from dbench.codes import Sample
from dbench.errors import InvalidInput, UnknownName
from dbench.metrics import (
    AGGREGATIONS,
    RELATIONS,
    blend,
    blends,
    dci,
    independent_groups,
    independent_groups_curve,
    med,
    merge_order,
    merge_thresholds,
    mig,
    modularity,
    sap,
)


def matrix_of(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(5, size=(rng.integers(1, 6), rng.integers(1, 6))) / 4
    return values * (rng.random(size=values.shape) < 0.7)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=60)
def test_groups_are_the_connected_components_of_the_bipartite_graph(seed):
    matrix = matrix_of(seed)
    d, k = matrix.shape
    for threshold in (0.1, 0.25, 0.6, 1.0):
        codes, factors = np.nonzero(matrix >= threshold)
        edges = coo_array((np.ones(len(codes)), (codes, d + factors)), shape=(d + k, d + k))
        _, label = connected_components(edges, directed=False)
        both = set(label[:d]) & set(label[d:])
        groups, connected = independent_groups(matrix, [threshold])
        assert groups.tolist() == [len(both)]
        assert connected.tolist() == [len(set(factors))]


@given(seed=st.integers(0, 10_000))
@settings(max_examples=60)
def test_the_dendrogram_and_the_curve_tell_the_same_story(seed):
    matrix = matrix_of(seed)
    curve, merges, pairs = independent_groups_curve(matrix), merge_order(matrix), merge_thresholds(matrix)
    np.testing.assert_array_equal(pairs, pairs.T)
    thresholds = [merge.threshold for merge in merges]
    assert thresholds == sorted(thresholds, reverse=True)
    for threshold, groups, connected in zip(*curve, strict=True):
        assert groups == connected - sum(merge.threshold >= threshold for merge in merges)
    for merge in merges:
        assert max(pairs[a, b] for a in merge.first for b in merge.second) == merge.threshold
        assert not set(merge.first) & set(merge.second)


def test_a_perfect_matrix_keeps_all_factors_apart_and_a_shared_code_merges_them():
    perfect = np.eye(4, 3) * 0.8
    curve = independent_groups_curve(perfect)
    assert (curve.thresholds.tolist(), curve.groups.tolist(), curve.connected.tolist()) == ([0.8], [3], [3])
    assert merge_order(perfect) == []
    shared = np.array([[0.9, 0.9, 0.0], [0.0, 0.2, 0.5]])
    assert [(merge.first, merge.second, merge.threshold) for merge in merge_order(shared)] == [
        ((0,), (1,), 0.9),
        ((0, 1), (2,), 0.2),
    ]
    assert independent_groups_curve(np.zeros((2, 2))).thresholds.tolist() == []


def test_every_relation_meets_every_aggregation(worlds):
    found = blends(worlds["identity"].take(np.arange(300)))
    # The preset of Suter et al. has leaves of 500 observations, so that it is computed only when asked for.
    relations = set(RELATIONS) - {"suter"}
    assert set(found) == {(relation, aggregation) for relation in relations for aggregation in AGGREGATIONS}
    for (relation, aggregation), score in found.items():
        assert score.metric == f"blend[{relation},{aggregation}]"
        assert score.relation.shape == (6, 3)
        assert 0 <= score.value <= np.log(5)  # a gap in nats is at most the largest entropy
        if relation in ("gbt", "forest", "mutual_information"):  # no code predicts five values by a threshold
            assert score.value > 0.4


def test_blends_of_a_metrics_own_two_halves_are_that_metric(worlds):
    sample = worlds["rotated"]
    assert blend(sample, "mutual_information", "mig").value == pytest.approx(mig(sample).value)
    assert blend(sample, "mutual_information", "modularity").value == pytest.approx(modularity(sample).value)
    disentanglement = blend(sample, "mutual_information", "dci_disentanglement").value
    assert disentanglement == pytest.approx(med(sample, normalise=False).value)
    for name, part in (("forest", sample), ("suter", sample.take(np.arange(2400) % len(sample)))):
        blended = blend(part, name, "dci_disentanglement", generator=np.random.default_rng(4)).value
        assert blended == dci(part, estimator=name, generator=np.random.default_rng(4)).value


@pytest.mark.parametrize(
    ("relation", "aggregation", "metric"), [("svm", "sap", sap), ("gbt", "dci_disentanglement", dci)]
)
def test_a_relation_is_taken_on_the_split_of_the_metric_that_it_comes_from(worlds, relation, aggregation, metric):
    sample = worlds["rotated"].take(np.arange(90)).of_factors([0])
    blended = blend(sample, relation, aggregation, generator=np.random.default_rng(4))
    np.testing.assert_array_equal(blended.relation, metric(sample, generator=np.random.default_rng(4)).relation)


def test_a_lasso_of_few_observations_has_fewer_folds():
    three = np.arange(3)[:, None]
    assert blend(Sample(1.0 * three, three), "lasso", "mig").relation == pytest.approx(np.ones((1, 1)), abs=0.01)


def test_a_matrix_does_not_depend_on_what_else_is_asked_for(worlds):
    sample = worlds["rotated"].take(np.arange(300))
    alone = blend(sample, "svm", "sap")
    beside = blends(sample, ["forest", "svm"], ["mig", "sap"])["svm", "sap"]
    np.testing.assert_array_equal(alone.relation, beside.relation)


def test_a_misspelt_half_names_the_nearest(worlds):
    with pytest.raises(UnknownName, match="did you mean 'svm'"):
        blend(worlds["noise"], "svn", "mig")
    with pytest.raises(UnknownName, match="unknown aggregation 'dci'"):
        blend(worlds["noise"], "r2", "dci")
    with pytest.raises(InvalidInput, match="the relation svm needs discrete"):
        blend(Sample(np.eye(4), np.eye(4)), "svm", "sap")
