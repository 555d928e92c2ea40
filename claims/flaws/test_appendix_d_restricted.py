"""Correcting Flaws, appendix D: the existing metrics of shape and size alone."""

import pandas as pd
import pytest

from dbench.claims import Claim, above
from dbench.stats import correlation, exact
from dbench_published.flaws import POINTS, summary
from dbench_published.flaws_correlations import OWN, POPULATIONS, PRODUCTS, novel, on, printed_correlation, scores

RESTRICTED = [(metric, variant) for metric in ("mig", "sap", "c", "i") for variant in ("product", "mean")]
EACH_POPULATION = pytest.mark.parametrize("population_of", POPULATIONS)


def restricted_ahead(metric, population_of, *, variant=""):
    return 0.6 if variant else 0.5


def nk_ahead(metric, population_of):
    return 0.6 if metric == "nk" else 0.5


def accuracies(table, metric, *, variant):
    """Scores that are the accuracies themselves."""
    return pd.Series(novel(PRODUCTS, "all"), index=POINTS)


NO_BETTER = Claim.published(
    id="flaws.restricted-metrics-no-better",
    quote="Overall, they are about equally predictive and, importantly, still all less predictive than our metrics, "
    "especially the SNC metric.",
    population="18 pairs of model and data set, or six on 3dshapes, as printed",
    statistic="smaller correlation of SNC and NK minus the largest of the restricted existing metrics",
    rule=above(0.0),
    source="sign",
    given={"printed": printed_correlation},
    false={"printed": restricted_ahead},
    revision=2,
)


@NO_BETTER.covers
@EACH_POPULATION
def test_restricted_metrics_are_less_predictive(population_of, printed):
    restricted = max(printed(metric, population_of, variant=variant) for metric, variant in RESTRICTED)
    own = min(printed(metric, population_of) for metric in OWN)
    return exact(own - restricted, n=len(novel(PRODUCTS, population_of)))


ESPECIALLY_SNC = NO_BETTER.cell(
    "especially SNC",
    role="primary",
    says="It is so of SNC especially: SNC is more predictive than NK.",
    statistic="correlation of SNC minus that of NK",
    given={"printed": printed_correlation},
    false={"printed": nk_ahead},
    revision=1,
)


@ESPECIALLY_SNC.covers
@EACH_POPULATION
def test_snc_is_more_predictive_than_nk(population_of, printed):
    snc, nk = (printed(metric, population_of) for metric in ("snc", "nk"))
    return exact(snc - nk, n=len(novel(PRODUCTS, population_of)))


RECOMPUTED = NO_BETTER.cell(
    "recomputed",
    population="18 pairs of model and data set, or six on 3dshapes, recomputed from Tables 3 and 8",
    statistic="correlation of SNC or NK minus the largest of the restricted existing metrics",
    rule=above(0.0),
    given={"summary": summary},
    false={"summary": accuracies},
    revision=1,
)


@RECOMPUTED.covers
@pytest.mark.parametrize("own", OWN)
@EACH_POPULATION
def test_restricted_metrics_are_less_predictive_by_the_scores(population_of, own, summary):
    accuracy = novel(PRODUCTS, population_of)
    restricted = max(
        correlation(on(summary(8, metric, variant=variant), population_of), accuracy) for metric, variant in RESTRICTED
    )
    return exact(correlation(scores(PRODUCTS, population_of)[own], accuracy) - restricted, n=len(accuracy))
