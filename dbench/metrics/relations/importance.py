"""Importance of every code to a tree ensemble that predicts a factor from all codes."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.errors import InvalidInput

__all__ = ["Estimator", "Importance", "tree_importance"]

Estimator = Literal["gbt", "forest"]
Values = NDArray[np.int64] | NDArray[np.float64]


class Importance(NamedTuple):
    """Importances and how well the ensembles behind them predict.

    Attributes:
        matrix: d x k; each column sums to 1, or is 0 where the ensemble found nothing to split on.
        train: k training scores (accuracy; R squared for continuous factors).
        test: k test scores.
    """

    matrix: NDArray[np.float64]
    train: NDArray[np.float64]
    test: NDArray[np.float64]


def _ensemble(estimator: Estimator, discrete: bool, seed: int) -> Any:
    from sklearn import ensemble

    if estimator == "gbt":
        kind = ensemble.GradientBoostingClassifier if discrete else ensemble.GradientBoostingRegressor
        return kind(random_state=seed)
    kind = ensemble.RandomForestClassifier if discrete else ensemble.RandomForestRegressor
    return kind(n_estimators=10, max_depth=6, max_features=None, random_state=seed)


def _quality(predicted: Values, true: Values, discrete: bool) -> float:
    """Accuracy, or R squared (0 where the true values do not vary)."""
    if discrete:
        return float((predicted == true).mean())
    total = float(((true - true.mean()) ** 2).sum())
    return 1.0 - float(((predicted - true) ** 2).sum()) / total if total > 0 else 0.0


def tree_importance(
    train: Sample, test: Sample, *, estimator: Estimator = "gbt", generator: np.random.Generator
) -> Importance:
    """Fit one ensemble for each factor on all codes and read off the impurity importances.

    Args:
        train: observations the ensembles are fitted on.
        test: observations their test scores are taken on.
        estimator: ``gbt`` is scikit-learn's gradient boosting with default options (A Sober Look, section
            4.2.5); ``forest`` is a random forest of 10 trees of depth at most 6 that see every code at each
            split. How well the two agree is said at :func:`dbench.metrics.dci`.
        generator: gives the seeds of the ensembles.

    Raises:
        InvalidInput: an estimator that does not exist.
    """
    if estimator not in ("gbt", "forest"):
        raise InvalidInput(f"estimator must be 'gbt' or 'forest', got {estimator!r}")
    # scikit-learn's trees work in single precision and take values within 1e-7 for equal, so scale must not get there.
    centre = train.codes.mean(axis=0)
    spread = np.abs(train.codes - centre).max(axis=0)
    spread = np.where(spread > 1e-12 * np.abs(centre), spread, np.inf)
    train_codes, test_codes = (np.clip((part.codes - centre) / spread, -1e30, 1e30) for part in (train, test))
    matrix = np.zeros((train.n_codes, train.n_factors))
    scores = np.empty((2, train.n_factors))
    for j, seed in enumerate(generator.integers(2**31, size=train.n_factors)):
        target = train.factors[:, j]
        if (target == target[0]).all():  # a split can leave one value only
            scores[:, j] = [1.0, _quality(np.full(len(test), target[0]), test.factors[:, j], train.discrete)]
            continue
        model = _ensemble(estimator, train.discrete, int(seed)).fit(train_codes, target)
        matrix[:, j] = np.maximum(model.feature_importances_, 0.0)  # boosting can round to -1e-19
        for row, values, part in ((0, train_codes, train), (1, test_codes, test)):
            scores[row, j] = _quality(model.predict(values), part.factors[:, j], train.discrete)
    return Importance(matrix, scores[0], scores[1])
