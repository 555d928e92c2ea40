"""Explicitness (Ridgeway and Mozer 2018). Higher is better: factors can be read off linearly."""

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.metrics.inputs import labels_alone, require_positive, standardise
from dbench.metrics.registry import Score, metric
from dbench.seeds import given_generator

Array = NDArray[np.float64]
Values = NDArray[np.int64] | NDArray[np.float64]


def area_under_curve(scores: Array, positive: NDArray[np.bool_]) -> Array:
    """Area under the ROC curve of each column: how often a positive outranks a negative, ties counting half."""
    from scipy.stats import rankdata

    ranks = rankdata(scores, axis=0)
    n = positive.sum(axis=0)
    rank_sums = np.where(positive, ranks, 0.0).sum(axis=0)
    return np.asarray((rank_sums - n * (n + 1) / 2) / (n * (len(scores) - n)))


def _scorable(train: Values, test: Values) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks, in both parts, of the p values of a factor that each part holds beside other values (n x p, m x p)."""
    values = np.unique(train)
    in_train, in_test = train[:, None] == values, test[:, None] == values
    usable = ~in_train.all(axis=0) & in_test.any(axis=0) & ~in_test.all(axis=0)
    return in_train[:, usable], in_test[:, usable]


def _one_versus_rest(
    x: Array, labels: NDArray[np.bool_], x_test: Array, penalty: float, counts: Values | None = None
) -> Array:
    """Fit a logistic regression to each of p columns of labels; return its scores of the test part, m x p."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=penalty, solver="newton-cholesky")
    return np.stack([model.fit(x, label, counts).decision_function(x_test) for label in labels.T], axis=1)


def _areas(train: Sample, test: Sample, penalty: float) -> list[Array]:
    """Areas under the curve of the values of every factor, each value predicted from all codes."""
    x, x_test = standardise(train.codes, test.codes)
    masks = [_scorable(*columns) for columns in zip(train.factors.T, test.factors.T, strict=True)]
    labels, truth = (np.concatenate(part, axis=1) for part in zip(*masks, strict=True))
    if not labels.shape[1]:
        return [np.empty(0) for _ in masks]
    scores = _one_versus_rest(x, labels, x_test, penalty)
    ends = np.cumsum([in_train.shape[1] for in_train, _ in masks])
    return np.split(area_under_curve(scores, truth), ends[:-1])


def _areas_of_copy(train: Values, test: Values, penalty: float) -> Array:
    """Areas of the values of one factor predicted from its ranks alone; equal rows are fitted once, with a weight."""
    labels, truth = _scorable(train, test)
    if not labels.shape[1]:
        return np.empty(0)
    values, first_rows, rank, counts = np.unique(train, return_index=True, return_inverse=True, return_counts=True)
    test_rank = np.searchsorted(values, test).astype(np.float64)
    mean, spread = rank.mean(), rank.std()
    x = (np.arange(len(values))[:, None] - mean) / spread
    scores = _one_versus_rest(x, labels[first_rows], (test_rank[:, None] - mean) / spread, penalty, counts)
    return area_under_curve(scores, truth)


def _mean(areas: Array) -> float:
    return float(areas.mean()) if len(areas) else 0.5


@metric(
    needs="sample",
    bounds=(0, 1),
    cite="ridgeway2018",
    label="Explicitness",
    labels=True,
    learned=True,
    tolerance=1e-4,
)
def explicitness(
    sample: Sample, *, rescaled: bool = False, penalty: float = 1.0, generator: np.random.Generator | None = None
) -> Score:
    """Area under the ROC curve of a linear classifier of each factor value, averaged over values, then factors.

    A Sober Look, section 4.2.4: one logistic regression on all codes separates each value of a factor from all
    other values of that factor. Codes are standardised by the training part (two thirds); areas are computed on the
    test part. Bounds 0 and 1; chance is 0.5. A linear rule cannot single out a middle value of an ordered factor,
    so exact copies stay below 1 (``ceiling``). ``rescaled`` returns 2 (area - 1/2), with chance 0 (as in Ridgeway
    and Mozer's plots) and bounds -1 and 1 (the card states those of areas); ``penalty`` is the C of scikit-learn.

    Returns:
        Score with per-factor means; details ``chance``, ``ceiling`` (of one exact copy of each factor by
        itself), ``values`` (number of factor values scored). Values missing from either part are left out; a factor
        with no value left, and constant codes, get chance.

    Raises:
        InvalidInput: continuous factors, a factor that does not vary, or a penalty that is not above 0.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(explicitness(codes, factors).value, 2))
        0.82
        0.75
        0.47

    See Also:
        :func:`modularity`, :func:`infoe`, :func:`linear_accuracy`; https://doi.org/10.48550/arXiv.1802.05312
    """
    sample = labels_alone(sample, "explicitness")
    require_positive("penalty", penalty)
    generator = given_generator(generator, metric="explicitness")
    train, test = sample.split(1 / 3, generator)
    of_factors = _areas(train, test, penalty)
    copied = [_areas_of_copy(*columns, penalty) for columns in zip(train.factors.T, test.factors.T, strict=True)]
    per_factor = np.array([_mean(areas) for areas in of_factors])
    ceiling = float(np.mean([_mean(areas) for areas in copied]))
    chance = 0.5
    if rescaled:
        per_factor, ceiling, chance = 2 * per_factor - 1, 2 * ceiling - 1, 0.0
    return Score(
        "explicitness[rescaled]" if rescaled else "explicitness",
        float(per_factor.mean()),
        per_factor=per_factor,
        factor_names=sample.factor_names,
        details={"ceiling": ceiling, "chance": chance, "values": sum(map(len, of_factors))},
    )
