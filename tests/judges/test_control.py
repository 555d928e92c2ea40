"""The negative control calls a claim's own test where its card says that the sentence is false."""

import pytest

from dbench.claims import Claim, above
from dbench.claims.control import control
from dbench.errors import InvalidInput
from dbench.estimates.population import PopulationPair
from dbench.estimates.simulated import OBJECTIVES, Law, Simulated, SimulatedPopulation
from dbench.stats import Estimate, exact


def card(**fields) -> Claim:
    return Claim.synthetic(id="sober.theorem-1", quote="Q.", population="p", statistic="s", rule=above(0.5), **fields)


def test_false_comes_before_given_and_given_before_the_first_case():
    @card(given={"power": 15, "n": 7}, false={"power": 1}).covers
    @pytest.mark.parametrize(("first", "second"), [(0.25, 0.5), (3, 4)])
    @pytest.mark.parametrize("metric", [pytest.param(2.0, id="two"), 5.0])
    def test(metric, first, second, power, n):
        return exact(metric + first + second + power, n=n)

    assert control(test).at(0.95).value == 2 + 0.25 + 0.5 + 1
    assert control(test).n == 7


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"false": {"powr": 1}, "given": {"power": 2}}, "names 'powr'; test takes power"),
        ({"given": {"power": 2, "n": 1}}, "names 'n'; test takes power"),
        ({}, "must name 'power'; test takes power"),
    ],
)
def test_an_argument_that_is_not_the_tests_or_is_lacking_is_named(fields, message):
    @card(**fields).covers
    def test(power):
        return exact(power)

    with pytest.raises(InvalidInput, match=f"false of 'sober.theorem-1 / synthetic' {message}"):
        control(test)


def test_models_are_simulated_and_stand_in_for_evidence_that_a_test_asks_for():
    asked = {}

    def covered(**models):
        @card(false={"models": Simulated({"mig": Law(mean=2.0)}, **models)}).covers
        def test(models):
            asked["models"] = models
            return Estimate(1.0, 1, None)

        control(test)
        return asked["models"]

    one = covered(seeds=3)
    assert isinstance(one, SimulatedPopulation)
    assert one("dsprites") is one
    assert (one.objectives, one.seeds().tolist()) == (sorted(OBJECTIVES), [0, 1, 2])
    assert one.scores("mig", "beta_vae").tolist() == covered(seeds=3).scores("mig", "beta_vae").tolist()
    two = covered(elsewhere={"mig": Law(mean=9.0)}, objectives={"mtd": (1.0,)})
    assert isinstance(two, PopulationPair)
    assert two() is two
    assert (two("dsprites"), two("shapes3d")) == (two.source, two.target)
    assert two.target.scores("mig", "mtd").mean() > two.source.scores("mig", "mtd").mean() + 4
