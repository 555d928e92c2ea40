"""Plots of scores, relations, trainings and codes; each takes ``ax=`` and returns the axes it drew on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes.sample import finite_array
from dbench.errors import DbenchError, InvalidInput, find, unknown_name
from dbench.metrics.posterior import ACTIVE, kl_per_code
from dbench.scoring.encoders import decoder_of
from dbench.scoring.style import INK, LINE, LOOKS, SOFT, STYLE, number
from dbench.scoring.watch import Watch
from dbench.shown import clipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dbench.scoring.compute import Result
    from dbench.scoring.scores import Scores

_COLOURS = [look.colour for look in LOOKS.values()]
_MARKERS = [look.marker for look in LOOKS.values()]
_MOST_NUMBERS = 200  # cells; a larger matrix is shown by colours alone
_ROW = 0.24  # inches
_LONGEST = 24  # characters of a name
REACH, STEPS = 3.0, 9  # a traversal moves a code from -REACH to REACH in so many steps
GAP = 2  # pixels between images

Array = NDArray[np.float64]


@contextmanager
def _canvas(ax: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """Yield the axes given, unchanged; or those of a new figure in the style of the papers' figures."""
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise DbenchError("plots need matplotlib: pip install 'dbench[figures]'") from None
    if ax is not None:
        yield ax
        return
    with pyplot.rc_context(STYLE):
        yield pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def relations(
    matrix: Scores | Any,
    kind: str = "mutual_information",
    *,
    codes: Sequence[str] = (),
    factors: Sequence[str] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw how strongly each code (row) relates to each factor (column), as a heat map with its numbers.

    Args:
        matrix: scores, or a d x k matrix such as ``dbench.metrics.mig(codes, factors).relation``.
        kind: which of the scores' relations: a key of :attr:`Scores.relations`. Ignored for a matrix.
        codes: d names; by default those of the scores, or numbers.
        factors: k names, likewise.
        ax: where to draw; a new figure by default.

    Raises:
        InvalidInput: no matrix of finite numbers, or numbers of names that do not fit.
        UnknownName: scores without a relation of that kind.
        DbenchError: matplotlib is not installed.

    Example:
        >>> ax = relations([[0.9, 0.1], [0.0, 0.8]], factors=["shape", "size"])
        >>> [label.get_text() for label in ax.get_xticklabels()]
        ['shape', 'size']
    """
    title = ""
    if hasattr(matrix, "relations"):
        title, values, factor_names = find("relation", kind, matrix.relations)
        codes, factors, matrix = codes or matrix.file.code_names, factors or factor_names, values
    values = finite_array("matrix", matrix).astype(np.float64)
    names = []
    for axis, given, size in zip(("code", "factor"), (codes, factors), values.shape, strict=True):
        names.append(list(given) or [f"{axis} {i}" for i in range(size)])
        if len(names[-1]) != size:
            raise InvalidInput(f"{axis}s must be {size} names, got {len(given)}")
    signed = bool(values.min() < 0)
    largest = float(np.abs(values).max()) or 1.0
    width, height = 1.6 + 0.55 * values.shape[1], 1.0 + _ROW * values.shape[0]
    with _canvas(ax, width, height) as axes:
        look: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -largest} if signed else {"cmap": "Blues", "vmin": 0.0}
        image = axes.imshow(values, vmax=largest, aspect="auto", **look)
        axes.set_xticks(range(values.shape[1]), [clipped(name, _LONGEST) for name in names[1]], rotation=30, ha="right")
        axes.set_yticks(range(values.shape[0]), [clipped(name, _LONGEST) for name in names[0]])
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        if title:
            axes.set_title(title)
        if values.size <= _MOST_NUMBERS:
            for (i, j), value in np.ndenumerate(values):
                colour = "white" if abs(value) > 0.6 * largest else INK
                axes.text(j, i, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=6.5)
        else:
            assert axes.figure is not None
            axes.figure.colorbar(image, ax=axes)
    return axes


def scores(scored: Scores, *, ax: Axes | None = None) -> Axes:
    """Draw every score between bounds with its 95% interval, and what chance and exact copies of the factors get.

    Args:
        scored: what :func:`dbench.score` returned; metrics without bounds (total correlations) are left out.
        ax: where to draw; a new figure by default.

    Raises:
        InvalidInput: no score between bounds.
        DbenchError: matplotlib is not installed.
    """
    shown = [result for result in scored.results if result.score is not None and None not in result.item.bounds]
    if not shown:
        raise InvalidInput("scores must hold a metric between bounds, got none")
    places = np.arange(len(shown))
    with _canvas(ax, 5.0, 0.9 + _ROW * len(shown)) as axes:
        _label_rows(axes, [result.item.name for result in shown])
        _draw_marks(axes, places, [result.chance for result in shown], marker="|", color=SOFT, label="chance")
        _draw_marks(axes, places, [result.copies for result in shown], marker="d", color=SOFT, label="exact copies")
        _draw_scores(axes, places, shown, 0, "score")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)
    return axes


def models(
    scored: Mapping[str, Scores], metrics: str | Sequence[str] = ("mig", "dci[forest]"), *, ax: Axes | None = None
) -> Axes:
    """Draw scores of several models beside each other, each with its 95% interval.

    Intervals that overlap leave open which model is better.

    Args:
        scored: the scores of each model, by its name.
        metrics: names of metrics that every model has.
        ax: where to draw; a new figure by default.

    Raises:
        InvalidInput: no model, no metric, or one that was not computed.
        UnknownName: a metric that was not asked for.
        DbenchError: matplotlib is not installed.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not scored or not names:
        raise InvalidInput(f"models needs at least one model and one metric, got {len(scored)} and {len(names)}")
    by_model = {model: [scores.result(name) for name in names] for model, scores in scored.items()}
    places = np.arange(len(names))
    with _canvas(ax, 5.0, 1.0 + _ROW * len(names) * max(len(scored) * 0.7, 1)) as axes:
        _label_rows(axes, names)
        for number, (model, results) in enumerate(by_model.items()):
            shift = 0.7 * ((number + 0.5) / len(by_model) - 0.5)
            _draw_scores(axes, places + shift, results, number, model)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=min(len(by_model), 3))
    return axes


