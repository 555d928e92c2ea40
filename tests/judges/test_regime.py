"""What a unit must be like for a sentence to speak of it, measured on models of known make."""

import numpy as np
import pytest
from simulation import SimulatedPopulation

from dbench.claims import above
from dbench.claims.regime import Predicate, mean_above, too_few
from dbench.errors import EvidenceLacking, InvalidInput

STRENGTHS = (1.0, 2.0)
REASON = {"source": "ours", "reason": "says nothing of the sentence"}


def zoo(**objectives: dict) -> SimulatedPopulation:
    """Scores by objective; a number stands for all models, else seeds x strengths."""
    scores = {
        (score, objective): np.broadcast_to(np.asarray(values, dtype=float), (4, 2))
        for objective, table in objectives.items()
        for score, values in table.items()
    }
    return SimulatedPopulation(scores, dict.fromkeys(objectives, STRENGTHS))


def test_a_condition_is_asked_of_each_unit_and_holds_where_half_are_left():
    known = mean_above("mlp", above(0.5), name="known", says="mean accuracy", **REASON)
    found = known.check(zoo(a={"mlp": 0.9}, b={"mlp": [[0.2, 0.4]] * 4}, c={"mlp": 0.6}))
    assert found["values"] == pytest.approx({"a": 0.9, "b": 0.3, "c": 0.6})
    assert (found["outside"], found["holds"]) == (["b"], True)
    half = known.check(zoo(a={"mlp": 0.9}, b={"mlp": 0.1}))
    assert (half["outside"], half["holds"]) == (["b"], True)
    fewer = known.check(zoo(a={"mlp": 0.9}, b={"mlp": 0.1}, c={"mlp": 0.5}))
    assert (fewer["outside"], fewer["holds"]) == (["b", "c"], False)


def test_several_conditions_leave_out_together():
    models = zoo(**{name: {"mlp": place, "elbo": -place} for place, name in enumerate("abcd")})
    low, high = (
        mean_above(score, above(bound), name=score, says=score, **REASON)
        for score, bound in (("mlp", 0.5), ("elbo", -2.5))
    )
    assert not too_few([low.check(models)], 1)
    assert not too_few([low.check(models), high.check(models)], 2)  # a and d
    strict = mean_above("elbo", above(-1.5), name="elbo", says="elbo", **REASON).check(models)
    assert strict["holds"]
    assert too_few([low.check(models), strict], 2)
    assert too_few([], 0) is False


def test_the_units_are_those_of_the_case_then_those_that_the_sentence_pools():
    known = mean_above("mlp", above(0.5), units=("a", "b"), name="known", says="mean accuracy", **REASON)
    models = zoo(a={"mlp": 0.9}, b={"mlp": 0.1}, c={"mlp": 0.1})
    assert set(known.check(models)["values"]) == {"a", "b"}
    assert set(known.check(models, ["c"])["values"]) == {"c"}
    with pytest.raises(EvidenceLacking, match="holds no d, of which 'known' is asked"):
        known.check(models, ["d"])


def test_an_accuracy_is_adjusted_for_chance():
    known = mean_above("mlp", above(0.77), chance="guess", name="known", says="adjusted accuracy", **REASON)
    found = known.check(zoo(a={"mlp": 0.8, "guess": 0.2}))
    assert found["values"]["a"] == pytest.approx((0.8 - 0.2) / 0.8)
    assert (found["outside"], found["holds"]) == (["a"], False)  # 0.8 alone would be inside


@pytest.mark.parametrize("lacks", ["source", "reason"])
def test_a_condition_says_where_it_comes_from_and_why_it_can_hold_either_way(lacks):
    given = REASON | {lacks: " "}
    with pytest.raises(InvalidInput, match=f"{lacks} of condition 'known' must be given"):
        Predicate(name="known", says="it", rule=above(0.5), measure=lambda population, unit: 1.0, **given)
