"""Scores against the strength of the regulariser: every seed, objective by objective."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dbench.claims.population import Population
from dbench.figures.card import figure
from dbench.figures.lookup import held, in_order
from dbench.figures.panels import close, legend, logarithmic, panels
from dbench.figures.style import SOFT, look_of, score_label

METRICS = ("beta_vae_metric", "factor_vae", "mig", "dci", "modularity", "sap", "irs")
"""Those of A Sober Look, in the order of its figures."""


@figure(
    shows="Gaussian total correlation in nats of codes drawn from the posterior, against the strength; above of all "
    "codes, below of the informative ones alone. A dot is a run, the line joins the medians over seeds.",
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
    shows="Gaussian total correlation in nats of the means of the posteriors, against the strength; above of all "
    "codes, below of the informative ones alone. A dot is a run, the line joins the medians over seeds.",
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
    "from the posterior, and of its means. A dot is a run, the line joins the medians over seeds.",
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
    shows="UDR (Lasso, within a strength) and the supervised metrics against the strength. A dot is a run, the line "
    "joins the medians over seeds.",
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
    """Draw a row of panels for each score, a column for each objective; a row shares its scale."""
    found, objectives = held(population, scores), in_order(population)
    drawn, axes = panels(len(found), len(objectives), height=height, sharex="col", sharey="row")
    drawn.set_figheight(len(found) * height + 0.35)
    for row, score in zip(axes, found, strict=True):
        everything = np.concatenate([population.scores(score, o, seeds=population.seeds()).ravel() for o in objectives])
        for panel, objective in zip(row, objectives, strict=True):
            _sweep(panel, population, score, objective, joined)
        row[0].set_ylabel(_two_lines(score_label(score)))
        row[0].yaxis.set_major_locator(MaxNLocator(4))
        if log:
            logarithmic(row[0], everything)
    for panel, objective in zip(axes[0], objectives, strict=True):
        panel.set_title(look_of(objective).label, color=look_of(objective).colour, fontweight="bold")
    drawn.supxlabel("strength", fontsize=8)
    drawn.align_ylabels(axes[:, 0])
    return drawn


def _sweep(panel: Axes, population: Population, score: str, objective: str, joined: bool) -> None:
    values, look = population.scores(score, objective, seeds=population.seeds()), look_of(objective)
    places = np.arange(values.shape[1])
    # Seeds stand side by side in the order of their numbers: a dot never hides another.
    beside = np.linspace(-0.22, 0.22, len(values)) if len(values) > 1 else np.zeros(1)
    if joined:
        panel.plot(places, np.median(values, axis=0), color=look.colour, linewidth=1.6, zorder=3)
    else:
        panel.vlines(places, values.min(axis=0), values.max(axis=0), color=look.colour, alpha=0.35, linewidth=4)
    x = (places[None, :] + beside[:, None]).ravel()
    panel.scatter(x, values.ravel(), s=5, c=look.colour if joined else SOFT, alpha=0.55, linewidths=0, zorder=4)
    panel.set_xticks(places, [_short(strength) for strength in population.strengths(objective)])
    panel.tick_params(axis="x", labelsize=5)
    panel.xaxis.grid(visible=False)


def _short(strength: float) -> str:
    return f"{strength:g}".removeprefix("0") or "0"


def _two_lines(label: str) -> str:
    return label.replace(", informative", ",\ninformative").replace("UDR ", "UDR\n")
