"""Correcting Flaws, appendix H, Figure 14: how metrics correlate with each other."""

import numpy as np
import pandas as pd
import pytest

from dbench.claims import Claim, Printed, above, below, within
from dbench.stats import exact
from dbench_published import read_table
from dbench_published.flaws import summary

METRICS = ["snc", "nk", "mig", "sap", "irs", "d", "c", "i", "med"]
FIGURE, SCORES, PRODUCTS = "Figure 14", "Table 7", "Table 7, SNC and NK from Table 8"
BOTH_SOURCES = pytest.mark.parametrize("source", [FIGURE, SCORES])


def matrix_of(source):
    """Metrics by metrics: the printed matrix, or that of the printed scores."""
    if source == FIGURE:
        cells = read_table("flaws_figure_14")
        upper = cells.pivot(index="first", columns="second", values="correlation").reindex(METRICS, columns=METRICS)
        return upper.fillna(0) + upper.T.fillna(0) + np.eye(len(METRICS))
    products = ("snc", "nk") if source == PRODUCTS else ()
    return pd.DataFrame({m: summary(8, m) if m in products else summary(7, m) for m in METRICS}).corr()


def smallest_within_dci(matrix):
    return matrix.loc[["d", "c", "i"], ["d", "c", "i"]].to_numpy().min()


def with_others(matrix, *names):
    """Mean correlation with all other metrics: of the named ones, and of the rest."""
    mean = (matrix.sum() - 1) / (len(matrix) - 1)
    return mean[list(names)], mean.drop(list(names))


def alike(value, **named):
    """Correlations that are all the same, but for those of named metrics; 0.01 higher from the scores."""

    def of(source):
        matrix = pd.DataFrame(value + 0.01 * (source == SCORES), index=METRICS, columns=METRICS)
        for metric, other in named.items():
            matrix.loc[metric] = matrix[metric] = other
        return matrix.where(~np.eye(len(METRICS), dtype=bool), 1.0)

    return of


UNLIKE = Claim.published(
    id="flaws.metric-correlations",
    quote="It is interesting that SNC and NK show only moderate correlation with each other, which suggests they are "
    "capturing different aspects of disentanglement, c.f., DCI, where the three components are very strongly "
    "correlated",
    population="18 pairs of model and data set, recomputed from Table 7: all metrics averaged over factors",
    deviations=("'Very strongly' is read as above 0.935, 'moderately' as 0.4 to 0.7.",),
    statistic="smallest margin: of the Pearson correlations of D, C and I above 0.935, of SNC with NK in 0.4 to 0.7",
    rule=above(0.0),
    source="paper: very strongly",
    given={"matrix_of": matrix_of},
    false={"matrix_of": alike(0.5)},
    revision=3,
)


@UNLIKE.covers
def test_the_components_of_dci_correlate_very_strongly_and_snc_with_nk_moderately(matrix_of):
    matrix = matrix_of(SCORES)
    own = matrix.loc["snc", "nk"]
    return exact(min(smallest_within_dci(matrix) - 0.935, own - 0.4, 0.7 - own), n=18)


DCI = UNLIKE.cell(
    "d, c, i",
    quote="the three components are very strongly correlated",
    says="D, C and I correlate very strongly with each other.",
    population="18 pairs of model and data set; as printed, or recomputed from Table 7",
    deviations=("'Very strongly' is read as above 0.935, the edge of the smallest printed figure's rounding.",),
    statistic="smallest Pearson correlation of two of D, C and I",
    rule=above(0.935, null=0.7),
    given={"matrix_of": matrix_of},
    printed=Printed("0.94", 0.94),
)


@DCI.covers
@BOTH_SOURCES
def test_the_components_of_dci_correlate_very_strongly(source, matrix_of):
    return exact(smallest_within_dci(matrix_of(source)), n=18)


MODERATE = UNLIKE.cell(
    "snc with nk",
    quote="SNC and NK show only moderate correlation with each other",
    says="SNC and NK correlate only moderately.",
    population="18 pairs of model and data set; as printed, or recomputed from Table 7",
    deviations=("'Moderately' is read as 0.4 to 0.7.",),
    statistic="Pearson correlation of SNC and NK",
    rule=within(0.4, 0.7),
    source="lexicon: moderate",
    given={"matrix_of": matrix_of},
    false={"matrix_of": alike(0.9)},
    printed=Printed("0.58", 0.58),
    revision=1,
)


@MODERATE.covers
@BOTH_SOURCES
def test_snc_and_nk_correlate_moderately(source, matrix_of):
    return exact(matrix_of(source).loc["snc", "nk"], n=18)


MODERATE_PRODUCTS = UNLIKE.probe(
    "snc with nk, products",
    says="SNC and NK correlate only moderately.",
    population="18 pairs of model and data set; SNC and NK as the paper takes them for Table 4, from Table 8",
    deviations=("'Moderately' is read as 0.4 to 0.7.",),
    statistic="Pearson correlation of SNC and NK",
    rule=within(0.4, 0.7),
    source="lexicon: moderate",
    given={"matrix_of": matrix_of},
    false={"matrix_of": alike(0.9)},
    revision=1,
)


@MODERATE_PRODUCTS.covers
def test_snc_and_nk_correlate_moderately_as_products(matrix_of):
    return exact(matrix_of(PRODUCTS).loc["snc", "nk"], n=18)


LEAST = UNLIKE.cell(
    "sap and irs least",
    quote="SAP and IR$ show the lowest correlation with other metrics",
    says="SAP and IRS correlate least with the other metrics.",
    population="18 pairs of model and data set; as printed, or recomputed from Table 7",
    deviations=(),
    statistic="smallest mean correlation of another metric with the rest, minus the larger of SAP's and IRS's",
    rule=above(0.0),
    source="sign",
    given={"matrix_of": matrix_of},
    false={"matrix_of": alike(0.5, sap=0.9)},
    revision=1,
)


@LEAST.covers
@BOTH_SOURCES
def test_sap_and_irs_correlate_least(source, matrix_of):
    named, rest = with_others(matrix_of(source), "sap", "irs")
    return exact(rest.min() - named.max(), n=18)


MOST = UNLIKE.cell(
    "med and mig most",
    quote="MED and MIG show the highest",
    says="MED and MIG correlate most with the other metrics.",
    population="18 pairs of model and data set; as printed, or recomputed from Table 7",
    deviations=(),
    statistic="smaller mean correlation of MED and MIG with the rest, minus the largest of another metric",
    rule=above(0.0),
    source="sign",
    given={"matrix_of": matrix_of},
    false={"matrix_of": alike(0.5, med=0.2)},
    revision=1,
)


@MOST.covers
@BOTH_SOURCES
def test_med_and_mig_correlate_most(source, matrix_of):
    named, rest = with_others(matrix_of(source), "med", "mig")
    return exact(named.min() - rest.max(), n=18)


FOLLOWS = UNLIKE.probe(
    "cells",
    role="print",
    says="The printed correlations between metrics are those of the scores of Table 7.",
    population="the 36 printed correlations, recomputed from Table 7: all metrics averaged over factors",
    deviations=(),
    unit="correlation",
    statistic="largest distance between printed and recomputed correlation",
    rule=below(0.0051),
    source="paper",
    given={"matrix_of": matrix_of},
    revision=1,
)


@FOLLOWS.covers
def test_the_printed_correlations_follow(matrix_of):
    apart = (matrix_of(FIGURE) - matrix_of(SCORES)).abs().to_numpy()
    return exact(apart[np.triu_indices(len(METRICS), k=1)].max(), n=36)
