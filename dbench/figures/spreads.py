"""How scores spread within an objective, and between groups of models."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from dbench.claims.population import Population
from dbench.figures.card import figure
from dbench.figures.lookup import held, in_order, labels_of_models, of_models
from dbench.figures.panels import name_objectives, panels, violins
from dbench.figures.style import INK, SOFT, score_label
from dbench.figures.sweeps import METRICS

_THIRDS = (("lowest third", "#bcd6ec"), ("middle third", "#3e86c4"), ("highest third", "#0b3c6f"))
_LEARNERS = {"logistic": "logistic regression", "trees": "boosted trees"}


@figure(
    shows="Each metric over all strengths and seeds of an objective: density, quartiles (bar), median (line) and every "
    "run (dots).",
    after=("Sober Look, Figure 5",),
    claims=("sober.ranges-overlap", "sober.dip1-lower-irs", "sober.variance-explained"),
)
def scores_by_objective(population: Population) -> Figure:
    """Scores by objective."""
    scores, objectives = held(population, METRICS), labels_of_models(population)
    drawn, axes = panels(2, (len(scores) + 1) // 2, height=1.9, sharex=True)
    for panel, score in zip(axes.flat, scores, strict=False):
        values = of_models(population, score)
        violins(panel, {o: values[objectives == o] for o in in_order(population)})
        panel.set_title(score_label(score))
    for panel in axes.flat[len(scores) :]:  # an empty panel still names the objectives of the one above it
        name_objectives(panel, in_order(population))
        panel.grid(visible=False)
        panel.spines[:].set_visible(False)
        panel.tick_params(length=0, labelleft=False)
    return drawn


@figure(
    shows="Accuracy of classifiers on the mean codes, averaged over factors, against the number of training points. "
    "Models are cut into thirds by DCI disentanglement (above) and by MIG (below); boxes are quartiles, whiskers the "
    "range.",
    after=("Sober Look, Figures 26 and 27",),
    claims=("sober.gbt-100-groups", "sober.no-statistical-efficiency"),
)
def downstream_by_group(population: Population) -> Figure:
    """Downstream accuracy of three groups of models."""
    by = held(population, ("dci", "mig"))
    known = {
        learner: held(population, [f"downstream.{learner}.{size}" for size in (10, 100, 1000, 10_000)])
        for learner in _LEARNERS
    }
    drawn, axes = panels(len(by), 2, height=2.1, sharey=True)
    for row, score in zip(axes, by, strict=True):
        ranked = np.argsort(np.argsort(of_models(population, score), kind="stable"), kind="stable")
        third = ranked * 3 // len(ranked)
        for panel, (learner, accuracies) in zip(row, known.items(), strict=True):
            for place, accuracy in enumerate(accuracies):
                _boxes(panel, place, of_models(population, accuracy), third)
            panel.set_xticks(range(len(accuracies)), [accuracy.rpartition(".")[2] for accuracy in accuracies])
            panel.set_title(f"{_LEARNERS[learner]}, thirds by {score_label(score)}")
            panel.xaxis.grid(visible=False)
        row[0].set_ylabel("accuracy")
    for panel in axes[-1]:
        panel.set_xlabel("training points")
    drawn.legend(
        handles=[Patch(facecolor=colour, edgecolor=SOFT, label=name) for name, colour in _THIRDS],
        loc="outside upper center",
        ncols=3,
    )
    return drawn


def _boxes(panel: Axes, place: int, values: NDArray[np.float64], third: NDArray[np.int64]) -> None:
    for number, (_, colour) in enumerate(_THIRDS):
        panel.boxplot(
            [values[third == number]],
            positions=[place + 0.25 * (number - 1)],
            widths=0.2,
            whis=(0, 100),
            manage_ticks=False,
            patch_artist=True,
            boxprops={"facecolor": colour, "edgecolor": SOFT, "linewidth": 0.6},
            medianprops={"color": "white" if number else INK, "linewidth": 1.0},
            whiskerprops={"color": SOFT, "linewidth": 0.6},
            capprops={"color": SOFT, "linewidth": 0.6},
        )
