"""Multinomial logistic regressions, fitted together for several penalties and subsets (folds) of one sample."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MEMORY = 10  # pairs of weight and gradient changes that L-BFGS keeps
IN_CACHE = 2**16  # logits in one block: half a MiB, which fits into the cache


def with_intercept(x: Array) -> Array:
    """Append a column of ones."""
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)


def _dot(a: Array, b: Array) -> Array:
    """Inner product of two arrays (p x problems x classes) within each problem."""
    return np.asarray(np.einsum("pbk,pbk->b", a, b))


class _Problems(NamedTuple):
    """What differs between problems that are fitted together."""

    share: Array  # n x problems, weight of each observation in the problem's mean; 0 outside of its subset
    seen: NDArray[np.bool_]  # problems x classes, whether the class occurs in the problem
    penalty: Array  # (d + 1) x problems x 1, penalty of each weight
    curvature: Array  # (d + 1) x problems, approximate second derivative along the principal axes of the codes

    def only(self, active: NDArray[np.bool_]) -> _Problems:
        """Return the problems that this mask selects."""
        return _Problems(self.share[:, active], self.seen[active], self.penalty[:, active], self.curvature[:, active])


def softmax_regressions(
    x: Array,
    labels: NDArray[np.int64],
    members: NDArray[np.bool_],
    penalties: Array,
    *,
    start: Array | None = None,
    tolerance: float = 1e-4,
    steps: int = 100,
) -> Array:
    """Fit one logistic regression to each of several subsets of the observations, with a penalty C for each.

    Minimises, over weights and intercepts, half the squared weights plus C times the summed logistic loss: the
    objective, stopping rule and options of scikit-learn's ``LogisticRegression(C)`` (for two classes too, where
    scikit-learn's single weight vector amounts to twice the penalty). All problems take their L-BFGS steps together,
    preconditioned by the covariance of the codes, so that codes of different scales need no more steps.

    Each row of ``members`` (problems x n) is the mask of a problem's observations, at least one. ``start`` are weights
    as returned. A problem is solved when no entry of the gradient per observation exceeds ``tolerance``.

    Returns:
        (d + 1) x problems x classes, the intercept last. Intercepts of classes not seen by a problem are -1e9.
    """
    design, k = with_intercept(x), int(labels.max()) + 1
    n = len(x)
    spread, axes = np.linalg.eigh(design.T @ design / n)
    seen = np.stack([np.bincount(labels[member], minlength=k) > 0 for member in members])
    ridge = (2.0 if k == 2 else 1.0) / (penalties * members.sum(axis=1))
    problems = _Problems(
        share=(members / members.sum(axis=1, keepdims=True)).T,
        seen=seen,
        penalty=np.append(np.ones(x.shape[1]), 0.0)[:, None, None] * ridge[:, None],
        curvature=np.maximum(spread, 0.0)[:, None] * (k - 1) / k**2 + ridge + 1e-9,
    )

    def evaluate(w: Array, p: _Problems) -> tuple[Array, Array]:
        loss = 0.5 * (p.penalty * w**2).sum(axis=(0, 2))
        gradient = p.penalty * w
        block = max(1, IN_CACHE // loss.size // k)
        for start in range(0, n, block):
            part = slice(start, start + block)
            share, label = p.share[part], labels[part]
            row = np.arange(len(label))
            z = (design[part] @ w.reshape(len(w), -1)).reshape(len(label), -1, k)
            largest = z[:, :, 0].copy()
            for c in range(1, k):  # numpy's max over a short last axis would take a third of the time
                np.maximum(largest, z[:, :, c], out=largest)
            z -= largest[:, :, None]
            true = z[row, :, label]
            np.exp(z, out=z)
            total = z.sum(axis=2)
            z *= (share / total)[:, :, None]
            z[row, :, label] -= share
            gradient += (design[part].T @ z.reshape(len(label), -1)).reshape(w.shape)
            loss += (share * (np.log(total) - true)).sum(axis=0)
        return loss, np.where(p.seen, gradient, 0.0)

    result = np.zeros((len(axes), len(members), k)) if start is None else start.copy()
    result[-1] = np.where(seen, result[-1], -1e9)
    remaining, w = np.arange(len(members)), result
    loss, gradient = evaluate(w, problems)
    pairs: list[tuple[Array, Array, Array]] = []
    for _ in range(steps):
        active = np.abs(gradient).max(axis=(0, 2)) > tolerance
        if not active.any():
            break
        if active.mean() < 0.8:  # drop the problems that are solved
            result[:, remaining] = w
            remaining, w, loss, gradient = remaining[active], w[:, active], loss[active], gradient[:, active]
            problems = problems.only(active)
            pairs = [(moved[:, active], change[:, active], inverse[active]) for moved, change, inverse in pairs]
            active = active[active]
        step = np.where(active[:, None], _direction(gradient, pairs, axes, problems.curvature), 0.0)
        slope = _dot(gradient, step)
        length = np.ones(len(remaining))
        for _ in range(30):
            trial = w - length[:, None] * step
            new_loss, new_gradient = evaluate(trial, problems)
            worse = active & (new_loss > loss - 1e-4 * length * slope + 1e-12)
            if not worse.any():
                break
            length = np.where(worse, length / 2, length)
        moved, change = trial - w, new_gradient - gradient
        curvature = _dot(moved, change)
        usable = curvature > 1e-12 * np.sqrt(_dot(moved, moved) * _dot(change, change))
        pairs = [*pairs[1 - MEMORY :], (moved, change, np.where(usable, 1 / np.where(usable, curvature, 1.0), 0.0))]
        w, loss, gradient = trial, new_loss, new_gradient
    result[:, remaining] = w
    return result


def softmax_predictions(x: Array, labels: NDArray[np.int64], x_test: Array, penalty: float) -> NDArray[np.int64]:
    """Fit one regression to all observations; return the labels it predicts for the test codes."""
    values, classes = np.unique(labels, return_inverse=True)
    if len(values) == 1:  # a split can leave one value only
        return np.full(len(x_test), values[0])
    weights = softmax_regressions(x, classes, np.ones((1, len(x)), dtype=bool), np.array([penalty]))[:, 0]
    return np.asarray(values[(with_intercept(x_test) @ weights).argmax(axis=1)])


def _direction(gradient: Array, pairs: list[tuple[Array, Array, Array]], axes: Array, curvature: Array) -> Array:
    """Return the L-BFGS direction (two-loop recursion); pairs of non-positive curvature have weight 0, thus no effect.

    The initial inverse Hessian is that of the codes' covariance, given by its axes and the curvature along them.
    """

    def precondition(g: Array) -> Array:
        rotated = (axes.T @ g.reshape(len(g), -1)).reshape(g.shape) / curvature[:, :, None]
        return np.asarray((axes @ rotated.reshape(len(g), -1)).reshape(g.shape))

    q, weights = gradient.copy(), []
    for moved, change, inverse in reversed(pairs):
        weights.append(inverse * _dot(moved, q))
        q -= weights[-1][:, None] * change
    r = precondition(q)
    if pairs:
        _, change, inverse = pairs[-1]
        change_norm = _dot(change, precondition(change))
        usable = (inverse > 0) & (change_norm > 0)
        r *= np.where(usable, 1 / np.where(usable, inverse * change_norm, 1.0), 1.0)[:, None]
    for (moved, change, inverse), weight in zip(pairs, reversed(weights), strict=True):
        r += (weight - inverse * _dot(change, r))[:, None] * moved
    return r
