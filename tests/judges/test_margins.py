"""How calibration draws its worlds and places a margin, call by call."""

import math
from dataclasses import FrozenInstanceError, replace
from types import SimpleNamespace

import numpy as np
import pytest
from calibration import Calibration, Frequencies, Place, effect_at, judged, sharpened

from dbench.claims import above
from dbench.stats import mean_interval

RULE = above(1.0)
CLAIM = SimpleNamespace(rule=RULE, judge=lambda estimate: SimpleNamespace(verdict=RULE.decide(estimate)))
MARGIN = Place("margin", 1.0, 1.0)


class Worlds:
    """Notes how it is called and the first number drawn; the statistic is a function of the effect, plus noise."""

    def __init__(self, statistic=lambda effect: effect, noise=1.0):
        self.statistic, self.noise, self.asked, self.drawn = statistic, noise, [], []

    def __call__(self, effect, generator, seeds, point_only):
        values = generator.standard_normal(seeds)
        self.asked.append((effect, seeds, point_only))
        self.drawn.append(float(values[0]))
        return self.statistic(effect) + self.noise * values


def calibration(worlds: Worlds, **fields) -> Calibration:
    known = {"file": "none", "card": "CARD", "effects": (0.0, 2.0), "at": 2.0, "at_says": "two", "truth_seeds": 50}
    return Calibration(world=worlds, estimate=lambda _, world: mean_interval(world), **(known | fields))


def drawn(place: Place = MARGIN, **fields) -> list[float]:
    worlds = Worlds()
    judged(calibration(worlds, **fields), None, CLAIM, place, range(2))
    return worlds.drawn


def test_every_card_place_and_truth_has_worlds_of_its_own():
    places = [drawn(), drawn(card="OTHER"), drawn(file="other"), drawn(replace(MARGIN, truth=2.0))]
    places.append(drawn(replace(MARGIN, name="effect")))
    assert len({number for found in places for number in found}) == 10
    assert drawn(replace(MARGIN, effect=0.5)) == drawn()


def test_the_truth_of_every_card_has_worlds_of_its_own_and_no_intervals():
    seen = []
    for card in ("ONE", "OTHER"):
        worlds = Worlds()
        effect_at(calibration(worlds, card=card), None, [1.0], zoos=2)
        assert {asked[1:] for asked in worlds.asked} == {(50, True)}
        assert len(set(worlds.drawn)) == 2  # the same two at every effect
        seen += set(worlds.drawn)
    assert len(set(seen)) == 4


def test_worlds_are_judged_with_the_seeds_of_the_evidence_and_intervals():
    worlds = Worlds()
    found = judged(calibration(worlds, seeds=7), None, CLAIM, MARGIN, [3])
    assert worlds.asked == [(1.0, 7, False)]
    assert (found.worlds, found.place, found.truth, found.effect) == (1, "margin", 1.0, 1.0)
    assert math.isnan(found.spread)
    with pytest.raises(FrozenInstanceError):
        found.truth = 2.0


def sharpen(statistic, *, effect, noise=0.0, truth=1.0) -> tuple[Place, list[float]]:
    """Sharpen a place with two zoos; return it and the effects at which these were drawn, once each."""
    worlds = Worlds(statistic, noise)
    found = sharpened(calibration(worlds), None, Place("margin", truth, effect), seeds=100)
    effects = [effect for effect, _, _ in worlds.asked]
    assert all(0 <= effect <= 2 for effect in effects)
    assert len(effects[8:]) % 2 == 0
    return found, effects[8::2]


def test_a_margin_that_lies_right_is_left_where_it_is():
    found, tried = sharpen(lambda effect: effect, effect=1.0)
    assert tried == [1.0]
    assert (found.effect, found.error) == (1.0, 0.0)


def test_a_margin_is_moved_along_the_slope_between_the_ends():
    found, tried = sharpen(lambda effect: 2 * effect, effect=1.99, truth=1.0)
    assert tried[:2] == pytest.approx([1.99, 0.5])  # 1.99 + 0.04 would lie beyond the end
    assert found.effect == pytest.approx(0.5)
    _, tried = sharpen(lambda effect: effect, effect=1.0, truth=9.0)
    assert tried == pytest.approx([1.0, 2.0, 2.0, 2.0])


def test_four_tries_are_made_and_none_without_a_slope():
    # Steps of a slope that is nowhere right again: square root where a line was expected.
    _, tried = sharpen(lambda effect: math.sqrt(effect), effect=2.0, truth=0.1)
    assert len(tried) == 4
    found, tried = sharpen(lambda effect: 3.0, effect=1.0)
    assert tried == [1.0]
    assert found.error == 2.0


def test_what_was_judged_apart_keeps_its_spread_by_the_number_of_worlds():
    parts = [Frequencies("margin", 1.0, 1.0, {"reproduced": n}, spread=spread) for n, spread in ((1, 3.0), (3, 1.0))]
    assert (parts[0] + parts[1]).spread == pytest.approx(math.sqrt((9 + 3) / 4))
    assert np.isnan((parts[0] + replace(parts[1], spread=0.0)).blur)
