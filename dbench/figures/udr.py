"""How well models that agree with each other are those that the supervised metrics prefer."""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from dbench.claims.agreements import agreements_of, median_agreement
from dbench.claims.population import Population
from dbench.errors import EvidenceLacking
from dbench.figures.card import figure
from dbench.figures.lookup import held, in_order, labels
from dbench.figures.panels import close, heat_map, panels
from dbench.figures.style import look_of
from dbench.seeds import generator
from dbench.stats import rank_correlation

VARIANTS = ("udr.lasso", "udr.lasso.all", "udr.spearman", "udr.spearman.all")
SUPERVISED = ("beta_vae_metric", "factor_vae", "mig", "dci")
DRAWS = 20


@figure(
    shows="Spearman's correlation over the runs of an objective of each variant of UDR (A2A: all to all strengths) "
    "with each supervised metric.",
    after=("UDR, Figure 7", "UDR, Table 6"),
    claims=(
        "udr.correlates-with-supervised",
        "udr.closest-to-dci",
        "udr.lasso-not-worse-than-spearman",
        "udr.all-to-all-for-models",
    ),
)
def udr_correlations(population: Population) -> Figure:
    """UDR and the supervised metrics."""
    variants, metrics, objectives = held(population, VARIANTS), held(population, SUPERVISED), in_order(population)
    columns = min(3, len(objectives))
    drawn, axes = panels(-(-len(objectives) // columns), columns, height=1.75, sharex=True, sharey=True)
    seeds = population.seeds()
    for panel, objective in zip(axes.flat, objectives, strict=False):
        scores = {s: population.scores(s, objective, seeds=seeds).ravel() for s in (*variants, *metrics)}
        matrix = np.array([[rank_correlation(scores[a], scores[b]) for b in metrics] for a in variants])
        heat_map(panel, matrix, labels(variants), labels(metrics))
        panel.set_title(look_of(objective).label)
    close(axes.flat[len(objectives) :])
    return drawn


@figure(
    shows=f"Spearman's correlation of UDR (Lasso) with BetaVAE over the runs of an objective, against the number of "
    f"other runs that each is compared with, drawn from all of them. Mean and range over {DRAWS} draws without "
    "replacement; as more of the partners are drawn the draws come to share them, which alone narrows the range.",
    after=("UDR, Figure 9", "UDR, Table 1"),
    claims=("udr.few-comparisons-suffice",),
)
def udr_by_comparisons(population: Population) -> Figure:
    """Number of comparisons."""
    held(population, ("beta_vae_metric",))
    objectives = in_order(population)
    columns = min(3, len(objectives))
    drawn, axes = panels(-(-len(objectives) // columns), columns, height=1.6, sharex=True, sharey=True)
    for panel, objective in zip(axes.flat, objectives, strict=False):
        truth = population.scores("beta_vae_metric", objective, seeds=population.seeds()).ravel()
        agreements = agreements_of(population, objective).reshape(len(truth), len(truth))
        if len(truth) < 7:
            raise EvidenceLacking(f"{population.name} must hold 7 runs of {objective} to draw partners from")
        counts = [count for count in (1, 2, 3, 5, 10, 15, 20, 25, 30, 35, 40, 45) if count < len(truth)]
        found = np.array([[_correlation(agreements, truth, count, draw) for draw in range(DRAWS)] for count in counts])
        look = look_of(objective)
        panel.fill_between(counts, found.min(axis=1), found.max(axis=1), color=look.colour, alpha=0.25, linewidth=0)
        panel.plot(counts, found.mean(axis=1), color=look.colour, marker=look.marker, markersize=3.5)
        panel.axhline(0, color="#5b6068", linewidth=0.6)
        panel.set_title(look.label)
    close(axes.flat[len(objectives) :])
    drawn.supxlabel("comparisons a run", fontsize=8)
    drawn.supylabel("Spearman with BetaVAE", fontsize=8)
    return drawn


def _correlation(agreements: NDArray[np.float64], truth: NDArray[np.float64], count: int, draw: int) -> float:
    priority = generator(figure="udr_by_comparisons", draw=draw).random(agreements.shape)
    return rank_correlation(median_agreement(agreements, comparisons=count, priority=priority), truth)
