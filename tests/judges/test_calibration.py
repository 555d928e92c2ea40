"""No rule over zoos errs more often than it says: docs/calibration.md in small, and the machinery, call by call."""

import math
from collections import Counter
from dataclasses import FrozenInstanceError, replace
from types import SimpleNamespace

import numpy as np
import pytest
from calibration import Calibration, Frequencies, Place, calibrate, effect_at, judged, places_of, sharpened
from counter_worlds import card_of

from dbench.claims import Verdict, above, within
from dbench.errors import InvalidInput
from dbench.stats import mean_interval

# Enough to find a rule that errs grossly; tests/judges/calibrate.py measures how often each does.
WORLDS = 12


def entry(**fields) -> Calibration:
    """Seeds with a mean of twice the effect and a spread of 1; the statistic is their mean."""
    known = {
        "file": "none",
        "card": "CARD",
        "world": lambda effect, generator, seeds, point_only: 2 * effect + generator.standard_normal(seeds),
        "estimate": lambda module, world: mean_interval(world),
        "effects": (0.0, 2.0),
        "at": 2.0,
        "at_says": "two",
        "truth_seeds": 5_000,
    }
    return Calibration(**(known | fields))


def claim(rule):
    """A stand-in for a card: what the calibration needs of one."""
    return SimpleNamespace(rule=rule, judge=lambda estimate: SimpleNamespace(verdict=rule.decide(estimate)))


CLAIM = claim(above(1.0))
MARGIN = Place("margin", 1.0, 1.0)


def test_heavy_tails_have_the_same_variance_and_far_more_that_is_far_off():
    light, heavy = (entry(heavy_tails=tails).stream(world=0).standard_normal(100_000) for tails in (False, True))
    assert [np.mean(np.abs(drawn) > 5) > 1e-3 for drawn in (light, heavy)] == [False, True]
    assert np.var(light) == pytest.approx(1, abs=0.02)
    assert np.var(heavy) == pytest.approx(1, abs=0.15)
    assert entry(heavy_tails=True).stream(world=0).normal(5.0, 0.5, 3) == pytest.approx(5 + 0.5 * heavy[:3])


def test_no_claim_is_reproduced_too_often_where_it_is_false(claim_files, calibration):
    module = claim_files[calibration.file]
    *margins, effect = calibrate(calibration, module, card_of(module, calibration.card), worlds=WORLDS, zoos=1)
    for margin in margins:
        assert not margin.errs, f"reproduced in {margin.counts} of worlds at the margin {margin.truth:g}"
    assert effect.share().value >= max(margin.share().value for margin in margins)


def test_every_claim_over_zoos_is_calibrated_once(claim_files, cards, all_worlds):
    over_zoos = Counter((c.id, c.part) for c in cards if c.evidence == "zoo")
    entries = [card_of(claim_files[worlds.file], worlds.card) for worlds in all_worlds if worlds.calibration]
    calibrated = Counter((c.id, c.part) for c in entries)
    missing, surplus = (sorted(map(" / ".join, one)) for one in (over_zoos - calibrated, calibrated - over_zoos))
    assert missing == [], f"calibrate in tests/judges/worlds (docs/claims-guide.md): {missing}"
    assert surplus == [], f"calibrated twice, or no claim over a zoo: {surplus}"


def test_the_effect_of_a_truth_is_found_and_none_out_of_reach():
    # 20,000 units: the mean is known to 0.007, the effect to half of that.
    one, none = effect_at(entry(), None, [1.0, 5.0])
    (falling,) = effect_at(entry(effects=(2.0, 0.0)), None, [1.0])
    assert one == pytest.approx(0.5, abs=0.02)
    assert falling == pytest.approx(0.5, abs=0.02)
    assert none is None


def test_a_rule_at_its_margin_errs_as_often_as_its_confidence_says_and_finds_the_effect():
    margin, effect = calibrate(entry(), None, claim(above(1.0, null=0.5)), worlds=2_000)
    assert (margin.place, margin.truth, effect.place) == ("margin", 1.0, "effect")
    assert margin.share().value == pytest.approx(0.025, abs=0.012)
    # One standard deviation above the bound, ten units: noncentral t, 9 degrees, shift sqrt(10).
    assert effect.share().value == pytest.approx(0.80, abs=0.04)
    assert margin.worlds == effect.worlds == 2_000


def test_both_ends_of_a_range_are_margins():
    low, high, inside = calibrate(entry(effects=(-2.0, 2.0), at=0.0), None, claim(within(-2.0, 2.0)), worlds=200)
    assert (low.truth, high.truth, inside.truth) == (-2.0, 2.0, 0.0)
    assert max(low.share().value, high.share().value) < 0.08 < inside.share().value


def test_only_the_margin_can_err():
    assert Frequencies("margin", 0, 0, {Verdict.REPRODUCED: 50, Verdict.UNDECIDED: 50}).errs
    assert not Frequencies("effect", 0, 0, {Verdict.REPRODUCED: 50, Verdict.UNDECIDED: 50}).errs
    assert not Frequencies("margin", 0, 0, {Verdict.REPRODUCED: 2, Verdict.UNDECIDED: 38}).errs


def test_worlds_that_do_not_lead_past_the_edge_are_refused():
    with pytest.raises(InvalidInput, match="must lead past the edge of its rule, above 9: got"):
        calibrate(entry(), None, claim(above(9.0)), worlds=5)
    with pytest.raises(InvalidInput, match=r"at of none CARD must be reached .* got 9"):
        calibrate(entry(at=9.0), None, CLAIM, worlds=5)


