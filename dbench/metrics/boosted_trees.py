"""Gradient boosted classification trees as scikit-learn's defaults define them, several times faster.

scikit-learn sorts every code anew in every node of every tree. Here codes are sorted once; a node keeps the sorted
order of its own observations by filtering that of its parent, so that a split is a cumulative sum. Every split is
exact, no code is binned.

The model is that of Friedman (2001), algorithm 6 (algorithm 5 for two classes), with the options that A Sober
Look takes from scikit-learn: 100 stages, learning rate 0.1, trees of depth 3, splits by squared error, one Newton
step for each leaf. It differs where scikit-learn's implementation shows through: values that differ are different
(there: in single precision, by more than 1e-7), so that no score depends on the scale of a code; and of splits that
are worth the same another one may be taken.
Of new observations of 6 classes (1,000 for training), two of its fits with different seeds give 97.6 % the same
answer, two of scikit-learn's 98.1 %, one of each 97.5 %.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

PURE = np.finfo(np.float64).eps  # variance of the targets at which a node is left as it is
RATE = 0.1
EQUAL = 1e-12  # relative difference below which two splits are worth the same


class Boosted(NamedTuple):
    """What is asked of a boosted classifier."""

    importance: Array  # d values that sum to 1: squared error that splits on each code remove; all 0 without a split
    train: Indices  # n predicted classes of the training observations
    test: Indices  # m predicted classes of the others


class _Columns(NamedTuple):
    """Codes by column, with what all trees share."""

    values: Array  # d x n
    order: Indices  # d x n
    ranks: Indices  # d x n, numbers of the distinct values of each code
    counts: Array  # 1 to n


class _Tree(NamedTuple):
    """Inner nodes in breadth-first order, the children of node i being 2i + 1 and 2i + 2, and the leaves below."""

    code: Indices  # inner nodes
    threshold: Array  # inner nodes; infinite where everything goes left since nothing is split
    leaf: Indices  # n leaf numbers


class _Split(NamedTuple):
    code: int
    threshold: float
    gain: float
    left: Indices  # rows that go left


def _columns(codes: Array) -> _Columns:
    values = np.ascontiguousarray(codes.T)
    return _Columns(
        values,
        np.argsort(values, axis=1, kind="stable"),
        np.stack([np.unique(column, return_inverse=True)[1] for column in values]),
        np.arange(1.0, values.shape[1] + 1),
    )


def _best_split(columns: _Columns, rows: Indices, target: Array, preference: Array) -> _Split | None:
    """Find the split of a node (rows: its observations in the order of each code) that removes most squared error.

    Among codes whose best splits are worth the same, the largest ``preference`` decides.
    """
    m = rows.shape[1]
    if m < 2:
        return None
    # Most nodes are small, and what mean, cumsum and ** add to their ufuncs is half of the time.
    mean = np.add.reduce(target.take(rows[0])) / m
    centred = target - mean
    own = centred.take(rows)
    if np.add.reduce(np.square(own[0])) / m <= PURE:
        return None
    # With targets centred in the node, a observations on the left that sum to s remove s^2 m / (a (m - a)).
    worth = np.add.accumulate(own, axis=1)[:, :-1]
    np.square(worth, out=worth)
    left = columns.counts[: m - 1]
    worth *= m / (left * (m - left))
    places, best = worth.argmax(axis=1), np.maximum.reduce(worth, axis=1)
    # Equal values cannot be parted. A best split seldom lies between two, so only codes that come first are looked at.
    unseen = True
    while unseen:
        top = np.maximum.reduce(best)
        if top < 0:
            return None
        first, unseen = best >= top * (1 - EQUAL), False
        for code in first.nonzero()[0].tolist():
            ranks, row, place = columns.ranks[code], rows[code], places[code]
            if ranks[row[place]] == ranks[row[place + 1]]:
                ordered = ranks.take(row)
                worth[code, ordered[1:] == ordered[:-1]] = -1.0
                places[code], best[code], unseen = worth[code].argmax(), worth[code].max(), True
    code = int(np.where(first, preference, -np.inf).argmax())
    place = int(places[code])
    low, high = columns.values[code, rows[code, place : place + 2]]
    middle = low / 2 + high / 2
    return _Split(
        code, float(middle if low <= middle < high else low), float(worth[code, place]), rows[code, : place + 1]
    )


def _grow(columns: _Columns, target: Array, preference: Array, importance: Array) -> _Tree:
    """Grow one regression tree; what its splits remove is added to ``importance``.

    ``preference`` is inner nodes x d; their number, 2^depth - 1, decides the depth.
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
            side, flat = goes_left.take(rows).ravel(), rows.ravel()
            # Unlike a mask in brackets, compress does not branch on every element.
            open_nodes[2 * node + 1] = flat.compress(side).reshape(len(rows), -1)
            open_nodes[2 * node + 2] = flat.compress(~side).reshape(len(rows), -1)
    return _Tree(code, threshold, _leaves(columns.values, code, threshold))


