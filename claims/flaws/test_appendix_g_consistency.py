"""Correcting Flaws, Tables 2, 3, 7 and 8: are they the means of Tables 9 to 47 that their captions say?"""

import numpy as np
import pandas as pd
import pytest

from dbench.claims import Claim, below
from dbench.stats import exact
from dbench_published import flaws, read_table

WHOLE_CELLS = "number of cells that do not follow, printed with one decimal and so 0.06 points or more away"
METRICS = ["snc", "linear", "mlp", "nk"]


def apart(printed, recomputed, tolerance):
    """Count the cells that do not follow."""
    return int(((printed - recomputed).abs() >= tolerance).sum())


def supervised_row(setting):
    """Shape, size and both of MTD on three data sets, as printed in Table 3."""
    cells = read_table("flaws_table_3").query("model == 'mtd' and setting == @setting")
    return cells.set_index(["data_set", "target"])["percent"]


def all_99(*_, **__):
    """Print 99 in every cell."""
    return 99.0


TABLE_2 = Claim.published(
    id="flaws.table-consistency",
    quote="Mean score across five runs (std. dev. in parentheses) for our proposed metrics, SNC and NK. MLP and linear "
    "denote the chance-adjusted accuracy of an MLP and linear model, respectively, on trained all neurons (MLP).",
    where="Table 2, Tables 9 to 26",
    population="18 pairs of model and data set, four scores each; mean over factors and splits",
    deviations=(
        "Chance is 1 / K for K balanced classes, equation 4.",
        "Headings of Table 24 that contradict its own figures are exchanged back; only SNC's means change by it.",
        "The details are rounded themselves: a cell may lie twice the rounding of both away.",
    ),
    unit="cell",
    # A count: one cell that does not follow refutes 'they follow', and there is no value of no effect.
    statistic=WHOLE_CELLS,
    rule=below(0.5),
    source="sign",
    given={"summary": flaws.summary},
    false={"summary": all_99},
    revision=2,
)


@TABLE_2.covers
def test_table_2_follows_as_the_caption_says(summary):
    return exact(sum(apart(summary(2, m), flaws.mean_over_splits(m, adjust=m != "nk"), 0.06) for m in METRICS), n=72)


MEANS = TABLE_2.cell(
    "means",
    population="18 pairs of model and data set, mean over factors and splits",
    # A count: one cell that does not follow refutes 'they follow', and there is no value of no effect.
    statistic=WHOLE_CELLS,
    rule=below(0.5),
    given={"summary": flaws.summary},
)


@MEANS.covers
@pytest.mark.parametrize("metric", METRICS)
def test_means_follow_as_the_caption_says(metric, summary):
    return exact(apart(summary(2, metric), flaws.mean_over_splits(metric, adjust=metric != "nk"), 0.06), n=18)


UNADJUSTED = TABLE_2.probe(
    "unadjusted means",
    says="Means of Table 2 follow from Tables 9 to 26 where nothing is adjusted for chance.",
    population="18 pairs of model and data set, mean over factors and splits",
    deviations=("The caption says that linear and MLP are adjusted.",),
    # A count: one cell that does not follow refutes 'they follow', and there is no value of no effect.
    statistic=WHOLE_CELLS,
    rule=below(0.5),
    given={"summary": flaws.summary},
)


@UNADJUSTED.covers
@pytest.mark.parametrize("metric", ["linear", "mlp"])
def test_means_follow_unadjusted(metric, summary):
    return exact(apart(summary(2, metric), flaws.mean_over_splits(metric, adjust=False), 0.06), n=18)


DEVIATIONS = TABLE_2.cell(
    "deviations",
    says="Deviations of Table 2 are those of the five splits' means, adjusted for chance or not.",
    population="18 pairs of model and data set; splits' means over factors, n - 1 in the denominator",
    deviations=("The caption does not say of what: a cell follows if it is the deviation of either.",),
    statistic="number of cells that do not follow, printed with two decimals and so 0.015 points or more away",
    rule=below(0.5),
    given={"summary": flaws.summary},
    revision=3,
)


@DEVIATIONS.covers
@pytest.mark.parametrize("metric", METRICS)
def test_deviations_follow(metric, summary):
    printed = summary(2, metric, value="sd")
    distances = [(printed - flaws.deviation_over_splits(metric, adjust=adjust)).abs() for adjust in (False, True)]
    return exact((np.minimum(*distances) >= 0.015).sum(), n=18)


