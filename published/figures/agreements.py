"""Figures of rank correlations between scores, and of UDR with the supervised metrics."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from dbench.errors import EvidenceLacking
from dbench.estimates.agreements import agreements_of, median_agreement
from dbench.estimates.population import Population, PopulationPair
from dbench.seeds import generator
from dbench.stats import rank_correlation
from dbench_published.figures.card import figure
from dbench_published.figures.labels import label_of, look_of
from dbench_published.figures.lookup import correlations, held, in_order, labels, setting_means
from dbench_published.figures.panels import close, heat_map, panels
from dbench_published.figures.scatters import AGGREGATION_LABELS, AGGREGATIONS
from dbench_published.figures.sweeps import METRICS

UNSUPERVISED_SCORES = ("reconstruction", "kl", "elbo", "gaussian_tc.sampled", "gaussian_tc.mean")
DOWNSTREAM = (
    *(f"downstream.logistic.{n}" for n in (10, 100, 1000, 10_000)),
    *(f"downstream.trees.{n}" for n in (10, 100, 1000, 10_000)),
    "efficiency.logistic.100",
    "efficiency.trees.100",
)
MATRICES = {"importance": "importance", "mutual_information": "mutual inf.", "predictability": "SVM"}
VARIANTS = ("udr.lasso", "udr.lasso.all", "udr.spearman", "udr.spearman.all")
SUPERVISED = ("beta_vae_metric", "factor_vae", "mig", "dci")
DRAWS = 20
_LEARNERS = "logistic regression (LR) and boosted trees (GBT) at rising numbers of training points, and with their"


@figure(
    shows="Spearman's correlation, over all runs, of scores that need no labels with the metrics. Of "
    "reconstruction error, KL and TC less is better, of the ELBO more.",
    after=("Sober Look, Figure 8",),
    claims=("sober.unsupervised-scores-useless", "sober.irs-follows-unsupervised"),
)
def unsupervised_correlations(population: Population) -> Figure:
    """Unsupervised scores and metrics."""
    return _table(population, UNSUPERVISED_SCORES, METRICS)


@figure(
    shows="Spearman's correlation of each pair of metrics over all runs.",
    after=("Sober Look, Figure 13",),
    claims=(
        "sober.metrics-agree-except-modularity",
        "sober.metric-pairs",
        "sober.consistency-vs-restrictiveness",
        "sober.mig-sap-gap-from-matrix",
    ),
)
def metric_correlations(population: Population) -> Figure:
    """Metrics."""
    return _table(population, METRICS, METRICS)


@figure(
    shows=f"Spearman's correlation, over all runs, of each metric with the accuracy of {_LEARNERS} statistical "
    "efficiency.",
    after=("Sober Look, Figure 23",),
    claims=("sober.downstream-correlation", "sober.no-statistical-efficiency"),
)
def downstream_correlations(population: Population) -> Figure:
    """Metrics and downstream accuracy."""
    return _table(population, METRICS, DOWNSTREAM)


@figure(
    shows="Spearman's correlation, over all runs, of scores that need no labels with the accuracy of "
    f"{_LEARNERS} efficiency.",
    after=("Sober Look, Figure 28",),
    claims=("sober.unsupervised-downstream",),
)
def unsupervised_downstream(population: Population) -> Figure:
    """Unsupervised scores and downstream accuracy."""
    return _table(population, UNSUPERVISED_SCORES, DOWNSTREAM)


@figure(
    shows="Spearman's correlation over settings of the mean score over seeds: metrics on one data set (rows) and on "
    "the other (columns). The diagonal is one metric on both.",
    after=("Sober Look, Figure 9",),
    claims=("sober.transfer-dsprites-color", "sober.transfer-table", "sober.irs-follows-unsupervised"),
    of="pair",
)
def metrics_across_data_sets(pair: PopulationPair) -> Figure:
    """Metrics on two data sets."""
    scores = held(pair.source, held(pair.target, METRICS))
    of_source, of_target = ([setting_means(p, s) for s in scores] for p in (pair.source, pair.target))
    if of_source[0].shape != of_target[0].shape:
        raise EvidenceLacking(f"{pair.name} must hold the same settings")
    drawn, axes = panels(1, 1, height=3.6)
    matrix = np.array([[rank_correlation(a, b) for b in of_target] for a in of_source])
    heat_map(axes[0, 0], matrix, labels(scores), labels(scores))
    axes[0, 0].set_ylabel(pair.source.name)
    axes[0, 0].set_xlabel(pair.target.name)
    return drawn


@figure(
    shows="Spearman's correlation over all runs of each pair of aggregations, computed on one and the same matrix of "
    "factors and codes: importances of trees, mutual information, predictability with an SVM.",
    after=("Sober Look, Figure 16",),
    claims=("sober.same-matrix-families", "sober.mig-sap-gap-from-matrix", "sober.one-to-many-avoided"),
)
def aggregations_of_one_matrix(population: Population) -> Figure:
    """Aggregations of one matrix."""
    drawn, axes = panels(1, len(MATRICES), height=2.5, sharey=True)
    for panel, (kind, title) in zip(axes[0], MATRICES.items(), strict=True):
        names = [f"blend.{kind}.{aggregation}" for aggregation in AGGREGATIONS]
        held(population, names, least=len(names))
        heat_map(panel, correlations(population, names, names), AGGREGATION_LABELS, AGGREGATION_LABELS)
        panel.set_title({"SVM": "SVM predictability"}.get(title, title.replace("inf.", "information")))
    return drawn


@figure(
    shows="Spearman's correlation over all runs of an aggregation computed on two different matrices.",
    after=("Sober Look, Figure 20",),
    claims=("sober.matrix-changes-ranking", "sober.svm-long-tail"),
)
def one_aggregation_of_matrices(population: Population) -> Figure:
    """One aggregation of three matrices."""
    drawn, axes = panels(1, len(AGGREGATIONS), height=1.9, sharey=True)
    kinds = list(MATRICES.values())
    for panel, aggregation, title in zip(axes[0], AGGREGATIONS, AGGREGATION_LABELS, strict=True):
        names = [f"blend.{kind}.{aggregation}" for kind in MATRICES]
        held(population, names, least=len(names))
        heat_map(panel, correlations(population, names, names), kinds, kinds)
        panel.set_title(title)
    return drawn


@figure(
    shows="Spearman's correlation over all runs between metrics computed from one sample (rows) and from another, "
    "independent one (columns); left from 10,000 points each, right from 100. The diagonal is a metric with itself.",
    after=("Sober Look, Figures 21 and 22",),
    claims=("sober.scores-stable-at-10000",),
)
def repeated_scores(population: Population) -> Figure:
    """Scores computed twice."""
    drawn, axes = panels(1, 2, height=3.1, sharey=True)
    samples = (("", "again.", "10,000 points"), ("small.", "small_again.", "100 points"))
    for panel, (first, second, title) in zip(axes[0], samples, strict=True):
        scores = [s for s in METRICS if {first + s, second + s} <= set(population.score_names)]
        if not scores:
            raise EvidenceLacking(f"{population.name} holds no {first}mig with {second}mig, nor another metric twice")
        rows, columns = ([prefix + score for score in scores] for prefix in (first, second))
        heat_map(panel, correlations(population, rows, columns), labels(scores), labels(scores))
        panel.set_title(title)
        panel.set_xlabel("second sample")
    axes[0, 0].set_ylabel("first sample")
    return drawn


@figure(
    shows="Pearson's correlation over settings of the mean score over seeds, objectives with labels among them. A "
    "score that is the same everywhere correlates with nothing and is left blank.",
    after=("SNC/NK, Figure 14",),
    claims=("flaws.metric-correlations", "flaws.existing-metrics-higher"),
    of="all",
)
def single_neuron_correlations(population: Population) -> Figure:
    """Single-neuron metrics and existing ones."""
    wanted = ("snc", "nk", "mig", "sap", "irs", "dci", "dci.completeness", "dci.informativeness", "med")
    scores = held(population, wanted, least=2)
    means = np.array([setting_means(population, score) for score in scores])
    varies = np.ptp(means, axis=1) > 0
    matrix = np.full((len(scores), len(scores)), np.nan)
    matrix[np.ix_(varies, varies)] = np.corrcoef(means[varies])
    drawn, axes = panels(1, 1, height=3.6)
    heat_map(axes[0, 0], matrix, labels(scores), labels(scores))
    return drawn


def _table(population: Population, firsts: Sequence[str], seconds: Sequence[str]) -> Figure:
    rows, columns = held(population, firsts), held(population, seconds)
    drawn, axes = panels(1, 1, height=1.1 + 0.32 * len(rows))
    heat_map(axes[0, 0], correlations(population, rows, columns), labels(rows), labels(columns))
    return drawn


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
        panel.set_title(label_of(objective))
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
        values = np.array([[_correlation(agreements, truth, count, draw) for draw in range(DRAWS)] for count in counts])
        look = look_of(objective)
        panel.fill_between(counts, values.min(axis=1), values.max(axis=1), color=look.colour, alpha=0.25, linewidth=0)
        panel.plot(counts, values.mean(axis=1), color=look.colour, marker=look.marker, markersize=3.5)
        panel.axhline(0, color="#5b6068", linewidth=0.6)
        panel.set_title(label_of(objective))
    close(axes.flat[len(objectives) :])
    drawn.supxlabel("comparisons a run", fontsize=8)
    drawn.supylabel("Spearman with BetaVAE", fontsize=8)
    return drawn


def _correlation(agreements: NDArray[np.float64], truth: NDArray[np.float64], count: int, draw: int) -> float:
    priority = generator(figure="udr_by_comparisons", draw=draw).random(agreements.shape)
    return rank_correlation(median_agreement(agreements, comparisons=count, priority=priority), truth)
