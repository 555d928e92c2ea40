"""Correcting Flaws, appendix D: the existing metrics of shape and size alone."""

import pytest

from dbench.claims import Claim, above
from dbench.stats import Estimate, correlation, exact
from dbench_fixtures.published.flaws import summary
from dbench_fixtures.published.flaws_correlations import (
    OWN,
    POPULATIONS,
    PRODUCTS,
    novel,
    on,
    printed_correlation,
    scores,
)

RESTRICTED = ("mig", "sap", "c", "i")

NO_BETTER = Claim(
    id="flaws.restricted-metrics-no-better",
    part="",
    where="5.3, appendix D, Table 6",
    says="Existing metrics of shape and size alone, as mean or product, stay less predictive than SNC and NK.",
    evidence="published",
    kind="ranking",
    population="pairs of model and data set; as printed, or recomputed from Tables 3 and 8",
    deviations=(),
    unit="pair",
    statistic="correlation of SNC or NK minus the largest of the restricted existing metrics",
    rule=above(0.0),
    confidence=1.0,
    min_n=6,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)


def restricted(source: str, population: str) -> dict[str, float]:
    """Correlations of the metrics that can be taken of shape and size alone, by metric and variant."""
    pairs = [(metric, variant) for metric in RESTRICTED for variant in ("product", "mean")]
    if source == "Table 6":
        return {f"{m}, {v}": printed_correlation(m, population, variant=v) for m, v in pairs}
    accuracy = novel(PRODUCTS, population)
    return {f"{m}, {v}": correlation(on(summary(8, m, variant=v), population), accuracy) for m, v in pairs}


def own_correlation(source: str, population: str, own: str) -> float:
    if source == "Table 6":
        return printed_correlation(own, population)
    return correlation(scores(PRODUCTS, population)[own], novel(PRODUCTS, population))


def lead_over_restricted(own: float, others: dict[str, float], n: int) -> Estimate:
    return exact(own - max(others.values()), n=n)


@NO_BETTER.covers
@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("population_of", POPULATIONS)
@pytest.mark.parametrize("source", ["Table 6", "Tables 3, 8"])
def test_restricted_metrics_are_no_better(judge, source, population_of, own):
    n = len(novel(PRODUCTS, population_of))
    others = restricted(source, population_of)
    judge(NO_BETTER, lead_over_restricted(own_correlation(source, population_of, own), others, n))
