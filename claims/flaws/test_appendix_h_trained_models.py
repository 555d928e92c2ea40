"""Correcting Flaws, appendix H: how the metrics of models trained here correlate with each other.

All are probes: the paper speaks of six models on three data sets, these are the settings of one.
"""

import operator

import numpy as np

from dbench.claims import Claim, above, within
from dbench.errors import EvidenceLacking
from dbench.estimates.simulated import Law, Simulated
from dbench.stats import correlation, smallest_of

METRICS = ("snc", "nk", "mig", "sap", "irs", "dci", "dci.completeness", "dci.informativeness", "med")
SNC, NK, MIG, SAP, IRS, D, C, I, MED = range(len(METRICS))  # noqa: E741
WITHIN_DCI = ([D, D, C], [C, I, I])


def of_correlations(population, combine):
    """Jackknife over seeds what is made of the matrix of correlations over settings."""

    def statistic(tables):
        columns = [
            np.concatenate([tables[score, objective].mean(axis=0) for objective in population.objectives])
            for score in METRICS
        ]
        if any(np.ptp(column) == 0 for column in columns):
            raise EvidenceLacking(f"{population.name} has a metric that is the same in every setting")
        return combine(np.array([[correlation(a, b) for a in columns] for b in columns]))

    return population.estimates(statistic, scores=METRICS, objectives=population.objectives)


def smallest(population, combine):
    return smallest_of(of_correlations(population, combine))


def distance(population, low, high):
    """Smallest distance of a mean correlation with the rest, of one in ``low`` from one in ``high``."""

    def differences(matrix):
        mean = (matrix.sum(axis=0) - 1) / (len(matrix) - 1)
        return [mean[b] - mean[a] for a in low for b in high]

    return smallest(population, differences)


def models(opposed):
    """Simulated models: all metrics rise with the strength, but for one that falls."""
    laws = {metric: Law(trend=-5.0 if metric == opposed else 5.0) for metric in METRICS}
    return {"population": Simulated(laws)}


CONTRAST = Claim.zoo(
    id="flaws.metric-correlations",
    role="probe",
    part="contrast",
    population="all settings: objectives and strengths; each metric is the mean over a setting's seeds",
    deviations=(
        "Settings of one data set, where the paper has six models on three data sets.",
        "D, C and I by a random forest instead of boosted trees.",
    ),
    statistic="smallest Pearson correlation of two of D, C and I over settings, minus that of SNC and NK",
    # 'Very strongly' is above 0.935, 'moderately' 0.4 to 0.7: the gap between them.
    rule=above(0.235, null=0.0),
    false=models(opposed="dci"),
    revision=3,
)


@CONTRAST.covers
def test_the_components_of_dci_correlate_more_than_snc_and_nk(population):
    def contrast(matrix):
        return matrix[WITHIN_DCI] - matrix[SNC, NK]

    return smallest(population, contrast)


DCI = CONTRAST.probe(
    "d, c, i",
    says="D, C and I correlate very strongly with each other.",
    deviations=("'Very strongly' is read as above 0.935.", *CONTRAST.deviations),
    statistic="smallest Pearson correlation of two of D, C and I over settings",
    rule=above(0.935, null=0.7),
    source="paper: very strongly",
    bounds=(-1.0, 1.0),
)


@DCI.covers
def test_the_components_of_dci_correlate_very_strongly(population):
    return smallest(population, operator.itemgetter(WITHIN_DCI))


MODERATE = CONTRAST.probe(
    "snc with nk",
    says="SNC and NK correlate only moderately.",
    deviations=("'Moderately' is read as 0.4 to 0.7.", CONTRAST.deviations[0]),
    statistic="Pearson correlation of SNC and NK over settings",
    rule=within(0.4, 0.7),
    source="lexicon: moderate",
    bounds=(-1.0, 1.0),
    false=models(opposed="snc"),
    revision=2,
)


@MODERATE.covers
def test_snc_and_nk_correlate_moderately(population):
    return of_correlations(population, operator.itemgetter((SNC, NK)))[0]


LEAST = CONTRAST.probe(
    "sap and irs least",
    says="SAP and IRS correlate least with the other metrics.",
    statistic="smallest mean correlation of another metric with the rest, minus the larger of SAP's and IRS's",
    # A twentieth: what two decimals of a heat map show.
    rule=above(0.05, null=0.0),
    false=models(opposed="snc"),
)


@LEAST.covers
def test_sap_and_irs_correlate_least(population):
    return distance(population, [SAP, IRS], [SNC, NK, MIG, D, C, I, MED])


MOST = CONTRAST.probe(
    "med and mig most",
    says="MED and MIG correlate most with the other metrics.",
    statistic="smaller mean correlation of MED and MIG with the rest, minus the largest of another metric",
    # A twentieth: what two decimals of a heat map show.
    rule=above(0.05, null=0.0),
    false=models(opposed="med"),
)


@MOST.covers
def test_med_and_mig_correlate_most(population):
    return distance(population, [SNC, NK, SAP, IRS, D, C, I], [MED, MIG])
