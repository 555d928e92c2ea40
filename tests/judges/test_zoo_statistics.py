"""Simulated zoos have the effects they were given, answer as tables do, and the shared statistics find them."""

import numpy as np
import pytest
from simulation import OBJECTIVES, Law, SimulatedPopulation, simulated_zoo

from dbench.errors import EvidenceLacking, UnknownName
from dbench.estimates.population import Population
from dbench.estimates.zoo_statistics import (
    agreement_gap_between,
    correlation_between,
    settings_of,
    share_of_models,
    stacked,
    trend_with_strength,
)
from dbench.seeds import generator

LAWS = {
    "dci": Law(loads={"quality": 1.0}, trend=1.0, seed=0.3),
    "mig": Law(loads={"quality": 0.8}, noise=0.6),
    "modularity": Law(mean={"beta_vae": 0.5}),
}


def zoo(name: str = "zoo", *, seeds: int = 10, **options) -> SimulatedPopulation:
    return simulated_zoo(LAWS, generator=generator(test="zoo statistics", zoo=name), seeds=seeds, **options)


@pytest.fixture(scope="module")
def large() -> SimulatedPopulation:
    return zoo("large", seeds=400)


def test_a_simulated_zoo_has_the_size_of_the_evidence():
    found = zoo()
    assert found.objectives == sorted(OBJECTIVES)
    assert all(found.scores("mig", o).shape == (10, 6) for o in found.objectives)
    assert settings_of(found, "mig").shape == (10, 36)
    assert settings_of(found, "mig", objectives=["beta_vae"]).tolist() == found.scores("mig", "beta_vae").tolist()


def test_a_simulated_zoo_answers_as_its_table_does():
    found = zoo(seeds=5)
    table = Population("table", found.table)
    for objective in found.objectives:
        assert found.strengths(objective).tolist() == table.strengths(objective).tolist()
        assert found.scores("dci", objective).tolist() == table.scores("dci", objective).tolist()
    assert found.seeds().tolist() == table.seeds().tolist()
    one, other = (correlation_between(p, "dci", "mig").at(0.95) for p in (found, table))
    assert (one.low, one.value, one.high, one.n) == (other.low, other.value, other.high, other.n)
    with pytest.raises(UnknownName, match="did you mean 'mig'"):
        found.scores("migg", "beta_vae")
    with pytest.raises(UnknownName, match="did you mean 'beta_vae'"):
        found.scores("mig", "betavae")


def test_the_effects_of_a_large_zoo_are_those_it_was_given(large):
    dci, mig, modularity = (settings_of(large, score) for score in LAWS)
    # Each setting's noise: 1 from the quality and 1 of its own; 0.3 that a seed's runs share.
    assert dci.var(axis=0).mean() == pytest.approx(1 + 1 + 0.09, abs=0.05)
    assert dci.mean(axis=1).var() == pytest.approx(0.09 + 2 / 36, abs=0.03)
    assert mig.var() == pytest.approx(0.64 + 0.36, abs=0.03)
    assert (dci[:, 5] - dci[:, 0]).mean() == pytest.approx(1.0, abs=0.3)
    plain, other = (large.scores("modularity", objective).mean() for objective in ("beta_vae", "beta_tcvae"))
    assert plain - other == pytest.approx(0.5, abs=0.1)
    # Within settings: covariance 0.8, variances 2.09 and 1.
    within = [np.corrcoef(a, b)[0, 1] for a, b in zip(dci.T, mig.T, strict=True)]
    assert np.mean(within) == pytest.approx(0.8 / np.sqrt(2.09), abs=0.02)
    assert abs(np.corrcoef(mig.ravel(), modularity.ravel())[0, 1]) < 0.03


def test_levels_and_shapes_follow_their_laws():
    levels = Law(mean=lambda objective, strengths: np.where(strengths > 3, 9.0, -9.0), shape=lambda x: (x > 0) * 2.0)
    found = simulated_zoo({"count": levels}, generator=generator(test="shapes"), objectives={"beta_vae": (1, 2, 4, 8)})
    assert found.scores("count", "beta_vae").tolist() == [[0, 0, 2, 2]] * 10


def test_trends_are_ranked_seed_by_seed(large):
    rising, flat = (trend_with_strength(large, "beta_vae", score).at(0.95) for score in ("dci", "mig"))
    assert rising.low > 0.1
    assert flat.low < 0 < flat.high
    assert rising.n == 400


def test_a_share_of_models_is_averaged_over_seeds():
    found = zoo()
    estimate = share_of_models(found, lambda a, b: a > b, ("dci", "mig"))
    higher = settings_of(found, "dci") > settings_of(found, "mig")
    assert estimate.value == pytest.approx(higher.mean())
    assert estimate.n == 10


def test_a_share_among_some_models_leaves_the_others_and_seeds_without_any_out():
    found = zoo()
    least = np.sort(settings_of(found, "dci").max(axis=1))[2]  # two seeds have no model as good
    estimate = share_of_models(found, lambda a: a > 0, ("mig",), among=("dci", least))
    counted, holds = settings_of(found, "dci") >= least, settings_of(found, "mig") > 0
    shares = [row[among].mean() for row, among in zip(holds, counted, strict=True) if among.any()]
    assert estimate.n == len(shares) == 8
    assert estimate.value == pytest.approx(np.mean(shares))
    with pytest.raises(EvidenceLacking, match="simulated has no model with dci at least 99"):
        share_of_models(found, lambda a: a > 0, ("mig",), among=("dci", 99.0))


def test_the_gap_of_agreement_tells_the_relative_from_the_stranger():
    found = agreement_gap_between(zoo(), "mig", "dci", "modularity").at(0.95)
    assert found.low > 0.2
    assert agreement_gap_between(zoo(), "mig", "modularity", "dci").at(0.95).value == pytest.approx(-found.value)


def test_stacked_scores_stand_side_by_side_in_the_order_asked_for():
    found = zoo()
    estimate = stacked(found, lambda a, b: float((a - b).mean()), ("mig", "mig"), objectives=["beta_vae"]).at(0.95)
    assert (estimate.low, estimate.value, estimate.high) == (0.0, 0.0, 0.0)
