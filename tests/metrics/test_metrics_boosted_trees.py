"""Boosted trees against scikit-learn's: the same model, but for splits of equal worth."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingClassifier

from dbench.codes import Sample
from dbench.metrics import dci, tree_importance
from dbench.metrics.boosted_trees import boosted_trees


def stream(seed=0):
    return np.random.default_rng(seed)


def noisy(n, classes, seed=0, d=5):
    """The class number, and a smooth function of it and a second code, among codes of noise."""
    rng = stream(seed)
    label = rng.integers(classes, size=n)
    codes = rng.normal(size=(n, d))
    codes[:, 0] += label
    codes[:, 2] += np.sin(2 * label) * codes[:, 1]
    return codes, label


@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_first_stages_are_those_of_scikit_learn(classes, depth):
    (codes, label), (others, _) = noisy(3000, classes), noisy(1000, classes, seed=1)
    ours = boosted_trees(codes, label, others, stages=3, depth=depth, generator=stream())
    theirs = GradientBoostingClassifier(n_estimators=3, max_depth=depth, random_state=0).fit(codes, label)
    assert ours.importance == pytest.approx(theirs.feature_importances_, abs=1e-6)
    assert (ours.train == theirs.predict(codes)).mean() > 0.999
    assert (ours.test == theirs.predict(others)).mean() > 0.997


@pytest.mark.parametrize("classes", [2, 3])
def test_after_all_stages_it_agrees_with_scikit_learn_as_either_does_with_itself(classes):
    # Flipping a code changes nothing but which of two splits of equal worth comes first.
    (codes, label), (others, truth) = noisy(300, classes), noisy(2000, classes, seed=1)
    flips = stream().choice([-1.0, 1.0], size=(3, codes.shape[1]))
    ours = [boosted_trees(codes * flip, label, others * flip, generator=stream()) for flip in flips]
    theirs = [GradientBoostingClassifier(random_state=0).fit(codes * flip, label) for flip in flips]
    guesses = [model.predict(others * flip) for model, flip in zip(theirs, flips, strict=True)]
    sides = [o.test for o in ours], guesses
    within = [np.mean([(a == b).mean() for a, b in combinations(side, 2)]) for side in sides]
    across = [(a.test == b).mean() for a in ours for b in guesses]
    assert np.mean(across) > min(within) - 0.01
    accuracy = [np.mean([(guess == truth).mean() for guess in side]) for side in sides]
    assert accuracy[0] == pytest.approx(accuracy[1], abs=0.01)
    importance = [o.importance for o in ours], [model.feature_importances_ for model in theirs]
    assert np.mean(importance[0], axis=0) == pytest.approx(np.mean(importance[1], axis=0), abs=0.01)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_the_same_observations_get_the_same_answer_as_training_and_as_test_points(seed):
    rng = stream(seed)
    n, d = int(rng.integers(2, 60)), int(rng.integers(1, 5))
    # Whole numbers, so that values repeat, beside a constant and values that differ in the last bit only.
    codes = rng.integers(4, size=(n, d)).astype(float)
    codes[:, 0] = rng.choice([1.0, np.nextafter(1.0, 2.0), rng.normal()], size=n)
    label = np.array([0, 1, *rng.integers(3, size=n - 2)])
    found = boosted_trees(codes, label, codes, stages=5, generator=stream(seed))
    assert found.train.tolist() == found.test.tolist()
    assert np.isfinite(found.importance).all()
    assert found.importance.sum() == pytest.approx(1.0) or not found.importance.any()


def test_nothing_to_split_on_predicts_the_commonest_class():
    label = np.array([0, 1, 1, 1, 2, 2])
    found = boosted_trees(np.ones((6, 2)), label, np.zeros((3, 2)), stages=4, generator=stream())
    assert found.importance.tolist() == [0.0, 0.0]
    assert found.train.tolist() == [1] * 6
    assert found.test.tolist() == [1] * 3


def test_scale_shift_and_monotone_maps_of_the_training_codes_change_nothing():
    codes, label = noisy(300, 4)
    before = boosted_trees(codes, label, codes, stages=10, generator=stream())
    for change in (lambda x: x * 2.0**-70, lambda x: x * 1e300 / 2**7, lambda x: np.arctan(x) ** 3):
        after = boosted_trees(change(codes), label, change(codes), stages=10, generator=stream())
        np.testing.assert_array_equal(before.importance, after.importance)
        np.testing.assert_array_equal(before.test, after.test)


def test_copies_of_a_code_share_its_importance_by_chance():
    codes, label = noisy(300, 2)
    twins = np.concatenate([codes[:, :1], codes[:, :1], codes[:, 1:]], axis=1)
    found = np.array([boosted_trees(twins, label, twins, generator=stream(seed)).importance for seed in range(3)])
    assert (found[:, :2].min(axis=1) > 0.3 * found[:, :2].sum(axis=1)).all()


def test_dci_agrees_with_the_reference_estimator_and_continuous_factors_are_regressed_by_it():
    rng = stream()
    factors = rng.integers(3, size=(400, 2))
    codes = np.concatenate([factors, factors @ [[1.0], [1.0]]], axis=1) + 0.3 * rng.normal(size=(400, 3))
    fast, slow = (dci(Sample(codes, factors), estimator=kind) for kind in ("gbt", "gbt_sklearn"))
    assert (fast.metric, slow.metric) == ("dci", "dci[gbt_sklearn]")
    assert fast.value == pytest.approx(slow.value, abs=0.01)
    assert fast.details["informativeness"] == pytest.approx(slow.details["informativeness"], abs=0.01)
    part = Sample(codes[:150], factors[:150].astype(float))
    fast, slow = (tree_importance(part, part, estimator=kind, generator=stream()) for kind in ("gbt", "gbt_sklearn"))
    np.testing.assert_array_equal(fast.matrix, slow.matrix)
