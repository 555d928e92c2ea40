"""Hinton diagrams, independent-groups curves and dendrograms of a matrix of codes and factors."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from dbench.metrics.groups import Merge, independent_groups_curve, merge_order, merge_thresholds
from dbench.scoring.style import LINE, SOFT

Array = NDArray[np.float64]
_BLUE = "#0b3c6f"


def hinton(
    axes: Axes, matrix: Array, factors: Sequence[str], *, codes: Sequence[str] | None = None, names: bool = True
) -> None:
    """Draw a matrix (d x k) as squares with areas in proportion, codes along the bottom; the largest fills its cell."""
    n_codes, n_factors = matrix.shape
    largest = float(np.abs(matrix).max())
    sides = np.sqrt(np.abs(matrix) / largest) * 0.94 if largest > 0 else np.zeros_like(matrix)
    squares = [Rectangle((i - s / 2, j - s / 2), s, s) for (i, j), s in np.ndenumerate(sides) if s > 0]
    axes.add_collection(PatchCollection(squares, facecolor=_BLUE, edgecolor="none"))
    axes.set_xlim(-0.5, n_codes - 0.5)
    axes.set_ylim(n_factors - 0.5, -0.5)
    axes.set_aspect("equal")
    axes.set_xticks(range(n_codes), codes if codes is not None else [str(i) for i in range(n_codes)])
    axes.set_yticks(range(n_factors), list(factors) if names else [""] * n_factors)
    axes.tick_params(length=0, labelsize=6.5)
    axes.grid(visible=False)
    axes.hlines(np.arange(n_factors + 1) - 0.5, -0.5, n_codes - 0.5, color=LINE, linewidth=0.4, zorder=0)
    axes.vlines(np.arange(n_codes + 1) - 0.5, -0.5, n_factors - 0.5, color=LINE, linewidth=0.4, zorder=0)
    axes.spines[:].set_visible(False)


def groups_curve(axes: Axes, matrix: Array) -> None:
    """Draw the number of groups of factors against the threshold, which falls to the right."""
    curve = independent_groups_curve(matrix)
    top = float(curve.thresholds[0]) if len(curve.thresholds) else 1.0
    x = np.concatenate([[1.08 * top], curve.thresholds, [0.0]])
    groups = np.concatenate([[0], curve.groups, curve.groups[-1:] if len(curve.groups) else [0]])
    connected = np.concatenate([[0], curve.connected, curve.connected[-1:] if len(curve.connected) else [0]])
    dashed = (0, (2, 1.5))
    axes.step(x, connected, where="post", color=SOFT, linewidth=0.9, linestyle=dashed, label="connected factors")
    axes.step(x, groups, where="post", color=_BLUE, label="groups of factors")
    axes.set_xlim(1.08 * top, 0)
    axes.set_ylim(0, matrix.shape[1] + 0.4)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
    axes.xaxis.set_major_locator(MaxNLocator(4))


def dendrogram(axes: Axes, matrix: Array, factors: Sequence[str]) -> None:
    """Draw the thresholds at which factors merge, falling to the right; a factor's line begins where it connects."""
    begins = np.diagonal(merge_thresholds(matrix))
    merges = merge_order(matrix)
    top = float(matrix.max()) or 1.0
    rank = {factor: place for place, factor in enumerate(_leaves(merges, len(begins)))}
    tip: dict[tuple[int, ...], tuple[float, float]] = {
        (factor,): (float(begins[factor]), float(place)) for factor, place in rank.items()
    }
    for merge in merges:
        height = merge.threshold
        (start_a, y_a), (start_b, y_b) = tip.pop(merge.first), tip.pop(merge.second)
        axes.hlines([y_a, y_b], [height, height], [start_a, start_b], color=_BLUE, linewidth=1.1)
        axes.vlines(height, y_a, y_b, color=_BLUE, linewidth=1.1)
        tip[tuple(sorted(merge.first + merge.second))] = (height, (y_a + y_b) / 2)
    for start, y in tip.values():
        axes.hlines(y, 0, start, color=_BLUE, linewidth=1.1)
    places = sorted(rank, key=rank.__getitem__)
    axes.scatter(begins[places], range(len(places)), s=6, color=_BLUE, zorder=3)
    axes.set_xlim(1.08 * top, 0)
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.set_yticks(range(len(places)), [factors[factor] for factor in places])
    axes.tick_params(axis="y", length=0, labelsize=6.5)
    axes.yaxis.grid(visible=False)
    axes.xaxis.set_major_locator(MaxNLocator(4))


def _leaves(merges: Sequence[Merge], count: int) -> list[int]:
    """Return the factors in an order in which no two lines of the dendrogram cross."""
    order: dict[tuple[int, ...], list[int]] = {(factor,): [factor] for factor in range(count)}
    for merge in merges:
        first, second = order.pop(merge.first), order.pop(merge.second)
        order[tuple(sorted([*first, *second]))] = [*first, *second]
    return [factor for leaves in order.values() for factor in leaves]
