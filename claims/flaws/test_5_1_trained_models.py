"""Correcting Flaws, section 5.1: what SNC and NK say of models trained here, and what existing metrics say."""

from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, above
from dbench.claims.filters import removed
from dbench.claims.population import Population
from dbench.claims.zoo_statistics import KNOWING, settings_of, share_of_models
from dbench.errors import EvidenceLacking
from dbench.stats import Estimate, smallest_of

MODELS = {"all models": None, "models that know something": KNOWING}
BOTH_WAYS = f"Judged with and without models of which an MLP tells less than {KNOWING[1]} (adjusted accuracy)."
FOREST = "D, C and I by a random forest instead of boosted trees."
METRICS = {
    "mig": ("mig",),
    "sap": ("sap",),
    "irs": ("irs",),
    "d": ("dci",),
    "c": ("dci.completeness",),
    "i": ("dci.informativeness",),
    "med": ("med",),
    "dci": ("dci", "dci.completeness", "dci.informativeness"),
}

GAP = Claim(
    id="flaws.distributed-entanglement",
    part="trained models, gap",
    where="5.1, Table 2, appendix G",
    says="The accuracy of an MLP on all codes far exceeds SNC.",
    evidence="zoo",
    kind="size",
    population="all runs: objectives, strengths and seeds",
    deviations=(
        "'Far' is read as 10 percentage points, for every objective.",
        "Both accuracies are adjusted for chance, as the paper's caption says.",
        BOTH_WAYS,
    ),
    unit="seed",
    statistic="smallest over objectives: MLP accuracy minus SNC, mean over strengths",
    rule=above(0.1),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
KEPT = replace(
    GAP,
    part="trained models, information kept",
    where="5.1, Table 2",
    says="Without the aligned code an MLP often keeps most of its accuracy: NK is often small.",
    deviations=(
        "'Often' is read as more than half of the models, 'small' as NK below half of the accuracy.",
        "NK is the plain difference of two accuracies (section 4.3), the MLP's accuracy is adjusted for chance.",
        BOTH_WAYS,
    ),
    statistic="mean over seeds of the share of models whose NK is below half of the MLP accuracy",
    rule=above(0.5),
)
MARGINAL = replace(
    KEPT,
    part="trained models, marginal drop",
    says="Without the aligned code there is often only a marginal drop in accuracy.",
    deviations=(
        "'Often' is read as more than half of the models, 'marginal' as below 10 percentage points.",
        BOTH_WAYS,
    ),
    statistic="mean over seeds of the share of models whose NK is below 10 percentage points",
)

HIGHER = Claim(
    id="flaws.existing-metrics-higher",
    part="trained models, metric",
    where="5.1, appendix F, Table 7",
    says="An existing metric scores most trained models higher than SNC, and higher than NK.",
    evidence="zoo",
    kind="direction",
    population="all runs: objectives, strengths and seeds; all metrics averaged over factors",
    deviations=(
        "'In general' is read as more than half of the models; DCI is the mean of D, C and I.",
        FOREST,
        BOTH_WAYS,
    ),
    unit="seed",
    statistic="mean over seeds of the share of models that the metric scores higher than SNC or NK",
    rule=above(0.5),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
ALL_HIGHER = replace(
    HIGHER,
    part="trained models, in general",
    says="In general existing metrics score trained models higher than SNC and NK do.",
    deviations=(
        "'In general' is read as more than half of all models and metrics (MIG, SAP, IRS, D, C, I, MED).",
        FOREST,
        BOTH_WAYS,
    ),
    statistic="mean over seeds of the share of models and metrics scored higher than by SNC or NK",
)


def told(population: Population, models: str) -> tuple[str, ...]:
    """Deviations of the population, and how many models the filter removes."""
    return *population.deviations, *removed(population, MODELS[models])


def smallest_gap(population: Population, models: str) -> Estimate:
    """MLP accuracy minus SNC: the objective of which it is smallest, of those with models to look at."""
    objectives, least = population.objectives, KNOWING[1] if MODELS[models] else -np.inf
    best = {o: settings_of(population, "mlp_accuracy", objectives=[o]).max() for o in objectives}
    if not (looked_at := [o for o in objectives if best[o] >= least]):
        raise EvidenceLacking(f"{population.name} has no model that knows something")

    def gap(objective: str, level: float) -> Estimate:
        # The mean of a number over models, as the share of models of which it holds.
        return share_of_models(
            population,
            lambda mlp, snc: mlp - snc,
            ("mlp_accuracy", "snc"),
            objectives=[objective],
            among=MODELS[models],
            confidence=level,
        )

    return smallest_of(lambda level: [gap(o, level) for o in looked_at], confidence=GAP.confidence)


def share_kept(population: Population, models: str) -> Estimate:
    return share_of_models(
        population,
        lambda nk, mlp: nk < mlp / 2,
        ("nk", "mlp_accuracy"),
        among=MODELS[models],
        confidence=KEPT.confidence,
    )


def share_marginal(population: Population, models: str) -> Estimate:
    return share_of_models(
        population, lambda nk: nk < 0.1, ("nk",), among=MODELS[models], confidence=MARGINAL.confidence
    )


def share_higher(population: Population, metric: str, own: str, models: str) -> Estimate:
    return share_of_models(
        population,
        lambda ours, *parts: np.mean(parts, axis=0) > ours,
        (own, *METRICS[metric]),
        among=MODELS[models],
        confidence=HIGHER.confidence,
    )


def share_higher_in_general(population: Population, own: str, models: str) -> Estimate:
    names = [score for metric in METRICS if metric != "dci" for score in METRICS[metric]]
    return share_of_models(
        population,
        lambda ours, *others: np.mean([other > ours for other in others], axis=0),
        (own, *names),
        among=MODELS[models],
        confidence=ALL_HIGHER.confidence,
    )


@GAP.covers
@pytest.mark.parametrize("models", MODELS)
def test_all_codes_know_far_more_than_the_aligned_one(judge, population, models):
    judge(GAP, smallest_gap(population, models), population=population.name, deviations=told(population, models))


@KEPT.covers
@pytest.mark.parametrize("models", MODELS)
def test_most_accuracy_is_often_kept_without_the_aligned_code(judge, population, models):
    judge(KEPT, share_kept(population, models), population=population.name, deviations=told(population, models))


@MARGINAL.covers
@pytest.mark.parametrize("models", MODELS)
def test_the_drop_without_the_aligned_code_is_often_marginal(judge, population, models):
    judge(MARGINAL, share_marginal(population, models), population=population.name, deviations=told(population, models))


@HIGHER.covers
@pytest.mark.parametrize("models", MODELS)
@pytest.mark.parametrize("own", ["snc", "nk"])
@pytest.mark.parametrize("metric", METRICS)
def test_an_existing_metric_scores_most_models_higher(judge, population, metric, own, models):
    estimate = share_higher(population, metric, own, models)
    judge(HIGHER, estimate, population=population.name, deviations=told(population, models))


@ALL_HIGHER.covers
@pytest.mark.parametrize("models", MODELS)
@pytest.mark.parametrize("own", ["snc", "nk"])
def test_existing_metrics_score_models_higher_in_general(judge, population, own, models):
    estimate = share_higher_in_general(population, own, models)
    judge(ALL_HIGHER, estimate, population=population.name, deviations=told(population, models))
