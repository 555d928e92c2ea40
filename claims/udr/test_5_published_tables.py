"""UDR, experiments and additional results: Tables 1 and 6, Figure 4."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dbench.claims import Claim, Printed, above, below
from dbench.stats import Interval, exact, rank_correlation
from dbench_published import read_table

NOT_WORSE = Claim.published(
    id="udr.lasso-not-worse-than-spearman",
    role="probe",
    part="not worse",
    where="supplementary material, additional results, Table 6",
    says="The Lasso variant correlates with the supervised metrics no worse than the Spearman variant.",
    population="mean over three model classes, two data sets and four supervised metrics, as printed",
    deviations=("'No worse' allows for 0.02; the means are rounded to 0.01, so the smallest difference counts.",),
    unit="difference of means",
    statistic="smallest difference between Lasso and Spearman that the printed digits allow",
    rule=above(-0.02),
)
BETTER = replace(
    NOT_WORSE,
    role="primary",
    quote="In practice the Lasso regression version worked slightly better",
    part="",
    says="The Lasso variant correlates with the supervised metrics slightly better than the Spearman variant.",
    deviations=("Both means are taken as printed.",),
    statistic="correlation of the Lasso variant minus that of the Spearman variant",
    rule=above(0.0),
    printed=Printed("0.54 against 0.53, 0.60 against 0.59", 0.01, 0.0001),
)
BEYOND_SPREAD = BETTER.probe(
    "beyond the spread",
    says="The advantage of the Lasso variant exceeds what the printed spread would give by chance.",
    population="24 conditions: three model classes, two data sets, four supervised metrics",
    deviations=("Both variants share the conditions; how they go together is not printed, so they count as apart.",),
    unit="condition",
    confidence=0.95,
    min_n=5,
)
GROWS = Claim.published(
    id="udr.few-comparisons-suffice",
    role="cell",
    part="grows",
    where="experiments, Table 1, Figure 9",
    says="The correlation of UDR with the BetaVAE metric tends to grow with the number of comparisons.",
    population="nine numbers of comparisons from 5 to 45, 20 draws each, as printed",
    deviations=("'Tends to' is read as a rank correlation above one half.",),
    unit="number of comparisons",
    statistic="rank correlation of the number of comparisons and the mean correlation",
    rule=above(0.5, null=0.0),
    min_n=9,
)
STEADIES = GROWS.cell(
    "spread shrinks",
    says="The spread of the correlation tends to shrink with the number of comparisons.",
    statistic="rank correlation of the number of comparisons and the standard deviation",
    rule=below(-0.5, null=0.0),
)
FIVE = replace(
    GROWS,
    role="primary",
    quote="However, even with P = 5 the correlation is reasonable.",
    part="",
    says="Five comparisons already give a reasonable correlation.",
    deviations=("'Reasonable' is read as three quarters of the value at the largest number.",),
    statistic="correlation at the fewest comparisons as a share of that at the most",
    rule=above(0.75),
    printed=Printed("0.51 of 0.61", 0.51 / 0.61, 0.0001),
)
SUBSET = Claim.published(
    id="udr.subset-bias",
    role="cell",
    part="higher",
    quote="In fact, such models often score higher than those that learn the full set of generative factors",
    where="limitation 5, Figure 4",
    says="Models that learn fewer factors often score higher by UDR.",
    population="the top-ranked model of four classes, as printed",
    deviations=("Four models of four classes: class and number of informative codes vary together.",),
    unit="model",
    statistic="rank correlation of UDR and the number of informative codes",
    rule=below(0.0),
    min_n=4,
)


def versions(pool):
    return read_table("udr_table_6").query("pool == @pool").set_index("version")[["mean", "sd"]]


def smallest_advantage(table):
    """Each of the two means may be off by half a unit of the last digit, 0.01."""
    return exact(table.loc["lasso", "mean"] - table.loc["spearman", "mean"] - 0.01)


def advantage(table):
    return exact(table.loc["lasso", "mean"] - table.loc["spearman", "mean"])


def advantage_with_spread(table, *, conditions=24, confidence=BEYOND_SPREAD.confidence):
    """Interval of Welch for two means of equally many conditions."""
    value = advantage(table).value
    variance = table.loc[["lasso", "spearman"], "sd"] ** 2 / conditions
    degrees = (conditions - 1) * variance.sum() ** 2 / (variance**2).sum()
    half = float(stats.t.ppf((1 + confidence) / 2, degrees) * np.sqrt(variance.sum()))
    return Interval(value, value - half, value + half, conditions, confidence)


def trend(first, second):
    return exact(rank_correlation(first, second), n=len(first))


def share_at_fewest(means):
    return exact(means.iloc[0] / means.iloc[-1], n=len(means))


@NOT_WORSE.covers
@pytest.mark.parametrize("pool", ["hyper", "all-to-all"])
def test_lasso_is_no_worse_than_spearman(pool):
    return smallest_advantage(versions(pool))


@BETTER.covers
@pytest.mark.parametrize("pool", ["hyper", "all-to-all"])
def test_lasso_is_slightly_better_than_spearman(pool):
    return advantage(versions(pool))


@BEYOND_SPREAD.covers
@pytest.mark.parametrize("pool", ["hyper", "all-to-all"])
def test_lasso_is_better_by_more_than_the_spread(pool, confidence):
    return advantage_with_spread(versions(pool), confidence=confidence)


@GROWS.covers
def test_the_correlation_grows_with_the_comparisons():
    table = read_table("udr_table_1")
    return trend(table["comparisons"], table["mean"])


@STEADIES.covers
def test_the_spread_shrinks_with_the_comparisons():
    table = read_table("udr_table_1")
    return trend(table["comparisons"], table["sd"])


@FIVE.covers
def test_five_comparisons_give_a_reasonable_correlation():
    return share_at_fewest(read_table("udr_table_1")["mean"])


@SUBSET.covers
def test_models_that_learn_fewer_factors_score_higher():
    models = read_table("udr_figure_4")
    return trend(models["udr"], models["informative"])
