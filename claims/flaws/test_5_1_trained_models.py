"""Correcting Flaws, section 5.1: what SNC, NK and existing metrics say of the paper's six systems, trained here."""

import operator

import numpy as np
import pytest

from dbench.claims import Claim, above
from dbench.claims.regime import ALL_CODES_TELL
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_statistics import share_of_models
from dbench.stats import smallest_of

FOREST = "D, C and I by a random forest instead of boosted trees."
COMPONENTS = {"d": "dci", "c": "dci.completeness", "i": "dci.informativeness"}
OTHERS = ("mig", "sap", "irs", "med")
METRICS = {name: name for name in OTHERS} | COMPONENTS
SYSTEMS = "the six systems of Table 2, all strengths and seeds"


def higher(snc, nk, *others):
    """Share of the other metrics above SNC or NK, for each model."""
    return np.mean([other > own for other in others for own in (snc, nk)], axis=0)


def with_dci(snc, nk, *scores):
    """The same of the mean of the first three as one metric, and of the rest."""
    return higher(snc, nk, np.mean(scores[:3], axis=0), *scores[3:])


def dci_ahead(snc, nk, *scores):
    """The same of the mean of the first three alone, minus that of the rest."""
    return higher(snc, nk, np.mean(scores[:3], axis=0)) - higher(snc, nk, *scores[3:])


def models(**means):
    """The six systems, simulated with the same mean of a score for all."""
    laws = {score: Law(mean=mean, noise=0.15) for score, mean in means.items()}
    systems = ("beta_vae", "beta_tcvae", "factor_vae", "parted_vae", "parted_vae_semi", "weak_de")
    return {"six_systems": Simulated(laws, objectives=dict.fromkeys(systems, (1.0,)))}


GAP = Claim.zoo(
    id="flaws.distributed-entanglement",
    quote="The SNC accuracy is substantially lower than that of the full MLP.",
    population=SYSTEMS,
    deviations=(
        "'Substantially' is read as by 20.6 points, the smallest gap of Table 2, for every system.",
        "Both accuracies are adjusted for chance, as the paper's caption says.",
    ),
    statistic="smallest over systems: MLP accuracy minus SNC, mean over strengths",
    rule=above(0.206, null=0.0),
    source="paper: substantially lower",
    regime=(ALL_CODES_TELL,),
    false=models(mlp_accuracy=0.4, snc=0.7),
    revision=4,
)


@GAP.covers
def test_all_codes_know_far_more_than_the_aligned_one(six_systems):
    systems, names = six_systems(), ("mlp_accuracy", "snc")
    return smallest_of([share_of_models(systems, operator.sub, names, objectives=[o]) for o in systems.objectives])


MARGINAL = GAP.cell(
    "marginal drop",
    role="primary",
    quote="Here, there is often only a marginal drop in accuracy after removing the neuron that was supposed to "
    "contain all the relevant information",
    says="Without the aligned code there is often only a marginal drop in accuracy.",
    deviations=("'Marginal' is read as below 10 percentage points.",),
    statistic="mean over seeds of the share of models whose NK is below 10 percentage points",
    rule=above(7 / 18, null=0.0),
    source="paper: often",
    bounds=(0.0, 1.0),
    given={"marginal": 0.1},
    false=models(nk=0.35),
)


@MARGINAL.covers
def test_the_drop_without_the_aligned_code_is_often_marginal(six_systems, marginal):
    def is_marginal(nk):
        return nk < marginal

    return share_of_models(six_systems(), is_marginal, ("nk",))


KEPT = GAP.probe(
    "information kept",
    says="Without the aligned code an MLP often keeps most of its accuracy.",
    deviations=(
        "'Most' is read as NK below half of the accuracy.",
        "NK is the plain difference of two accuracies (section 4.3), the MLP's accuracy is adjusted for chance.",
    ),
    statistic="mean over seeds of the share of models whose NK is below half of the MLP accuracy",
    rule=above(7 / 18, null=0.0),
    source="paper: often",
    bounds=(0.0, 1.0),
    false=models(nk=0.6, mlp_accuracy=0.6),
)


@KEPT.covers
def test_most_accuracy_is_often_kept_without_the_aligned_code(six_systems):
    def keeps_most(nk, mlp):
        return nk < mlp / 2

    return share_of_models(six_systems(), keeps_most, ("nk", "mlp_accuracy"))


HIGHER = Claim.zoo(
    id="flaws.existing-metrics-higher",
    quote="In general, the scores of other metrics, especially DCI, are higher than those of our metrics",
    population=f"{SYSTEMS}; all metrics averaged over factors",
    deviations=(
        "'In general' is read as more than half of all comparisons with MIG, SAP, IRS, MED and DCI.",
        "DCI is the mean of D, C and I, and counts once; Table 7 has the three.",
        FOREST,
    ),
    statistic="share of models and existing metrics scored higher than by SNC or NK, mean of both",
    rule=above(0.5),
    source="sign",
    regime=(ALL_CODES_TELL,),
    false=models(snc=0.3, nk=0.3, **dict.fromkeys(METRICS.values(), 0.1)),
    revision=4,
)


@HIGHER.covers
def test_existing_metrics_score_models_higher_in_general(six_systems):
    return share_of_models(six_systems(), with_dci, ("snc", "nk", *COMPONENTS.values(), *OTHERS))


HIGHER_THAN = HIGHER.cell(
    "of one metric",
    role="primary",
    statistic="share of models and existing metrics scored higher than by it",
    rule=above(0.5),
)


@HIGHER_THAN.covers
@pytest.mark.parametrize("own", ["snc", "nk"])
def test_existing_metrics_score_models_higher_than_one_of_ours(six_systems, own):
    return share_of_models(six_systems(), with_dci, (own, own, *COMPONENTS.values(), *OTHERS))


ESPECIALLY_DCI = HIGHER.cell(
    "especially DCI",
    role="primary",
    says="It is so of DCI especially: DCI scores more models higher than the other existing metrics do.",
    deviations=("DCI is the mean of D, C and I; the others are MIG, SAP, IRS and MED.", FOREST),
    statistic="share of models that DCI scores higher than SNC or NK (mean of both), minus that of the other metrics",
    rule=above(0.0),
    false=models(snc=0.3, nk=0.3, **dict.fromkeys(METRICS.values(), 0.5) | dict.fromkeys(COMPONENTS.values(), 0.1)),
)


@ESPECIALLY_DCI.covers
def test_dci_especially_scores_models_higher(six_systems):
    return share_of_models(six_systems(), dci_ahead, ("snc", "nk", *COMPONENTS.values(), *OTHERS))


ONE_HIGHER = HIGHER.probe(
    "one existing metric",
    says="An existing metric scores most trained models higher than SNC and NK do, each metric asked alone.",
    deviations=("The paper says it of the metrics together.", FOREST),
    statistic="share of models that the metric scores higher than SNC or NK, mean of both",
    rule=above(0.5),
    bounds=(0.0, 1.0),
)


@ONE_HIGHER.covers
@pytest.mark.parametrize("metric", METRICS)
def test_an_existing_metric_scores_most_models_higher(six_systems, metric):
    return share_of_models(six_systems(), higher, ("snc", "nk", METRICS[metric]))
