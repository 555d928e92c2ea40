"""Importance of each code for tree ensembles, or a Lasso, that predict a factor from all codes."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.boosted_trees import boosted_trees
from dbench.metrics.inputs import as_codes, in_range, ranked, standardise
from dbench.metrics.lasso import cross_validated_lasso

Estimator = Literal["gbt", "gbt_sklearn", "forest", "suter"]
ESTIMATORS: tuple[Estimator, ...] = ("gbt", "gbt_sklearn", "forest", "suter")
SMALLEST_LEAF = 500  # observations, as in Suter et al.
SMALLEST_FOREST = 1600  # a bootstrap of 1,600 holds 1,011 distinct observations, just enough for two such leaves

Values = NDArray[np.int64] | NDArray[np.float64]


class Importance(NamedTuple):
    """Importances, and the scores of the predictors they come from."""

    matrix: NDArray[np.float64]  # d x k; for ensembles each column sums to 1, or is 0 if there was no split
    train: NDArray[np.float64]  # k training scores (accuracy; R squared for continuous factors)
    test: NDArray[np.float64]  # k test scores


def _ensemble(estimator: Estimator, discrete: bool, seed: int, candidates: int | None) -> Any:
    """Return an unfitted ensemble of scikit-learn: a classifier if the factor is discrete, else a regressor."""
    from sklearn import ensemble

    if estimator in ("gbt", "gbt_sklearn"):
        kind = ensemble.GradientBoostingClassifier if discrete else ensemble.GradientBoostingRegressor
        return kind(random_state=seed)
    kind = ensemble.RandomForestClassifier if discrete else ensemble.RandomForestRegressor
    if estimator == "suter":
        return kind(n_estimators=50, min_samples_leaf=SMALLEST_LEAF, max_features=1, random_state=seed)
    return kind(n_estimators=10, max_depth=6, max_features=candidates, random_state=seed)


def quality(predicted: Values, true: Values, discrete: bool) -> float:
    """Return the accuracy if ``discrete``, else R squared (0 if the true values do not vary)."""
    if discrete:
        return float((predicted == true).mean())
    total = float(((true - true.mean()) ** 2).sum())
    return 1.0 - float(((predicted - true) ** 2).sum()) / total if total > 0 else 0.0


def tree_importance(
    train: Sample,
    test: Sample,
    *,
    estimator: Estimator = "gbt",
    candidates: int | None = None,
    generator: np.random.Generator,
) -> Importance:
    """Fit one ensemble for each factor on all codes of the training part; return its impurity importances and scores.

    :func:`dbench.metrics.dci` describes the estimators. ``candidates`` is the number of codes drawn at random for each
    split of a ``forest``, by default all.

    Raises:
        InvalidInput: another estimator, candidates that do not fit, or too few observations for a tree of ``suter``.
    """
    if estimator not in ESTIMATORS:
        raise InvalidInput(f"estimator must be one of {', '.join(ESTIMATORS)}, got {estimator!r}")
    if estimator == "suter" and len(train) < SMALLEST_FOREST:
        raise InvalidInput(
            f"estimator suter needs at least {SMALLEST_FOREST} training observations "
            f"(leaves of {SMALLEST_LEAF}), got {len(train)}"
        )
    if candidates is not None and estimator != "forest":
        raise InvalidInput(f"candidates can be chosen for estimator forest alone, got {candidates} for {estimator}")
    if candidates is not None and not 1 <= candidates <= train.n_codes:
        raise InvalidInput(f"candidates must be from 1 to the {train.n_codes} codes, got {candidates}")
    # scikit-learn's trees work in single precision and treat values within 1e-7 as equal, so codes are scaled first.
    codes = in_range(train.codes, test.codes)
    mean = codes[0].mean(axis=0)
    spread = np.abs(codes[0] - mean).max(axis=0)
    spread = np.where(spread > 1e-12 * np.abs(mean), spread, np.inf)
    train_codes, test_codes = (np.clip((part - mean) / spread, -1e30, 1e30) for part in codes)
    matrix = np.zeros((train.n_codes, train.n_factors))
    scores = np.empty((2, train.n_factors))
    for j, seed in enumerate(generator.integers(2**31, size=train.n_factors)):
        target, test_target = train.factors[:, j], test.factors[:, j]
        is_label = train.kinds[j] != "continuous"
        if not is_label:  # they also treat leaves of a variance below 2e-16 as pure, so targets are scaled too
            exponent = np.frexp(np.abs(target).max())[1]
            target, test_target = np.ldexp(target, -exponent), np.ldexp(test_target, -exponent)
        if (target == target[0]).all():  # a split can leave one value only
            scores[:, j] = [1.0, quality(np.full(len(test), target[0]), test_target, is_label)]
            continue
        if estimator == "gbt" and is_label:
            labels, classes = np.unique(target, return_inverse=True)
            fitted = boosted_trees(train_codes, classes, test_codes, generator=np.random.default_rng(seed))
            matrix[:, j] = fitted.importance
            scores[0, j] = (labels[fitted.train] == target).mean()
            scores[1, j] = (labels[fitted.test] == test_target).mean()
            continue
        model = _ensemble(estimator, is_label, int(seed), candidates).fit(train_codes, target)
        matrix[:, j] = np.maximum(model.feature_importances_, 0.0)  # boosting can round to -1e-19
        scores[0, j] = quality(model.predict(train_codes), target, is_label)
        scores[1, j] = quality(model.predict(test_codes), test_target, is_label)
    return Importance(matrix, scores[0], scores[1])


Array = NDArray[np.float64]


def lasso_importance(codes: ArrayLike, factors: ArrayLike, *, folds: int = 5) -> Array:
    """Absolute weights (d x k) of a Lasso that predicts each factor from all codes, both standardised.

    Among exact copies of a code one gets all the weight; constant codes and factors get 0. Rows must be in random
    order, since the folds that choose each penalty are contiguous. Discrete labels are replaced by their ranks.

    Raises:
        InvalidInput: values that are not finite, or observations that differ in number.
    """
    numbers, values = as_codes("codes", codes), as_codes("factors", ranked(factors))
    x, y = standardise(numbers, numbers)[0], standardise(values, values)[0]
    return np.asarray(np.abs(cross_validated_lasso(x, y, folds=folds).weights))


def lasso_regression(train: Sample, test: Sample) -> Importance:
    """Fit one Lasso for each factor on all codes; return absolute weights and R squared (Eastwood and Williams 2018).

    Observations are in random order, and labels :func:`ranked` before the split. R squared is 0 in a part where the
    factor does not vary. With a single training observation the prediction is its value, and all weights are 0.
    """
    x, x_test = standardise(train.codes, test.codes)
    target, test_target = in_range(train.factors.astype(np.float64), test.factors.astype(np.float64))
    mean, spread = target.mean(axis=0), target.std(axis=0)
    weights = np.zeros((train.n_codes, train.n_factors))
    if len(train) > 1:
        y = standardise(target, target)[0]
        weights = cross_validated_lasso(x, y, folds=min(5, len(train))).weights
    scores = [
        [quality(mean[j] + spread[j] * values @ weights[:, j], part[:, j], False) for j in range(len(mean))]
        for values, part in ((x, target), (x_test, test_target))
    ]
    return Importance(np.abs(weights), np.array(scores[0]), np.array(scores[1]))
