"""Comparisons of UDR read back from a table, and scores made of them."""

import numpy as np
import pytest
from simulation import SimulatedPopulation

from dbench.errors import EvidenceLacking, InvalidInput
from dbench.estimates.agreements import agreements_of, median_agreement
from dbench.estimates.population import Population
from dbench.metrics import udr_agreements, udr_scores
from dbench.zoo.arrays import RunArrays

SEEDS, STRENGTHS = 3, (1.0, 4.0)


def zoo() -> SimulatedPopulation:
    """The agreement of two models spells both out: strength and seed of the one, strength and seed of the other."""
    scores = {}
    for n in range(6):
        partner = 10 * (n // SEEDS) + n % SEEDS
        rows = [[100 * (10 * h + s) + partner for h in range(2)] for s in range(SEEDS)]
        scores[f"udr.lasso.with.{n}", "beta_vae"] = np.array(rows, dtype=float)
    return SimulatedPopulation(scores, {"beta_vae": STRENGTHS})


def expected(seeds):
    models = [(s, h) for s in seeds for h in range(2)]
    matrix = [[100 * (10 * h + s) + 10 * k + t for t, k in models] for s, h in models]
    return np.array(matrix, dtype=float).reshape(len(seeds), 2, len(seeds), 2)


def test_every_model_meets_every_other_by_seed_and_strength():
    np.testing.assert_array_equal(agreements_of(zoo(), "beta_vae"), expected([0, 1, 2]))
    beside = RunArrays(agreements={"beta_vae": zoo().agreements("beta_vae")})
    population = Population("table", zoo().table, (), beside)
    np.testing.assert_array_equal(agreements_of(population, "beta_vae"), expected([0, 1, 2]))


def test_a_run_that_diverged_was_never_counted_and_its_seed_is_left_out():
    table = zoo().table
    gone = (table["seed"] == 1) & (table["strength"] == 4)
    table.loc[gone, ["status", "value"]] = ["diverged", np.nan]
    # Five runs are done, and agree with each other alone.
    left = np.delete(np.delete(zoo().agreements("beta_vae"), 4, axis=0), 4, axis=1)
    population = Population("table", table, (), RunArrays(agreements={"beta_vae": left}))
    assert population.done("beta_vae") == [(1.0, 0), (1.0, 1), (1.0, 2), (4.0, 0), (4.0, 2)]
    np.testing.assert_array_equal(agreements_of(population, "beta_vae"), expected([0, 2]))


def test_a_table_without_comparisons_is_lacking():
    population = SimulatedPopulation({("mig", "beta_vae"): np.zeros((3, 2))}, {"beta_vae": STRENGTHS})
    with pytest.raises(EvidenceLacking, match=r"udr\.lasso\.with\.0"):
        agreements_of(population, "beta_vae")


@pytest.fixture(scope="module")
def models():
    stream = np.random.default_rng(0)
    codes = stream.standard_normal((8, 60, 3)) + stream.standard_normal((60, 3))
    return codes, np.ones((8, 3), dtype=bool)


def test_medians_are_the_scores_of_udr(models):
    agreements = udr_agreements(*models)
    np.testing.assert_allclose(median_agreement(agreements), udr_scores(*models), atol=1e-12)
    groups = [0, 1, 0, 1, 0, 1, 1, 1]
    same = np.equal.outer(groups, groups)
    found = median_agreement(agreements, within=same)
    np.testing.assert_allclose(found, udr_scores(*models, groups=groups), atol=1e-12)


def test_partners_are_those_of_the_lowest_priority_and_never_the_model_itself():
    agreements = np.arange(16.0).reshape(4, 4)
    priority = np.array([[[0, 1, 2, 3]] * 4, [[3, 2, 1, 0]] * 4], dtype=float)
    found = median_agreement(agreements, comparisons=2, priority=priority)
    np.testing.assert_array_equal(found, [[1.5, 5.0, 8.5, 12.5], [2.5, 6.5, 10.0, 13.5]])
    everyone = median_agreement(agreements, comparisons=9, priority=priority)
    np.testing.assert_array_equal(everyone, [median_agreement(agreements)] * 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"within": np.eye(3, dtype=bool)}, "within must leave every model a partner, got none for 3"),
        ({"comparisons": 2}, "comparisons and priority must be given together"),
    ],
)
def test_comparisons_that_cannot_be_made_are_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        median_agreement(np.ones((3, 3)), **options)
