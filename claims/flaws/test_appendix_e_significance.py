"""Correcting Flaws, section 5.3, appendices E and I: is SNC's correlation significant, and above the others'?"""

from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, Printed, below, within
from dbench.stats import (
    Estimate,
    compare_dependent_correlations,
    compare_independent_correlations,
    correlation,
    correlation_test,
    exact,
)
from dbench_fixtures.published.flaws_correlations import EXISTING, POPULATIONS, PRODUCTS, VERSIONS, novel, scores

SIGNIFICANT = Claim(
    id="flaws.cg-significance",
    part="",
    where="5.3, appendix E",
    says="SNC's correlation with performance on novel combinations is significant.",
    evidence="published",
    kind="direction",
    population="18 pairs of model and data set, or 6 on 3dshapes",
    deviations=("Pairs are taken as independent, as the paper does, though they share models and data sets.",),
    unit="pair",
    statistic="two-sided p-value of Student's t",
    rule=below(0.05),
    confidence=1.0,
    min_n=6,
    printed=Printed("p < 1e-5 over 18 pairs, p < 0.033 over 6"),
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
T_VALUES = replace(
    SIGNIFICANT,
    part="t",
    where="appendix E",
    says="The printed t values are those of the printed correlation.",
    kind="equivalence",
    deviations=("The correlation is taken as 0.85, as in appendix E.",),
    statistic="t of a correlation of 0.85, minus the printed one",
    # Printed with two decimals.
    rule=within(-0.0051, 0.0051),
)
EXCEEDS = replace(
    SIGNIFICANT,
    part="exceeds",
    where="5.3, appendix I, Figure 15",
    says="Over all data sets SNC's correlation exceeds every other metric's but NK's at p < 0.01.",
    population="18 pairs of model and data set; Tables 3, 7 and 8",
    deviations=(
        "Fisher's test takes the correlations as of separate samples; the other three know that they share the pairs.",
    ),
    statistic="two-sided p-value of the difference of two correlations",
    rule=below(0.01),
    min_n=18,
    printed=Printed("p < 0.01"),
)


def significance(score: np.ndarray, accuracy: np.ndarray) -> Estimate:
    return exact(correlation_test(correlation(score, accuracy), len(accuracy)).p, n=len(accuracy))


def t_distance(r: float, n: int, printed: float) -> Estimate:
    return exact(correlation_test(r, n).statistic - printed, n=n)


def p_of_difference(score: np.ndarray, other: np.ndarray, accuracy: np.ndarray, *, test: str) -> Estimate:
    first, second, n = correlation(score, accuracy), correlation(other, accuracy), len(accuracy)
    if test == "fisher":
        return exact(compare_independent_correlations(first, second, n, n).p, n=n)
    between = correlation(score, other)
    return exact(compare_dependent_correlations(first, second, between, n, method=test).p, n=n)


@SIGNIFICANT.covers
@pytest.mark.parametrize("population_of", POPULATIONS)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_correlation_of_snc_is_significant(judge, version, population_of):
    judge(SIGNIFICANT, significance(scores(version, population_of)["snc"], novel(version, population_of)))


@T_VALUES.covers
@pytest.mark.parametrize(("n", "printed"), [(18, 6.45), (6, 3.23)])
def test_the_printed_t_follows(judge, n, printed):
    judge(T_VALUES, t_distance(0.85, n, printed), printed=Printed(f"t = {printed}", 0.0, 0.0051))


@EXCEEDS.covers
@pytest.mark.parametrize("metric", EXISTING)
@pytest.mark.parametrize("test", ["fisher", "williams", "steiger", "hotelling"])
def test_the_correlation_of_snc_exceeds_that_of_an_existing_metric(judge, test, metric):
    values, accuracy = scores(PRODUCTS, "all"), novel(PRODUCTS, "all")
    judge(EXCEEDS, p_of_difference(values["snc"], values[metric], accuracy, test=test))
