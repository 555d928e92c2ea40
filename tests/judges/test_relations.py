"""Arrays read back from a table: scores of codes, relations, and misalignment that nothing plainer explains."""

import numpy as np
import pytest
from simulation import Law, SimulatedPopulation, simulated_zoo

from dbench.errors import EvidenceLacking, InvalidInput
from dbench.estimates.population import Population
from dbench.estimates.relations import (
    HELD,
    freely_misaligned,
    importance_scores,
    information_scores,
    informative_codes,
    relations_of,
)
from dbench.estimates.zoo_statistics import arrays_of
from dbench.metrics import dci_disentanglement
from dbench.metrics.modularity import mean_modularity
from dbench.metrics.relations import mutual_information
from dbench.seeds import generator
from dbench.zoo.arrays import RunArrays

SIZES = {"beta_tcvae": (1, 2), "beta_vae": (1, 2, 3)}


def zoo(**scores: float) -> SimulatedPopulation:
    """Scores that are the same for every run; two underscores are a dot."""
    laws = {name.replace("__", "."): Law(mean=value, noise=0.0) for name, value in scores.items()}
    return simulated_zoo(laws, generator=generator(test="relations"), seeds=4, objectives=SIZES)


# Two factors and three codes; a cell spells factor and code out.
CELLS = {f"relation__importance__{f}__{c}": 10.0 * f + c for f in range(2) for c in range(3)}


def test_the_matrix_of_every_model_is_codes_by_factors():
    found = relations_of(zoo(**CELLS), "importance")
    assert found.shape == (4, 5, 3, 2)
    assert (found == np.array([[0, 10], [1, 11], [2, 12]])).all()
    assert relations_of(zoo(**CELLS), "importance", objectives=["beta_vae"]).shape == (4, 3, 3, 2)


def test_the_seeds_asked_for_are_those_of_a_simulated_array():
    noisy = {name.replace("__", "."): Law() for name in CELLS}
    population = simulated_zoo(noisy, generator=generator(test="relations"), seeds=4, objectives=SIZES)
    whole = population.array("relation.importance", "beta_vae")
    found = population.array("relation.importance", "beta_vae", seeds=np.array([2, 0]))
    np.testing.assert_array_equal(found, whole[[2, 0]])


def test_matrices_beside_a_table_are_found_run_by_run():
    table = zoo(**CELLS).table
    runs = table.drop_duplicates("run").sample(frac=1, random_state=0)
    matrices = np.stack([np.full((3, 2), 10 * s + n) for s, n in zip(runs["strength"], runs["seed"], strict=True)])
    population = Population("table", table, (), RunArrays(tuple(runs["run"]), {"relation.importance": matrices}))
    found = relations_of(population, "importance")
    assert found.shape == (4, 5, 3, 2)
    assert found[2, :, 0, 0].tolist() == [12, 22, 12, 22, 32]
    one = population.array("relation.importance", "beta_tcvae", seeds=np.array([2]))
    assert one[:, :, 0, 0].tolist() == [[12, 22]]
    with pytest.raises(EvidenceLacking, match="table has no seed with all strengths of beta_tcvae"):
        population.array("relation.importance", "beta_tcvae", seeds=np.array([], dtype=int))


def test_a_matrix_that_is_not_there_leaves_a_claim_open_and_one_in_part_is_refused():
    with pytest.raises(EvidenceLacking, match=r"simulated holds no array 'relation\.predictability'"):
        relations_of(zoo(**CELLS), "predictability")
    with pytest.raises(InvalidInput, match=r"must hold every cell of relation\.importance, got 2 of \(2, 2\)"):
        relations_of(zoo(relation__importance__0__0=0.0, relation__importance__1__1=1.0), "importance")


@pytest.mark.parametrize(
    ("relation", "informative", "expected"),
    [
        ([[0.9, 0.8], [0.1, 0.2]], 2, True),
        ([[0.9, 0.1], [0.1, 0.8]], 2, False),  # a code each
        ([[0.9, 0.8], [0.1, 0.2]], 1, False),  # one informative code: the factors must share it
        ([[0.9, 0.05], [0.1, 0.02]], 2, False),  # the second factor is held by none
        ([[0.05, 0.05], [0.0, 0.0]], 2, False),
        ([[0.9, 0.8, 0.0], [0.1, 0.2, 0.0]], 2, True),  # the third is not held and needs no code
    ],
)
def test_sharing_counts_only_between_factors_that_are_held_and_where_codes_are_left(relation, informative, expected):
    matrix = np.array(relation)
    assert freely_misaligned(matrix, np.array(informative)) == expected
    assert freely_misaligned(np.stack([matrix, matrix]), np.full(2, informative)).tolist() == [expected] * 2


def test_no_code_holds_a_factor_whose_labels_are_permuted():
    """The null: codes that know every factor, and labels in another order, in samples as the zoo's scores take them."""
    stream = generator(test="permuted labels")
    sizes = (3, 6, 40, 32)
    worst = 0.0
    for _ in range(3):
        factors = np.stack([stream.integers(size, size=10_000) for size in sizes], axis=1)
        codes = np.repeat(factors, 3, axis=1)[:, :10] + 0.1 * stream.standard_normal((10_000, 10))
        permuted = np.stack([stream.permutation(column) for column in factors.T], axis=1)
        worst = max(worst, float(mutual_information(codes, permuted).max()))
        assert mutual_information(codes, factors).max(axis=0).min() > 10 * HELD
    assert worst < HELD / 2


def test_codes_come_in_the_order_of_their_numbers():
    found = arrays_of(zoo(irs__code__0=0.5, irs__code__1=0.7, irs=0.6, irs__mean__0=0.1), "irs.code")
    assert found.shape == (4, 5, 2)
    assert (found == [0.5, 0.7]).all()
    eleven = zoo(**{f"kl__{i}": float(i) for i in range(11)})
    assert (arrays_of(eleven, "kl.code") == np.arange(11)).all()
    assert arrays_of(eleven, "kl.code", objectives=["beta_vae"]).shape == (4, 3, 11)


def test_codes_at_the_threshold_are_not_informative():
    assert informative_codes(zoo(kl__0=0.01, kl__1=0.02))[0, 0].tolist() == [False, True]


def two_matrices(matrix) -> SimulatedPopulation:
    """Codes x factors, as information and as importance."""
    kinds = ("mutual_information", "importance_single")
    return zoo(**{f"relation__{kind}__{f}__{c}": v for kind in kinds for (c, f), v in np.ndenumerate(matrix)})


def test_scores_of_codes_by_information_and_importance_are_those_of_the_metrics():
    matrix = np.array([[0.9, 0.1], [0.3, 0.3]])
    informed, important = (of(two_matrices(matrix)) for of in (information_scores, importance_scores))
    assert informed.shape == important.shape == (4, 5, 2)
    assert informed[0, 0].mean() == pytest.approx(mean_modularity(matrix))
    assert informed[0, 0] == pytest.approx([1 - 1 / 81, 0.0])
    assert np.average(important[0, 0], weights=matrix.sum(axis=1)) == pytest.approx(dci_disentanglement(matrix))


@pytest.mark.parametrize("of", [information_scores, importance_scores])
def test_scores_of_codes_are_right_where_there_are_more_codes_than_factors(of):
    found = of(two_matrices(np.eye(3, 2)))
    assert found.shape == (4, 5, 3)
    assert (found == [1.0, 1.0, 0.0]).all()
