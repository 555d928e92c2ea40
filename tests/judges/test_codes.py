"""Scores of single codes read back from a table."""

import numpy as np
import pytest
from simulation import Law, SimulatedPopulation, simulated_zoo

from dbench.claims.codes import importance_scores, information_scores, informative_codes, scores_of_codes
from dbench.metrics import dci_disentanglement
from dbench.metrics.modularity import mean_modularity
from dbench.seeds import generator

KINDS = ("mutual_information", "importance_single")
SIZES = {"beta_tcvae": (1, 2), "beta_vae": (1, 2, 3)}


def zoo(**scores: float) -> SimulatedPopulation:
    """Scores that are the same for every run; two underscores are a dot."""
    laws = {name.replace("__", "."): Law(mean=value, noise=0.0) for name, value in scores.items()}
    return simulated_zoo(laws, generator=generator(test="codes"), seeds=4, objectives=SIZES)


def test_codes_come_in_the_order_of_their_numbers():
    found = scores_of_codes(zoo(irs__code__0=0.5, irs__code__1=0.7, irs=0.6, irs__mean__0=0.1), "irs.code")
    assert found.shape == (4, 5, 2)
    assert (found == [0.5, 0.7]).all()
    eleven = zoo(**{f"kl__{i}": float(i) for i in range(11)})
    assert (scores_of_codes(eleven, "kl.code") == np.arange(11)).all()
    assert scores_of_codes(eleven, "kl.code", objectives=["beta_vae"]).shape == (4, 3, 11)


def test_codes_at_the_threshold_are_not_informative():
    assert informative_codes(zoo(kl__0=0.01, kl__1=0.02))[0, 0].tolist() == [False, True]


def test_scores_of_codes_by_information_and_importance_are_those_of_the_metrics():
    matrix = np.array([[0.9, 0.1], [0.3, 0.3]])
    cells = {f"relation__{kind}__{f}__{c}": matrix[c, f] for kind in KINDS for f in range(2) for c in range(2)}
    population = zoo(**cells)
    informed, important = information_scores(population), importance_scores(population)
    assert informed.shape == important.shape == (4, 5, 2)
    assert informed[0, 0].mean() == pytest.approx(mean_modularity(matrix))
    assert informed[0, 0] == pytest.approx([1 - 1 / 81, 0.0])
    assert np.average(important[0, 0], weights=matrix.sum(axis=1)) == pytest.approx(dci_disentanglement(matrix))


def test_scores_of_codes_are_right_where_there_are_more_codes_than_factors():
    cells = {f"relation__{kind}__{f}__{c}": float(f == c) for kind in KINDS for f in range(2) for c in range(3)}
    for found in (information_scores(zoo(**cells)), importance_scores(zoo(**cells))):
        assert found.shape == (4, 5, 3)
        assert (found == [1.0, 1.0, 0.0]).all()
