"""Accuracy on novel combinations of familiar factor values (Mahon et al., section 5.2). Higher is better."""

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.classifiers import Classifier, Training, predict_labels
from dbench.metrics.inputs import label_indices, labels_alone, require_count, require_distinct, require_positive
from dbench.metrics.linear_accuracy import linear_predictions
from dbench.metrics.registry import Score
from dbench.seeds import given_generator


def adjust_for_chance(accuracy: float, chance: float) -> float:
    """Return max(0, (a - r) / (1 - r)), where a is the accuracy and r that of guessing (Mahon et al., Table 3)."""
    return max(0.0, (accuracy - chance) / (1 - chance))


def novel_combinations(
    sample: Sample,
    held_out: ArrayLike,
    factors: Sequence[int],
    *,
    train: int | None = None,
    epochs: int = 75,
    batch: int = 128,
    hidden: int = 256,
    penalty: float = 1.0,
    generator: np.random.Generator | None = None,
    device: str = "cpu",
) -> Score:
    """Accuracy of classifiers on combinations of factor values that they, and the model, were never shown.

    One classifier for each of the factors is trained on the codes of the familiar points and predicts its factor on the
    held-out ones. A prediction counts only if all of the factors are right (column "both" of Table 3, "NC" of appendix
    G). There are two kinds of classifier: a perceptron, as in :func:`dbench.metrics.mlp_accuracy`, and a linear one, as
    in :func:`dbench.metrics.linear_accuracy`, since a perceptron might itself learn that two values exclude each other.
    The paper trains one classifier for all factors of the data set; here each of the factors in question has its own.

    The control ("normal test set") holds out as many points at random: the same codes, the same number of training
    points, initial weights and batches. The paper trains another model for it; that corresponds to the control of a
    model of ``<data set>-without-random<i>``, for which ``held_out`` is itself random.

    The sample holds mean codes and discrete factors of the n points of the whole grid. ``held_out`` is a mask of the
    points that the model was not trained on; ``factors`` are the numbers of the factors whose combination was held out
    (``HeldOut.combined``). Classifiers are trained on ``train`` familiar points drawn at random, by default on all;
    ``penalty`` is that of the linear classifier; other options are those of
    :class:`dbench.metrics.classifiers.Training`.

    Returns:
        Score whose value is the perceptron's accuracy adjusted for chance (:func:`adjust_for_chance`; bounds 0 and 1,
        chance 0). Its details are not adjusted: ``mlp``, ``linear``, ``random_split.mlp`` and ``random_split.linear``,
        each the share of points with all factors right; the same names followed by ``.<j>``, the share with factor j
        right; and ``chance``, the product of 1 / (number of values) over the factors. A classifier that has learnt
        which combination is missing falls below chance.

    Raises:
        InvalidInput: continuous factors; a mask of another length or type, or one that holds nothing or everything
            out; no factor, one twice, or one that does not exist; a held-out value that no familiar point has; a
            count below 1; more points to train on than are familiar.

    Example:
        >>> grid = np.indices((3, 4, 40)).reshape(3, -1).T
        >>> held_out = (grid[:, :2] == [1, 2]).all(axis=1)
        >>> apart = np.concatenate([np.eye(3)[grid[:, 0]], np.eye(4)[grid[:, 1]]], axis=1)
        >>> mixed = np.random.default_rng(0).normal(size=(12, 8))[4 * grid[:, 0] + grid[:, 1]]  # a place for each pair
        >>> for codes in (apart, mixed):
        ...     print(novel_combinations(Sample(codes, grid), held_out, (0, 1), epochs=30, batch=32, hidden=64).value)
        1.0
        0.0
    """
    sample = labels_alone(sample, "novel_combinations")
    training = Training(epochs, batch, hidden, device=device)
    require_positive("penalty", penalty)
    is_novel = _check_mask(held_out, len(sample))
    chosen = require_distinct("factors", factors, sample.n_factors)
    labels, sizes = label_indices(sample.factors[:, chosen])
    _check_familiar(sample, is_novel, chosen)
    n_familiar = int((~is_novel).sum())
    if train is not None:
        require_count("train", train, 1)
        if train > n_familiar:
            raise InvalidInput(f"train must be at most the number of familiar points, {n_familiar}, got {train}")
    generator = given_generator(generator, metric="novel_combinations")
    order = generator.permutation(len(sample))
    seed = int(generator.integers(2**63))
    chance = 1 / prod(int(size) for size in sizes)
    details = {"chance": chance}
    perceptrons = [Classifier(0, j) for j in range(len(chosen))]
    # In a random order the last points are a random test part, and the first familiar points a random choice of them.
    is_random = np.zeros(len(sample), dtype=np.bool_)
    is_random[order[n_familiar:]] = True
    for prefix, test in (("", is_novel), ("random_split.", is_random)):
        shown = order[~test[order]][:train]
        x, y, x_test = sample.codes[shown], labels[shown], sample.codes[test]
        weights_and_batches = np.random.default_rng(seed)
        by_perceptron = predict_labels(x[None], y, x_test[None], perceptrons, training, sizes, weights_and_batches).T
        by_regression = linear_predictions(x, y, x_test, penalty)
        for kind, predicted in (("mlp", by_perceptron), ("linear", by_regression)):
            correct = predicted == labels[test]
            details[prefix + kind] = float(correct.all(axis=1).mean())
            for j, share in zip(chosen, correct.mean(axis=0), strict=True):
                details[f"{prefix}{kind}.{j}"] = float(share)
    return Score("novel_combinations", adjust_for_chance(details["mlp"], chance), details=details)


def _check_mask(held_out: ArrayLike, n: int) -> NDArray[np.bool_]:
    """Return the mask as an array; refuse one that is no mask of n points, or holds out none or all of them."""
    mask = np.asarray(held_out)
    if mask.dtype != np.bool_ or mask.shape != (n,):
        raise InvalidInput(f"held_out must be a mask of {n} booleans, got {mask.dtype} of shape {mask.shape}")
    if mask.all() or not mask.any():
        raise InvalidInput(f"held_out must hold out some of the {n} points and not all, got {int(mask.sum())}")
    return mask


def _check_familiar(sample: Sample, is_novel: NDArray[np.bool_], chosen: list[int]) -> None:
    """Refuse a sample in which a held-out value of one of the chosen factors never occurs among familiar points."""
    for j in chosen:
        column = sample.factors[:, j]
        unseen = np.setdiff1d(column[is_novel], column[~is_novel])
        if unseen.size:
            raise InvalidInput(
                f"every held-out value must occur among the familiar points, got {unseen[0]} of factor "
                f"{sample.factor_names[j]!r} only in held-out ones"
            )
