"""Neuron knockout (Mahon et al., section 4.3). Higher is better."""

import numpy as np

from dbench.codes import Sample
from dbench.metrics.aggregations import align
from dbench.metrics.classifiers import Classifier, Training, predict_labels
from dbench.metrics.inputs import label_indices, labels_alone
from dbench.metrics.registry import IN_NATS, Score, metric
from dbench.metrics.relations import mutual_information
from dbench.seeds import given_generator


@metric(
    needs="sample",
    bounds=(-1, 1),
    cite="mahon2023",
    label="NK",
    labels=True,
    learned=True,
    speed="slow",
    varies={
        "permutation": "initial weights are drawn by code number",
        "sign": "initial weights are drawn with a sign",
    },
    tolerance=0.03,
    quick={"epochs": 20, "hidden": 64, "batch": 32},
    picture=IN_NATS,
)
def nk(
    sample: Sample,
    *,
    epochs: int = 75,
    batch: int = 128,
    hidden: int = 256,
    bins: int = 20,
    falling_from: float | None = None,
    generator: np.random.Generator | None = None,
    device: str = "cpu",
) -> Score:
    """Accuracy lost when each factor's own code is withheld from a classifier of that factor.

    Every factor is assigned a code of its own (equation 2). One perceptron predicts it from all codes, another from
    all but that one; the score is the difference of their test accuracies, averaged over factors. It is not adjusted
    for chance, as in Appendix A: an exact copy of a balanced factor of K values gains at most 1 - 1/K.
    If a code is copied, knocking it out is harmless by design (about 0); noise can make the score slightly negative.
    Two thirds of the observations train, one third tests: :func:`dbench.metrics.classifiers.predict_labels`.

    Args:
        sample: n observations, with factors that are labels.
        epochs: passes over the training part.
        batch: observations in a step.
        hidden: units of the hidden layer.
        bins: equal-width bins of each code for the mutual information by which codes are assigned.
        falling_from: learning rate of the first step, which then falls linearly to 0; by default it stays at 0.001.
        generator: draws split, weights and batches; by default the metric's own.
        device: name of a torch device.

    Returns:
        Score with per-factor differences, the mutual information as relation, and details ``accuracy`` (all
        codes) and ``accuracy.without`` (means over factors), ``accuracy.<j>`` (all codes, factor j), ``ceiling`` (1
        minus the share of the most frequent value, which can be guessed without the code), ``chance`` (0) and
        ``epochs``. A factor without a code of its own (fewer codes than factors) loses nothing: 0.

    Raises:
        InvalidInput: continuous factors alone, a factor that does not vary, ``epochs``, ``batch``, ``hidden`` or
            ``bins`` below 1, ``falling_from`` not above 0, or a device that torch does not have.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise / 2, noise):
        ...     score = nk(codes, factors, epochs=20, hidden=32, batch=16)
        ...     print(round(score.value, 1))
        0.7
        0.5
        0.0

    See Also:
        :func:`snc`, :func:`mlp_accuracy`; https://doi.org/10.48550/arXiv.2304.02335
    """
    sample = labels_alone(sample, "nk")
    training = Training(epochs, batch, hidden, falling_from, device)
    generator = given_generator(generator, metric="nk")
    relation = mutual_information(sample.codes, sample.factors, bins=bins)
    labels, sizes = label_indices(sample.factors)
    commonest = [np.bincount(label).max() / len(labels) for label in labels.T]
    train, test = Sample(sample.codes, labels).split(1 / 3, generator)
    k = sample.n_factors
    # A factor without a code of its own has -1; its classifier keeps all codes, so the difference is exactly 0.
    without = [Classifier(0, j, int(code)) for j, code in enumerate(align(relation))]
    classifiers = [*(Classifier(0, j) for j in range(k)), *without]
    predicted = predict_labels(
        train.codes[None], train.factors.astype(np.int64), test.codes[None], classifiers, training, sizes, generator
    )
    full, knocked = (predicted.reshape(2, k, len(test)) == test.factors.T).mean(axis=2)
    return Score(
        "nk",
        float((full - knocked).mean()),
        per_factor=full - knocked,
        factor_names=sample.factor_names,
        relation=relation,
        details={
            "accuracy": float(full.mean()),
            **{f"accuracy.{j}": float(value) for j, value in enumerate(full)},
            "accuracy.without": float(knocked.mean()),
            "ceiling": 1 - float(np.mean(commonest)),
            "chance": 0.0,
            "epochs": training.epochs,
        },
    )