def test_a_margin_is_moved_to_where_more_seeds_see_it():
    """Four zoos of 10 seeds place it at random; 40,000 seeds leave an error of 1/200 of a unit's spread."""
    coarse = entry(truth_seeds=10)
    rough = places_of(coarse, None, CLAIM)[0]
    placed = sharpened(coarse, None, rough, seeds=40_000)
    assert math.isnan(rough.error)
    assert placed.error == pytest.approx(0.005, rel=0.2)
    # The truth is twice the effect; the rough place is off by a sixth of a unit's spread, more or less.
    assert abs(2 * placed.effect - 1.0) < 4 * placed.error < abs(2 * rough.effect - 1.0)


def test_worlds_judged_apart_are_those_judged_together():
    margin = sharpened(entry(), None, places_of(entry(), None, CLAIM)[0])
    whole = judged(entry(), None, CLAIM, margin, range(400))
    parts = judged(entry(), None, CLAIM, margin, range(150)) + judged(entry(), None, CLAIM, margin, range(150, 400))
    assert parts.counts == whole.counts
    # Ten seeds with a spread of 1: the mean's is the root of a tenth.
    assert parts.spread == pytest.approx(whole.spread, rel=0.02) == pytest.approx(math.sqrt(0.1), rel=0.15)
    assert parts.blur == pytest.approx(margin.error / math.sqrt(0.1), rel=0.15)


def test_worlds_of_two_places_are_not_counted_together():
    margin, effect = (judged(entry(), None, CLAIM, place, range(5)) for place in places_of(entry(), None, CLAIM))
    with pytest.raises(InvalidInput, match="must be of one place"):
        margin + effect


def test_what_was_judged_apart_keeps_its_spread_by_the_number_of_worlds():
    parts = [Frequencies("margin", 1.0, 1.0, {"reproduced": n}, spread=spread) for n, spread in ((1, 3.0), (3, 1.0))]
    assert (parts[0] + parts[1]).spread == pytest.approx(math.sqrt((9 + 3) / 4))
    assert np.isnan((parts[0] + replace(parts[1], spread=0.0)).blur)


class RecordingWorlds:
    """Notes how it is called and the first number drawn; the statistic is a function of the effect, plus noise."""

    def __init__(self, statistic=lambda effect: effect, noise=1.0):
        self.statistic, self.noise, self.asked, self.drawn = statistic, noise, [], []

    def __call__(self, effect, generator, seeds, point_only):
        values = generator.standard_normal(seeds)
        self.asked.append((effect, seeds, point_only))
        self.drawn.append(float(values[0]))
        return self.statistic(effect) + self.noise * values


def drawn(place: Place = MARGIN, **fields) -> list[float]:
    worlds = RecordingWorlds()
    judged(entry(world=worlds, **fields), None, CLAIM, place, range(2))
    return worlds.drawn


def test_every_card_place_and_truth_has_worlds_of_its_own_the_same_every_time():
    places = [drawn(), drawn(card="OTHER"), drawn(file="other"), drawn(replace(MARGIN, truth=2.0))]
    places.append(drawn(replace(MARGIN, name="effect")))
    assert len({number for found in places for number in found}) == 10
    assert drawn(replace(MARGIN, effect=0.5)) == drawn()


def test_the_truth_of_every_card_has_worlds_of_its_own_and_no_intervals():
    seen = []
    for card in ("ONE", "OTHER"):
        worlds = RecordingWorlds()
        effect_at(entry(world=worlds, card=card, truth_seeds=50), None, [1.0], zoos=2)
        assert {asked[1:] for asked in worlds.asked} == {(50, True)}
        assert len(set(worlds.drawn)) == 2  # the same two at every effect
        seen += set(worlds.drawn)
    assert len(set(seen)) == 4


def test_worlds_are_judged_with_the_seeds_of_the_evidence_and_intervals():
    worlds = RecordingWorlds()
    found = judged(entry(world=worlds, seeds=7), None, CLAIM, MARGIN, [3])
    assert worlds.asked == [(1.0, 7, False)]
    assert (found.worlds, found.place, found.truth, found.effect) == (1, "margin", 1.0, 1.0)
    assert math.isnan(found.spread)
    with pytest.raises(FrozenInstanceError):
        found.truth = 2.0


def sharpen(statistic, *, effect, truth=1.0) -> tuple[Place, list[float]]:
    """Sharpen a place with two zoos; return it and the effects at which these were drawn, once each."""
    worlds = RecordingWorlds(statistic, noise=0.0)
    found = sharpened(entry(world=worlds, truth_seeds=50), None, Place("margin", truth, effect), seeds=100)
    effects = [effect for effect, _, _ in worlds.asked]
    assert all(0 <= effect <= 2 for effect in effects)
    assert len(effects[8:]) % 2 == 0
    return found, effects[8::2]


def test_a_margin_that_lies_right_is_left_where_it_is():
    found, tried = sharpen(lambda effect: effect, effect=1.0)
    assert tried == [1.0]
    assert (found.effect, found.error) == (1.0, 0.0)


def test_a_margin_is_moved_along_the_slope_between_the_ends():
    found, tried = sharpen(lambda effect: 2 * effect, effect=1.99)
    assert tried[:2] == pytest.approx([1.99, 0.5])  # 1.99 + 0.04 would lie beyond the end
    assert found.effect == pytest.approx(0.5)
    _, tried = sharpen(lambda effect: effect, effect=1.0, truth=9.0)
    assert tried == pytest.approx([1.0, 2.0, 2.0, 2.0])


def test_four_tries_are_made_and_none_without_a_slope():
    # Steps of a slope that is nowhere right again: square root where a line was expected.
    _, tried = sharpen(math.sqrt, effect=2.0, truth=0.1)
    assert len(tried) == 4
    found, tried = sharpen(lambda effect: 3.0, effect=1.0)
    assert tried == [1.0]
    assert found.error == 2.0
