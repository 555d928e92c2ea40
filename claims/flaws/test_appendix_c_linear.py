"""Correcting Flaws, appendix C: a linear classifier of all codes beside SNC, on models trained here."""

from dataclasses import replace

import pytest

from dbench.claims import Claim, above
from dbench.claims.correlations import from_correlations
from dbench.claims.filters import removed
from dbench.claims.population import Population
from dbench.claims.zoo_statistics import KNOWING, share_of_models
from dbench.stats import Estimate

MODELS = {"all models": None, "models that know something": KNOWING}
BOTH_WAYS = f"Judged with and without models of which an MLP tells less than {KNOWING[1]} (adjusted accuracy)."

ASKS_LESS = Claim(
    id="flaws.linear-is-weaker",
    part="trained models, asks less",
    where="4.2, appendix C, Tables 2 and 5",
    says="A linear classifier on all codes is more accurate than SNC on most trained models.",
    evidence="zoo",
    kind="direction",
    population="all runs: objectives, strengths and seeds",
    deviations=("Both accuracies are adjusted for chance; the linear one is tested on 5,000 points.", BOTH_WAYS),
    unit="seed",
    statistic="mean over seeds of the share of models whose linear accuracy exceeds SNC",
    rule=above(0.5),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
ALIKE = replace(
    ASKS_LESS,
    part="trained models, alike",
    says="On trained models the accuracies of a linear classifier and of SNC behave broadly alike.",
    kind="equivalence",
    deviations=("'Broadly alike' is read as a rank correlation above one half.", BOTH_WAYS),
    statistic="Spearman's correlation of linear accuracy and SNC, all models pooled",
)


def told(population: Population, models: str) -> tuple[str, ...]:
    """Deviations of the population, and how many models the filter removes."""
    return *population.deviations, *removed(population, MODELS[models])


def share_linear_above(population: Population, models: str) -> Estimate:
    return share_of_models(
        population,
        lambda linear, snc: linear > snc,
        ("linear_accuracy", "snc"),
        among=MODELS[models],
        confidence=ASKS_LESS.confidence,
    )


def likeness(population: Population, models: str) -> Estimate:
    names = ("linear_accuracy", "snc")
    (estimate,) = from_correlations(
        population, names, lambda rho: [rho(*names)], among=MODELS[models], confidence=ALIKE.confidence
    )
    return estimate


@ASKS_LESS.covers
@pytest.mark.parametrize("models", MODELS)
def test_a_linear_classifier_finds_more_than_one_code(judge, population, models):
    estimate = share_linear_above(population, models)
    judge(ASKS_LESS, estimate, population=population.name, deviations=told(population, models))


@ALIKE.covers
@pytest.mark.parametrize("models", MODELS)
def test_linear_accuracy_and_snc_behave_alike(judge, population, models):
    judge(ALIKE, likeness(population, models), population=population.name, deviations=told(population, models))
