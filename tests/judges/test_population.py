"""Populations: complete seeds only, and nothing missing in silence."""

import numpy as np
import pytest
from simulation import tiny_rows

from dbench.errors import EvidenceLacking, UnknownName
from dbench.estimates.population import Population, PopulationPair
from dbench.plugin import judge
from dbench.stats import jackknife


@pytest.fixture
def population() -> Population:
    return Population("tiny", tiny_rows())


def test_scores_stand_as_seeds_by_rising_strengths(population):
    assert population.objectives == ["beta_tcvae", "beta_vae"]
    assert population.strengths("beta_vae").tolist() == [1, 2, 4]
    assert population.seeds().tolist() == [0, 1, 2]
    assert population.scores("mig", "beta_vae").tolist() == [[100, 200, 400], [101, 201, 401], [102, 202, 402]]
    assert population.scores("mig", "beta_tcvae", seeds=np.array([2])).tolist() == [[102, 402]]


def test_the_order_of_the_rows_does_not_matter(population):
    shuffled = Population("tiny", population.table.sample(frac=1, random_state=0))
    assert (shuffled.scores("mig", "beta_vae") == population.scores("mig", "beta_vae")).all()


def test_a_seed_with_a_diverged_run_is_left_out_at_every_strength():
    population = Population("tiny", tiny_rows(lambda key: key.objective == "beta_vae" and key.seed == 1))
    assert population.seeds().tolist() == [0, 2]
    assert population.seeds("beta_vae").tolist() == [0, 2]
    assert population.seeds("beta_tcvae").tolist() == [0, 1, 2]
    assert population.scores("mig", "beta_vae")[:, 0].tolist() == [100, 102]


def test_a_seed_with_a_missing_run_is_left_out(population):
    table = population.table
    lacking = Population("tiny", table[~((table["seed"] == 2) & (table["strength"] == 4))])
    assert lacking.seeds().tolist() == [0, 1]


def test_seeds_are_left_out_jointly_across_all_that_shares_them(population):
    seen = []

    def statistic(tables):
        seen.append({key: table[:, 0].tolist() for key, table in tables.items()})
        return float(tables["sap", "beta_vae"].mean() + tables["mig", "beta_tcvae"][:, 0].mean())

    estimate = population.estimate(statistic, scores=["mig", "sap"], objectives=["beta_tcvae", "beta_vae"]).at(0.95)
    known = jackknife(lambda kept: 2 * kept.mean() + 100, 3).at(0.95)
    assert (estimate.value, estimate.n) == (known.value, 3)
    assert (estimate.low, estimate.high) == pytest.approx((known.low, known.high))
    assert seen[1]["sap", "beta_vae"] == [1, 2]
    assert seen[1]["mig", "beta_tcvae"] == [101, 102]


def test_several_statistics_have_the_intervals_of_each_alone(population):
    wanted = {"scores": ["mig", "sap"], "objectives": ["beta_vae"]}
    both = population.estimates(lambda tables: [table.mean() for table in tables.values()], **wanted)
    for score, found in zip(("mig", "sap"), both, strict=True):
        alone = population.estimate(lambda tables, s=score: float(tables[s, "beta_vae"].mean()), **wanted)
        assert (found.value, found.n) == (alone.value, alone.n)
        assert (found.at(0.95).low, found.at(0.95).high) == pytest.approx((alone.at(0.95).low, alone.at(0.95).high))


def test_a_population_without_a_complete_seed_is_refused():
    empty = Population("tiny", tiny_rows(lambda key: key.strength == 4))
    with pytest.raises(EvidenceLacking, match="tiny must have 1 or more complete seeds, got 0"):
        empty.estimate(lambda tables: 0.0, scores=["mig"], objectives=["beta_vae"])
    with pytest.raises(EvidenceLacking, match="tiny has no seed with all strengths of beta_vae"):
        empty.scores("mig", "beta_vae")


def test_unknown_scores_and_objectives_are_told_the_nearest(population):
    with pytest.raises(EvidenceLacking, match=r"^tiny holds no score 'migg'; did you mean 'mig'\?$"):
        population.scores("migg", "beta_vae")
    with pytest.raises(UnknownName, match="did you mean 'beta_vae'"):
        population.strengths("betavae")


def test_a_pair_names_both_tables_and_each_deviation_once(population):
    pair = PopulationPair(population, Population("other", population.table, ("small", "grey")))
    first = PopulationPair(Population("tiny", population.table, ("small",)), pair.target)
    assert (pair.name, first.deviations) == ("tiny and other", ("small", "grey"))


def test_units_outside_are_left_out_of_each_population_that_a_test_is_given(population):
    gone, *left = population.objectives
    given = {"one": population, "pair": PopulationPair(population, population), "other": 3}
    inside = judge._without_units(given, [gone])
    assert inside["one"].objectives == left
    assert [part.objectives for part in inside["pair"].parts] == [left] * 2
    assert inside["other"] == 3
    assert judge._without_units(given, population.objectives) == {}
