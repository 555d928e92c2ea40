"""Importance of every code to the tree ensembles, or the Lasso, that predict a factor from all codes."""

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
SMALLEST_LEAF = 500  # of the preset of Suter et al.
SMALLEST_FOREST = 1600  # a bootstrap of 1,600 holds 1,011 distinct observations, just enough for two such leaves

Values = NDArray[np.int64] | NDArray[np.float64]


class Importance(NamedTuple):
    """Importances and how well the ensembles behind them predict."""

    matrix: NDArray[np.float64]  # d x k; each column sums to 1, or is 0 where the ensemble found nothing to split on
    train: NDArray[np.float64]  # k training scores (accuracy; R squared for continuous factors)
    test: NDArray[np.float64]  # k test scores


def _ensemble(estimator: Estimator, discrete: bool, seed: int, candidates: int | None) -> Any:
    from sklearn import ensemble

    if estimator in ("gbt", "gbt_sklearn"):
        kind = ensemble.GradientBoostingClassifier if discrete else ensemble.GradientBoostingRegressor
        return kind(random_state=seed)
    kind = ensemble.RandomForestClassifier if discrete else ensemble.RandomForestRegressor
    if estimator == "suter":
        return kind(n_estimators=50, min_samples_leaf=SMALLEST_LEAF, max_features=1, random_state=seed)
    return kind(n_estimators=10, max_depth=6, max_features=candidates, random_state=seed)


def quality(predicted: Values, true: Values, discrete: bool) -> float:
    """Accuracy, or R squared (0 where the true values do not vary)."""
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
    """Fit one ensemble for each factor on all codes of the training part and read off the impurity importances.

    For estimators see :func:`dbench.metrics.dci`; ``candidates`` are the codes drawn at random for each split of a
    ``forest``, all of them if not given.

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
    # scikit-learn's trees work in single precision and take values within 1e-7 for equal, so scale must not get there.
    parts = in_range(train.codes, test.codes)
    centre = parts[0].mean(axis=0)
    spread = np.abs(parts[0] - centre).max(axis=0)
    spread = np.where(spread > 1e-12 * np.abs(centre), spread, np.inf)
    train_codes, test_codes = (np.clip((part - centre) / spread, -1e30, 1e30) for part in parts)
    matrix = np.zeros((train.n_codes, train.n_factors))
    scores = np.empty((2, train.n_factors))
    for j, seed in enumerate(generator.integers(2**31, size=train.n_factors)):
        target, other = train.factors[:, j], test.factors[:, j]
        label = train.kinds[j] != "continuous"
        if not label:  # and leaves whose variance is below 2e-16 for pure
            unit = np.frexp(np.abs(target).max())[1]
            target, other = np.ldexp(target, -unit), np.ldexp(other, -unit)
        if (target == target[0]).all():  # a split can leave one value only
            scores[:, j] = [1.0, quality(np.full(len(test), target[0]), other, label)]
            continue
        if estimator == "gbt" and label:
            labels, classes = np.unique(target, return_inverse=True)
            fitted = boosted_trees(train_codes, classes, test_codes, generator=np.random.default_rng(seed))
            matrix[:, j] = fitted.importance
            for row, guess, truth in ((0, fitted.train, target), (1, fitted.test, other)):
                scores[row, j] = (labels[guess] == truth).mean()
            continue
        model = _ensemble(estimator, label, int(seed), candidates).fit(train_codes, target)
        matrix[:, j] = np.maximum(model.feature_importances_, 0.0)  # boosting can round to -1e-19
        for row, values, truth in ((0, train_codes, target), (1, test_codes, other)):
            scores[row, j] = quality(model.predict(values), truth, label)
    return Importance(matrix, scores[0], scores[1])


Array = NDArray[np.float64]


def lasso_importance(codes: ArrayLike, factors: ArrayLike, *, folds: int = 5) -> Array:
    """Absolute weights (d x k) of a Lasso that predicts each factor from all codes, both standardised.

    Of exact copies of a code one gets all the weight; a constant code or factor gets 0. Rows are in random order, since
    the folds that choose each penalty are contiguous; ranks of discrete labels are read as numbers.

    Raises:
        InvalidInput: values that are not finite, or observations that differ in number.
    """
    numbers, values = as_codes("codes", codes), as_codes("factors", ranked(factors))
    x, y = standardise(numbers, numbers)[0], standardise(values, values)[0]
    return np.asarray(np.abs(cross_validated_lasso(x, y, folds=folds).weights))


def lasso_regression(train: Sample, test: Sample) -> Importance:
    """Fit one Lasso for each factor on all codes; absolute weights and R squared (Eastwood and Williams 2018).

    Observations in random order, labels :func:`ranked` before the split. R squared is 0 where the factor does not
    vary in a part. A single training observation predicts itself.
    """
    x, x_test = standardise(train.codes, test.codes)
    numbers, truth = in_range(train.factors.astype(np.float64), test.factors.astype(np.float64))
    mean, spread = numbers.mean(axis=0), numbers.std(axis=0)
    weights = np.zeros((train.n_codes, train.n_factors))
    if len(train) > 1:
        y = standardise(numbers, numbers)[0]
        weights = cross_validated_lasso(x, y, folds=min(5, len(train))).weights
    scores = [
        [quality(mean[j] + spread[j] * values @ weights[:, j], part[:, j], False) for j in range(len(mean))]
        for values, part in ((x, numbers), (x_test, truth))
    ]
    return Importance(np.abs(weights), np.array(scores[0]), np.array(scores[1]))
