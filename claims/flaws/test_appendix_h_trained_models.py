"""Correcting Flaws, appendix H: how the metrics of models trained here correlate with each other."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, above, within
from dbench.claims.filters import removed_text
from dbench.claims.population import Population
from dbench.claims.zoo_statistics import KNOWING, settings_of
from dbench.errors import EvidenceLacking
from dbench.stats import Estimate, correlation, smallest_of

# Name in Figure 14 -> score of the runs table.
METRICS = {
    "snc": "snc",
    "nk": "nk",
    "mig": "mig",
    "sap": "sap",
    "irs": "irs",
    "d": "dci",
    "c": "dci.completeness",
    "i": "dci.informativeness",
    "med": "med",
}
SETTINGS = ("all settings", "settings that know something")
LOWEST, HIGHEST = ("sap", "irs"), ("med", "mig")

DCI = Claim(
    id="flaws.metric-correlations",
    part="trained models, d, c, i",
    where="appendix H, Figure 14",
    says="D, C and I correlate very strongly with each other.",
    evidence="zoo",
    kind="size",
    population="all settings: objectives and strengths; each metric is the mean over a setting's seeds",
    deviations=(
        "'Very strongly' is read as above 0.9.",
        "Settings of one data set, where the paper has six models on three data sets.",
        "D, C and I by a random forest instead of boosted trees.",
        f"Judged with and without settings of which an MLP tells less than {KNOWING[1]}: where nothing is learnt, all "
        "metrics are low together.",
    ),
    unit="seed",
    statistic="smallest Pearson correlation of two of D, C and I over settings",
    rule=above(0.9),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
MODERATE = replace(
    DCI,
    part="trained models, snc with nk",
    says="SNC and NK correlate only moderately.",
    deviations=("'Moderately' is read as 0.4 to 0.7.", DCI.deviations[1], DCI.deviations[3]),
    statistic="Pearson correlation of SNC and NK over settings",
    rule=within(0.4, 0.7),
)
LEAST = replace(
    DCI,
    part="trained models, sap and irs least",
    says="SAP and IRS correlate least with the other metrics.",
    kind="ranking",
    deviations=DCI.deviations[1:],
    statistic="smallest mean correlation of another metric with the rest, minus the larger of SAP's and IRS's",
    # A twentieth: what two decimals of a heat map show.
    rule=above(0.05),
)
MOST = replace(
    LEAST,
    part="trained models, med and mig most",
    says="MED and MIG correlate most with the other metrics.",
    statistic="smaller mean correlation of MED and MIG with the rest, minus the largest of another metric",
)


def told(population: Population, settings: str) -> tuple[str, ...]:
    """Deviations of the population, and how many settings the filter removes."""
    if settings != SETTINGS[1]:
        return population.deviations
    kept = settings_of(population, KNOWING[0]).mean(axis=0) >= KNOWING[1]
    return *population.deviations, removed_text(kept, "settings")


def matrix_of(population: Population, tables: dict, settings: str) -> np.ndarray:
    """Metrics x metrics, over the settings of these tables."""
    names = population.objectives

    def means(score: str) -> np.ndarray:
        return np.concatenate([tables[score, objective].mean(axis=0) for objective in names])

    knows = means(KNOWING[0]) >= (KNOWING[1] if settings == SETTINGS[1] else -np.inf)
    columns = [means(score)[knows] for score in METRICS.values()]
    if knows.sum() < 3 or any(np.ptp(column) == 0 for column in columns):
        raise EvidenceLacking(f"{population.name} has no 3 settings that differ in every metric, of {settings}")
    return np.array([[correlation(a, b) for a in columns] for b in columns])


def of_correlations(
    population: Population, settings: str, combine: Callable[[np.ndarray], list[float]], confidence: float
) -> list[Estimate]:
    """Jackknife over seeds what is made of the matrix of correlations."""
    return population.intervals(
        lambda tables: combine(matrix_of(population, tables, settings)),
        scores=[*METRICS.values(), KNOWING[0]],
        objectives=population.objectives,
        confidence=confidence,
    )


def place(*names: str) -> list[int]:
    return [list(METRICS).index(name) for name in names]


def smallest_within_dci(population: Population, settings: str) -> Estimate:
    rows, columns = np.array([place("d", "d", "c"), place("c", "i", "i")])
    return smallest_of(
        lambda level: of_correlations(population, settings, lambda matrix: list(matrix[rows, columns]), level),
        confidence=DCI.confidence,
    )


def snc_with_nk(population: Population, settings: str) -> Estimate:
    snc, nk = place("snc", "nk")
    (estimate,) = of_correlations(population, settings, lambda matrix: [matrix[snc, nk]], MODERATE.confidence)
    return estimate


def distance(population: Population, settings: str, low: list[int], high: list[int], confidence: float) -> Estimate:
    """Smallest distance of a mean correlation with the rest, of one in ``low`` from one in ``high``."""

    def differences(matrix: np.ndarray) -> list[float]:
        mean = (matrix.sum(axis=0) - 1) / (len(matrix) - 1)
        return [float(mean[b] - mean[a]) for a in low for b in high]

    return smallest_of(lambda level: of_correlations(population, settings, differences, level), confidence=confidence)


def distance_below(population: Population, settings: str) -> Estimate:
    others = place(*(name for name in METRICS if name not in LOWEST))
    return distance(population, settings, place(*LOWEST), others, LEAST.confidence)


def distance_above(population: Population, settings: str) -> Estimate:
    others = place(*(name for name in METRICS if name not in HIGHEST))
    return distance(population, settings, others, place(*HIGHEST), MOST.confidence)


@DCI.covers
@pytest.mark.parametrize("settings", SETTINGS)
def test_the_components_of_dci_correlate_very_strongly(judge, population, settings):
    estimate = smallest_within_dci(population, settings)
    judge(DCI, estimate, population=population.name, deviations=told(population, settings))


@MODERATE.covers
@pytest.mark.parametrize("settings", SETTINGS)
def test_snc_and_nk_correlate_moderately(judge, population, settings):
    estimate = snc_with_nk(population, settings)
    judge(MODERATE, estimate, population=population.name, deviations=told(population, settings))


@LEAST.covers
@pytest.mark.parametrize("settings", SETTINGS)
def test_sap_and_irs_correlate_least(judge, population, settings):
    estimate = distance_below(population, settings)
    judge(LEAST, estimate, population=population.name, deviations=told(population, settings))


@MOST.covers
@pytest.mark.parametrize("settings", SETTINGS)
def test_med_and_mig_correlate_most(judge, population, settings):
    estimate = distance_above(population, settings)
    judge(MOST, estimate, population=population.name, deviations=told(population, settings))
