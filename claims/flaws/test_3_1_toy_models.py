"""Correcting Flaws, section 3.1, Table 1: the two toy models by every metric's definition, and from samples."""

import numpy as np
import pytest

from dbench.claims import Claim, Printed, above, within
from dbench.constructions.spread_codes import toy_law, toy_model
from dbench.metrics import align, dci, dci_completeness, dci_disentanglement, mig, mig_gap, nk, sap, sap_gap, snc
from dbench.metrics.relations import mutual_information
from dbench.seeds import generator
from dbench.stats import Estimate, exact, mean_of

# How often the second code equals the shape.
MODELS = {"M1": 0.5, "M2": 0.7}
# Percent, as printed in Table 1.
PRINTED = {
    "mig": (18.9, 11.9),
    "sap": (25.0, 15.0),
    "dci": (58.3, 47.1),
    "med": (58.3, 46.4),
    "snc": (12.5, 22.5),
    "nk": (12.5, 12.5),
}
# The smallest difference that Table 1 calls one.
SAME = 0.07
# On which side of M2 a metric puts M1; NK puts it on none.
SIDE = dict.fromkeys(("mig", "sap", "dci", "med"), 1.0) | {"snc": -1.0}
METRICS = pytest.mark.parametrize("metric", PRINTED)


def joint(law, code, factor):
    """Table of probabilities of a code (as numbers from 0) and a factor."""
    table = np.zeros((code.max() + 1, 2))
    np.add.at(table, (code, factor), law.probability)
    return table


def accuracy(law, code, factor):
    """How often the best guess from this code is right."""
    return float(joint(law, code, factor).max(axis=1).sum())


def bits(table):
    """Mutual information of a joint table."""
    independent = table.sum(axis=1, keepdims=True) * table.sum(axis=0)
    present = table > 0
    return float((table[present] * np.log2(table[present] / independent[present])).sum())


def scores(law):
    """All six scores of a law with fair factors, in percent."""
    codes, factors = law.codes.T, law.factors.T
    alone = np.array([[accuracy(law, code, factor) for factor in factors] for code in codes])
    information = np.array([[bits(joint(law, code, factor)) for factor in factors] for code in codes])
    pair = 2 * codes[0] + codes[1]
    both = np.array([accuracy(law, pair, factor) for factor in factors])
    aligned = align(np.maximum(information, 0.0))
    own = alone[aligned, [0, 1]]
    rest = alone[1 - aligned, [0, 1]]

    def mean_of_three(importance):
        return (dci_disentanglement(importance) + dci_completeness(importance) + both.mean()) / 3

    parts = {
        "mig": mig_gap(np.maximum(information, 0.0), [1.0, 1.0]),
        "sap": sap_gap(alone),
        "dci": mean_of_three(np.maximum(alone - 0.5, 0.0)),
        "med": mean_of_three(np.maximum(information, 0.0)),
        "snc": float(((own - 0.5) / 0.5).mean()),
        "nk": float((both - rest).mean()),
    }
    return {name: 100 * value for name, value in parts.items()}


def _mig(sample, stream):
    return float(mig(sample))


def _sap(sample, stream):
    return float(sap(sample, generator=stream))


def _trees(sample, stream):
    score = dci(sample, generator=stream)
    return (score.value + score.details["completeness"] + score.details["informativeness"]) / 3


def _information(sample, stream):
    relation = mutual_information(sample.codes, sample.factors)
    return (dci_disentanglement(relation) + dci_completeness(relation)) / 2


def _snc(sample, stream):
    return float(snc(sample))


def _nk(sample, stream):
    return float(nk(sample, epochs=20, generator=stream))


AS_USED = {"mig": _mig, "sap": _sap, "dci": _trees, "med": _information, "snc": _snc, "nk": _nk}


