"""Weights of every code in a linear regression that predicts a factor from all codes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.metrics.inputs import as_codes, ranked, standardise
from dbench.metrics.lasso import cross_validated_lasso
from dbench.metrics.relations.importance import Importance, quality

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
    mean, spread = train.factors.mean(axis=0), train.factors.std(axis=0)
    weights = np.zeros((train.n_codes, train.n_factors))
    if len(train) > 1:
        numbers = train.factors.astype(np.float64)
        y = standardise(numbers, numbers)[0]
        weights = cross_validated_lasso(x, y, folds=min(5, len(train))).weights
    scores = [
        [quality(mean[j] + spread[j] * values @ weights[:, j], part.factors[:, j], False) for j in range(len(mean))]
        for values, part in ((x, train), (x_test, test))
    ]
    return Importance(np.abs(weights), np.array(scores[0]), np.array(scores[1]))
