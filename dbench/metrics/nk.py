"""Neuron knockout (Mahon et al., section 4.3). Higher is better."""

from collections.abc import Sequence

import numpy as np

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.alignment import align
from dbench.metrics.classifiers import Classifier, Training, train_classifiers
from dbench.metrics.inputs import label_indices, require_discrete
from dbench.metrics.registry import Known, Score, metric
from dbench.metrics.relations import mutual_information
from dbench.seeds import generator as named_generator


def nk_of_models(
    samples: Sequence[Sample],
    training: Training,
    *,
    bins: int = 20,
    generator: np.random.Generator | None = None,
) -> list[Score]:
    """Neuron knockout of several models on the same observations, all classifiers trained as one network.

    Args:
        samples: one for each model; equal factors, equally many codes.
        training: of the classifiers.
        bins: equal-width bins of the mutual information.
        generator: for the split, weights and batches.

    Returns:
        The same scores, up to rounding, as :func:`nk` gives each model alone.

    Raises:
        InvalidInput: no samples, or samples that differ in factors or in the number of codes.
    """
    if not samples:
        raise InvalidInput("samples must hold at least one sample, got none")
    first = samples[0]
    require_discrete(first, "nk")
    for sample in samples:
        if sample.n_codes != first.n_codes or not np.array_equal(sample.factors, first.factors):
            raise InvalidInput("samples must have equal factors and equally many codes, got some that differ")
    generator = named_generator(metric="nk") if generator is None else generator
    codes = np.stack([sample.codes for sample in samples])
    relations = mutual_information(codes, first.factors, bins=bins)
    aligned = [align(relation) for relation in relations]
    labels, _ = label_indices(first.factors)
    commonest = [np.bincount(label).max() / len(labels) for label in labels.T]
    order = generator.permutation(len(first))
    n_test = min(max(round(len(first) / 3), 1), len(first) - 1)
    test, train = order[:n_test], order[n_test:]
    k = first.n_factors
    classifiers = [Classifier(m, j) for m in range(len(samples)) for j in range(k)]
    classifiers += [Classifier(m, j, int(aligned[m][j])) for m in range(len(samples)) for j in range(k)]
    accuracy = train_classifiers(
        codes[:, train], labels[train], codes[:, test], labels[test], classifiers, training, generator
    ).reshape(2, len(samples), k)
    return [
        Score(
            "nk",
            float((full - knocked).mean()),
            per_factor=full - knocked,
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
        for full, knocked, relation in zip(*accuracy, relations, strict=True)
    ]


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
    known=(Known(noisy=1 / 4, shared=1 / 4, slack=0.04, options={"epochs": 30, "hidden": 32, "batch": 64}),),
    quick={"epochs": 20, "hidden": 64, "batch": 32},
    picture=("mutual_information", "Mutual information (nats)"),
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

    Every factor is assigned a code of its own (equation 2); one perceptron predicts it from all codes,
    another from all but that one; the mean over factors of the difference in test accuracy. Not adjusted
    for chance, as in Appendix A: an exact copy of a balanced factor of K values gains at most 1 - 1/K,
    hence no perfect value on the card. A copied code makes the knockout harmless by design (about 0);
    noise can make it slightly negative. Training is described at
    :func:`dbench.metrics.classifiers.train_classifiers`. The paper gives no batch size: with 128, exact copies
    of 3, 6, 10, 16 and 16 values beside five noise codes are predicted with accuracy 1.000 and score 0.857
    (15,000 observations; about 5 s on one core, in proportion to observations and epochs).

    Args:
        sample: discrete factors; two thirds train, one third tests.
        epochs: passes over the training part.
        batch: observations in a step.
        hidden: units of the hidden layer.
        bins: equal-width bins of the mutual information.
        falling_from: see :class:`dbench.metrics.classifiers.Training`; the paper has 0.001 throughout.
        generator: for the split, weights and batches.
        device: a torch device.

    Returns:
        Score with per-factor differences, the mutual information as relation, and details ``accuracy`` (all
        codes) and ``accuracy.without`` (means over factors), ``accuracy.<j>`` (all codes, factor j), ``ceiling`` (all
        but the share of the commonest value, which is still guessed without the code), ``chance`` (0: codes that
        say nothing lose nothing) and ``epochs``. A factor left without a code of its own
        (fewer codes than factors) loses nothing: 0.

    Raises:
        InvalidInput: continuous factors, a factor that does not vary, a count below 1, or a rate that is not above 0.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise / 2, noise):
        ...     score = nk(codes, factors, epochs=20, hidden=32, batch=16)
        ...     print(round(score.value, 1))
        0.7
        0.5
        0.0
    """
    training = Training(epochs, batch, hidden, falling_from, device)
    return nk_of_models([sample], training, bins=bins, generator=generator)[0]
