"""Importance of every code to a tree ensemble that predicts a factor from all codes."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.errors import InvalidInput

__all__ = ["Estimator", "Importance", "tree_importance"]

Estimator = Literal["gbt", "trees"]


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
    kind = ensemble.ExtraTreesClassifier if discrete else ensemble.ExtraTreesRegressor
    return kind(n_estimators=50, max_depth=8, max_features=None, random_state=seed)


def tree_importance(
    train: Sample, test: Sample, *, estimator: Estimator = "gbt", generator: np.random.Generator
) -> Importance:
    """Fit one ensemble for each factor on all codes and read off the impurity importances.

    Args:
        train: observations the ensembles are fitted on.
        test: observations their test scores are taken on.
        estimator: ``gbt`` is scikit-learn's gradient boosting with default options (A Sober Look, section
            4.2.5); ``trees`` is 50 extremely randomised trees of depth at most 8 that see every code at
            each split, two orders of magnitude faster.
        generator: gives the seeds of the ensembles.

    Raises:
        InvalidInput: an estimator that does not exist.
    """
    if estimator not in ("gbt", "trees"):
        raise InvalidInput(f"estimator must be 'gbt' or 'trees', got {estimator!r}")
    matrix = np.zeros((train.n_codes, train.n_factors))
    scores = np.empty((2, train.n_factors))
    for j, seed in enumerate(generator.integers(2**31, size=train.n_factors)):
        target = train.factors[:, j]
        if (target == target[0]).all():  # a split can leave one value only
            scores[:, j] = [1.0, (test.factors[:, j] == target[0]).mean()]
            continue
        model = _ensemble(estimator, train.discrete, int(seed)).fit(train.codes, target)
        matrix[:, j] = model.feature_importances_
        scores[:, j] = [model.score(part.codes, part.factors[:, j]) for part in (train, test)]
    return Importance(matrix, scores[0], scores[1])
