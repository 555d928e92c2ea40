"""Parts of figures: panels, scatter plots, heat maps, violins, legends and scales."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullLocator
from numpy.typing import NDArray

from dbench.scoring.style import INK, SOFT, number
from dbench_published.figures.labels import WIDTH, label_of, look_of

Array = NDArray[np.float64]
Share = bool | Literal["none", "all", "row", "col"]

# Blue and orange can be told apart with every kind of colour blindness; white is 0.
CORRELATION: Colormap = LinearSegmentedColormap.from_list(
    "correlation", ["#8c3d00", "#d97b29", "#f6d7b8", "#ffffff", "#bcd6ec", "#3e86c4", "#0b3c6f"]
)
AMOUNT: Colormap = LinearSegmentedColormap.from_list("amount", ["#ffffff", "#bcd6ec", "#3e86c4", "#0b3c6f"])


def panels(
    rows: int, columns: int, *, height: float, sharex: Share = False, sharey: Share = False
) -> tuple[Figure, NDArray[Any]]:
    """Return an empty figure and its axes, rows x columns; ``height`` is that of a row in inches."""
    figure = Figure(figsize=(WIDTH, rows * height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False, sharex=sharex, sharey=sharey)
    return figure, axes


def close(unused: Iterable[Axes]) -> None:
    """Hide the axes of unused panels of the grid."""
    for panel in unused:
        panel.set_axis_off()


def note(axes: Axes, text: str) -> None:
    """Write a small remark into a corner of a panel."""
    axes.text(
        0.03,
        0.97,
        text,
        transform=axes.transAxes,
        fontsize=6.5,
        color=SOFT,
        ha="left",
        va="top",
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8},
        zorder=5,
    )


def scatter(axes: Axes, x: Array, y: Array, objectives: NDArray[np.str_], order: Sequence[str], *, size: float) -> None:
    """Draw models as points, each objective with its colour and marker."""
    for objective in order:
        look, chosen = look_of(objective), objectives == objective
        axes.scatter(
            x[chosen],
            y[chosen],
            s=size,
            c=look.colour,
            marker=look.marker,
            alpha=0.65,
            linewidths=0,
            label=label_of(objective),
            rasterized=chosen.sum() > 500,
        )
    for axis, scale in ((axes.xaxis, axes.get_xscale()), (axes.yaxis, axes.get_yscale())):
        if scale == "linear":
            axis.set_major_locator(MaxNLocator(4))


def legend(where: Figure | Axes, objectives: Sequence[str], *, columns: int, loc: Any, line: bool = False) -> None:
    """Name the objectives once for the whole figure."""
    handles = [
        Line2D(
            [],
            [],
            color=look_of(o).colour,
            marker=look_of(o).marker,
            markersize=4.5,
            linestyle="-" if line else "none",
            label=label_of(o),
        )
        for o in objectives
    ]
    where.legend(handles=handles, ncols=columns, loc=loc, columnspacing=1.2)


def heat_map(
    axes: Axes,
    matrix: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    limits: tuple[float, float] = (-1.0, 1.0),
    colours: Colormap = CORRELATION,
) -> None:
    """Draw a matrix as coloured cells with their numbers, the first row on top; NaN stays grey."""
    height, width = matrix.shape
    low, high = limits
    axes.set_facecolor("#f4f4f0")
    axes.pcolormesh(np.ma.masked_invalid(matrix), cmap=colours, vmin=low, vmax=high, edgecolors="white", linewidth=1)
    for (i, j), value in np.ndenumerate(matrix):
        if np.isfinite(value):
            red, green, blue, _ = colours((value - low) / (high - low))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
            axes.text(
                j + 0.5, i + 0.5, number(value), ha="center", va="center", fontsize=6.5, color="white" if dark else INK
            )
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.set_xticks(np.arange(width) + 0.5, columns, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(np.arange(height) + 0.5, rows)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def violins(axes: Axes, groups: Mapping[str, Array]) -> None:
    """Draw each objective's values as a violin and as points, median and quartiles as a line and a bar."""
    for place, (objective, values) in enumerate(groups.items()):
        look = look_of(objective)
        parts: dict[str, Any] = axes.violinplot([values], positions=[place], widths=0.85, showextrema=False)
        parts["bodies"][0].set(facecolor=look.colour, edgecolor=look.colour, alpha=0.35, linewidth=0.6)
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        axes.vlines(place, low, high, color=look.colour, linewidth=3)
        axes.plot([place - 0.22, place + 0.22], [middle, middle], color=INK, linewidth=1.2, solid_capstyle="butt")
        # Points are shifted by their rank, not at random, so that equal tables give equal pictures.
        shift = ((np.argsort(np.argsort(values)) * 0.61803) % 1 - 0.5) * 0.3
        axes.scatter(place + shift, values, s=1.5, c=look.colour, linewidths=0, alpha=0.8)
    name_objectives(axes, list(groups))
    axes.xaxis.grid(visible=False)
    axes.yaxis.set_major_locator(MaxNLocator(4))


def name_objectives(axes: Axes, objectives: Sequence[str]) -> None:
    """Name the objectives along the bottom."""
    names = [label_of(objective) for objective in objectives]
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor")


def logarithmic(axes: Axes, values: Array, *, both: bool = False) -> None:
    """Use a logarithmic y axis (with ``both`` x too) for values of at least 0 that span more than a factor of ten."""
    positive = values[values > 0]
    if values.min() < 0 or not len(positive) or positive.max() <= 10 * positive.min():
        return
    scale: dict[str, Any] = {"value": "log"} if values.min() > 0 else {"value": "symlog", "linthresh": positive.min()}
    axes.set_yscale(**scale)
    axes.yaxis.set_minor_locator(NullLocator())
    if both:
        axes.set_xscale(**scale)
        axes.xaxis.set_minor_locator(NullLocator())


def diagonal(axes: Axes) -> None:
    """Draw the line of equal values across a panel without changing its limits."""
    low, high = max(axes.get_xlim()[0], axes.get_ylim()[0]), min(axes.get_xlim()[1], axes.get_ylim()[1])
    if low < high:
        axes.plot(
            [low, high],
            [low, high],
            color=SOFT,
            linewidth=0.7,
            linestyle=(0, (4, 3)),
            zorder=0,
            scalex=False,
            scaley=False,
        )