def training(
    watched: Watch | Sequence[Mapping[str, float]] | Mapping[str, Watch | Sequence[Mapping[str, float]]],
    metrics: str | Sequence[str] = (),
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw metrics over the steps of a training, or of several by name.

    Args:
        watched: a :class:`dbench.scoring.Watch`, or its ``history``; or several of them by name.
        metrics: names; by default all that were watched.
        ax: where to draw; a new figure by default.

    Raises:
        InvalidInput: a history without an entry.
        UnknownName: a metric that was not watched.
        DbenchError: matplotlib is not installed.

    Example:
        >>> ax = training({"seed 0": [{"step": 0, "mig": 0.0}, {"step": 10, "mig": 0.2}]})
        >>> ax.get_ylabel(), [line.get_label() for line in ax.lines]
        ('mig', ['seed 0'])
    """
    runs = {str(name): run for name, run in watched.items()} if isinstance(watched, Mapping) else {"": watched}
    histories = {name: run.history if isinstance(run, Watch) else list(run) for name, run in runs.items()}
    if not histories or not all(histories.values()):
        raise InvalidInput("watched must hold at least one entry of every training, got an empty history")
    known = [name for name in next(iter(histories.values()))[0] if name != "step"]
    names = [metrics] if isinstance(metrics, str) else list(metrics) or known
    for history in histories.values():
        for name in names:
            if name not in history[0]:
                raise unknown_name("watched metric", name, (key for key in history[0] if key != "step"))
    with _canvas(ax, 5.0, 3.0) as axes:
        lines = [(number, run, name) for number, run in enumerate(histories) for name in names]
        for number, run, name in lines:
            # The marker tells trainings apart. The colour tells metrics apart, or trainings if there is one metric.
            colour = names.index(name) if len(names) > 1 else number
            label = run if len(names) == 1 and run else f"{run} {name}".strip()
            look: dict[str, Any] = {
                "marker": _MARKERS[number % len(_MARKERS)],
                "color": _COLOURS[colour % len(_COLOURS)],
            }
            steps, values = ([entry[key] for entry in histories[run]] for key in ("step", name))
            axes.plot(steps, values, label=label, markersize=3.5, **look)
        axes.set_xlabel("step")
        if len(names) == 1:
            axes.set_ylabel(names[0])
        if len(lines) > 1:
            axes.legend()
    return axes


def traversals(decode: Any, codes: Any, logvar: Any = None, *, row: int = 0, ax: Axes | None = None) -> Axes:
    """Draw what each code does to an image: one code a row is moved from -3 to 3, the others stay.

    Args:
        decode: function or torch module from n x d codes (float32) to n x C x H x W images in 0..1, C 1 or 3.
        codes: N x d mean codes.
        logvar: N x d logarithms of the posterior's variances; with them rows go from the most informative code to the
            least, with their divergence from the prior in nats.
        row: the row of ``codes`` that traversals start from.
        ax: where to draw; a new figure by default.

    Raises:
        InvalidInput: arrays of other shapes, a row that does not exist, or a decoder that fails or returns no images.
        DbenchError: matplotlib is not installed.
    """
    means = finite_array("codes", codes).astype(np.float64)
    if not 0 <= row < len(means):
        raise InvalidInput(f"row must be one of the {len(means)} rows of codes, got {row}")
    kl = None if logvar is None else kl_per_code(means, finite_array("logvar", logvar).astype(np.float64))
    with _canvas(ax, 3.4, 0.8 + 0.3 * means.shape[1]) as axes:
        traversal(axes, decoder_of(decode, "decode"), means[row], kl)
    return axes


def _label_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.yaxis.grid(visible=False)
    axes.hlines(np.arange(1, len(names)) - 0.5, 0, 1, transform=axes.get_yaxis_transform(), color=LINE, linewidth=0.4)
    axes.tick_params(axis="y", length=0)


def _draw_scores(axes: Axes, places: Any, results: Sequence[Result], number: int, label: str) -> None:
    """Draw a dot for each score and a line for its interval, in the colour and with the marker of that number."""
    values = np.array([result.score.value for result in results if result.score is not None])
    ends = [result.interval or (value, value) for result, value in zip(results, values, strict=True)]
    colour = _COLOURS[number % len(_COLOURS)]
    axes.hlines(places, [low for low, _ in ends], [high for _, high in ends], color=colour, linewidth=1.6)
    marker = _MARKERS[number % len(_MARKERS)]
    axes.plot(values, places, marker, color=colour, markersize=4.5, label=label)


def _draw_marks(axes: Axes, places: Any, values: Sequence[float | None], **look: Any) -> None:
    points = [(value, place) for value, place in zip(values, places, strict=True) if value is not None]
    if points:
        axes.plot(*zip(*points, strict=True), linestyle="none", markersize=6, markerfacecolor="none", **look)


def traversal(panel: Axes, decode: Callable[[Array], Array], start: Array, kl: Array | None) -> None:
    """Draw a traversal of each code in a row; with ``kl`` (nats) from the most informative code to the least."""
    order = np.arange(len(start)) if kl is None else np.argsort(-kl, kind="stable")
    values = np.linspace(-REACH, REACH, STEPS)
    z = np.tile(start, (len(order), STEPS, 1))
    for row, code in enumerate(order):
        z[row, :, code] = values
    images = decode(z.reshape(-1, len(order)))
    images = images.reshape(len(order), STEPS, *images.shape[1:])
    informative = np.ones(len(order), dtype=bool) if kl is None else kl[order] > ACTIVE
    opacity = np.where(informative, 1.0, 0.35)[:, None, None, None, None]
    show_images(panel, 1 - opacity * (1 - images))
    height, width = (side + GAP for side in images.shape[-2:])
    names = [str(code) if kl is None else f"{code}  ({kl[code]:.2f})" for code in order]
    panel.set_yticks([(row + 0.5) * height - GAP / 2 for row in range(len(order))], names)
    for label, is_informative in zip(panel.get_yticklabels(), informative, strict=True):
        label.set_color("black" if is_informative else SOFT)
    ticks = [0, STEPS // 2, STEPS - 1]
    panel.set_xticks([(t + 0.5) * width - GAP / 2 for t in ticks], [number(values[t], "g") for t in ticks])
    panel.set_ylabel("code" if kl is None else "code (nats)")


def show_images(panel: Axes, images: Array) -> None:
    """Show rows x columns x C x H x W images in 0..1 as one picture, with gaps between them."""
    rows, columns, channels, height, width = images.shape
    spaced = np.pad(images, [(0, 0)] * 3 + [(0, GAP)] * 2, constant_values=1).transpose(0, 3, 1, 4, 2)
    sheet = spaced.reshape(rows * (height + GAP), columns * (width + GAP), channels)[:-GAP, :-GAP]
    sheet = sheet if channels == 3 else np.repeat(sheet[..., :1], 3, axis=2)
    panel.imshow(sheet.clip(0, 1), interpolation="nearest")
    panel.set_xticks([])
    panel.grid(visible=False)
    panel.spines[:].set_visible(False)
    panel.tick_params(length=0, labelsize=6.5)
