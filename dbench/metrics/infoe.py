"""InfoE (Hsu et al. 2023): explicitness, the information that a linear classifier reads. Higher is better."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from dbench.codes import Sample
from dbench.metrics.inputs import labels_alone, require_positive, standardise
from dbench.metrics.registry import Score, metric
from dbench.metrics.softmax import softmax_regressions, with_intercept
from dbench.seeds import given_generator

Array = NDArray[np.float64]


def _infoe(x: Array, labels: NDArray[np.int64], x_test: Array, truth: NDArray[np.int64], penalty: float) -> float:
    """InfoE of one factor by the test part; 0 if training saw a single value, or no value of the test part."""
    values, classes = np.unique(labels, return_inverse=True)
    known = np.isin(truth, values)
    if len(values) == 1 or not known.any():
        return 0.0
    true_classes = np.searchsorted(values, truth[known])
    loss_of_shares = -np.log(np.bincount(classes) / len(classes))[true_classes].mean()
    weights = softmax_regressions(x, classes, np.ones((1, len(x)), dtype=bool), np.array([penalty]))[:, 0]
    logits = with_intercept(x_test[known]) @ weights
    loss_of_codes = -log_softmax(logits, axis=1)[np.arange(len(true_classes)), true_classes].mean()
    return float(max(1 - loss_of_codes / loss_of_shares, 0.0))


@metric(
    needs="sample",
    bounds=(0, 1),
    family="identifiability",
    cite="hsu2023",
    label="InfoE",
    labels=True,
    learned=True,
    compared=True,
    tolerance=0.01,
)
def infoe(sample: Sample, *, penalty: float = 100.0, generator: np.random.Generator | None = None) -> Score:
    """Share of a factor's entropy that a linear classifier of all codes takes off, averaged over factors.

    Hsu et al. (section 4): predictive information (H(none) - H(codes)) / H(none), where H(codes) is the mean
    logarithmic loss of a multinomial logistic regression on standardised codes, and H(none) that of the class shares.
    The authors compute both on the training rows, without a penalty and with equal class weights, so that many noise
    codes seem informative; here two thirds of the rows train, the rest tests, ``penalty`` is the C of scikit-learn, and
    a classifier worse than the shares counts as 0. Bounds 0 and 1. A linear rule is uncertain about the middle values
    of an ordered factor, so exact copies stay below 1.

    Returns:
        Score with per-factor values. Test rows of values not seen in training are left out. Constant codes score 0.

    Raises:
        InvalidInput: continuous factors alone, a factor that does not vary, or a penalty that is not above 0.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(infoe(codes, factors).value, 1))
        1.0
        0.2
        0.0

    See Also:
        :func:`explicitness`, :func:`infom`, :func:`infoc`; https://doi.org/10.48550/arXiv.2305.18378
    """
    sample = labels_alone(sample, "infoe")
    require_positive("penalty", penalty)
    train, test = sample.split(1 / 3, given_generator(generator, metric="infoe"))
    x, x_test = standardise(train.codes, test.codes)
    labels, truth = (part.factors.astype(np.int64).T for part in (train, test))
    pairs = zip(labels, truth, strict=True)
    per_factor = np.array([_infoe(x, label, x_test, true_labels, penalty) for label, true_labels in pairs])
    return Score("infoe", float(per_factor.mean()), per_factor=per_factor, factor_names=sample.factor_names)