ORDER = Claim.synthetic(
    id="flaws.toy-table",
    quote="Existing metrics incorrectly give M1 a higher score than M2. SNC gives M2 a higher score and NK gives both "
    "the same score.",
    population="the toy law, enumerated; metric varied",
    deviations=(
        "mig: The gap in bits by the factor's entropy (1 bit), averaged over both factors.",
        "sap: Accuracies of the codes stand for R2, as in Appendix A (by R2 itself: 25.0 and 17.0).",
        "dci: Mean of D, C and I; importance is accuracy above chance, I the accuracy of both codes. Appendix A "
        "normalises 0.75 to 0.5, but 0.7 to 0.2 where it should be 0.4.",
        "med: Mean of D, C and I; importance is mutual information, I the accuracy of both codes (Appendix A).",
        "snc: Equation (a - r) / (1 - r) of 4.2; Appendix A forgets to divide by 1 - r, which halves both scores.",
        "nk: Raw accuracies, as in 4.3; chance-adjusted ones would give twice the score.",
    ),
    unit="law",
    statistic="difference of the scores of M1 and M2 on the printed side, percent; of NK 1e-9 less its size",
    rule=above(0.0),
    source="sign",
    demonstration=True,
    min_n=1,
    given={"first": MODELS["M1"], "second": MODELS["M2"]},
    false={"first": MODELS["M2"], "second": MODELS["M1"]},
)


@ORDER.covers
@METRICS
def test_a_metric_orders_the_models_as_printed(metric, first, second):
    difference = scores(toy_law(first))[metric] - scores(toy_law(second))[metric]
    return exact(SIDE[metric] * difference if metric in SIDE else 1e-9 - abs(difference))


SAMPLED = ORDER.cell(
    "samples",
    population="samples of 1,000 observations of both models; metric and draws varied",
    deviations=(
        "Codes carry noise of 0.05, so that they are real numbers.",
        "SAP by a linear support vector machine, DCI with boosted trees, MED without I, NK trained for 20 epochs.",
        "The same score is one within the smallest difference that Table 1 calls a decrease (18.9 to 11.9).",
    ),
    unit="pair of samples",
    statistic="difference of the scores of M1 and M2 on the printed side; of NK 0.07 less its size",
    rule=above(0.0),
    min_n=5,
    given={"first": MODELS["M1"], "second": MODELS["M2"], "repetitions": 6, "n": 1_000},
    revision=2,
)


@SAMPLED.covers
@METRICS
def test_a_metric_orders_samples_of_the_models_as_printed(metric, first, second, repetitions, n):
    def score(repetition, model, share):
        stream = generator(claim=ORDER.id, metric=metric, repetition=repetition, model=model)
        return AS_USED[metric](toy_model(n, stream, second_accuracy=share), stream)

    differences = np.array([score(i, 1, first) - score(i, 2, second) for i in range(repetitions)])
    if metric in SIDE:
        return mean_of(SIDE[metric] * differences)
    found = mean_of(differences)

    def ends(level):
        low, high = found.at(level).low, found.at(level).high
        nearest, farthest = sorted((abs(low), abs(high)))
        return SAME - farthest, SAME - (0.0 if low <= 0 <= high else nearest)

    return Estimate(SAME - abs(found.value), found.n, ends)


CELLS = ORDER.probe(
    "scores",
    role="print",
    says="The scores are those printed.",
    statistic="score by the metric's definition minus the printed one, percent",
    rule=within(-0.05 - 1e-9, 0.05 + 1e-9),
    source="paper",
    given={"shares": MODELS},
    false={"shares": {"M1": 0.7}},
    printed={
        f"{name}-{model}": Printed(f"{figure}%", 0.0)
        for name, figures in PRINTED.items()
        for model, figure in zip(MODELS, figures, strict=True)
    },
)


@CELLS.covers
@METRICS
@pytest.mark.parametrize("model", MODELS)
def test_the_scores_are_those_printed(metric, model, shares):
    figure = PRINTED[metric][list(MODELS).index(model)]
    return exact(scores(toy_law(shares[model]))[metric] - figure)
