"""Correcting Flaws, Tables 2, 3, 7 and 8: are they the means of Tables 9 to 47 that their captions say?"""

from dataclasses import replace

import pandas as pd
import pytest

from dbench.claims import Claim, below
from dbench.stats import Estimate, exact
from dbench_fixtures.published import read_table
from dbench_fixtures.published.flaws import (
    DATA_SETS,
    adjusted,
    chance,
    deviation_over_splits,
    mean_over_splits,
    novel_accuracy,
    product_of_shape_and_size,
    random_split_accuracy,
    recomputed_novel,
    summary,
    supervised_accuracy,
)

MEANS = Claim(
    id="flaws.table-consistency",
    part="means",
    where="Table 2, Tables 9 to 26",
    says="Means of Table 2 follow from Tables 9 to 26: SNC, linear and MLP adjusted for chance, NK a difference.",
    evidence="published",
    kind="equivalence",
    population="18 pairs of model and data set; mean over factors and splits",
    deviations=(
        "Chance is 1 / K for K balanced classes, equation 4.",
        "Headings of Table 24 that contradict its own figures are exchanged back; only SNC's means change by it.",
        "The details are rounded themselves: a cell may lie twice the rounding of both away.",
    ),
    unit="cell",
    statistic="number of cells that do not follow, printed with one decimal and so 0.06 points or more away",
    rule=below(0.5),
    confidence=1.0,
    min_n=18,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
UNADJUSTED = replace(
    MEANS,
    part="unadjusted means",
    says="Means of Table 2 follow from Tables 9 to 26 where nothing is adjusted for chance.",
    deviations=("The caption says that linear and MLP are adjusted.",),
)
DEVIATIONS = replace(
    MEANS,
    part="deviations",
    says="Deviations of Table 2 are those of the five splits' means, adjusted for chance or not.",
    population="18 pairs of model and data set; splits' means over factors, n - 1 in the denominator",
    deviations=("The caption does not say of what: a cell follows if it is the deviation of either.",),
)
SCORES = replace(
    MEANS,
    part="scores",
    where="Table 7, Tables 9 to 26",
    says="SNC and NK of Table 7 follow from Tables 9 to 26.",
    statistic="number of cells that do not follow, printed with two decimals and so 0.015 points or more away",
)
PRODUCTS = replace(
    MEANS,
    part="products",
    where="Table 8, Tables 9 to 26",
    says="SNC and NK of Table 8 are the products over shape and size of the means over splits.",
    population="18 pairs of model and data set; SNC adjusted for chance, NK a difference",
    statistic="number of cells that do not follow, printed with three decimals of a product and so 0.01 or more away",
)
NOVEL = replace(
    MEANS,
    part="novel and random",
    where="Table 3, Tables 9 to 44",
    says="Accuracies of Table 3 are means of Tables 9 to 44, adjusted for chance.",
    population="18 pairs of model and data set; mean over left-out combinations or splits",
    deviations=(
        "Chance of shape and size together is the product of their chances.",
        "The mean is adjusted; where each combination is adjusted before, no more cells follow.",
        "Headings that contradict the figures below them are exchanged back (docs/errata.md).",
    ),
    statistic=SCORES.statistic,
)
SUPERVISED = replace(
    NOVEL,
    part="supervised",
    where="Table 3, Tables 45 to 47",
    says="The accuracies of MTD in Table 3 are means of Tables 45 to 47, adjusted for chance.",
    population="MTD on three data sets: shape, size and both",
    statistic="number of cells that do not follow, the details printed with one decimal and so 0.1 points or more away",
    min_n=9,
)


def cells_apart(printed: pd.Series, recomputed: pd.Series, tolerance: float) -> Estimate:
    return exact(((printed - recomputed).abs() >= tolerance).sum(), n=len(printed))


def nearest(printed: pd.Series, first: pd.Series, second: pd.Series) -> pd.Series:
    """Of two recomputed values, the one nearer to the printed cell."""
    return first.where((first - printed).abs() <= (second - printed).abs(), second)


def recomputed_accuracy(setting: str, target: str) -> pd.Series:
    if setting == "random_split":
        return random_split_accuracy(target=target)
    return recomputed_novel(classifier="mlp" if setting == "novel" else "linear", target=target)


def supervised_row(setting: str, source: str) -> pd.Series:
    """Shape, size and both of MTD on three data sets, printed in Table 3 or recomputed."""
    if source == "Table 3":
        cells = read_table("flaws_table_3").query("model == 'mtd' and setting == @setting")
        return cells.set_index(["data_set", "target"])["percent"]
    pairs = {(d, t): supervised_accuracy(d, setting)[t] for d in DATA_SETS for t in ("shape", "size", "both")}
    return pd.Series({pair: float(adjusted(mean, chance(*pair))) for pair, mean in pairs.items()})


@MEANS.covers
@pytest.mark.parametrize("metric", ["snc", "linear", "mlp", "nk"])
def test_means_follow_as_the_caption_says(judge, metric):
    judge(MEANS, cells_apart(summary(2, metric), mean_over_splits(metric, adjust=metric != "nk"), 0.06))


@UNADJUSTED.covers
@pytest.mark.parametrize("metric", ["linear", "mlp"])
def test_means_follow_unadjusted(judge, metric):
    judge(UNADJUSTED, cells_apart(summary(2, metric), mean_over_splits(metric, adjust=False), 0.06))


@DEVIATIONS.covers
@pytest.mark.parametrize("metric", ["snc", "linear", "mlp", "nk"])
def test_deviations_follow(judge, metric):
    printed = summary(2, metric, value="sd")
    either = [deviation_over_splits(metric, adjust=adjust) for adjust in (False, True)]
    judge(DEVIATIONS, cells_apart(printed, nearest(printed, *either), 0.06))


@SCORES.covers
@pytest.mark.parametrize("metric", ["snc", "nk"])
def test_scores_follow(judge, metric):
    judge(SCORES, cells_apart(summary(7, metric), mean_over_splits(metric, adjust=metric == "snc"), 0.015))


@PRODUCTS.covers
@pytest.mark.parametrize("metric", ["snc", "nk"])
def test_products_follow(judge, metric):
    judge(PRODUCTS, cells_apart(summary(8, metric), product_of_shape_and_size(metric), 0.01))


@NOVEL.covers
@pytest.mark.parametrize("target", ["shape", "size", "both"])
@pytest.mark.parametrize("setting", ["novel", "novel_linear", "random_split"])
def test_accuracies_follow(judge, setting, target):
    printed = novel_accuracy(setting=setting, target=target)
    judge(NOVEL, cells_apart(printed, recomputed_accuracy(setting, target), 0.015))


@SUPERVISED.covers
@pytest.mark.parametrize("setting", ["novel", "random_split"])
def test_accuracies_of_the_supervised_model_follow(judge, setting):
    rows = [supervised_row(setting, source) for source in ("Table 3", "Tables 45 to 47")]
    judge(SUPERVISED, cells_apart(*rows, 0.1))
