"""Accuracy of a linear classifier of each factor (Mahon et al., Table 2). Higher is better."""

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.metrics.ceilings import exact_copies
from dbench.metrics.inputs import label_indices, labels_alone, require_positive, standardise
from dbench.metrics.registry import Score, metric
from dbench.metrics.softmax import softmax_predictions
from dbench.seeds import given_generator


def adjusted_accuracy(accuracy: NDArray[np.float64], factors: NDArray[np.int64]) -> tuple[NDArray[np.float64], float]:
    """Adjust the accuracies a of k factors for chance: max(0, (a - r) / (1 - r)) (Mahon et al., section 4.2, Table 3).

    r is the sum of squared class shares, the accuracy of guessing in proportion. Also returns its mean over factors.
    """
    labels, _ = label_indices(factors)
    chance = np.array([((np.bincount(label) / len(label)) ** 2).sum() for label in labels.T])
    return np.clip((accuracy - chance) / (1 - chance), 0.0, 1.0), float(chance.mean())


def linear_predictions(
    train: NDArray[np.float64], labels: NDArray[np.int64], test: NDArray[np.float64], penalty: float
) -> NDArray[np.int64]:
    """Fit a multinomial logistic regression on standardised codes for each factor; predict the test part.

    ``labels`` are n x k, ``penalty`` is the C of scikit-learn. Returns m x k labels, all of which occur in training.
    """
    x, x_test = standardise(train, test)
    return np.stack([softmax_predictions(x, label, x_test, penalty) for label in labels.T], axis=1)


def linear_accuracies(train: Sample, test: Sample, penalty: float = 1.0) -> NDArray[np.float64]:
    """Return the test accuracy of :func:`linear_predictions` for each of the k factors."""
    predicted = linear_predictions(train.codes, train.factors.astype(np.int64), test.codes, penalty)
    return np.asarray((predicted == test.factors).mean(axis=0))


@metric(
    needs="sample",
    bounds=(0, 1),
    cite="mahon2023",
    label="Linear",
    labels=True,
    learned=True,
    adjusted=True,
    tolerance=0.01,
)
def linear_accuracy(sample: Sample, *, penalty: float = 1.0, generator: np.random.Generator | None = None) -> Score:
    """Chance-adjusted accuracy of a linear classifier of each factor from all codes, averaged over factors.

    max(0, (a - r) / (1 - r)), where a is the test accuracy and r the sum of squared class shares. Two thirds of the
    observations train a multinomial logistic regression on standardised codes, the rest tests it. (The paper trains a
    linear layer with Adam for 75 epochs, without a penalty; this regression is deterministic and converges.) Bounds 0
    and 1; chance is 0. Neighbouring values of a factor are close on a line, so that with a penalty (scikit-learn's C)
    exact copies of factors with many values stay below 1.

    Returns:
        Score with per-factor adjusted accuracies; details ``accuracy`` (not adjusted) and ``chance`` (already
        subtracted), means over factors, and ``ceiling`` (the score of one exact copy of each factor). Constant
        codes predict the most frequent value.

    Raises:
        InvalidInput: continuous factors, a factor that does not vary, or a penalty that is not above 0.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(linear_accuracy(codes, factors).value, 2))
        1.0
        0.32
        0.05

    See Also:
        :func:`mlp_accuracy`, :func:`snc`; https://doi.org/10.48550/arXiv.2304.02335
    """
    sample = labels_alone(sample, "linear_accuracy")
    require_positive("penalty", penalty)
    generator = given_generator(generator, metric="linear_accuracy")
    permutation = generator.permutation(len(sample))
    n_test = max(round(len(sample) / 3), 1)
    accuracy, accuracy_of_copies = (
        linear_accuracies(scored.take(permutation[n_test:]), scored.take(permutation[:n_test]), penalty)
        for scored in (sample, exact_copies(sample))
    )
    labels = sample.factors.astype(np.int64)
    adjusted, chance = adjusted_accuracy(accuracy, labels)
    ceiling, _ = adjusted_accuracy(accuracy_of_copies, labels)
    return Score(
        "linear_accuracy",
        float(adjusted.mean()),
        per_factor=adjusted,
        factor_names=sample.factor_names,
        details={"accuracy": float(accuracy.mean()), "chance": chance, "ceiling": float(ceiling.mean())},
    )
