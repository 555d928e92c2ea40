"""IRS, section 6.1, Table 1: how four metrics rank five methods."""

from itertools import combinations

import pandas as pd
import pytest

from dbench.claims import Claim, below
from dbench.stats import exact, rank_correlation
from dbench_published import read_table

METRICS = ("irs", "feature_importance", "mutual_information", "informativeness")
# Informativeness is no measure of disentanglement.
OF_STRUCTURE = METRICS[:3]


def scores():
    """Methods by metrics."""
    return read_table("irs_table_1").pivot(index="model", columns="metric", values="value")


def cells_of(metric):
    return read_table("irs_table_1").query("metric == @metric")


def agreement(table, first="irs", second="informativeness"):
    return exact(rank_correlation(table[first], table[second]), n=len(table))


def agreeing():
    """A table in which all metrics rank the methods alike."""
    return pd.DataFrame({metric: range(5) for metric in METRICS}, index=[*"abcd", "beta_tcvae"])


def ranked_from_below(metric):
    """Five scores with ranks that start at the lowest."""
    return pd.DataFrame({"value": range(5), "rank": range(1, 6)})


DIFFER = Claim.published(
    id="irs.method-table",
    quote="As we could already see in Table 1, different metrics do not always agree with each other about which model "
    "disen[...]tangles best.",
    population="five methods, one model each",
    deviations=("Two rankings differ if their rank correlation is negative; informativeness is left out.",),
    unit="method",
    statistic="rank correlation of two metrics over the methods, of the pairs the smallest",
    rule=below(0.0, null=1.0),
    source="sign",
    min_n=5,
    given={"scores": scores},
    false={"scores": agreeing},
    revision=3,
)


@DIFFER.covers
def test_metrics_do_not_always_rank_the_methods_alike(scores):
    pairs = [agreement(scores(), *pair) for pair in combinations(OF_STRUCTURE, 2)]
    return min(pairs, key=lambda estimate: estimate.value)


RANKS = DIFFER.probe(
    "printed ranks",
    role="print",
    says="The printed ranks are those of the printed scores.",
    deviations=("Equal scores share the better rank and the next one is skipped, as the table does for MI.",),
    statistic="number of printed ranks that do not follow from the printed scores",
    rule=below(0.5),
    given={"cells": cells_of},
    false={"cells": ranked_from_below},
    revision=1,
)


@RANKS.covers
@pytest.mark.parametrize("metric", METRICS)
def test_printed_ranks_follow_from_printed_scores(metric, cells):
    values, ranks = cells(metric)["value"], cells(metric)["rank"]
    return exact((values.rank(ascending=False, method="min") != ranks).sum(), n=len(ranks))


TRADE_OFF = Claim.published(
    id="irs.information-trade-off",
    quote="there is often a trade-off between a disentangled structure and information being preserved.",
    population="five methods, one model each",
    deviations=(
        "The paper puts beta-TCVAE's low informativeness down to its tuning without shape and to few active codes.",
    ),
    unit="method",
    statistic="rank correlation of IRS and informativeness over the methods",
    rule=below(0.0),
    source="sign",
    min_n=5,
    given={"scores": scores},
    false={"scores": agreeing},
)


@TRADE_OFF.covers
def test_more_robust_codes_know_less(scores):
    return agreement(scores())


WITHOUT_TCVAE = TRADE_OFF.probe(
    "without beta_tcvae",
    says="Among the other methods too, those with a more robust code know less of the factors.",
    deviations=(),
    statistic="rank correlation of IRS and informativeness over the methods",
    rule=below(0.0),
    min_n=4,
    given={"scores": scores},
)


@WITHOUT_TCVAE.covers
def test_more_robust_codes_know_less_without_beta_tcvae(scores):
    return agreement(scores().drop("beta_tcvae"))
