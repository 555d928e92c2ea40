"""Gradient boosted classification trees as scikit-learn's defaults define them, several times faster.

scikit-learn sorts every code again in every node of every tree. Here codes are sorted once; a node filters the sorted
order of its parent, so that finding a split is a cumulative sum. Splits are exact: no code is binned.

The model is that of Friedman (2001), algorithm 6 (algorithm 5 for two classes), with the options that A Sober
Look takes from scikit-learn: 100 stages, learning rate 0.1, trees of depth 3, splits by squared error, one Newton
step for each leaf. It differs from scikit-learn's implementation in two ways: any two different values of a code can
be separated (scikit-learn needs a difference above 1e-7 in single precision), so that no score depends on the scale
of a code; and among splits of equal gain it may choose another one.
On new observations of 6 classes (1,000 for training), two of its fits with different seeds agree on 97.6 % of the
predictions, two fits of scikit-learn on 98.1 %, one fit of each on 97.5 %.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

PURE = np.finfo(np.float64).eps  # a node is not split if the variance of its targets is at most this
RATE = 0.1  # learning rate
EQUAL = 1e-12  # relative difference below which two splits count as equally good


class Boosted(NamedTuple):
    """Importances and predictions of a fitted classifier."""

    importance: Array  # d shares of the squared error removed by splits on each code; all 0 if there was no split
    train: Indices  # n predicted classes of the training observations
    test: Indices  # m predicted classes of the test observations


class _Columns(NamedTuple):
    """Codes by column, sorted and ranked once for all trees."""

    values: Array  # d x n
    order: Indices  # d x n, observations in the order of each code
    ranks: Indices  # d x n, equal for equal values of a code
    counts: Array  # 1 to n


class _Tree(NamedTuple):
    """Complete binary tree: inner nodes in breadth-first order (node i has children 2i + 1 and 2i + 2), then leaves."""

    code: Indices  # code that each inner node splits on
    threshold: Array  # of each inner node; infinite in a node without a split, which sends everything left
    leaf: Indices  # leaf number of each of the n training observations


class _Split(NamedTuple):
    code: int
    threshold: float
    gain: float
    left: Indices  # observations that go left


def _columns(codes: Array) -> _Columns:
    values = np.ascontiguousarray(codes.T)
    return _Columns(
        values,
        np.argsort(values, axis=1, kind="stable"),
        np.stack([np.unique(column, return_inverse=True)[1] for column in values]),
        np.arange(1.0, values.shape[1] + 1),
    )


def _best_split(columns: _Columns, rows: Indices, target: Array, preference: Array) -> _Split | None:
    """Return the split of a node that removes most squared error, or None if the node cannot be split.

    ``rows`` (d x m) are the observations of the node, sorted by each code. Among codes whose best splits are equally
    good, the one of the largest ``preference`` is chosen.
    """
    m = rows.shape[1]
    if m < 2:
        return None
    # Ufuncs are called directly: most nodes are small, and the overhead of mean, cumsum and ** is half of the time.
    mean = np.add.reduce(target.take(rows[0])) / m
    centred = target - mean
    residuals = centred.take(rows)
    if np.add.reduce(np.square(residuals[0])) / m <= PURE:
        return None
    # If the centred targets of the a observations on the left sum to s, the split removes s^2 m / (a (m - a)).
    removed = np.add.accumulate(residuals, axis=1)[:, :-1]
    np.square(removed, out=removed)
    counts_left = columns.counts[: m - 1]
    removed *= m / (counts_left * (m - counts_left))
    positions, best = removed.argmax(axis=1), np.maximum.reduce(removed, axis=1)
    # No split can separate equal values. The best one rarely would, so this is checked for the leading codes alone.
    changed = True
    while changed:
        top = np.maximum.reduce(best)
        if top < 0:
            return None
        leading, changed = best >= top * (1 - EQUAL), False
        for code in leading.nonzero()[0].tolist():
            ranks, sorted_rows, position = columns.ranks[code], rows[code], positions[code]
            if ranks[sorted_rows[position]] == ranks[sorted_rows[position + 1]]:
                sorted_ranks = ranks.take(sorted_rows)
                removed[code, sorted_ranks[1:] == sorted_ranks[:-1]] = -1.0
                positions[code], best[code], changed = removed[code].argmax(), removed[code].max(), True
    code = int(np.where(leading, preference, -np.inf).argmax())
    position = int(positions[code])
    low, high = columns.values[code, rows[code, position : position + 2]]
    midpoint = low / 2 + high / 2
    threshold = midpoint if low <= midpoint < high else low  # neighbouring floats have no midpoint
    return _Split(code, float(threshold), float(removed[code, position]), rows[code, : position + 1])


def _grow(columns: _Columns, target: Array, preference: Array, importance: Array) -> _Tree:
    """Grow one regression tree, and add the squared error that its splits remove to ``importance`` in place.

    ``preference`` is inner nodes x d; the number of inner nodes, 2^depth - 1, sets the depth.
    """
    inner, n = len(preference), len(target)
    code, threshold = np.zeros(inner, dtype=np.int64), np.full(inner, np.inf)
    goes_left = np.empty(n, dtype=bool)
    open_nodes = {0: columns.order}
    for node in range(inner):
        rows = open_nodes.pop(node, None)
        split = None if rows is None else _best_split(columns, rows, target, preference[node])
        if rows is None or split is None:
            continue
        code[node], threshold[node] = split.code, split.threshold
        importance[split.code] += split.gain
        goes_left[rows[0]] = False
        goes_left[split.left] = True
        if 2 * node + 1 < inner:
            is_left, flat_rows = goes_left.take(rows).ravel(), rows.ravel()
            # compress is faster than indexing by a mask, which branches on every element.
            open_nodes[2 * node + 1] = flat_rows.compress(is_left).reshape(len(rows), -1)
            open_nodes[2 * node + 2] = flat_rows.compress(~is_left).reshape(len(rows), -1)
    return _Tree(code, threshold, _leaves(columns.values, code, threshold))


def _leaves(values: Array, code: Indices, threshold: Array) -> Indices:
    """Return the leaf number of every observation (d x n values by column): its answers as binary digits."""
    goes_right = [values[feature] > cut for feature, cut in zip(code.tolist(), threshold.tolist(), strict=True)]
    levels = [goes_right[first : 2 * first + 1] for first in range(len(goes_right)) if first & (first + 1) == 0]
    leaf = np.zeros(values.shape[1], dtype=np.int64)
    while levels:  # the root's answer is a digit; it selects the answers of one of the two subtrees
        ((root_right,), *levels) = levels
        leaf += leaf
        leaf += root_right
        halves = [(level[: len(level) // 2], level[len(level) // 2 :]) for level in levels]
        levels = [[a ^ (root_right & (a ^ b)) for a, b in zip(*half, strict=True)] for half in halves]
    return leaf


def _newton(residual: Array, curvature: Array, leaf: Indices, leaves: int) -> Array:
    """Newton step of each leaf: sum of its residuals over sum of its curvatures; 0 where there is no curvature."""
    numerator = np.bincount(leaf, weights=residual, minlength=leaves)
    denominator = np.bincount(leaf, weights=curvature, minlength=leaves)
    return np.divide(numerator, denominator, out=np.zeros(leaves), where=denominator > 1e-150)


def boosted_trees(
    codes: Array,
    classes: Indices,
    test_codes: Array,
    *,
    stages: int = 100,
    depth: int = 3,
    generator: np.random.Generator,
) -> Boosted:
    """Fit boosted trees to n x d codes and n class numbers, and predict the classes of n and of m test observations.

    Classes are numbered from 0, at least two, and each occurs. A stage grows one tree for each class (a single one
    for two classes), whose step is multiplied by RATE.
    """
    columns, test_values = _columns(codes), np.ascontiguousarray(test_codes.T)
    n, d = codes.shape
    counts = np.bincount(classes)
    trees = 1 if len(counts) == 2 else len(counts)
    start = np.log(counts[1] / counts[:1]) if trees == 1 else np.log(counts / n)
    targets = range(trees) if trees > 1 else (1,)  # class that each tree tells from the others
    truth = np.stack([classes == target for target in targets]).astype(np.float64)
    scores, test_scores = (np.repeat(start[:, None], size, axis=1) for size in (n, len(test_codes)))
    step = RATE * (1.0 if trees == 1 else (trees - 1) / trees)
    importance = np.zeros(d)
    for _ in range(stages):
        probability = expit(scores) if trees == 1 else softmax(scores, axis=0)
        residual, curvature = truth - probability, probability * (1 - probability)
        preference = generator.random((trees, 2**depth - 1, d))
        for number in range(trees):
            tree = _grow(columns, residual[number], preference[number], importance)
            values = step * _newton(residual[number], curvature[number], tree.leaf, 2**depth)
            scores[number] += values[tree.leaf]
            test_scores[number] += values[_leaves(test_values, tree.code, tree.threshold)]
    predictions = [logits[0] > 0 if trees == 1 else logits.argmax(axis=0) for logits in (scores, test_scores)]
    total = importance.sum()
    train, test = (np.asarray(predicted, dtype=np.int64) for predicted in predictions)
    return Boosted(importance / total if total > 0 else importance, train, test)
