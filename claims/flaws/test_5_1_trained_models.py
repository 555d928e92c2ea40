"""Correcting Flaws, section 5.1: what SNC and NK say of models trained here, and what existing metrics say."""

from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, above
from dbench.claims.regime import FACTORS_HELD
from dbench.claims.zoo_statistics import share_of_models
from dbench.stats import smallest_of

FOREST = "D, C and I by a random forest instead of boosted trees."
COMPONENTS = {"d": "dci", "c": "dci.completeness", "i": "dci.informativeness"}
METRICS = {"mig": "mig", "sap": "sap", "irs": "irs", "med": "med"} | COMPONENTS

GAP = Claim(
    id="flaws.distributed-entanglement",
    role="primary",
    quote="The SNC accuracy is substantially lower than that of the full MLP.",
    where="5.1, Table 2, appendix G",
    says="The accuracy of an MLP on all codes far exceeds SNC.",
    evidence="zoo",
    population="all runs: objectives, strengths and seeds",
    deviations=(
        "'Substantially' is read as 10 percentage points.",
        "Both accuracies are adjusted for chance, as the paper's caption says.",
    ),
    unit="seed",
    # The mean of a number over models, as the share of models of which it holds.
    statistic="MLP accuracy minus SNC, mean over models",
    rule=above(0.1, null=0.0),
    min_n=5,
    regime=(FACTORS_HELD,),
    revision=2,
)
GAP_EACH = replace(
    GAP,
    role="cell",
    part="each objective",
    statistic="smallest over objectives: MLP accuracy minus SNC, mean over strengths",
)
MARGINAL = replace(
    GAP,
    role="cell",
    part="marginal drop",
    quote="Here, there is often only a marginal drop in accuracy after removing the neuron that was supposed to "
    "contain all the relevant information",
    says="Without the aligned code there is often only a marginal drop in accuracy.",
    deviations=("'Marginal' is read as below 10 percentage points.",),
    statistic="mean over seeds of the share of models whose NK is below 10 percentage points",
    # 'Often' is more than a quarter, here and below. A share has no value of no effect.
    rule=above(0.25),
)
KEPT = replace(
    MARGINAL,
    role="probe",
    part="information kept",
    quote="",
    says="Without the aligned code an MLP often keeps most of its accuracy.",
    deviations=(
        "'Most' is read as NK below half of the accuracy.",
        "NK is the plain difference of two accuracies (section 4.3), the MLP's accuracy is adjusted for chance.",
    ),
    statistic="mean over seeds of the share of models whose NK is below half of the MLP accuracy",
)

HIGHER = Claim(
    id="flaws.existing-metrics-higher",
    role="primary",
    quote="In general, the scores of other metrics, especially DCI, are higher than those of our metrics",
    where="5.1, appendix F, Table 7",
    says="In general existing metrics score trained models higher than SNC and NK do.",
    evidence="zoo",
    population="all runs: objectives, strengths and seeds; all metrics averaged over factors",
    deviations=("'In general' is read as more than half; existing are MIG, SAP, IRS, D, C, I and MED.", FOREST),
    unit="seed",
    statistic="share of models and existing metrics scored higher than by SNC or NK, mean of both",
    rule=above(0.5),
    min_n=5,
    regime=(FACTORS_HELD,),
    revision=2,
)
HIGHER_THAN = replace(
    HIGHER, role="cell", part="of one metric", statistic="share of models and existing metrics scored higher than by it"
)
DCI_HIGHER = replace(
    HIGHER,
    role="cell",
    part="DCI",
    says="DCI scores most trained models higher than SNC and NK do.",
    deviations=("DCI is the mean of D, C and I.", FOREST),
    statistic="share of models that DCI scores higher than SNC or NK, mean of both",
)
ONE_HIGHER = replace(
    HIGHER,
    role="probe",
    part="one existing metric",
    says="An existing metric scores most trained models higher than SNC and NK do, each metric asked alone.",
    deviations=("The paper says it of the metrics together.", FOREST),
    statistic="share of models that the metric scores higher than SNC or NK, mean of both",
)


def gap(mlp: np.ndarray, snc: np.ndarray) -> np.ndarray:
    return mlp - snc


def higher(snc: np.ndarray, nk: np.ndarray, *others: np.ndarray) -> np.ndarray:
    """Share of the other metrics above SNC or NK, for each model."""
    return np.mean([other > own for other in others for own in (snc, nk)], axis=0)


def dci_higher(snc: np.ndarray, nk: np.ndarray, *parts: np.ndarray) -> np.ndarray:
    return higher(snc, nk, np.mean(parts, axis=0))


@GAP.covers
def test_all_codes_know_far_more_than_the_aligned_one(population, confidence):
    return share_of_models(population, gap, ("mlp_accuracy", "snc"), confidence=confidence)


@GAP_EACH.covers
def test_all_codes_know_far_more_for_each_objective(population, confidence):
    def gaps(level):
        names = ("mlp_accuracy", "snc")
        return [
            share_of_models(population, gap, names, objectives=[o], confidence=level) for o in population.objectives
        ]

    return smallest_of(gaps, confidence=confidence)


@MARGINAL.covers
def test_the_drop_without_the_aligned_code_is_often_marginal(population, confidence):
    return share_of_models(population, lambda nk: nk < 0.1, ("nk",), confidence=confidence)


@KEPT.covers
def test_most_accuracy_is_often_kept_without_the_aligned_code(population, confidence):
    return share_of_models(population, lambda nk, mlp: nk < mlp / 2, ("nk", "mlp_accuracy"), confidence=confidence)


@HIGHER.covers
def test_existing_metrics_score_models_higher_in_general(population, confidence):
    return share_of_models(population, higher, ("snc", "nk", *METRICS.values()), confidence=confidence)


@HIGHER_THAN.covers
@pytest.mark.parametrize("own", ["snc", "nk"])
def test_existing_metrics_score_models_higher_than_one_of_ours(population, own, confidence):
    return share_of_models(population, higher, (own, own, *METRICS.values()), confidence=confidence)


@DCI_HIGHER.covers
def test_dci_scores_models_higher(population, confidence):
    return share_of_models(population, dci_higher, ("snc", "nk", *COMPONENTS.values()), confidence=confidence)


@ONE_HIGHER.covers
@pytest.mark.parametrize("metric", METRICS)
def test_an_existing_metric_scores_most_models_higher(population, metric, confidence):
    return share_of_models(population, higher, ("snc", "nk", METRICS[metric]), confidence=confidence)
