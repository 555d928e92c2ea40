"""What is made of many correlations at once: the same as from each alone, and of chosen models only."""

import numpy as np
import pytest
from simulation import Law, SimulatedPopulation, simulated_zoo

from dbench.errors import EvidenceLacking, InvalidInput
from dbench.estimates.correlations import from_correlations
from dbench.estimates.zoo_statistics import agreement_gap_between, correlation_between
from dbench.seeds import generator

LOADS = {"mig": 2.0, "dci": 1.0, "sap": 0.5}


def zoo():
    laws = {score: Law(loads={"quality": load}, seed=0.2) for score, load in LOADS.items()}
    laws["kl.informative"] = Law(loads={"quality": 1.0}, noise=0.0, shape=lambda hidden: np.where(hidden > 0, 3.0, 0.0))
    return simulated_zoo(laws, generator=generator(test="correlations"), seeds=6)


def pairs(rho):
    return [rho("mig", "dci"), rho("mig", "dci") - rho("mig", "sap"), rho("sap", "sap")]


def test_each_estimate_is_the_one_that_is_found_alone():
    alone, gap, itself = (one.at(0.9) for one in from_correlations(zoo(), LOADS, pairs))
    for found, known in (
        (alone, correlation_between(zoo(), "mig", "dci").at(0.9)),
        (gap, agreement_gap_between(zoo(), "mig", "dci", "sap").at(0.9)),
    ):
        assert (found.value, found.low, found.high) == pytest.approx((known.value, known.low, known.high))
        assert (found.n, found.confidence) == (6, 0.9)
    assert (itself.value, itself.low, itself.high) == pytest.approx((1.0, 1.0, 1.0))


def test_models_below_the_least_value_are_not_looked_at():
    population = zoo()
    (found,) = from_correlations(
        population, ["mig", "dci"], lambda rho: [rho("mig", "dci")], among=("kl.informative", 1.0)
    )
    (every,) = from_correlations(population, ["mig", "dci"], lambda rho: [rho("mig", "dci")])
    # Half of the range of the quality that both see.
    assert 0.2 < found.value < every.value - 0.1
    with pytest.raises(InvalidInput, match=r"got 0 of kl\.informative at least 4$"):
        from_correlations(population, ["mig", "dci"], lambda rho: [rho("mig", "dci")], among=("kl.informative", 4.0))


def test_scores_that_vary_little_are_ranked_like_others():
    whole = zoo()
    scores = {(s, o): 1e-3 * whole.scores(s, o) for s in LOADS for o in whole.objectives}
    small = SimulatedPopulation(scores, {o: whole.strengths(o) for o in whole.objectives})
    for within in (False, True):
        first, second = (from_correlations(population, LOADS, pairs, within=within) for population in (whole, small))
        assert [e.value for e in first] == pytest.approx([e.value for e in second])


def test_a_score_that_is_not_there_leaves_the_claim_open():
    with pytest.raises(EvidenceLacking, match="did you mean 'mig'"):
        from_correlations(zoo(), ["migg", "dci"], lambda rho: [rho("migg", "dci")])
