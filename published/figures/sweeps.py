"""Figures of scores against the strength of regularisation, and of their spread within groups of models."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from dbench.estimates.population import Population
from dbench.scoring.style import INK, SOFT
from dbench_published.figures.card import figure
from dbench_published.figures.labels import label_of, look_of, score_label
from dbench_published.figures.lookup import held, in_order, labels_of_models, of_models
from dbench_published.figures.panels import close, legend, logarithmic, name_objectives, panels, violins

METRICS = ("beta_vae_metric", "factor_vae", "mig", "dci", "modularity", "sap", "irs")
"""The metrics of A Sober Look, in the order of its figures."""
_THIRDS = (("lowest third", "#bcd6ec"), ("middle third", "#3e86c4"), ("highest third", "#0b3c6f"))
_LEARNERS = {"logistic": "logistic regression", "trees": "boosted trees"}
_DOTS = "A dot is a run, the line joins the medians over seeds."
_TWO_ROWS = f"; above of all codes, below of the informative ones alone. {_DOTS}"


@figure(
    shows="Gaussian total correlation in nats of codes drawn from the posterior, against the strength" + _TWO_ROWS,
    after=("Sober Look, Figures 2 and 29",),
    claims=(
        "sober.tc-sampled-falls",
        "sober.tc-sampled-vae-highest",
        "sober.tc-sampled-dip-low",
        "sober.tc-sampled-factorvae-flat",
        "sober.tc-sampled-annealed-sensitive",
    ),
)
def tc_of_samples(population: Population) -> Figure:
    """Total correlation of the sampled codes."""
    return _sweeps(population, ("gaussian_tc.sampled", "gaussian_tc.sampled.active"), log=True)


@figure(
    shows="Gaussian total correlation in nats of the means of the posteriors, against the strength" + _TWO_ROWS,
    after=("Sober Look, Figures 3, 30 and 33",),
    claims=(
        "sober.tc-mean-rises",
        "sober.tc-mean-dip1-low",
        "sober.tc-mean-dip2-mixed",
        "sober.tc-mean-annealed-high",
        "sober.tc-mean-overlap",
    ),
)
def tc_of_means(population: Population) -> Figure:
    """Total correlation of the mean codes."""
    return _sweeps(population, ("gaussian_tc.mean", "gaussian_tc.mean.active"), log=True)


@figure(
    shows="Mutual information in nats between two codes, averaged over all pairs, against the strength; of codes drawn "
    "from the posterior, and of its means. " + _DOTS,
    after=("Sober Look, Figures 31 and 32",),
    claims=("sober.code-mi-direction",),
)
def code_information(population: Population) -> Figure:
    """Mutual information between codes."""
    return _sweeps(population, ("mutual_information.sampled", "mutual_information.mean"), log=True)


@figure(
    shows="Each metric against the strength, objective by objective. A dot is a run, the bar spans the seeds of a "
    "setting: with so few seeds a density would be an invention.",
    after=("Sober Look, Figure 6",),
    claims=("sober.seed-beats-hyperparameter", "sober.variance-explained", "sober.irs-follows-unsupervised"),
)
def scores_by_seed(population: Population) -> Figure:
    """Scores of every seed."""
    return _sweeps(population, METRICS, joined=False, height=0.95)


@figure(
    shows="UDR (Lasso, within a strength) and the supervised metrics against the strength. " + _DOTS,
    after=("UDR, Figures 2 and 3", "UDR, Figure 8"),
    claims=("udr.selects-strengths", "udr.plain-vae-scores-low", "udr.no-good-model-in-class"),
)
def udr_search(population: Population) -> Figure:
    """Search over strengths by UDR and by supervised metrics."""
    held(population, ("udr.lasso",))
    return _sweeps(population, ("udr.lasso", "beta_vae_metric", "factor_vae", "mig", "dci"), height=1.0)


@figure(
    shows="The median over seeds of each metric at each objective's strengths, from its lowest (1) to its highest. "
    "Strengths of different objectives are of different kinds, so only their order is shown.",
    after=("Sober Look, Figure 7",),
    claims=("sober.no-strength-rule", "sober.ranges-overlap"),
)
def scores_by_strength(population: Population) -> Figure:
    """Scores against the strength."""
    scores, objectives = held(population, METRICS), in_order(population)
    most = max(len(population.strengths(objective)) for objective in objectives)
    drawn, axes = panels(2, (len(scores) + 2) // 2, height=1.75)
    for panel, score in zip(axes.flat, scores, strict=False):
        for objective in objectives:
            look = look_of(objective)
            medians = np.median(population.scores(score, objective, seeds=population.seeds()), axis=0)
            places = np.arange(1, len(medians) + 1)
            panel.plot(places, medians, color=look.colour, marker=look.marker, markersize=3.5, linewidth=1.1)
        panel.set_title(score_label(score))
        panel.set_xticks(range(1, most + 1))
        panel.yaxis.set_major_locator(MaxNLocator(4))
    close(axes.flat[len(scores) :])
    drawn.supxlabel("rank of the strength", fontsize=8)
    legend(axes.flat[-1], objectives, columns=1, line=True, loc="center")
    return drawn


def _sweeps(
    population: Population,
    scores: Sequence[str],
    *,
    joined: bool = True,
    height: float = 1.35,
    log: bool = False,
) -> Figure:
    present, objectives = held(population, scores), in_order(population)
    drawn, axes = panels(len(present), len(objectives), height=height, sharex="col", sharey="row")
    drawn.set_figheight(len(present) * height + 0.35)
    for row, score in zip(axes, present, strict=True):
        all_values = np.concatenate([population.scores(score, o, seeds=population.seeds()).ravel() for o in objectives])
        for panel, objective in zip(row, objectives, strict=True):
            _sweep(panel, population, score, objective, joined)
        row[0].set_ylabel(score_label(score).replace(", informative", ",\ninformative").replace("UDR ", "UDR\n"))
        row[0].yaxis.set_major_locator(MaxNLocator(4))
        if log:
            logarithmic(row[0], all_values)
    for panel, objective in zip(axes[0], objectives, strict=True):
        panel.set_title(label_of(objective), color=look_of(objective).colour, fontweight="bold")
    drawn.supxlabel("strength", fontsize=8)
    drawn.align_ylabels(axes[:, 0])
    return drawn


def _sweep(panel: Axes, population: Population, score: str, objective: str, joined: bool) -> None:
    values, look = population.scores(score, objective, seeds=population.seeds()), look_of(objective)
    places = np.arange(values.shape[1])
    # Seeds stand side by side in the order of their numbers, so that no dot hides another.
    offsets = np.linspace(-0.22, 0.22, len(values)) if len(values) > 1 else np.zeros(1)
    if joined:
        panel.plot(places, np.median(values, axis=0), color=look.colour, linewidth=1.6, zorder=3)
    else:
        panel.vlines(places, values.min(axis=0), values.max(axis=0), color=look.colour, alpha=0.35, linewidth=4)
    x = (places[None, :] + offsets[:, None]).ravel()
    panel.scatter(x, values.ravel(), s=5, c=look.colour if joined else SOFT, alpha=0.55, linewidths=0, zorder=4)
    panel.set_xticks(places, [f"{s:g}".removeprefix("0") or "0" for s in population.strengths(objective)])
    panel.tick_params(axis="x", labelsize=5)
    panel.xaxis.grid(visible=False)


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
    grouping_scores = held(population, ("dci", "mig"))
    accuracy_names = {
        learner: held(population, [f"downstream.{learner}.{size}" for size in (10, 100, 1000, 10_000)])
        for learner in _LEARNERS
    }
    drawn, axes = panels(len(grouping_scores), 2, height=2.1, sharey=True)
    for row, score in zip(axes, grouping_scores, strict=True):
        ranked = np.argsort(np.argsort(of_models(population, score), kind="stable"), kind="stable")
        third = ranked * 3 // len(ranked)
        for panel, (learner, accuracies) in zip(row, accuracy_names.items(), strict=True):
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
