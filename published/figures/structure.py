"""Figures of relations of codes and factors in single models, and of thresholds at which factors merge."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from numpy.typing import NDArray

from dbench.errors import EvidenceLacking
from dbench.estimates.population import Population
from dbench.estimates.relations import relations_of
from dbench.metrics.aggregations import align
from dbench.metrics.groups import merge_thresholds
from dbench_published.figures.card import figure
from dbench_published.figures.hinton import dendrogram, groups_curve, hinton
from dbench_published.figures.labels import score_label
from dbench_published.figures.lookup import Model, factor_names, held, in_order, models_of, of_models
from dbench_published.figures.panels import AMOUNT, close, heat_map, panels

Array = NDArray[np.float64]
TITLES = {
    "importance": "importance of trees",
    "mutual_information": "mutual information (nats)",
    "predictability": "SVM predictability",
}
READING = (
    "Above, the matrix: areas of the squares in proportion to the relation of code and factor, the largest of a panel "
    "fills its cell. Middle, the groups of factors that hang together through codes with relations above a threshold "
    "(line), and the factors connected to any code (dashed). Below, the thresholds at which factors are first "
    "connected (dots) and merge."
)
_THREE = "The models with the highest, the median and the lowest DCI disentanglement,"


@figure(
    shows="The model with the highest MIG, by three ways to relate codes and factors. " + READING,
    after=("Sober Look, Figure 17",),
    claims=("sober.svm-long-tail", "sober.independent-groups"),
)
def three_matrices(population: Population) -> Figure:
    """Three matrices of one model."""
    held(population, ("mig",))
    best = models_of(population)[int(of_models(population, "mig").argmax())]
    matrices = {title: _matrices(population, kind)[best.row] for kind, title in TITLES.items()}
    drawn = _structures(population, matrices)
    drawn.suptitle(f"{best}: MIG {of_models(population, 'mig')[best.row]:.2f}", fontsize=8, x=0.01, ha="left")
    return drawn


@figure(
    shows=f"{_THREE} by the importances of trees. {READING}",
    after=("Sober Look, Figure 18",),
    claims=("sober.independent-groups", "sober.one-to-many-avoided"),
)
def groups_by_importance(population: Population) -> Figure:
    """Importances of the best, a middle and the worst model."""
    return _three_models(population, "importance")


@figure(
    shows=f"{_THREE} by mutual information in nats. {READING}",
    after=("Sober Look, Figure 19",),
    claims=("sober.independent-groups", "sober.one-to-many-avoided"),
)
def groups_by_information(population: Population) -> Figure:
    """Mutual information of the best, a middle and the worst model."""
    return _three_models(population, "mutual_information")


@figure(
    shows="Threshold at which two factors merge, as a share of the largest entry of the model's matrix, averaged over "
    "all models. High: the factors are entangled early; 0: they never merge.",
    after=("Sober Look, Figures 34 and 35",),
    claims=("sober.independent-groups",),
)
def confused_factors(population: Population) -> Figure:
    """Factors that are confused."""
    drawn, axes = panels(1, len(TITLES), height=2.2, sharey=True)
    for panel, (kind, title) in zip(axes[0], TITLES.items(), strict=True):
        matrices = _matrices(population, kind)
        largest = matrices.max(axis=(1, 2), keepdims=True)
        shares = np.divide(matrices, largest, out=np.zeros_like(matrices), where=largest > 0)
        merged = np.mean([merge_thresholds(matrix) for matrix in shares], axis=0)
        names = factor_names(population, len(merged))
        merged[np.triu_indices(len(merged))] = np.nan
        heat_map(panel, merged[1:, :-1], names[1:], names[:-1], limits=(0.0, 1.0), colours=AMOUNT)
        panel.set_facecolor("white")
        panel.set_title(title.removesuffix(" (nats)"))
    return drawn


@figure(
    shows="Mutual information of codes and factors, areas in proportion: the model of each objective with the most "
    "factors whose most informative code is also another's (of several, the one with the highest SNC). Rings mark each "
    "factor's most informative code, diamonds the injective assignment of equation 2.",
    after=("SNC/NK, Figure 1, left",),
    claims=("flaws.misalignment", "flaws.aligned-neuron-is-best"),
    of="all",
)
def aligned_twice(population: Population) -> Figure:
    """One code for two factors."""
    held(population, ("alignment.collisions", "snc"), least=2)
    matrices, models = _matrices(population, "mutual_information"), models_of(population)
    collisions, snc = of_models(population, "alignment.collisions"), of_models(population, "snc")
    objectives = in_order(population)
    columns = min(3, len(objectives))
    drawn, axes = panels(-(-len(objectives) // columns), columns, height=1.65)
    close(axes.flat[len(objectives) :])
    for place, (panel, objective) in enumerate(zip(axes.flat, objectives, strict=False)):
        candidates = [model for model in models if model.objective == objective]
        chosen = max(candidates, key=lambda model: (collisions[model.row], snc[model.row]))
        matrix = matrices[chosen.row]
        hinton(panel, matrix, factor_names(population, matrix.shape[1]), names=place % columns == 0)
        for factor, code in enumerate(matrix.argmax(axis=0)):
            panel.add_patch(Circle((code, factor), 0.46, fill=False, edgecolor="#d55e00", linewidth=1.2))
        assigned = align(matrix)
        has_code = assigned >= 0
        panel.scatter(
            assigned[has_code],
            np.flatnonzero(has_code),
            marker="D",
            s=12,
            facecolor="white",
            edgecolor="#009e73",
            linewidth=1.1,
            zorder=4,
        )
        panel.set_title(f"{chosen}\n{collisions[chosen.row]:.0f} factors share, SNC {snc[chosen.row]:.2f}", fontsize=7)
    drawn.supxlabel("code", fontsize=8)
    return drawn


def _matrices(population: Population, kind: str) -> Array:
    """Return one kind of relation, models x codes x factors, in the order of :func:`models_of`."""
    relations = relations_of(population, kind, objectives=in_order(population))
    return relations.reshape(-1, *relations.shape[-2:])


def _three_models(population: Population, kind: str) -> Figure:
    held(population, ("dci",))
    dci, models = of_models(population, "dci"), models_of(population)
    order = np.argsort(dci, kind="stable")
    if len(order) < 3:
        raise EvidenceLacking(f"{population.name} must hold at least 3 models, got {len(order)}")
    chosen: list[Model] = [models[order[place]] for place in (-1, len(order) // 2, 0)]
    matrices = _matrices(population, kind)
    return _structures(population, {f"{m}\n{score_label('dci')} {dci[m.row]:.2f}": matrices[m.row] for m in chosen})


def _structures(population: Population, matrices: dict[str, Array]) -> Figure:
    """Draw a column for each titled matrix: Hinton diagram, curve of independent groups, dendrogram."""
    drawn, axes = panels(3, len(matrices), height=1.5)
    for place, (column, (title, matrix)) in enumerate(zip(axes.T, matrices.items(), strict=True)):
        names, first = factor_names(population, matrix.shape[1]), place == 0
        hinton(column[0], matrix, names, names=first)
        column[0].set_title(title, fontsize=7)
        column[0].set_xlabel("code")
        groups_curve(column[1], matrix)
        dendrogram(column[2], matrix, names)
        column[2].set_xlabel("threshold")
        if first:
            column[1].set_ylabel("factors")
            drawn.legend(handles=column[1].lines[::-1], loc="outside lower center", ncols=2, fontsize=7)
    return drawn