def _leaves(values: Array, code: Indices, threshold: Array) -> Indices:
    """Leaf number of every observation (d x n values by column)."""
    right = [values[one] > least for one, least in zip(code.tolist(), threshold.tolist(), strict=True)]
    levels = [right[first : 2 * first + 1] for first in range(len(right)) if first & (first + 1) == 0]
    leaf = np.zeros(values.shape[1], dtype=np.int64)
    while levels:  # the root's answer is a digit, and makes one of each two subtrees
        ((root,), *levels) = levels
        leaf += leaf
        leaf += root
        halves = [(level[: len(level) // 2], level[len(level) // 2 :]) for level in levels]
        levels = [[a ^ (root & (a ^ b)) for a, b in zip(*half, strict=True)] for half in halves]
    return leaf


def _newton(residual: Array, curvature: Array, leaf: Indices, leaves: int) -> Array:
    """One Newton step for each leaf: its residuals over its curvatures, 0 where there is no curvature."""
    top = np.bincount(leaf, weights=residual, minlength=leaves)
    bottom = np.bincount(leaf, weights=curvature, minlength=leaves)
    return np.divide(top, bottom, out=np.zeros(leaves), where=bottom > 1e-150)


def boosted_trees(
    codes: Array,
    classes: Indices,
    test_codes: Array,
    *,
    stages: int = 100,
    depth: int = 3,
    generator: np.random.Generator,
) -> Boosted:
    """Fit boosted trees to n x d codes and n class numbers from 0, each of which occurs, at least two; predict.

    Every stage grows one tree for each class (a single one for two classes), and its step is multiplied by RATE.
    """
    columns, test_values = _columns(codes), np.ascontiguousarray(test_codes.T)
    n, d = codes.shape
    counts = np.bincount(classes)
    trees = 1 if len(counts) == 2 else len(counts)
    start = np.log(counts[1] / counts[:1]) if trees == 1 else np.log(counts / n)
    truth = np.stack([classes == number for number in (range(trees) if trees > 1 else (1,))]).astype(np.float64)
    raw, test_raw = (np.repeat(start[:, None], size, axis=1) for size in (n, len(test_codes)))
    step = RATE * (1.0 if trees == 1 else (trees - 1) / trees)
    importance = np.zeros(d)
    for _ in range(stages):
        probability = expit(raw) if trees == 1 else softmax(raw, axis=0)
        residual, curvature = truth - probability, probability * (1 - probability)
        preference = generator.random((trees, 2**depth - 1, d))
        for k in range(trees):
            tree = _grow(columns, residual[k], preference[k], importance)
            values = step * _newton(residual[k], curvature[k], tree.leaf, 2**depth)
            raw[k] += values[tree.leaf]
            test_raw[k] += values[_leaves(test_values, tree.code, tree.threshold)]
    guesses = [part[0] > 0 if trees == 1 else part.argmax(axis=0) for part in (raw, test_raw)]
    total = importance.sum()
    train, test = (np.asarray(guess, dtype=np.int64) for guess in guesses)
    return Boosted(importance / total if total > 0 else importance, train, test)
