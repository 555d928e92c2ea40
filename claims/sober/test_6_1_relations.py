"""A Sober Look, sections 6 and 6.1.1: which metrics look at disentanglement, and which at compactness.

Scores are put on the scale from codes that hold nothing (0) to one-to-one codes (1), so that metrics compare.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dbench.claims import Claim, above, below
from dbench.codes import Source
from dbench.metrics import (
    beta_vae_metric,
    dci,
    dci_disentanglement,
    factor_vae,
    irs,
    mig,
    mig_gap,
    modularity,
    sap,
    sap_gap,
)
from dbench.seeds import generator
from dbench.stats import Estimate, exact, jackknife_interval
from dbench_fixtures.counterexamples.relations import related

HIGH = 0.75
ENDS = "From codes that hold nothing (0) to one-to-one codes (1), each end measured on draws of its own."

# ------------------------------------------------------------------ seven metrics, four relations
HIGH_ON = Claim(
    id="sober.metric-groups",
    part="high",
    where="section 6; 6.1.1",
    says="BetaVAE, FactorVAE, Modularity, DCI and IRS are high on one-to-many relations, MIG and SAP on many-to-one.",
    evidence="synthetic",
    kind="existence",
    population="four factors of four values, related to codes one-to-many, many-to-one or many-to-many; draws varied",
    deviations=(ENDS, "'High' is three quarters of the way."),
    unit="repetition",
    statistic="place of the mean score between codes that hold nothing and one-to-one codes",
    rule=above(HIGH),
    confidence=0.95,
    min_n=3,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
LOW_ON = replace(
    HIGH_ON,
    part="low",
    says="BetaVAE, FactorVAE, Modularity, DCI and IRS are low on many-to-one relations, MIG and SAP on one-to-many; "
    "all are low on many-to-many.",
    deviations=(ENDS, "'Low' is not high: less than three quarters of the way."),
    rule=below(HIGH),
)

# ------------------------------------------------------------------ compactness is not disentanglement
PUNISHED = replace(
    HIGH_ON,
    id="sober.compactness-not-disentanglement",
    part="punished, samples",
    where="6.1.1",
    says="MIG and SAP punish one factor in several codes, DCI disentanglement several factors in one code.",
    deviations=(ENDS, "'Punish' is to take off more than a quarter of the way."),
    statistic="share of the way from nothing to one-to-one that the mean score loses",
    rule=above(0.25),
)
SPARED = replace(
    PUNISHED,
    part="spared, samples",
    says="MIG and SAP do not punish several factors in one code, DCI disentanglement not one factor in several codes.",
    deviations=(
        ENDS,
        "'Not punish' is to take off less than a quarter of the way.",
        "SAP is judged by its own matrix (a linear machine) and by squared correlation.",
    ),
    rule=below(0.25),
)
PUNISHED_MATRIX = replace(
    PUNISHED,
    part="punished, matrix",
    population="matrices of four factors: the identity, two codes a factor, two factors a code",
    deviations=("'Punish' is to take off more than a quarter.",),
    unit="matrix",
    statistic="score of the identity minus score of the matrix, by the aggregation alone",
    confidence=1.0,
    min_n=1,
)
SPARED_MATRIX = replace(
    PUNISHED_MATRIX,
    part="spared, matrix",
    says=SPARED.says,
    deviations=("'Not punish' is to take off less than a quarter.",),
    rule=below(0.25),
)

DISENTANGLEMENT = ("beta_vae_metric", "dci", "factor_vae", "irs", "modularity")
COMPACTNESS = ("mig", "sap")
METRICS: dict[str, Callable[[Source, np.random.Generator], float]] = {
    "beta_vae_metric": lambda s, g: float(beta_vae_metric(s, train_points=2_000, test_points=2_000, generator=g)),
    "factor_vae": lambda s, g: float(factor_vae(s, train_votes=2_000, test_votes=2_000, generator=g)),
    "modularity": lambda s, g: float(modularity(s.sample(10_000, g), generator=g)),
    "dci": lambda s, g: float(dci(s.sample(250, g), generator=g)),
    "irs": lambda s, g: float(irs(s.sample(10_000, g), generator=g)),
    "mig": lambda s, g: float(mig(s.sample(10_000, g))),
    "sap": lambda s, g: float(sap(s.sample(10_000, g), generator=g)),
    "sap[r2]": lambda s, g: float(sap(s.sample(10_000, g), relation="r2")),
}
AGGREGATIONS: dict[str, Callable[[np.ndarray], float]] = {
    "dci": dci_disentanglement,
    "mig": lambda matrix: mig_gap(matrix, np.ones(matrix.shape[1])),
    "sap": sap_gap,
}
# Rows are codes, columns factors.
MATRICES = {
    "one-to-many": np.vstack([np.eye(4), np.eye(4)]),
    "many-to-one": np.kron(np.eye(2), np.ones((1, 2))),
}
# One-to-one codes are the upper end of the scale: judging them by it would prove nothing.
GROUP_CELLS_HIGH = [(m, "one-to-many") for m in DISENTANGLEMENT] + [(m, "many-to-one") for m in COMPACTNESS]
GROUP_CELLS_LOW = [(m, r) for m in DISENTANGLEMENT for r in ("many-to-one", "many-to-many")]
GROUP_CELLS_LOW += [(m, r) for m in COMPACTNESS for r in ("one-to-many", "many-to-many")]


@cache
def score(metric: str, relation: str, role: str, repetition: int) -> float:
    axes = {"claim": HIGH_ON.id, "metric": metric, "relation": relation, "role": role, "repetition": repetition}
    return METRICS[metric](related(relation), generator(**axes))


def place(metric: str, relation: str, *, repetitions: int | None = None, lost: bool = False) -> Estimate:
    """Place the mean score between the mean scores of the two ends, or say how far it falls short of the best.

    A repetition draws the judged codes and both ends, so the error of the ends is in the interval.
    """
    rows = range(repetitions or (3 if metric == "dci" else 5))
    nothing = np.array([score(metric, "none", "end", i) for i in rows])
    best = np.array([score(metric, "one-to-one", "end", i) for i in rows])
    found = np.array([score(metric, relation, "judged", i) for i in rows])

    def place_of(kept: np.ndarray) -> float:
        share = (found[kept].mean() - nothing[kept].mean()) / (best[kept].mean() - nothing[kept].mean())
        return float(1 - share if lost else share)

    return jackknife_interval(place_of, len(found), confidence=HIGH_ON.confidence)


def loss(metric: str, relation: str, *, repetitions: int | None = None) -> Estimate:
    return place(metric, relation, repetitions=repetitions, lost=True)


def loss_of_matrix(aggregation: str, matrix: np.ndarray) -> Estimate:
    aggregate = AGGREGATIONS[aggregation]
    return exact(aggregate(np.eye(4)) - aggregate(matrix))


@HIGH_ON.covers
@pytest.mark.parametrize(("metric", "relation"), GROUP_CELLS_HIGH)
def test_a_metric_is_high_where_what_it_looks_at_holds(judge, metric, relation):
    judge(HIGH_ON, place(metric, relation))


@LOW_ON.covers
@pytest.mark.parametrize(("metric", "relation"), GROUP_CELLS_LOW)
def test_a_metric_is_low_where_what_it_looks_at_fails(judge, metric, relation):
    judge(LOW_ON, place(metric, relation))


@PUNISHED.covers
@pytest.mark.parametrize(
    ("metric", "relation"), [("mig", "one-to-many"), ("sap", "one-to-many"), ("dci", "many-to-one")]
)
def test_samples_show_what_each_metric_punishes(judge, metric, relation):
    judge(PUNISHED, loss(metric, relation))


@SPARED.covers
@pytest.mark.parametrize(
    ("metric", "relation"),
    [("mig", "many-to-one"), ("sap", "many-to-one"), ("sap[r2]", "many-to-one"), ("dci", "one-to-many")],
)
def test_samples_show_what_each_metric_spares(judge, metric, relation):
    judge(SPARED, loss(metric, relation))


@PUNISHED_MATRIX.covers
@pytest.mark.parametrize(
    ("aggregation", "relation"), [("mig", "one-to-many"), ("sap", "one-to-many"), ("dci", "many-to-one")]
)
def test_matrices_show_what_each_aggregation_punishes(judge, aggregation, relation):
    judge(PUNISHED_MATRIX, loss_of_matrix(aggregation, MATRICES[relation]))


@SPARED_MATRIX.covers
@pytest.mark.parametrize(
    ("aggregation", "relation"), [("mig", "many-to-one"), ("sap", "many-to-one"), ("dci", "one-to-many")]
)
def test_matrices_show_what_each_aggregation_spares(judge, aggregation, relation):
    judge(SPARED_MATRIX, loss_of_matrix(aggregation, MATRICES[relation]))
