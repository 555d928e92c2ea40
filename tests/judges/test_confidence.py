"""Statistics of populations say their interval at the confidence that is asked for, to the last part of them."""

import numpy as np
import pytest
from simulation import Law, simulated_zoo

from dbench.estimates.by_objective import average_over_objectives
from dbench.estimates.correlations import from_correlations
from dbench.estimates.population import PopulationPair
from dbench.estimates.systems import correlation_over_systems, lead_over_systems
from dbench.estimates.zoo_levels import ratio_to, ratios_to
from dbench.estimates.zoo_statistics import (
    agreement_gap_between,
    correlation_between,
    share_of_models,
    stacked,
    trend_with_strength,
)
from dbench.estimates.zoo_transfer import settings_agreement, shared_estimates, transfer
from dbench.seeds import generator

SCORES = ("mig", "dci", "sap")


def zoo(name):
    laws = {score: Law(mean={"a": 5.0, "b": 6.0}, trend=0.3, seed=0.3, noise=1.0) for score in SCORES}
    return simulated_zoo(
        laws, generator=generator(test="confidence", zoo=name), seeds=6, objectives={"a": (1, 2, 4), "b": (1, 3)}
    )


def points(number):
    table = generator(test="points", number=number).normal(size=(6, 50))
    return lambda kept: table[kept].mean(axis=0)


ZOO, PAIR, ALL = zoo("here"), PopulationPair(zoo("one"), zoo("other")), ("sap", -100.0)
ASKED = {
    average_over_objectives: (ZOO, lambda tables, counted: [tables["mig"].mean()], ["mig"]),
    from_correlations: (ZOO, SCORES, lambda rho: [rho("mig", "dci")]),
    correlation_over_systems: (ZOO, points(0), points(1)),
    lead_over_systems: (ZOO, points(0), points(1), points(2)),
    ratio_to: (ZOO, "mig", "b", ("a", 1.0)),
    ratios_to: (ZOO, "mig", "b", ("a", 1.0)),
    agreement_gap_between: (ZOO, *SCORES),
    correlation_between: (ZOO, "mig", "dci"),
    share_of_models: (ZOO, lambda mig: mig > 5, ["mig"]),
    stacked: (ZOO, lambda mig: mig.mean(), ["mig"]),
    trend_with_strength: (ZOO, "a", "mig"),
    settings_agreement: (PAIR, ["mig"]),
    shared_estimates: (PAIR, ["mig"], lambda source, target: [source[0].mean() - target[0].mean()]),
    transfer: (PAIR, ["mig", "dci"], lambda found: found.source_target.mean()),
}


CASES = [(f, {}) for f in ASKED] + [(f, {"among": ALL}) for f in ASKED if "among" in (f.__kwdefaults__ or {})]


@pytest.mark.parametrize(("function", "options"), CASES)
def test_an_interval_has_the_confidence_that_is_asked_for(function, options):
    for estimate in np.ravel(np.array(function(*ASKED[function], **options), dtype=object)):
        wide, narrow = estimate.at(0.95), estimate.at(0.5)
        assert wide == estimate.at(0.95)
        assert (wide.confidence, narrow.confidence) == (0.95, 0.5)
        # Student's quantile for 5 degrees of freedom is 0.28 as large, the normal one 0.34.
        assert 0 < (narrow.high - narrow.low) / (wide.high - wide.low) < 0.4
