"""Which scores order models alike: heat maps of correlations."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from dbench.claims.population import Population, PopulationPair
from dbench.errors import EvidenceLacking
from dbench.figures.card import figure
from dbench.figures.lookup import correlations, held, labels, setting_means
from dbench.figures.panels import heat_map, panels
from dbench.figures.scatters import AGGREGATION_LABELS, AGGREGATIONS
from dbench.figures.sweeps import METRICS
from dbench.stats import rank_correlation

UNSUPERVISED_SCORES = ("reconstruction", "kl", "elbo", "gaussian_tc.sampled", "gaussian_tc.mean")
DOWNSTREAM = (
    *(f"downstream.logistic.{n}" for n in (10, 100, 1000, 10_000)),
    *(f"downstream.trees.{n}" for n in (10, 100, 1000, 10_000)),
    "efficiency.logistic.100",
    "efficiency.trees.100",
)
MATRICES = {"importance": "importance", "mutual_information": "mutual inf.", "predictability": "SVM"}


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
    shows="Spearman's correlation, over all runs, of each metric with the accuracy of logistic regression (LR) and "
    "boosted trees (GBT) at rising numbers of training points, and with their statistical efficiency.",
    after=("Sober Look, Figure 23",),
    claims=("sober.downstream-correlation", "sober.no-statistical-efficiency"),
)
def downstream_correlations(population: Population) -> Figure:
    """Metrics and downstream accuracy."""
    return _table(population, METRICS, DOWNSTREAM)


@figure(
    shows="Spearman's correlation, over all runs, of scores that need no labels with the accuracy of logistic "
    "regression (LR) and boosted trees (GBT) at rising numbers of training points, and with their efficiency.",
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
    for panel, (first, second, title) in zip(
        axes[0], (("", "again.", "10,000 points"), ("small.", "small_again.", "100 points")), strict=True
    ):
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
