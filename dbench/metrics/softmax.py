"""Logistic regressions for many classes, several penalties and folds of one sample fitted at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MEMORY = 10  # pairs of steps and gradient changes that L-BFGS keeps
IN_CACHE = 2**16  # logits worked on at once: half a MiB


def with_intercept(x: Array) -> Array:
    """Append a column of ones."""
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)


def _dot(a: Array, b: Array) -> Array:
    """Inner product within each problem of two arrays of p x problems x classes."""
    return np.asarray(np.einsum("pbk,pbk->b", a, b))


class _Problems(NamedTuple):
    """What tells problems apart that are fitted together."""

    share: Array  # n x problems, each observation's part of the problem's mean
    seen: NDArray[np.bool_]  # problems x classes
    charged: Array  # (d + 1) x problems x 1, penalty of each weight
    curvature: Array  # (d + 1) x problems, second derivative along the axes of the codes, about

    def only(self, going: NDArray[np.bool_]) -> _Problems:
        """Those that are still going."""
        return _Problems(self.share[:, going], self.seen[going], self.charged[:, going], self.curvature[:, going])


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
    """Fit one penalised logistic regression to each subset of the observations, with a penalty of its own.

    Minimises, over weights and intercepts, half the squared weights plus C times the summed logistic loss: the
    objective, stopping rule and options of scikit-learn's ``LogisticRegression(C)`` (for two classes too, whose
    one weight vector carries twice the penalty). All problems take their L-BFGS steps together, from the
    curvature of the codes' covariance, so that codes of different scales cost no more steps.

    Each row of ``members`` (problems x n) says which observations belong to a problem, at least one. ``start`` are
    weights as returned. A problem is done when no entry of the gradient per observation exceeds ``tolerance``.

    Returns:
        (d + 1) x problems x classes, the intercept last. Intercepts of classes a problem has not seen are -1e9.
    """
    design, k = with_intercept(x), int(labels.max()) + 1
    n = len(x)
    spread, axes = np.linalg.eigh(design.T @ design / n)
    seen = np.stack([np.bincount(labels[member], minlength=k) > 0 for member in members])
    ridge = (2.0 if k == 2 else 1.0) / (penalties * members.sum(axis=1))
    problems = _Problems(
        share=(members / members.sum(axis=1, keepdims=True)).T,
        seen=seen,
        charged=np.append(np.ones(x.shape[1]), 0.0)[:, None, None] * ridge[:, None],
        curvature=np.maximum(spread, 0.0)[:, None] * (k - 1) / k**2 + ridge + 1e-9,
    )

    def evaluate(w: Array, p: _Problems) -> tuple[Array, Array]:
        loss = 0.5 * (p.charged * w**2).sum(axis=(0, 2))
        gradient = p.charged * w
        block = max(1, IN_CACHE // loss.size // k)
        for start in range(0, n, block):
            part = slice(start, start + block)
            share, label = p.share[part], labels[part]
            row = np.arange(len(label))
            z = (design[part] @ w.reshape(len(w), -1)).reshape(len(label), -1, k)
            largest = z[:, :, 0].copy()
            for c in range(1, k):  # numpy's own reduction over a short last axis takes a third of the whole fit
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
    open_, w = np.arange(len(members)), result
    loss, gradient = evaluate(w, problems)
    pairs: list[tuple[Array, Array, Array]] = []
    for _ in range(steps):
        going = np.abs(gradient).max(axis=(0, 2)) > tolerance
        if not going.any():
            break
        if going.mean() < 0.8:  # leave the problems that are done behind
            result[:, open_] = w
            open_, w, loss, gradient = open_[going], w[:, going], loss[going], gradient[:, going]
            problems = problems.only(going)
            pairs = [(moved[:, going], change[:, going], inverse[going]) for moved, change, inverse in pairs]
            going = going[going]
        step = np.where(going[:, None], _direction(gradient, pairs, axes, problems.curvature), 0.0)
        slope = _dot(gradient, step)
        length = np.ones(len(open_))
        for _ in range(30):
            trial = w - length[:, None] * step
            new_loss, there = evaluate(trial, problems)
            worse = going & (new_loss > loss - 1e-4 * length * slope + 1e-12)
            if not worse.any():
                break
            length = np.where(worse, length / 2, length)
        moved, change = trial - w, there - gradient
        bend = _dot(moved, change)
        sound = bend > 1e-12 * np.sqrt(_dot(moved, moved) * _dot(change, change))
        pairs = [*pairs[1 - MEMORY :], (moved, change, np.where(sound, 1 / np.where(sound, bend, 1.0), 0.0))]
        w, loss, gradient = trial, new_loss, there
    result[:, open_] = w
    return result


def softmax_predictions(x: Array, labels: NDArray[np.int64], x_test: Array, penalty: float) -> NDArray[np.int64]:
    """Fit one regression to all observations; return the labels of others, each among those it was shown."""
    values, classes = np.unique(labels, return_inverse=True)
    if len(values) == 1:  # a split can leave one value only
        return np.full(len(x_test), values[0])
    weights = softmax_regressions(x, classes, np.ones((1, len(x)), dtype=bool), np.array([penalty]))[:, 0]
    return np.asarray(values[(with_intercept(x_test) @ weights).argmax(axis=1)])


def _direction(gradient: Array, pairs: list[tuple[Array, Array, Array]], axes: Array, curvature: Array) -> Array:
    """Two-loop recursion of L-BFGS; pairs without curvature have weight 0 and change nothing.

    It starts from the inverse of the covariance of the codes, given by its axes and its curvature along them.
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
        bend = _dot(change, precondition(change))
        usable = (inverse > 0) & (bend > 0)
        r *= np.where(usable, 1 / np.where(usable, inverse * bend, 1.0), 1.0)[:, None]
    for (moved, change, inverse), weight in zip(pairs, reversed(weights), strict=True):
        r += (weight - inverse * _dot(change, r))[:, None] * moved
    return r
