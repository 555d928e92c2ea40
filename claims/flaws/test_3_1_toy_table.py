"""Correcting Flaws, section 3.1, Table 1: the scores of two toy models, by the formulas of appendix A."""

from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, Printed, above, within
from dbench.metrics.aggregations import dci_completeness, dci_disentanglement
from dbench.stats import Estimate, exact
from dbench_published import read_table

# How well each code tells each factor: rows are codes, columns are shape and colour. In M1 the first code tells 75% of
# both and the second nothing; in M2 the second tells 70% of one factor.
ACCURACY = {"M1": np.array([[0.75, 0.75], [0.5, 0.5]]), "M2": np.array([[0.75, 0.75], [0.5, 0.7]])}
# Importances of the codes as appendix A lists them; of 75% and 70% it makes 0.5 and 0.2.
LISTED = {"M1": np.array([[0.5, 0.5], [0.0, 0.0]]), "M2": np.array([[0.5, 0.5], [0.0, 0.2]])}
METRICS = ("mig", "sap", "dci", "med", "snc", "nk")

CELL = Claim(
    id="flaws.toy-table",
    role="print",
    part="cell",
    where="Table 1, appendix A",
    says="The printed cells of Table 1 are what the formulas of appendix A give.",
    evidence="published",
    population="two toy models by six metrics, in closed form",
    deviations=(
        "Judged by appendix A: SNC and NK from raw accuracies, DCI from the importances it lists.",
        "MIG of M2 is the mean over both factors, as of M1 and of SAP.",
    ),
    unit="cell",
    statistic="printed score minus the one recomputed, percentage points",
    rule=within(-0.0501, 0.0501),
    confidence=1.0,
    printed=Printed("the cell itself", 0.0, 0.0501),
)
ORDER = CELL.cell(
    "",
    role="primary",
    quote="Existing metrics incorrectly give M1 a higher score than M2. SNC gives M2 a higher score and NK gives both "
    "the same score.",
    where="3.1, Table 1",
    says="MIG, SAP, DCI and MED score M1 higher, SNC scores M2 higher, and NK scores both alike.",
    statistic="difference of the scores of M1 and M2 on the printed side, points; of NK 1e-9 less its size",
    rule=above(0.0),
    revision=2,
)
BY_DEFINITION = replace(
    CELL,
    part="by definition",
    where="Table 1, section 4.2, appendix A",
    says="SNC and DCI of Table 1 keep to their definitions: SNC adjusted for chance, importances normalised alike.",
    deviations=(),
)


def printed(metric: str, model: str) -> float:
    cells = read_table("flaws_table_1").set_index(["metric", "model"])["percent"]
    return float(cells[metric, model])


def information(accuracy: np.ndarray) -> np.ndarray:
    """Bits that a code right this often tells of a fair bit."""
    wrong = 1 - accuracy
    return 1 + accuracy * np.log2(accuracy) + wrong * np.log2(wrong)


def mean_gap(strength: np.ndarray) -> float:
    """Mean over factors of the distance between the two codes that tell most."""
    return float(np.mean(-np.diff(np.sort(strength, axis=0)[::-1], axis=0)))


def mean_of_d_c_i(importance: np.ndarray, accuracy: np.ndarray) -> float:
    """I is the accuracy of the best code, 75% in both models."""
    return (dci_disentanglement(importance) + dci_completeness(importance) + accuracy.max(axis=0).mean()) / 3


def aligned(accuracy: np.ndarray) -> np.ndarray:
    """Accuracy of the code aligned to each factor: the best injective assignment of two codes to two factors."""
    return max((accuracy[[0, 1], [0, 1]], accuracy[[1, 0], [0, 1]]), key=np.sum)


def score(metric: str, accuracy: np.ndarray, importance: np.ndarray) -> float:
    """Score in percent by appendix A: DCI from importances, all others from accuracies (codes x factors)."""
    if metric == "mig":
        value = mean_gap(information(accuracy))
    elif metric == "sap":
        value = mean_gap(accuracy)
    elif metric == "dci":
        value = mean_of_d_c_i(importance, accuracy)
    elif metric == "med":
        value = mean_of_d_c_i(information(accuracy), accuracy)
    elif metric == "snc":
        value = aligned(accuracy).mean() - 0.5
    else:
        # All codes tell what the best one tells; the aligned ones knocked out, what the best of the others tells.
        first = accuracy[[0, 1], [0, 1]].sum() >= accuracy[[1, 0], [0, 1]].sum()
        others = accuracy[[1, 0], [0, 1]] if first else accuracy[[0, 1], [0, 1]]
        value = (accuracy.max(axis=0) - others).mean()
    return 100 * float(value)


def distance(printed_score: float, recomputed: float) -> Estimate:
    return exact(printed_score - recomputed)


def lead(metric: str, first: str, second: str) -> Estimate:
    """How far the first model is ahead, on the side of SNC the second, and of NK neither."""
    one, other = (score(metric, ACCURACY[model], LISTED[model]) for model in (first, second))
    if metric == "nk":
        return exact(1e-9 - abs(one - other))
    return exact(other - one if metric == "snc" else one - other)


def by_definition(metric: str, accuracy: np.ndarray) -> float:
    """SNC by equations 3 and 4, and DCI with every importance (a - r) / (1 - r)."""
    normalised = np.maximum(0, (accuracy - 0.5) / 0.5)
    if metric == "snc":
        return 100 * float(aligned(normalised).mean())
    return score(metric, accuracy, normalised)


@CELL.covers
@pytest.mark.parametrize("model", ["M1", "M2"])
@pytest.mark.parametrize("metric", METRICS)
def test_a_cell_follows_from_appendix_a(metric, model):
    return distance(printed(metric, model), score(metric, ACCURACY[model], LISTED[model]))


@ORDER.covers
@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_orders_the_models_as_printed(metric):
    return lead(metric, "M1", "M2")


@BY_DEFINITION.covers
@pytest.mark.parametrize(("metric", "model"), [("snc", "M1"), ("snc", "M2"), ("dci", "M2")])  # DCI of M1 is the same
def test_a_cell_keeps_to_the_definition_of_its_metric(metric, model):
    return distance(printed(metric, model), by_definition(metric, ACCURACY[model]))
