"""UDR, experiments and additional results: Tables 1 and 6, Figure 4."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dbench.claims import Claim, Printed, above, below
from dbench.stats import Estimate, exact, rank_correlation
from dbench_published import read_table

POOLS = pytest.mark.parametrize("pool", ["hyper", "all-to-all"])


def versions(pool):
    return read_table("udr_table_6").query("pool == @pool").set_index("version")[["mean", "sd"]]


def versions_turned(pool):
    return pd.DataFrame({"mean": [0.4, 0.5], "sd": 0.05}, index=["lasso", "spearman"])


def comparisons():
    return read_table("udr_table_1")


def comparisons_turned():
    table = comparisons()
    return table.assign(comparisons=-table["comparisons"])


def in_proportion():
    table = comparisons()
    return table.assign(mean=table["comparisons"])


def top_models():
    return read_table("udr_figure_4")


def top_models_turned():
    table = top_models()
    return table.assign(udr=-table["udr"])


BETTER = Claim.published(
    id="udr.lasso-not-worse-than-spearman",
    quote="In practice the Lasso regression version worked slightly better",
    says="The Lasso variant correlates with the supervised metrics slightly better than the Spearman variant.",
    where="supplementary material, additional results, Table 6",
    population="mean over three model classes, two data sets and four supervised metrics, as printed",
    deviations=("Both means are taken as printed.",),
    unit="difference of means",
    statistic="correlation of the Lasso variant minus that of the Spearman variant",
    rule=above(0.0),
    source="sign",
    given={"table": versions},
    false={"table": versions_turned},
    printed=Printed("0.54 against 0.53, 0.60 against 0.59", 0.01),
)


@BETTER.covers
@POOLS
def test_lasso_is_slightly_better_than_spearman(pool, table):
    means = table(pool)["mean"]
    return exact(means["lasso"] - means["spearman"])


NOT_WORSE = BETTER.probe(
    "not worse",
    says="The Lasso variant correlates with the supervised metrics no worse than the Spearman variant.",
    deviations=("'No worse' allows for 0.02; the means are rounded to 0.01, so the smallest difference counts.",),
    statistic="smallest difference between Lasso and Spearman that the printed digits allow",
    rule=above(-0.02),
    given={"table": versions, "digit": 0.01},
)


@NOT_WORSE.covers
@POOLS
def test_lasso_is_no_worse_than_spearman(pool, table, digit):
    """Each of the two means may be off by half a unit of the last digit."""
    means = table(pool)["mean"]
    return exact(means["lasso"] - means["spearman"] - digit)


BEYOND_SPREAD = BETTER.probe(
    "beyond the spread",
    says="The advantage of the Lasso variant exceeds what the printed spread would give by chance.",
    population="24 conditions: three model classes, two data sets, four supervised metrics",
    deviations=("Both variants share the conditions; how they go together is not printed, so they count as apart.",),
    unit="condition",
    statistic="correlation of the Lasso variant minus that of the Spearman variant",
    rule=above(0.0),
    confidence=0.95,
    min_n=5,
    given={"table": versions, "conditions": 24},
)


@BEYOND_SPREAD.covers
@POOLS
def test_lasso_is_better_by_more_than_the_spread(pool, table, conditions):
    """Interval of Welch for two means of equally many conditions."""
    found = table(pool)
    value = found.loc["lasso", "mean"] - found.loc["spearman", "mean"]
    variance = found.loc[["lasso", "spearman"], "sd"] ** 2 / conditions
    degrees = (conditions - 1) * variance.sum() ** 2 / (variance**2).sum()

    def ends(level):
        half = float(stats.t.ppf((1 + level) / 2, degrees) * np.sqrt(variance.sum()))
        return value - half, value + half

    return Estimate(value, conditions, ends)


FIVE = Claim.published(
    id="udr.few-comparisons-suffice",
    quote="However, even with P = 5 the correlation is reasonable.",
    says="Five comparisons already give a reasonable correlation.",
    where="experiments, Table 1, Figure 9",
    population="nine numbers of comparisons from 5 to 45, 20 draws each, as printed",
    deviations=("'Reasonable' is read as three quarters of the value at the largest number.",),
    unit="number of comparisons",
    statistic="correlation at the fewest comparisons as a share of that at the most",
    rule=above(0.75, null=0.0),
    source="lexicon: most of",
    min_n=9,
    given={"table": comparisons},
    false={"table": in_proportion},
    printed=Printed("0.51 of 0.61", 0.51 / 0.61),
    revision=2,
)


@FIVE.covers
def test_five_comparisons_give_a_reasonable_correlation(table):
    means = table()["mean"]
    return exact(means.iloc[0] / means.iloc[-1], n=len(means))


GROWS = FIVE.cell(
    "grows",
    quote="",
    says="The correlation of UDR with the BetaVAE metric tends to grow with the number of comparisons.",
    deviations=(),
    statistic="rank correlation of the number of comparisons and the mean correlation",
    rule=above(0.0),
    source="sign",
    given={"table": comparisons},
    false={"table": comparisons_turned},
)


@GROWS.covers
def test_the_correlation_grows_with_the_comparisons(table):
    found = table()
    return exact(rank_correlation(found["comparisons"], found["mean"]), n=len(found))


STEADIES = FIVE.cell(
    "spread shrinks",
    quote="",
    says="The spread of the correlation tends to shrink with the number of comparisons.",
    deviations=(),
    statistic="rank correlation of the number of comparisons and the standard deviation",
    rule=below(0.0),
    source="sign",
    given={"table": comparisons},
    false={"table": comparisons_turned},
)


@STEADIES.covers
def test_the_spread_shrinks_with_the_comparisons(table):
    found = table()
    return exact(rank_correlation(found["comparisons"], found["sd"]), n=len(found))


SUBSET = Claim.published(
    id="udr.subset-bias",
    role="cell",
    part="higher",
    quote="In fact, such models often score higher than those that learn the full set of generative factors",
    says="Models that learn fewer factors often score higher by UDR.",
    where="limitation 5, Figure 4",
    population="the top-ranked model of four classes, as printed",
    deviations=("Four models of four classes: class and number of informative codes vary together.",),
    unit="model",
    statistic="rank correlation of UDR and the number of informative codes",
    rule=below(0.0),
    source="sign",
    min_n=4,
    given={"table": top_models},
    false={"table": top_models_turned},
)


@SUBSET.covers
def test_models_that_learn_fewer_factors_score_higher(table):
    models = table()
    return exact(rank_correlation(models["udr"], models["informative"]), n=len(models))
