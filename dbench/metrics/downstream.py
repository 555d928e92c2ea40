"""Accuracy of downstream classifiers (A Sober Look, section 4.2.8). Higher is better."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.boosted_trees import boosted_trees
from dbench.metrics.inputs import labels_alone, require_count, require_squarable
from dbench.metrics.registry import Score, metric
from dbench.metrics.softmax import softmax_predictions, softmax_regressions, with_intercept
from dbench.seeds import given_generator

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Model = Literal["logistic", "gbt"]

SIZES = (10, 100, 1000, 10_000)
FOLDS = 5
STRENGTHS = np.logspace(-4, 4, 10)
AT_ONCE = 2**17  # largest number of logits of problems fitted together: 1 MiB


def _strength(x: Array, labels: Labels) -> float:
    """Return the C of the logistic regression that predicts held-out folds best; the smallest C among equals.

    As scikit-learn's ``Cs=10`` and ``KFold(5)``: five contiguous folds. Classes that are missing from the training part
    of a fold are never predicted there.
    """
    values, classes = np.unique(labels, return_inverse=True)
    if len(values) == 1:
        return float(STRENGTHS[0])
    n, folds = len(x), min(FOLDS, len(x))
    fold_of = np.repeat(np.arange(folds), [len(part) for part in np.array_split(np.arange(n), folds)])
    in_training = fold_of != np.arange(folds)[:, None]
    design = with_intercept(x)
    n_at_once = max(1, AT_ONCE // (folds * n * len(values)))
    accuracy, weights = [], None
    for first in range(0, len(STRENGTHS), n_at_once):
        strengths = STRENGTHS[first : first + n_at_once]
        if weights is not None:  # start from the solution for the last strength fitted so far
            weights = np.tile(weights[:, -folds:], (1, len(strengths), 1))
        members = np.tile(in_training, (len(strengths), 1))
        weights = softmax_regressions(x, classes, members, np.repeat(strengths, folds), start=weights)
        predicted = (design @ weights.reshape(design.shape[1], -1)).reshape(n, *members.shape[:1], -1).argmax(axis=2)
        correct = (predicted == classes[:, None]).reshape(n, len(strengths), folds)
        for s in range(len(strengths)):
            accuracy.append(np.mean([correct[fold_of == f, s, f].mean() for f in range(folds)]))
    return float(STRENGTHS[int(np.argmax(accuracy))])


def _trees(x: Array, labels: Labels, x_test: Array, seed: int) -> Labels:
    values, classes = np.unique(labels, return_inverse=True)
    if len(values) == 1:
        return np.full(len(x_test), values[0])
    return np.asarray(values[boosted_trees(x, classes, x_test, generator=np.random.default_rng(seed)).test])


def downstream_accuracy(
    sample: Sample,
    sizes: Sequence[int],
    *,
    model: Model,
    test: int | None,
    tuning: int | None = None,
    generator: np.random.Generator,
) -> Array:
    """Test accuracies (sizes x k) of classifiers trained on samples of different sizes; see :func:`downstream`.

    Observations are shuffled once: the first ones are for testing, the next for training. So smaller training sets are
    part of larger ones, and all classifiers are tested on the same observations.
    """
    sample = labels_alone(sample, "downstream")
    if model not in ("logistic", "gbt"):
        raise InvalidInput(f"model must be 'logistic' or 'gbt', got {model!r}")
    require_squarable(sample.codes)
    n_test = _test_size(sample, test)
    if np.ndim(sizes) != 1 or len(sizes) == 0:
        raise InvalidInput(f"sizes must hold at least one training size, got {sizes!r:.80}")
    for size in sizes:
        require_count("every one of sizes", size, 1)
    if tuning is not None:
        require_count("tuning", tuning, 1)
    if n_test + max(sizes) > len(sample):
        raise InvalidInput(
            f"sizes must leave room for {n_test} test observations among {len(sample)}, got a size of {max(sizes)}"
        )
    order = generator.permutation(len(sample))
    seeds = generator.integers(2**31, size=sample.n_factors)
    tested = sample.take(order[:n_test])
    result = np.empty((len(sizes), sample.n_factors))
    strengths: dict[tuple[int, int], float] = {}  # by factor and number of observations used for tuning
    for row, size in zip(result, sizes, strict=True):
        train = sample.take(order[n_test : n_test + size])
        n_tuning = size if tuning is None else min(size, tuning)
        for j, seed in enumerate(seeds):
            labels = train.factors[:, j].astype(np.int64)
            if model == "gbt":
                guess = _trees(train.codes, labels, tested.codes, int(seed))
            else:
                if (j, n_tuning) not in strengths:
                    strengths[j, n_tuning] = _strength(train.codes[:n_tuning], labels[:n_tuning])
                guess = softmax_predictions(train.codes, labels, tested.codes, strengths[j, n_tuning])
            row[j] = (guess == tested.factors[:, j]).mean()
    return result


def _test_size(sample: Sample, test: int | None) -> int:
    """Return the number of test observations: ``test``, or by default 5,000, at most a third of the sample."""
    if test is None:
        return min(5000, max(round(len(sample) / 3), 1))
    require_count("test", test, 1)
    return test


@metric(
    needs="sample",
    bounds=(0, 1),
    cite="locatello2020",
    label="Downstream",
    labels=True,
    learned=True,
    speed="slow",
    varies={"scale": "weights on codes that are not standardised are penalised"},
    tolerance=0.02,
    quick={"sizes": (60,)},
    variants={"gbt": {"speed": "by name"}},
)
def downstream(
    sample: Sample,
    *,
    sizes: Sequence[int] | None = None,
    model: Model = "logistic",
    test: int | None = None,
    tuning: int | None = None,
    generator: np.random.Generator | None = None,
) -> Score:
    """Test accuracy of a classifier of each factor from all codes, averaged over factors.

    A Sober Look, section 4.2.8: one classifier for each factor, trained on 10, 100, 1,000 and 10,000
    observations and tested on 5,000 others; either a logistic regression whose strength is chosen among ten by
    five folds, or gradient boosted trees (``gbt``, which takes minutes) with scikit-learn's default options.
    Bounds 0 and 1; chance is about the share of the most frequent value. Codes are not standardised, as in the study.
    Values missing from a training set are never predicted.

    By default ``sizes`` are those of the paper that there are enough observations for, or all training observations if
    there are fewer than 10; ``test`` is 5,000, or a third of a sample of fewer than 15,000. The strength of a logistic
    regression is chosen on the first ``tuning`` training observations, by default on all: with 1,000 the default sizes
    take a fifth of the time.

    Returns:
        Score whose value and per-factor accuracies are those at the largest size; details ``accuracy.10`` and so
        on, ``size`` (the largest), ``test`` and ``chance`` (mean share of the most frequent value).

    Raises:
        InvalidInput: too few observations for the sizes, a factor that does not vary, continuous factors, or codes
            beyond 1e140.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(downstream(codes, factors, sizes=[200]).value, 2))
        1.0
        0.6
        0.3

    See Also:
        :func:`statistical_efficiency`, :func:`mlp_accuracy`; https://doi.org/10.3929/ethz-b-000450167
    """
    sample, generator = labels_alone(sample, "downstream"), given_generator(generator, metric="downstream")
    n_train = len(sample) - _test_size(sample, test)
    if sizes is None:
        sizes = [size for size in SIZES if size <= n_train] or [n_train]
    accuracy = downstream_accuracy(sample, sizes, model=model, test=test, tuning=tuning, generator=generator)
    largest = int(np.argmax(sizes))
    commonest = [np.unique(column, return_counts=True)[1].max() / len(sample) for column in sample.factors.T]
    return Score(
        f"downstream[{model}]",
        float(accuracy[largest].mean()),
        per_factor=accuracy[largest],
        factor_names=sample.factor_names,
        details={f"accuracy.{size}": float(row.mean()) for size, row in zip(sizes, accuracy, strict=True)}
        | {"size": max(sizes), "test": len(sample) - n_train, "chance": float(np.mean(commonest))},
    )
