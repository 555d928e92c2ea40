"""Correcting Flaws, section 5.1: what Tables 2 and 7 say of trained models."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dbench.claims import Claim, above
from dbench.stats import Estimate, exact, rank_correlation
from dbench_fixtures.published.flaws import DATA_SETS, METRICS, mean_over_splits, summary

SOURCES = ("Table 2", "Tables 9 to 26")

GAP = Claim(
    id="flaws.distributed-entanglement",
    part="gap",
    where="5.1, Table 2, appendix G",
    says="The accuracy of an MLP on all codes far exceeds SNC.",
    evidence="published",
    kind="size",
    population="six models on one data set, as printed, or recomputed with both accuracies adjusted for chance",
    deviations=("'Far' is read as 10 percentage points, for every model.",),
    unit="model",
    statistic="smallest MLP accuracy minus SNC over the models, percentage points",
    rule=above(10.0),
    confidence=1.0,
    min_n=6,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
KEPT = replace(
    GAP,
    part="information kept",
    where="5.1, Table 2",
    says="Without the aligned code an MLP often keeps most of its accuracy: NK is often small.",
    population="18 pairs of model and data set, as printed, or recomputed with all accuracies adjusted for chance",
    deviations=("'Often' is read as more than half of the pairs, 'small' as NK below half of the accuracy.",),
    unit="pair",
    statistic="share of pairs whose NK is below half of the MLP accuracy",
    rule=above(0.5),
    min_n=18,
)
MARGINAL = replace(
    KEPT,
    part="marginal drop",
    says="Without the aligned code there is often only a marginal drop in accuracy.",
    deviations=("'Often' is read as more than half of the pairs, 'marginal' as below 10 percentage points.",),
    statistic="share of pairs whose NK is below 10 percentage points",
)
HIGHER = Claim(
    id="flaws.existing-metrics-higher",
    part="metric",
    where="5.1, appendix F, Table 7",
    says="An existing metric scores most trained models higher than SNC, and higher than NK.",
    evidence="published",
    kind="direction",
    population="18 pairs of model and data set, all metrics averaged over factors",
    deviations=("'In general' is read as more than half of the pairs; DCI is the mean of D, C and I.",),
    unit="pair",
    statistic="share of pairs that the metric scores higher than SNC or NK",
    rule=above(0.5),
    confidence=1.0,
    min_n=18,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
ALL_HIGHER = replace(
    HIGHER,
    part="in general",
    says="In general existing metrics score trained models higher than SNC and NK do.",
    deviations=("'In general' is read as more than half of all pairs and metrics (MIG, SAP, IRS, D, C, I, MED).",),
    statistic="share of pairs and metrics scored higher than by SNC or NK",
)
ASKS_LESS = Claim(
    id="flaws.linear-is-weaker",
    part="asks less",
    where="4.2, appendix C, Tables 2 and 5",
    says="A linear classifier on all codes is more accurate than SNC on most trained models.",
    evidence="published",
    kind="direction",
    population="18 pairs of model and data set, as printed, or recomputed with both accuracies adjusted for chance",
    deviations=("Printed, SNC is adjusted for chance and the linear classifier is not, against the caption.",),
    unit="pair",
    statistic="share of pairs whose linear accuracy exceeds SNC",
    rule=above(0.5),
    confidence=1.0,
    min_n=18,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
ALIKE = replace(
    ASKS_LESS,
    part="alike",
    says="On trained models the accuracies of a linear classifier and of SNC behave broadly alike.",
    kind="equivalence",
    deviations=("'Broadly alike' is read as a rank correlation above one half.",),
    statistic="rank correlation of linear accuracy and SNC over the pairs",
)


def table(metric: str, source: str) -> pd.Series:
    """SNC, linear, MLP or NK by data set and model: printed, or recomputed and adjusted for chance."""
    return summary(2, metric) if source == "Table 2" else mean_over_splits(metric, adjust=True)


def smallest_gap(all_codes: pd.Series, one_code: pd.Series) -> Estimate:
    return exact((all_codes - one_code).min(), n=len(all_codes))


def share(holds: pd.Series | np.ndarray) -> Estimate:
    return exact(np.mean(holds), n=np.size(holds))


def share_of_all(holds: list[pd.Series]) -> Estimate:
    """Share over metrics and pairs; ``n`` counts the pairs."""
    return exact(np.mean(holds), n=len(holds[0]))


def likeness(first: pd.Series, second: pd.Series) -> Estimate:
    return exact(rank_correlation(first, second), n=len(first))


@GAP.covers
@pytest.mark.parametrize("data_set", DATA_SETS)
@pytest.mark.parametrize("source", SOURCES)
def test_all_codes_know_far_more_than_the_aligned_one(judge, source, data_set):
    judge(GAP, smallest_gap(table("mlp", source)[data_set], table("snc", source)[data_set]))


@KEPT.covers
@pytest.mark.parametrize("source", SOURCES)
def test_most_accuracy_is_often_kept_without_the_aligned_code(judge, source):
    judge(KEPT, share(table("nk", source) < table("mlp", source) / 2))


@MARGINAL.covers
@pytest.mark.parametrize("source", SOURCES)
def test_the_drop_without_the_aligned_code_is_often_marginal(judge, source):
    judge(MARGINAL, share(table("nk", source) < 10))


@HIGHER.covers
@pytest.mark.parametrize("own", ["snc", "nk"])
@pytest.mark.parametrize("metric", [*METRICS, "dci"])
def test_an_existing_metric_scores_most_models_higher(judge, metric, own):
    judge(HIGHER, share(summary(7, metric) > summary(7, own)))


@ALL_HIGHER.covers
@pytest.mark.parametrize("own", ["snc", "nk"])
def test_existing_metrics_score_models_higher_in_general(judge, own):
    judge(ALL_HIGHER, share_of_all([summary(7, metric) > summary(7, own) for metric in METRICS]))


@ASKS_LESS.covers
@pytest.mark.parametrize("source", SOURCES)
def test_a_linear_classifier_finds_more_than_one_code(judge, source):
    judge(ASKS_LESS, share(table("linear", source) > table("snc", source)))


@ALIKE.covers
@pytest.mark.parametrize("source", SOURCES)
def test_linear_accuracy_and_snc_behave_alike(judge, source):
    judge(ALIKE, likeness(table("linear", source), table("snc", source)))
