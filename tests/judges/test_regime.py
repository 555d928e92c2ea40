"""What models must be like for a sentence to speak of them, measured on models of known make."""

import numpy as np
import pytest
from simulation import SimulatedPopulation

from dbench.claims.regime import (
    CODES_KEPT,
    FACTORS_HELD,
    PENALTY_MOVES,
    POLARISED,
    above_floor,
    knows_familiar,
    of_objectives,
)
from dbench.errors import EvidenceLacking

STRENGTHS = (1.0, 2.0)


def zoo(**objectives: dict) -> SimulatedPopulation:
    """Scores by objective; a number stands for all models, else seeds x strengths."""
    scores = {
        (score, objective): np.broadcast_to(np.asarray(values, dtype=float), (4, 2))
        for objective, table in objectives.items()
        for score, values in table.items()
    }
    return SimulatedPopulation(scores, dict.fromkeys(objectives, STRENGTHS))


def information(*factors_by_code: float) -> dict:
    """One code, as informative of each factor as is said."""
    return {f"relation.mutual_information.{f}.0": value for f, value in enumerate(factors_by_code)}


def test_factors_held_are_those_of_the_median_model():
    # By strength: two of three factors held, none held.
    varied = information([[0.2, 0.0]] * 4, [[0.2, 0.0]] * 4, [[0.1, 0.1]] * 4)
    population = zoo(a=information(0.2, 0.2, 0.2), b=varied)
    assert FACTORS_HELD.check(population, ["b"])["value"] == pytest.approx(1 / 3)
    assert FACTORS_HELD.check(population, ["a"])["value"] == 1.0
    # Two models of three hold all factors, or two of them: the median lies between, the mean does not.
    assert FACTORS_HELD.check(population)["value"] == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize(("held", "holds"), [(6, True), (5, False)])
def test_more_than_half_of_the_factors_must_be_held(held, holds):
    found = FACTORS_HELD.check(zoo(a=information(*[0.2] * held, *[0.0] * (10 - held))))
    assert (found["value"], found["holds"]) == (pytest.approx(held / 10), holds)


def test_codes_between_the_two_ends_are_counted():
    found = POLARISED.check(zoo(a={"kl.0": 0.001, "kl.1": 0.002, "kl.2": 0.09, "kl.3": 0.1}))
    assert (found["value"], found["holds"]) == (0.5, False)
    ten = {f"kl.{i}": 1.0 for i in range(19)} | {"kl.19": 0.05}
    assert POLARISED.check(zoo(a=ten))["holds"]


def test_codes_gained_are_those_of_the_objective_that_gains_most():
    population = zoo(a={"kl.informative": [[2, 4], [3, 4]] * 2}, b={"kl.informative": [[5, 1]] * 4})
    assert CODES_KEPT.check(population)["value"] == 1.5
    assert CODES_KEPT.check(population, ["b"])["value"] == -4.0
    assert of_objectives(CODES_KEPT, "b").check(population)["holds"]
    assert not CODES_KEPT.check(zoo(a={"kl.informative": [[2, 4]] * 4}))["holds"]
    three = SimulatedPopulation({("kl.informative", "a"): np.array([[3.0, 9, 7], [3, 9, 8]])}, {"a": (1.0, 2.0, 3.0)})
    assert CODES_KEPT.check(three)["value"] == 4.5  # whatever lies between


def test_the_penalty_moves_as_much_as_the_objective_it_moves_least():
    """Strengths apart by 2 d with seeds at +-1 explain 1 - 4 (7/6) / (4 + 4 d d) of the variance, halved sums."""
    around = np.array([[-1.0], [1], [-1], [1]])

    def moved(by: float) -> dict:
        return {"kl": around + np.array([-by, by])}

    def explained(by: float) -> float:
        return 1 - (1 / (1 + by**2)) * 7 / 6

    population = zoo(little=moved(1.2), much=moved(3.0))
    assert PENALTY_MOVES.check(population)["value"] == pytest.approx(explained(1.2))
    found = PENALTY_MOVES.check(population, ["much"])
    assert (found["value"], found["holds"]) == (pytest.approx(explained(3.0)), True)
    assert explained(1.2) < 0.6
    assert PENALTY_MOVES.check(zoo(a=moved(1.25)))["value"] == pytest.approx(0.545, abs=0.001)
    assert PENALTY_MOVES.check(zoo(a=moved(1.25)))["holds"]
    assert not PENALTY_MOVES.check(zoo(a=moved(1.0)))["holds"]
    # A reader is told which objective it is.
    assert PENALTY_MOVES.check(zoo(much=moved(3.0), least=moved(1.0)))["says"].endswith(", here of least")
    assert PENALTY_MOVES.check(population)["says"] == PENALTY_MOVES.says


def test_a_total_correlation_is_held_against_what_independent_codes_come_out_at():
    """Ten codes and 10,000 observations: 10 x 9 / 40,000 nats, which is 0.00225."""
    predicate = above_floor("gaussian_tc.mean", ("a", 2.0))
    found = predicate.check(zoo(a={"gaussian_tc.mean": [[9.0, 0.009]] * 3 + [[9.0, 9.0]]}))
    assert (found["value"], found["holds"]) == (pytest.approx(4.0), False)
    assert predicate.check(zoo(a={"gaussian_tc.mean": 0.01126}))["holds"]
    missing = above_floor("gaussian_tc.mean", ("a", 3.0)).check(zoo(a={"gaussian_tc.mean": 1.0}))
    assert (missing["value"], missing["holds"]) == (0.0, False)
    assert "10 independent codes and 10,000 observations: 0.00225 nats" in missing["source"] + found["source"]


def test_accuracy_on_familiar_combinations_is_adjusted_for_chance():
    scores = {"novel.random_split.mlp": [[0.7, 0.9]] * 4, "novel.chance": 0.2}
    predicate = knows_familiar(["a"], 0.7, "here")
    found = predicate.check(zoo(a=scores, b={name: 0.1 for name in scores}))
    assert (found["value"], found["holds"]) == (pytest.approx((0.8 - 0.2) / 0.8), True)
    assert not knows_familiar(["a"], 0.8, "here").check(zoo(a=scores))["holds"]


def test_a_predicate_of_some_objectives_looks_at_those_that_are_there():
    population = zoo(a=information(0.2, 0.2), b=information(0.0, 0.0), c=information(0.0, 0.2))
    measured = {
        names: of_objectives(FACTORS_HELD, *names).check(population)["value"]
        for names in (("a",), ("b", "missing"), ("b", "c"))
    }
    assert measured == {("a",): 1.0, ("b", "missing"): 0.0, ("b", "c"): 0.25}
    with pytest.raises(EvidenceLacking, match="holds no missing, of which 'factors held' is asked"):
        of_objectives(FACTORS_HELD, "missing").check(population)
    assert of_objectives(FACTORS_HELD, "a", "b").says.endswith("of a and b")
    assert of_objectives(FACTORS_HELD, "b", "c").check(population, ["a"])["value"] == 1.0  # a case of one objective
