"""Correcting Flaws, section 5.3: which metric goes with performance on novel combinations."""

from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, Printed, above
from dbench.stats import Estimate, correlation, exact
from dbench_fixtures.published.flaws_correlations import (
    CORRECTED,
    EXISTING,
    OWN,
    POPULATIONS,
    PRODUCTS,
    VERSIONS,
    novel,
    printed_correlation,
    scores,
)

CORRELATES = Claim(
    id="flaws.cg-correlation",
    part="correlates",
    where="5.3, Table 4",
    says="A metric correlates with performance on novel combinations, at least weakly.",
    evidence="published",
    kind="direction",
    population="pairs of model and data set; SNC and NK as products from Table 8, the others from Table 7",
    deviations=("'At least weakly' is read as above 0.1.", "DCI is the mean of D, C and I."),
    unit="pair",
    statistic="Pearson correlation with the accuracy of shape and size together",
    rule=above(0.1),
    confidence=1.0,
    min_n=6,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
SNC_MOST = replace(
    CORRELATES,
    part="snc most",
    where="5.3, Tables 3, 4, 7, 8, appendix G",
    says="SNC correlates most with performance on novel combinations.",
    kind="ranking",
    population="pairs of model and data set; each version sums up SNC and NK in its own way",
    deviations=(
        "The paper takes SNC and NK as product over shape and size, the other metrics as averages over all factors.",
    ),
    statistic="correlation of SNC minus the largest of NK, MIG, SAP, IRS, D, C, I, MED and DCI",
    rule=above(0.0),
)
NK_SECOND = replace(
    SNC_MOST,
    part="nk second",
    says="Across all data sets NK correlates second most.",
    statistic="correlation of NK minus the largest of MIG, SAP, IRS, D, C, I, MED and DCI",
)
SNC_MOST_ROBUST = replace(
    SNC_MOST,
    part="snc most, one point left out",
    says="SNC correlates most, whichever single pair of model and data set is left out.",
    statistic="smallest lead of SNC over the next metric, one pair left out",
    min_n=5,
)
NK_SECOND_ROBUST = replace(
    NK_SECOND,
    part="nk second, one point left out",
    says="NK correlates second most, whichever single pair of model and data set is left out.",
    statistic="smallest lead of NK over the existing metrics, one pair left out",
    min_n=5,
)
OVER_D = Claim(
    id="flaws.c-and-i-over-d",
    part="",
    where="5.3, last paragraph, Table 4",
    says="Completeness and informativeness predict performance on novel combinations better than D does.",
    evidence="published",
    kind="ranking",
    population="pairs of model and data set; as printed, or recomputed from Tables 3 and 7",
    deviations=(),
    unit="pair",
    statistic="correlation of C or I minus that of D",
    rule=above(0.0),
    confidence=1.0,
    min_n=6,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)


def correlate(score: np.ndarray, accuracy: np.ndarray) -> Estimate:
    return exact(correlation(score, accuracy), n=len(accuracy))


def lead(values: dict[str, np.ndarray], accuracy: np.ndarray, *, own: str) -> Estimate:
    """How far a metric is ahead of those it should exceed: SNC of all, NK of the existing ones."""
    others = [m for m in values if m != own and (own == "snc" or m not in OWN)]
    best = max(correlation(values[m], accuracy) for m in others)
    return exact(correlation(values[own], accuracy) - best, n=len(accuracy))


def smallest_lead(values: dict[str, np.ndarray], accuracy: np.ndarray, *, own: str) -> Estimate:
    """Smallest lead with one pair left out; ``n`` counts the pairs that remain."""
    n = len(accuracy)
    leads = [
        lead({m: np.delete(v, i) for m, v in values.items()}, np.delete(accuracy, i), own=own).value for i in range(n)
    ]
    return exact(min(leads), n=n - 1)


def components(source: str, population: str) -> dict[str, float]:
    """Correlations of D, C and I with performance on novel combinations."""
    if source == "Table 4":
        return {part: printed_correlation(part, population) for part in ("d", "c", "i")}
    values, accuracy = scores(PRODUCTS, population), novel(PRODUCTS, population)
    return {part: correlation(values[part], accuracy) for part in ("d", "c", "i")}


def lead_over_d(parts: dict[str, float], part: str, n: int) -> Estimate:
    return exact(parts[part] - parts["d"], n=n)


@CORRELATES.covers
@pytest.mark.parametrize("metric", [*OWN, *EXISTING])
@pytest.mark.parametrize("population_of", POPULATIONS)
@pytest.mark.parametrize("version", [PRODUCTS, CORRECTED])
def test_a_metric_correlates_with_novel_combinations(judge, version, population_of, metric):
    value = printed_correlation(metric, population_of)
    # Scores and accuracies are rounded too, which moves a correlation of six points by a thousandth.
    shown = Printed(f"{metric}, {population_of}: {value:.3f}", value, 0.0015)
    judge(CORRELATES, correlate(scores(version, population_of)[metric], novel(version, population_of)), printed=shown)


@SNC_MOST.covers
@pytest.mark.parametrize("population_of", POPULATIONS)
@pytest.mark.parametrize("version", VERSIONS)
def test_snc_correlates_most(judge, version, population_of):
    judge(SNC_MOST, lead(scores(version, population_of), novel(version, population_of), own="snc"))


@NK_SECOND.covers
@pytest.mark.parametrize("version", VERSIONS)
def test_nk_correlates_second_most(judge, version):
    judge(NK_SECOND, lead(scores(version, "all"), novel(version, "all"), own="nk"))


@SNC_MOST_ROBUST.covers
@pytest.mark.parametrize("population_of", POPULATIONS)
@pytest.mark.parametrize("version", VERSIONS)
def test_snc_correlates_most_without_any_one_point(judge, version, population_of):
    judge(SNC_MOST_ROBUST, smallest_lead(scores(version, population_of), novel(version, population_of), own="snc"))


@NK_SECOND_ROBUST.covers
@pytest.mark.parametrize("version", VERSIONS)
def test_nk_correlates_second_most_without_any_one_point(judge, version):
    judge(NK_SECOND_ROBUST, smallest_lead(scores(version, "all"), novel(version, "all"), own="nk"))


@OVER_D.covers
@pytest.mark.parametrize("part", ["c", "i"])
@pytest.mark.parametrize("population_of", POPULATIONS)
@pytest.mark.parametrize("source", ["Table 4", "Tables 3, 7"])
def test_completeness_and_informativeness_predict_better_than_d(judge, source, population_of, part):
    n = len(novel(PRODUCTS, population_of))
    judge(OVER_D, lead_over_d(components(source, population_of), part, n))
