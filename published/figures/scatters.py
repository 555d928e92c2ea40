"""Figures of one score against another: every model is a point."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from dbench.errors import EvidenceLacking
from dbench.estimates.population import Population, PopulationPair
from dbench.estimates.relations import relations_of
from dbench.estimates.zoo_statistics import arrays_of
from dbench.metrics.modularity import modularity_per_code
from dbench.scoring.style import number
from dbench.stats import rank_correlation
from dbench_published.figures.card import figure
from dbench_published.figures.labels import label_of, score_label
from dbench_published.figures.lookup import held, in_order, labels, labels_of_models, of_models, setting_means
from dbench_published.figures.panels import close, diagonal, legend, logarithmic, note, panels, scatter
from dbench_published.figures.sweeps import METRICS

AGGREGATIONS = ("dci_disentanglement", "dci_completeness", "mig", "sap", "modularity")
AGGREGATION_LABELS = ("DCI dis.", "DCI compl.", "MIG", "SAP", "Modularity")
_NUMBERS = "Numbers are Spearman's correlations over all runs."
_EFFICIENCY = (
    "Accuracy with 100 training points over that with the most, averaged over factors, against each metric. " + _NUMBERS
)


@figure(
    shows="Gaussian total correlation in nats of every run's mean codes against that of its sampled codes: of all "
    "codes, and of the informative ones alone. Runs above the dashed line have more in the means.",
    after=("Sober Look, Figure 4",),
    claims=("sober.tc-mean-exceeds-sampled",),
)
def tc_mean_and_sampled(population: Population) -> Figure:
    """Total correlation of mean and of sampled codes."""
    objectives, order = labels_of_models(population), in_order(population)
    drawn, axes = panels(1, 2, height=3.0)
    for panel, (ending, title) in zip(axes[0], (("", "all codes"), (".active", "informative codes")), strict=True):
        x, y = (of_models(population, f"gaussian_tc.{kind}{ending}") for kind in ("sampled", "mean"))
        logarithmic(panel, np.concatenate([x, y]), both=True)
        scatter(panel, x, y, objectives, order, size=14)
        diagonal(panel)
        panel.set_title(title)
        panel.set_xlabel("TC of sampled codes (nats)")
        note(panel, f"above: {np.mean(y > x):.0%} of {len(x)}")
    axes[0, 0].set_ylabel("TC of mean codes (nats)")
    legend(drawn, order, columns=len(order), loc="outside upper center")
    return drawn


@figure(
    shows="Every run's scores by two metrics. " + _NUMBERS,
    after=("Sober Look, Figure 12",),
    claims=("sober.metrics-agree-except-modularity", "sober.metric-pairs", "sober.consistency-vs-restrictiveness"),
)
def metrics_in_pairs(population: Population) -> Figure:
    """Pairs of metrics."""
    scores = held(population, METRICS, least=2)
    return _pairs(population, scores, labels(scores))


@figure(
    shows="Every run's scores by two aggregations, all of the matrix of feature importances. " + _NUMBERS,
    after=("Sober Look, Figure 15",),
    claims=("sober.same-matrix-families", "sober.mig-sap-gap-from-matrix"),
)
def aggregations_in_pairs(population: Population) -> Figure:
    """Pairs of aggregations of one matrix."""
    names = [f"blend.importance.{aggregation}" for aggregation in AGGREGATIONS]
    return _pairs(population, held(population, names, least=len(names)), AGGREGATION_LABELS)


@figure(
    shows=_EFFICIENCY,
    after=("Sober Look, Figure 24",),
    claims=("sober.no-statistical-efficiency", "sober.efficiency-artefact"),
)
def efficiency_logistic(population: Population) -> Figure:
    """Statistical efficiency of logistic regression."""
    return _against(population, "efficiency.logistic.100", "efficiency, logistic regression")


@figure(
    shows=_EFFICIENCY,
    after=("Sober Look, Figure 25",),
    claims=("sober.no-statistical-efficiency", "sober.efficiency-artefact"),
)
def efficiency_trees(population: Population) -> Figure:
    """Statistical efficiency of boosted trees."""
    return _against(population, "efficiency.trees.100", "efficiency, boosted trees")


@figure(
    shows="Mean over seeds of each metric at every setting, on one data set against the other. Numbers are Spearman's "
    "correlations over settings; the dashed line is that of equal scores.",
    after=("Sober Look, Figure 10",),
    claims=("sober.transfer-dsprites-color", "sober.transfer-table"),
    of="pair",
)
def settings_on_two_data_sets(pair: PopulationPair) -> Figure:
    """Settings on two data sets."""
    source, target = pair.source, pair.target
    scores = held(source, held(target, METRICS))
    order = in_order(source)
    objectives = np.array([o for o in order for _ in source.strengths(o)])
    drawn, axes = panels(2, (len(scores) + 2) // 2, height=1.8)
    for panel, score in zip(axes.flat, scores, strict=False):
        x, y = setting_means(source, score), setting_means(target, score)
        if x.shape != y.shape:
            raise EvidenceLacking(f"{pair.name} must hold the same settings, got {len(x)} and {len(y)}")
        scatter(panel, x, y, objectives, order, size=16)
        diagonal(panel)
        panel.set_title(score_label(score))
        note(panel, f"\N{GREEK SMALL LETTER RHO} = {number(rank_correlation(x, y))}")
    close(axes.flat[len(scores) :])
    legend(axes.flat[-1], order, columns=1, loc="center")
    drawn.supxlabel(source.name, fontsize=8)
    drawn.supylabel(target.name, fontsize=8)
    return drawn


@figure(
    shows="Every informative code of every model: its mutual information score (Ridgeway and Mozer: 1 if it tells of a "
    "single factor) against its interventional robustness. The box marks a score above 0.75 at a robustness below 0.5: "
    "codes that look disentangled and can be moved far.",
    after=("IRS, Figure 3",),
    claims=("irs.complements-mi", "irs.rare-events"),
    of="all",
)
def robustness_and_information(population: Population) -> Figure:
    """Robustness and mutual information, code by code."""
    order = in_order(population)
    matrices = relations_of(population, "mutual_information", objectives=order)
    models = matrices.reshape(-1, *matrices.shape[-2:])
    information = np.array([modularity_per_code(matrix) for matrix in models])
    robustness, kl = (
        arrays_of(population, name, objectives=order).reshape(len(models), -1) for name in ("irs.code", "kl.code")
    )
    active = kl > 0.01
    objectives = np.repeat(labels_of_models(population)[:, None], models.shape[1], axis=1)[active]
    x, y = information[active], robustness[active]
    drawn, axes = panels(2, (len(order) + 1) // 2, height=1.9, sharex=True, sharey=True)
    for panel, objective in zip(axes.flat, order, strict=False):
        scatter(panel, x, y, objectives, [objective], size=7)
        panel.add_patch(Rectangle((0.75, 0), 0.25, 0.5, fill=False, edgecolor="#b03a2e", linewidth=1))
        panel.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        chosen = objectives == objective
        boxed = np.mean((x[chosen] > 0.75) & (y[chosen] < 0.5)) if chosen.any() else 0.0
        panel.set_title(label_of(objective))
        note(panel, f"{chosen.sum()} codes, {boxed:.0%} boxed")
    close(axes.flat[len(order) :])
    drawn.supxlabel("mutual information score of the code", fontsize=8)
    drawn.supylabel("IRS of the code", fontsize=8)
    return drawn


def _pairs(population: Population, scores: Sequence[str], labels: Sequence[str]) -> Figure:
    """Draw the pairs below the diagonal; the legend stands in the empty half above."""
    count, objectives, order = len(scores) - 1, labels_of_models(population), in_order(population)
    values = [of_models(population, score) for score in scores]
    drawn, axes = panels(count, count, height=6.6 / count, sharex="col", sharey="row")
    for i, row in enumerate(axes):
        for j, panel in enumerate(row):
            if j > i:
                break
            x, y = values[j], values[i + 1]
            scatter(panel, x, y, objectives, order, size=5)
            note(panel, number(rank_correlation(x, y)))
        close(row[i + 1 :])
        row[0].set_ylabel(labels[i + 1])
    for j, panel in enumerate(axes[-1]):
        panel.set_xlabel(labels[j])
    legend(drawn, order, columns=1, loc="upper right")
    drawn.align_labels()
    return drawn


def _against(population: Population, score: str, label: str) -> Figure:
    scores, objectives, order = held(population, METRICS), labels_of_models(population), in_order(population)
    y = of_models(population, score)
    drawn, axes = panels(2, (len(scores) + 2) // 2, height=1.8, sharey=True)
    for panel, metric in zip(axes.flat, scores, strict=False):
        x = of_models(population, metric)
        scatter(panel, x, y, objectives, order, size=8)
        panel.set_xlabel(score_label(metric))
        note(panel, f"\N{GREEK SMALL LETTER RHO} = {number(rank_correlation(x, y))}")
    close(axes.flat[len(scores) :])
    legend(axes.flat[-1], order, columns=1, loc="center")
    drawn.supylabel(label, fontsize=8)
    return drawn
