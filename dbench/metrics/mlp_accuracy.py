"""Accuracy of a perceptron for each factor (Mahon et al., Table 2). Higher is better."""

import numpy as np

from dbench.codes import Sample
from dbench.metrics.classifiers import Classifier, Training, predict_labels
from dbench.metrics.inputs import label_indices, labels_alone
from dbench.metrics.linear_accuracy import adjusted_accuracy
from dbench.metrics.registry import Score, metric
from dbench.seeds import given_generator


@metric(
    needs="sample",
    bounds=(0, 1),
    cite="mahon2023",
    label="MLP",
    labels=True,
    learned=True,
    speed="slow",
    adjusted=True,
    varies={
        "permutation": "initial weights are drawn by code number",
        "sign": "initial weights are drawn with a sign",
    },
    tolerance=0.03,
    quick={"epochs": 20, "hidden": 64, "batch": 32},
)
def mlp_accuracy(
    sample: Sample,
    *,
    epochs: int = 75,
    batch: int = 128,
    hidden: int = 256,
    generator: np.random.Generator | None = None,
    device: str = "cpu",
) -> Score:
    """Chance-adjusted accuracy of a perceptron for each factor from all codes, averaged over factors.

    max(0, (a - r) / (1 - r)), where a is the test accuracy and r the sum of squared class shares. The perceptron has
    one hidden layer; :func:`dbench.metrics.classifiers.predict_labels` describes its training. Bounds 0 and 1; chance
    is 0. Two thirds train, one third tests. Options are those of :class:`dbench.metrics.classifiers.Training`.

    Returns:
        Score with per-factor adjusted accuracies; details ``accuracy`` (not adjusted) and ``chance`` (already
        subtracted), means over factors, and ``epochs``. Constant codes predict about the most frequent value. For
        the ceiling, score :func:`dbench.metrics.exact_copies` of the sample.

    Raises:
        InvalidInput: continuous factors, a factor that does not vary, or a count below 1.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise / 2, noise):
        ...     score = mlp_accuracy(codes, factors, epochs=20, hidden=32, batch=16)
        ...     print(round(score.value, 1))
        1.0
        0.6
        0.0

    See Also:
        :func:`linear_accuracy`, :func:`nk`; https://doi.org/10.48550/arXiv.2304.02335
    """
    sample = labels_alone(sample, "mlp_accuracy")
    training = Training(epochs, batch, hidden, device=device)
    generator = given_generator(generator, metric="mlp_accuracy")
    labels, sizes = label_indices(sample.factors)
    train, test = Sample(sample.codes, labels).split(1 / 3, generator)
    perceptrons = [Classifier(0, j) for j in range(sample.n_factors)]
    predicted = predict_labels(
        train.codes[None], train.factors.astype(np.int64), test.codes[None], perceptrons, training, sizes, generator
    )
    accuracy = (predicted == test.factors.T).mean(axis=1)
    adjusted, chance = adjusted_accuracy(accuracy, labels)
    return Score(
        "mlp_accuracy",
        float(adjusted.mean()),
        per_factor=adjusted,
        factor_names=sample.factor_names,
        details={"accuracy": float(accuracy.mean()), "chance": chance, "epochs": epochs},
    )
