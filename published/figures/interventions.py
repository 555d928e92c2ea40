"""Figures of the effects of interventions on factors on single codes of a trained model."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dbench.errors import EvidenceLacking
from dbench.metrics.irs import irs
from dbench.metrics.modularity import modularity_per_code
from dbench.metrics.relations import mutual_information
from dbench.scoring.style import INK
from dbench_published.figures.card import figure
from dbench_published.figures.hinton import hinton
from dbench_published.figures.models import Models, TrainedModel
from dbench_published.figures.panels import panels

# Light to dark; the light end is dark enough for a line on white.
VALUES: Colormap = LinearSegmentedColormap.from_list("values", ["#9ecae1", "#3e86c4", "#08306b"])

_PAIR = (
    "Above, the most robust of the informative codes of the best model; below, of the worst model's informative codes "
    "with a mutual information score of at least their median, the least robust. "
)


class _Code(NamedTuple):
    model: TrainedModel
    number: int
    factor: int  # the factor it is most robust for
    robustness: float
    information: float

    def __str__(self) -> str:
        return f"code {self.number}\nIRS {self.robustness:.2f}\nMI score {self.information:.2f}"


@figure(
    shows=_PAIR
    + "In the column of the factor that a code is most robust for (bold) stands its mean given that factor, "
    "with a band of one standard deviation; in every other column its mean when that factor is held at a value (a line "
    "each, light to dark) while the column's factor is set. A robust code has flat lines.",
    after=("IRS, Figure 4", "IRS, Figures 13 to 17"),
    claims=("irs.flat-lines", "irs.rare-events"),
    of="models",
)
def interventional_effects(models: Models) -> Figure:
    """Interventional effects."""
    return _by_factor(models, _effect)


@figure(
    shows=_PAIR + "Density of the code's mean given each value of each factor, with its median; the factor it is most "
    "robust for is bold.",
    after=("IRS, Figure 7",),
    claims=("irs.flat-lines", "irs.complements-mi"),
    of="models",
)
def conditional_distributions(models: Models) -> Figure:
    """Distributions of codes given factors."""
    return _by_factor(models, _violins)


@figure(
    shows="Relations of codes and factors of the best and the worst model, areas in proportion, the largest of a panel "
    "fills its cell: interventional robustness (equation 3), importance of trees, and mutual information. "
    "Uninformative codes are in parentheses.",
    after=("IRS, Figure 6", "IRS, Figures 8 to 12"),
    claims=("irs.method-table", "irs.complements-mi"),
    of="models",
)
def dependency_matrices(models: Models) -> Figure:
    """What three metrics see in one model."""
    drawn, axes = panels(2, 3, height=1.75)
    for row, name, model in zip(axes, ("best", "worst"), (models.best, models.worst), strict=True):
        encoded = model.encoded
        matrices = {
            "interventional robustness": irs(model.grid, crossed=True).relation,
            "importance of trees": encoded.dci.relation,
            "mutual information": encoded.mig.relation,
        }
        codes = [str(i) if i in model.active else f"({i})" for i in range(len(model.kl))]
        for place, (panel, (title, matrix)) in enumerate(zip(row, matrices.items(), strict=True)):
            assert matrix is not None
            hinton(panel, matrix, model.data.factor_names, codes=codes, names=place == 0)
            panel.set_title(f"{name}: {model.titled}\n{title}" if place == 0 else title, fontsize=7)
    drawn.supxlabel("code", fontsize=8)
    return drawn


def _pair(models: Models) -> tuple[_Code, _Code]:
    """Return the code of the best model and the code of the worst that the figures show, as ``_PAIR`` says."""
    best, worst = _codes(models.best), _codes(models.worst)
    median = np.median([code.information for code in worst])
    informed = [code for code in worst if code.information >= median]
    return max(best, key=lambda code: code.robustness), min(informed, key=lambda code: code.robustness)


def _codes(model: TrainedModel) -> list[_Code]:
    score = irs(model.grid, crossed=True)
    assert score.per_code is not None
    assert score.relation is not None
    if not len(model.active):
        raise EvidenceLacking(f"{model.key} must hold an informative code, got none")
    information = modularity_per_code(mutual_information(model.grid.codes, model.grid.factors))
    return [
        _Code(model, int(i), int(score.relation[i].argmax()), float(score.per_code[i]), float(information[i]))
        for i in model.active
    ]


def _by_factor(models: Models, draw: Callable[[Axes, _Code, int], None]) -> Figure:
    chosen, names = _pair(models), models.best.data.factor_names
    drawn, axes = panels(len(chosen), len(names), height=1.7, sharex="col", sharey="row")
    for row, code in zip(axes, chosen, strict=True):
        for factor, panel in enumerate(row):
            draw(panel, code, factor)
            panel.xaxis.set_major_locator(MaxNLocator(4, integer=True))
            panel.set_title(names[factor], fontweight="bold" if factor == code.factor else "normal", fontsize=7.5)
        row[0].set_ylabel(str(code), fontsize=7)
    drawn.supxlabel("value of the factor", fontsize=8)
    which = f"above {models.best.titled}; below {models.worst.titled}"
    drawn.suptitle(which, fontsize=8, x=0.01, ha="left")
    return drawn


def _violins(panel: Axes, code: _Code, factor: int) -> None:
    data, values = code.model.data, code.model.codes[0][:, code.number]
    levels, factor_values = range(data.factor_sizes[factor]), data.grid()[:, factor]
    groups = [values[factor_values == level] for level in levels]
    parts: dict[str, Any] = panel.violinplot(groups, positions=levels, widths=0.9, showextrema=False, points=60)
    for body in parts["bodies"]:
        body.set(facecolor="#d55e00" if factor == code.factor else "#0072b2", edgecolor="none", alpha=0.55)
    panel.plot(levels, [np.median(group) for group in groups], ".", color=INK, markersize=2.5)
    panel.xaxis.grid(visible=False)


def _effect(panel: Axes, code: _Code, factor: int) -> None:
    """Draw a code's mean against a factor: one line for each value of the factor that it is most robust for."""
    code_factor = code.factor
    cube = code.model.codes[0][:, code.number].reshape(code.model.data.factor_sizes)  # an axis for each factor
    axes = tuple(axis for axis in range(cube.ndim) if axis not in (code_factor, factor))
    mean, levels = cube.mean(axis=axes), np.arange(cube.shape[factor])
    if code_factor == factor:
        spread = cube.std(axis=axes)
        panel.fill_between(levels, mean - spread, mean + spread, color="#d55e00", alpha=0.25, linewidth=0)
        panel.plot(levels, mean, color="#d55e00")
        return
    lines = mean if code_factor < factor else mean.T
    for place, line in enumerate(lines):
        panel.plot(levels, line, color=VALUES(place / max(len(lines) - 1, 1)), linewidth=0.9)
