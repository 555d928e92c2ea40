"""Correcting Flaws, appendix H, Figure 14: how metrics correlate with each other."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dbench.claims import Claim, Printed, above, below, within
from dbench.stats import Estimate, exact
from dbench_fixtures.published import read_table
from dbench_fixtures.published.flaws import summary

METRICS = ("snc", "nk", "mig", "sap", "irs", "d", "c", "i", "med")
SOURCES = ("Figure 14", "Table 7")

DCI = Claim(
    id="flaws.metric-correlations",
    part="d, c, i",
    where="appendix H, Figure 14",
    says="D, C and I correlate very strongly with each other.",
    evidence="published",
    kind="size",
    population="18 pairs of model and data set; as printed, or recomputed from Table 7",
    deviations=("'Very strongly' is read as above 0.9.",),
    unit="pair",
    statistic="smallest Pearson correlation of two of D, C and I",
    rule=above(0.9),
    confidence=1.0,
    min_n=18,
    printed=Printed("0.94", 0.94, 0.0051),
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
MODERATE = replace(
    DCI,
    part="snc with nk",
    says="SNC and NK correlate only moderately.",
    deviations=("'Moderately' is read as 0.4 to 0.7.",),
    statistic="Pearson correlation of SNC and NK",
    rule=within(0.4, 0.7),
    printed=Printed("0.58", 0.58, 0.0051),
)
LEAST = replace(
    DCI,
    part="sap and irs least",
    says="SAP and IRS correlate least with the other metrics.",
    kind="ranking",
    deviations=(),
    statistic="smallest mean correlation of another metric with the rest, minus the larger of SAP's and IRS's",
    rule=above(0.0),
    printed=None,
)
MOST = replace(
    LEAST,
    part="med and mig most",
    says="MED and MIG correlate most with the other metrics.",
    statistic="smaller mean correlation of MED and MIG with the rest, minus the largest of another metric",
)
CELLS = replace(
    DCI,
    part="cells",
    says="The printed correlations between metrics are those of the scores of Table 7.",
    kind="equivalence",
    population="the 36 printed correlations, recomputed from Table 7: all metrics averaged over factors",
    deviations=(),
    unit="correlation",
    statistic="largest distance between printed and recomputed correlation",
    # Printed with two decimals.
    rule=below(0.0051),
    min_n=36,
    printed=None,
)


def correlations(source: str) -> pd.DataFrame:
    """Metrics by metrics: the printed matrix, or that of the printed scores."""
    if source == "Figure 14":
        cells = read_table("flaws_figure_14")
        upper = cells.pivot(index="first", columns="second", values="correlation").reindex(METRICS, columns=METRICS)
        return upper.fillna(0) + upper.T.fillna(0) + np.eye(len(METRICS))
    return pd.DataFrame({metric: summary(7, metric) for metric in METRICS}).corr()


def mean_with_others(matrix: pd.DataFrame) -> pd.Series:
    return (matrix.sum() - 1) / (len(matrix) - 1)


def smallest_among(matrix: pd.DataFrame, names: tuple[str, ...], *, n: int = 18) -> Estimate:
    return exact(matrix.loc[list(names), list(names)].to_numpy().min(), n=n)


def of_pair(matrix: pd.DataFrame, first: str, second: str, *, n: int = 18) -> Estimate:
    return exact(matrix.loc[first, second], n=n)


def distance_below(matrix: pd.DataFrame, names: tuple[str, ...], *, n: int = 18) -> Estimate:
    """How far the named metrics' mean correlations lie below those of all others."""
    mean = mean_with_others(matrix)
    return exact(mean.drop(list(names)).min() - mean[list(names)].max(), n=n)


def distance_above(matrix: pd.DataFrame, names: tuple[str, ...], *, n: int = 18) -> Estimate:
    mean = mean_with_others(matrix)
    return exact(mean[list(names)].min() - mean.drop(list(names)).max(), n=n)


def largest_distance(printed: pd.DataFrame, recomputed: pd.DataFrame) -> Estimate:
    above_diagonal = np.triu_indices(len(printed), k=1)
    apart = np.abs(printed.to_numpy() - recomputed.to_numpy())[above_diagonal]
    return exact(apart.max(), n=len(apart))


@DCI.covers
@pytest.mark.parametrize("source", SOURCES)
def test_the_components_of_dci_correlate_very_strongly(judge, source):
    judge(DCI, smallest_among(correlations(source), ("d", "c", "i")))


@MODERATE.covers
@pytest.mark.parametrize("source", SOURCES)
def test_snc_and_nk_correlate_moderately(judge, source):
    judge(MODERATE, of_pair(correlations(source), "snc", "nk"))


@LEAST.covers
@pytest.mark.parametrize("source", SOURCES)
def test_sap_and_irs_correlate_least(judge, source):
    judge(LEAST, distance_below(correlations(source), ("sap", "irs")))


@MOST.covers
@pytest.mark.parametrize("source", SOURCES)
def test_med_and_mig_correlate_most(judge, source):
    judge(MOST, distance_above(correlations(source), ("med", "mig")))


@CELLS.covers
def test_the_printed_correlations_follow(judge):
    judge(CELLS, largest_distance(correlations("Figure 14"), correlations("Table 7")))
