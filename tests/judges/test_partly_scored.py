"""Scores that some seeds lack: a statistic that asks for them is computed from the seeds that have them."""

import numpy as np
import pandas as pd
import pytest
from simulation import tiny_rows

from dbench.errors import EvidenceLacking
from dbench.estimates.agreements import agreements_of
from dbench.estimates.evidence import OnDemand
from dbench.estimates.partly_scored import PartlyScored, on_scored_seeds
from dbench.estimates.population import Population, PopulationPair
from dbench.zoo.arrays import AGREEMENTS, RunArrays


def partly_scored(lacking: dict[str, set[int]]) -> pd.DataFrame:
    """The rows of the seeds 0, 1 and 2, without these scores of these seeds."""
    rows = tiny_rows()
    for score, seeds in lacking.items():
        rows.loc[(rows["score"] == score) & rows["seed"].isin(seeds), "value"] = np.nan
    return rows


def test_a_statistic_is_computed_again_from_the_seeds_that_have_its_score():
    population = Population("tiny", partly_scored({"sap": {1, 2}}))
    given, seeds_of_calls = {"one": population, "pair": PopulationPair(population, population), "other": 3}, []

    def statistic(one, pair, other):
        seeds_of_calls.append(one.seeds().tolist())
        return [part.scores("sap", "beta_vae").tolist() for part in (one, *pair.parts)]

    assert on_scored_seeds(statistic, given) == [[[0, 0, 0]]] * 3
    assert seeds_of_calls == [[0, 1, 2], [0]]
    assert given["one"] is population.having("sap")


def test_a_population_is_cut_only_by_a_score_that_seeds_lack_and_only_as_an_argument():
    population = Population("tiny", partly_scored({"sap": {1, 2}}))
    assert population.scores("mig", "beta_vae").shape == (3, 3)
    with pytest.raises(PartlyScored, match="tiny has sap of some seeds alone"):
        population.scores("sap", "beta_vae")
    assert population.having("sap").deviations == ("2 of 3 complete seeds left out, of which sap was not computed",)
    assert population.having("mig").seeds().tolist() == [0, 1, 2]
    assert population.having("mig").deviations == ()
    with pytest.raises(PartlyScored):  # one that is no argument cannot be cut, and is not tried again for ever
        on_scored_seeds(lambda one: population.scores("sap", "beta_vae"), {"one": population})


def test_each_part_of_a_pair_is_cut_by_its_own_seeds():
    pair = PopulationPair(
        Population("one", partly_scored({"sap": {1, 2}})), Population("two", partly_scored({"sap": {0}}))
    )
    assert [part.seeds().tolist() for part in pair.having("sap").parts] == [[0], [1, 2]]
    both = [(part.name, part.objectives) for part in pair.of(["beta_vae"]).parts]
    assert both == [("one", ["beta_vae"]), ("two", ["beta_vae"])]


def test_seeds_that_lack_a_score_are_left_out_beside_diverged_ones_and_all_strengths_stay():
    rows = partly_scored({"sap": {1}, "mig": {0}})
    gone = (rows["seed"] == 2) & (rows["strength"] == 4)
    population = Population("tiny", rows.assign(status=np.where(gone, "diverged", "done")))
    assert population.seeds().tolist() == [0, 1]
    found = population.having("sap")
    assert found.seeds().tolist() == found.seeds("beta_vae").tolist() == [0]
    assert found.strengths("beta_vae").tolist() == [1, 2, 4]
    assert found.deviations == ("1 of 2 complete seeds left out, of which sap was not computed",)
    made = OnDemand(lambda: population).having("sap").having("mig")
    with pytest.raises(EvidenceLacking):
        made()
    assert made.made == [found]


def test_scores_that_no_seed_has_together_are_reported_as_lacking():
    population = Population("tiny", partly_scored({"sap": {1, 2}, "mig": {0}}))
    with pytest.raises(EvidenceLacking, match="tiny has no seed of which all that is asked for was scored: mig"):
        on_scored_seeds(lambda p: [p.scores(s, "beta_vae") for s in ("sap", "mig")], {"p": population})


def test_arrays_and_agreements_are_cut_to_the_seeds_that_have_them():
    table = tiny_rows()
    runs = table.drop_duplicates("run")
    seeds = runs["seed"].to_numpy()
    values = np.where(seeds[:, None] == 1, np.nan, seeds[:, None] + np.array([0.0, 0.5]))
    agreements = {"beta_tcvae": np.add.outer([0, 1, 2] * 2, [0.0] * 6).astype(np.float32)}
    population = Population("tiny", table, arrays=RunArrays(tuple(runs["run"]), {"nk.factor": values}, agreements))
    with pytest.raises(PartlyScored):
        population.array("nk.factor", "beta_vae")
    found = population.having("nk.factor")
    assert found.array("nk.factor", "beta_vae").tolist() == [[[0, 0.5]] * 3, [[2, 2.5]] * 3]
    assert agreements_of(found, "beta_tcvae")[:, :, 0, 0].tolist() == [[0, 0], [2, 2]]


def test_agreements_are_taken_from_the_largest_group_of_seeds_compared_with_each_other():
    table, seeds = tiny_rows(), np.array([0, 1, 2] * 2)
    table = table[table["objective"] == "beta_tcvae"]
    whole = np.add.outer(seeds, np.zeros(6)).astype(np.float32)

    def population(group_of_seed):
        compared = np.where(np.equal.outer(group_of_seed, group_of_seed), whole, np.nan)
        return Population("tiny", table, arrays=RunArrays(agreements={"beta_tcvae": compared}))

    found = on_scored_seeds(lambda p: agreements_of(p, "beta_tcvae"), {"p": population(seeds == 1)})
    assert found[:, :, 0, 0].tolist() == [[0, 0], [2, 2]]
    assert population(seeds).having(AGREEMENTS).seeds().tolist() == [0]  # of equally large groups the first
    assert Population("tiny", table).having(AGREEMENTS).seeds().tolist() == [0, 1, 2]
