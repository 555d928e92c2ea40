"""Averages over objectives: what is undefined is left out and named, not averaged in as 0."""

import numpy as np
import pytest
from simulation import SimulatedPopulation

from dbench.errors import EvidenceLacking, InvalidInput
from dbench.estimates.by_objective import average_over_objectives, left_out_of_average
from dbench.stats import rank_correlation

SEEDS, STRENGTHS = 5, (1.0, 2.0, 3.0)
NAMES = ("udr", "kl.informative")


def zoo(number: dict[str, np.ndarray], strengths=STRENGTHS) -> SimulatedPopulation:
    """UDR is the number of informative codes itself, plus the seed's place, so that no two models tie in it."""
    small = np.linspace(0, 0.5, SEEDS * len(strengths)).reshape(SEEDS, -1)
    scores = {("kl.informative", o): table for o, table in number.items()}
    scores |= {("udr", o): table + small for o, table in number.items()}
    return SimulatedPopulation(scores, dict.fromkeys(number, strengths))


def rows(*levels: float) -> np.ndarray:
    return np.tile(np.array(levels), (SEEDS, 1))


def correlation(tables, counted):
    return rank_correlation(tables["udr"][counted], tables["kl.informative"][counted])


def average(population, **options):
    (estimate,) = average_over_objectives(population, correlation, NAMES, **options)
    return estimate


def test_an_objective_of_constant_number_is_left_out_and_named():
    varied = {"a": rows(3, 4, 5), "b": rows(2, 3, 4)}
    population = zoo({**varied, "constant": rows(10, 10, 10)})
    alone = average(zoo(varied))
    assert (average(population).value, average(population).n) == (alone.value, SEEDS)
    assert alone.value > 0.9
    (named,) = left_out_of_average(population, NAMES)
    assert named == (
        "constant is left out of the average: kl.informative the same in all models, or in all but one seed's"
    )
    assert left_out_of_average(zoo(varied), NAMES) == ()


def test_one_model_that_differs_does_not_make_a_correlation():
    """Without its seed nothing is defined, so the jackknife would rest on a 0 of its own making."""
    lone, two = rows(10, 10, 10), rows(10, 10, 10)
    lone[0, 0] = 9
    two[:2, 0] = 9
    assert len(left_out_of_average(zoo({"lone": lone}), NAMES)) == 1
    assert left_out_of_average(zoo({"two": two}), NAMES) == ()
    assert np.isfinite(average(zoo({"two": two})).at(0.95).low)


def test_two_seeds_that_differ_either_way_leave_one_that_does_whichever_is_taken_out():
    either = rows(10, 10, 10)
    either[0, 0], either[1, 0] = 9, 11
    assert left_out_of_average(zoo({"either": either}), NAMES) == ()


def test_models_of_few_codes_are_left_out_where_asked_and_so_is_an_objective_of_few_models():
    population = zoo({"a": rows(0, 3, 4), "collapsed": rows(0, 1, 4)})
    every, some = average(population), average(population, models="informative")
    assert every.value != some.value
    # Of a the strengths 2 and 3 count, whose order UDR shows but for ties; of the other a third of the models.
    kept = population.scores("udr", "a")[:, 1:].ravel(), population.scores("kl.informative", "a")[:, 1:].ravel()
    assert some.value == rank_correlation(*kept)
    assert left_out_of_average(population, NAMES) == ()
    (named,) = left_out_of_average(population, NAMES, models="informative")
    assert named == "collapsed is left out of the average: 5 of 15 models have 2 informative codes"


def test_an_objective_half_of_whose_models_count_is_averaged_and_what_does_not_count_makes_nothing_vary():
    half = zoo({"half": np.tile([0.0, 1, 3, 4], (SEEDS, 1))}, (1.0, 2.0, 3.0, 4.0))
    assert left_out_of_average(half, NAMES, models="informative") == ()
    same = zoo({"same": rows(0, 3, 3)})
    (named,) = left_out_of_average(same, ["kl.informative"], models="informative")
    assert named.startswith("same is left out of the average: kl.informative the same")
    assert left_out_of_average(same, ["kl.informative"]) == ()


def test_the_average_is_the_mean_of_what_is_said_of_each_objective():
    (found,) = average_over_objectives(
        zoo({"a": rows(3, 4, 5), "b": rows(2, 3, 7)}), lambda tables, _: [tables["kl.informative"].max()], NAMES
    )
    assert found.value == (5 + 7) / 2


def test_with_fewer_than_half_of_the_objectives_nothing_is_averaged():
    population = zoo({"a": rows(3, 4, 5), "b": rows(9, 9, 9), "c": rows(7, 7, 7)})
    with pytest.raises(EvidenceLacking, match=r"holds 1 of 3 objectives to average: b: kl\.informative the same"):
        average(population)
    assert average(population, objectives=["a", "b"]).value > 0.9
    with pytest.raises(EvidenceLacking, match="holds 0 of 1 objectives"):
        average(population, objectives=["b"])


def test_another_word_for_the_models_is_refused():
    with pytest.raises(InvalidInput, match=r"models must be one of .* got 'some'"):
        average(zoo({"a": rows(3, 4, 5)}), models="some")
