"""Correcting Flaws, section 3.1, Table 1: the scores of two toy models, by the formulas of appendix A."""

import numpy as np
import pytest

from dbench.claims import Claim, Printed, above, within
from dbench.metrics.aggregations import dci_completeness, dci_disentanglement
from dbench.stats import exact
from dbench_published import read_table

# How well each code tells each factor: rows are codes, columns are shape and colour. In M1 the first code tells 75% of
# both and the second nothing; in M2 the second tells 70% of one factor.
ACCURACY = {"M1": np.array([[0.75, 0.75], [0.5, 0.5]]), "M2": np.array([[0.75, 0.75], [0.5, 0.7]])}
# Importances of the codes as appendix A lists them; of 75% and 70% it makes 0.5 and 0.2.
LISTED = {"M1": np.array([[0.5, 0.5], [0.0, 0.0]]), "M2": np.array([[0.5, 0.5], [0.0, 0.2]])}
METRICS = ("mig", "sap", "dci", "med", "snc", "nk")


def printed(metric, model):
    cells = read_table("flaws_table_1").set_index(["metric", "model"])["percent"]
    return float(cells[metric, model])


def information(accuracy):
    """Bits that a code right this often tells of a fair bit."""
    wrong = 1 - accuracy
    return 1 + accuracy * np.log2(accuracy) + wrong * np.log2(wrong)


def mean_gap(strength):
    """Mean over factors of the distance between the two codes that tell most."""
    return np.mean(-np.diff(np.sort(strength, axis=0)[::-1], axis=0))


def mean_of_d_c_i(importance, accuracy):
    """I is the accuracy of the best code, 75% in both models."""
    return (dci_disentanglement(importance) + dci_completeness(importance) + accuracy.max(axis=0).mean()) / 3


def aligned(accuracy):
    """Accuracies of the codes that the best injective assignment gives to the two factors, and of the other codes."""
    pair = accuracy[[0, 1], [0, 1]], accuracy[[1, 0], [0, 1]]
    return pair if pair[0].sum() >= pair[1].sum() else pair[::-1]


def score(metric, accuracy, importance):
    """Score in percent by appendix A: DCI from importances, all others from accuracies (codes x factors)."""
    own, others = aligned(accuracy)
    scores = {
        "mig": mean_gap(information(accuracy)),
        "sap": mean_gap(accuracy),
        "dci": mean_of_d_c_i(importance, accuracy),
        "med": mean_of_d_c_i(information(accuracy), accuracy),
        "snc": own.mean() - 0.5,
        # All codes tell what the best one tells; the aligned ones knocked out, what the best of the others tells.
        "nk": (accuracy.max(axis=0) - others).mean(),
    }
    return 100 * float(scores[metric])


def all_99(metric, model):
    return 99.0


ORDER = Claim.published(
    id="flaws.toy-table",
    quote="Existing metrics incorrectly give M1 a higher score than M2. SNC gives M2 a higher score and NK gives both "
    "the same score.",
    population="two toy models by six metrics, in closed form",
    deviations=(
        "Judged by appendix A: SNC and NK from raw accuracies, DCI from the importances it lists.",
        "MIG of M2 is the mean over both factors, as of M1 and of SAP.",
    ),
    unit="cell",
    statistic="difference of the scores of M1 and M2 on the printed side, points; of NK 1e-9 less its size",
    rule=above(0.0),
    source="sign",
    demonstration=True,
    given={"first": "M1", "second": "M2"},
    false={"first": "M2", "second": "M1"},
    revision=2,
)


@ORDER.covers
@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_orders_the_models_as_printed(metric, first, second):
    one, other = (score(metric, ACCURACY[model], LISTED[model]) for model in (first, second))
    if metric == "nk":
        return exact(1e-9 - abs(one - other))
    return exact(other - one if metric == "snc" else one - other)


CELL = ORDER.probe(
    "cell",
    role="print",
    says="The printed cells of Table 1 are what the formulas of appendix A give.",
    statistic="printed score minus the one recomputed, percentage points",
    rule=within(-0.0501, 0.0501),
    source="paper",
    given={"printed": printed},
    false={"printed": all_99},
    printed=Printed("the cell itself", 0.0),
    revision=1,
)


@CELL.covers
@pytest.mark.parametrize("model", ["M1", "M2"])
@pytest.mark.parametrize("metric", METRICS)
def test_a_cell_follows_from_appendix_a(metric, model, printed):
    return exact(printed(metric, model) - score(metric, ACCURACY[model], LISTED[model]))


BY_DEFINITION = ORDER.probe(
    "by definition",
    role="print",
    says="SNC and DCI of Table 1 keep to their definitions: SNC adjusted for chance, importances normalised alike.",
    where="Table 1, section 4.2, appendix A",
    deviations=(),
    statistic="printed score minus the one recomputed, percentage points",
    rule=within(-0.0501, 0.0501),
    source="paper",
    given={"printed": printed},
    false={"printed": all_99},
    printed=Printed("the cell itself", 0.0),
    revision=1,
)


@BY_DEFINITION.covers
@pytest.mark.parametrize(("metric", "model"), [("snc", "M1"), ("snc", "M2"), ("dci", "M2")])  # DCI of M1 is the same
def test_a_cell_keeps_to_the_definition_of_its_metric(metric, model, printed):
    """SNC by equations 3 and 4, and DCI with every importance (a - r) / (1 - r)."""
    normalised = np.maximum(0, (ACCURACY[model] - 0.5) / 0.5)
    if metric == "snc":
        return exact(printed(metric, model) - 100 * float(aligned(normalised)[0].mean()))
    return exact(printed(metric, model) - score(metric, ACCURACY[model], normalised))