SCORES = TABLE_2.cell(
    "scores",
    quote="averaged over five runs for Dsprites, eight for 3dshapes and six for MPI3D",
    says="SNC and NK of Table 7 follow from Tables 9 to 26.",
    where="Table 7, Tables 9 to 26",
    population="18 pairs of model and data set, mean over factors and splits",
    statistic="number of cells that do not follow, printed with two decimals and so 0.015 points or more away",
    rule=below(0.5),
    given={"summary": flaws.summary},
)


@SCORES.covers
@pytest.mark.parametrize("metric", ["snc", "nk"])
def test_scores_follow(metric, summary):
    return exact(apart(summary(7, metric), flaws.mean_over_splits(metric, adjust=metric == "snc"), 0.015), n=18)


PRODUCTS = TABLE_2.cell(
    "products",
    quote="Our own metrics, SNC and NK, are shown as the product across size and shape",
    says="SNC and NK of Table 8 are the products over shape and size of the means over splits.",
    where="Table 8, Tables 9 to 26",
    population="18 pairs of model and data set; SNC adjusted for chance, NK a difference",
    statistic="number of cells that do not follow, printed with three decimals of a product and so 0.01 or more away",
    rule=below(0.5),
    given={"summary": flaws.summary},
)


@PRODUCTS.covers
@pytest.mark.parametrize("metric", ["snc", "nk"])
def test_products_follow(metric, summary):
    return exact(apart(summary(8, metric), flaws.product_of_shape_and_size(metric), 0.01), n=18)


NOVEL = TABLE_2.cell(
    "novel and random",
    quote="use five feature combinations for Dsprites, six for MPI3D and eight for 3dshapes, and report the average",
    says="Accuracies of Table 3 are means of Tables 9 to 44, adjusted for chance.",
    where="Table 3, Tables 9 to 44",
    population="18 pairs of model and data set; mean over left-out combinations or splits",
    deviations=(
        "Chance of shape and size together is the product of their chances.",
        "The mean is adjusted; where each combination is adjusted before, no more cells follow.",
        "Headings that contradict the figures below them are exchanged back (docs/errata.md).",
    ),
    statistic="number of cells that do not follow, printed with two decimals and so 0.015 points or more away",
    rule=below(0.5),
    given={"novel_accuracy": flaws.novel_accuracy},
    false={"novel_accuracy": all_99},
)


@NOVEL.covers
@pytest.mark.parametrize("target", ["shape", "size", "both"])
@pytest.mark.parametrize("setting", ["novel", "novel_linear", "random_split"])
def test_accuracies_follow(setting, target, novel_accuracy):
    printed = novel_accuracy(setting=setting, target=target)
    if setting == "random_split":
        return exact(apart(printed, flaws.random_split_accuracy(target=target), 0.015), n=18)
    classifier = "mlp" if setting == "novel" else "linear"
    return exact(apart(printed, flaws.recomputed_novel(classifier=classifier, target=target), 0.015), n=18)


SUPERVISED = TABLE_2.cell(
    "supervised",
    quote=NOVEL.quote,
    says="The accuracies of MTD in Table 3 are means of Tables 45 to 47, adjusted for chance.",
    where="Table 3, Tables 45 to 47",
    population="MTD on three data sets: shape, size and both",
    deviations=NOVEL.deviations,
    statistic="number of cells that do not follow, the details printed with one decimal and so 0.1 points or more away",
    rule=below(0.5),
    given={"supervised_row": supervised_row},
    false={"supervised_row": all_99},
)


@SUPERVISED.covers
@pytest.mark.parametrize("setting", ["novel", "random_split"])
def test_accuracies_of_the_supervised_model_follow(setting, supervised_row):
    pairs = {
        (d, t): flaws.supervised_accuracy(d, setting)[t] for d in flaws.DATA_SETS for t in ("shape", "size", "both")
    }
    recomputed = pd.Series({pair: float(flaws.adjusted(mean, flaws.chance(*pair))) for pair, mean in pairs.items()})
    return exact(apart(supervised_row(setting), recomputed, 0.1), n=9)
