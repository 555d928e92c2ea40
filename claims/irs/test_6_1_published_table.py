"""IRS, section 6.1, Table 1: how four metrics rank five methods."""

from dataclasses import replace
from itertools import combinations

import pandas as pd
import pytest

from dbench.claims import Claim, Printed, above, below
from dbench.stats import Estimate, exact, rank_correlation
from dbench_fixtures.published import read_table

METRICS = ("irs", "feature_importance", "mutual_information", "informativeness")

DIFFER = Claim(
    id="irs.method-table",
    role="primary",
    quote="As we could already see in Table 1, different metrics do not always agree with each other",
    where="6.1, Table 1",
    says="Rankings of the methods by IRS, feature importance, MI and informativeness differ.",
    evidence="published",
    population="five methods, one model each",
    deviations=("Two rankings differ if their rank correlation is below 0.9: more than one swap of neighbours.",),
    unit="method",
    statistic="rank correlation of two metrics over the methods",
    rule=below(0.9),
    confidence=1.0,
    min_n=5,
)
LEADS = replace(
    DIFFER,
    role="cell",
    part="beta_tcvae leads by irs",
    says="beta-TCVAE scores highest by IRS.",
    deviations=(),
    statistic="IRS of beta-TCVAE minus the best other method",
    rule=above(0.0),
    printed=Printed("0.72 against 0.57", 0.15, 0.0001),
)
TRAILS = replace(
    DIFFER,
    role="cell",
    deviations=(),
    part="beta_tcvae trails by feature importance",
    says="beta-TCVAE scores lowest by feature importance.",
    statistic="feature importance of beta-TCVAE minus the worst other method",
    rule=below(0.0),
    printed=Printed("0.16 against 0.23", -0.07, 0.0001),
)
LAST = replace(
    DIFFER,
    role="cell",
    deviations=(),
    part="vae last by irs",
    says="The plain VAE scores lowest by IRS.",
    rule=below(0.0),
    statistic="IRS of the plain VAE minus the worst other method",
    printed=Printed("0.33 against 0.43", -0.10, 0.0001),
)
RANKS = replace(
    DIFFER,
    role="print",
    part="printed ranks",
    says="The printed ranks are those of the printed scores.",
    deviations=("Equal scores share the better rank and the next one is skipped, as the table does for MI.",),
    statistic="number of printed ranks that do not follow from the printed scores",
    rule=below(0.5),
)
TRADE_OFF = replace(
    DIFFER,
    id="irs.information-trade-off",
    quote="there is often a trade-off between a disentangled structure and information being preserved.",
    where="6.1, Table 1, appendix D.1",
    says="Methods with a more robust code know less of the factors.",
    deviations=(
        "The paper puts beta-TCVAE's low informativeness down to its tuning without shape and to few active codes.",
    ),
    statistic="rank correlation of IRS and informativeness over the methods",
    rule=below(0.0),
)
WITHOUT_TCVAE = replace(
    DIFFER,
    id="irs.information-trade-off",
    role="probe",
    where="6.1, Table 1, appendix D.1",
    statistic="rank correlation of IRS and informativeness over the methods",
    rule=below(0.0),
    part="without beta_tcvae",
    says="Among the other methods too, those with a more robust code know less of the factors.",
    deviations=(),
    min_n=4,
)


def scores() -> pd.DataFrame:
    """Methods by metrics."""
    return read_table("irs_table_1").pivot(index="model", columns="metric", values="value")


def agreement(table: pd.DataFrame, first: str, second: str) -> Estimate:
    return exact(rank_correlation(table[first], table[second]), n=len(table))


def lead(scores_of: pd.Series, method: str) -> Estimate:
    return exact(scores_of[method] - scores_of.drop(method).max(), n=len(scores_of))


def lag(scores_of: pd.Series, method: str) -> Estimate:
    return exact(scores_of[method] - scores_of.drop(method).min(), n=len(scores_of))


def wrong_ranks(values: pd.Series, ranks: pd.Series) -> Estimate:
    follows = values.rank(ascending=False, method="min")
    return exact((follows != ranks).sum(), n=len(ranks))


@DIFFER.covers
@pytest.mark.parametrize(("first", "second"), list(combinations(METRICS, 2)))
def test_two_metrics_rank_the_methods_differently(first, second):
    return agreement(scores(), first, second)


@LEADS.covers
def test_beta_tcvae_leads_by_irs():
    return lead(scores()["irs"], "beta_tcvae")


@TRAILS.covers
def test_beta_tcvae_trails_by_feature_importance():
    return lag(scores()["feature_importance"], "beta_tcvae")


@LAST.covers
def test_the_plain_vae_is_last_by_irs():
    return lag(scores()["irs"], "vae")


@RANKS.covers
@pytest.mark.parametrize("metric", METRICS)
def test_printed_ranks_follow_from_printed_scores(metric):
    cells = read_table("irs_table_1").query("metric == @metric")
    return wrong_ranks(cells["value"], cells["rank"])


@TRADE_OFF.covers
def test_more_robust_codes_know_less():
    return agreement(scores(), "irs", "informativeness")


@WITHOUT_TCVAE.covers
def test_more_robust_codes_know_less_without_beta_tcvae():
    return agreement(scores().drop("beta_tcvae"), "irs", "informativeness")
