"""No rule over zoos errs more often than it says: docs/calibration.md in small, and the machinery itself."""

import math
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from calibration import (
    Calibration,
    Frequencies,
    calibrate,
    edges_of,
    effect_at,
    judged,
    places_of,
    sharpened,
)
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

    def judge(estimate):
        return SimpleNamespace(verdict=rule.decide(estimate))

    return SimpleNamespace(rule=rule, judge=judge)


def test_no_claim_is_reproduced_too_often_where_it_is_false(claim_files, calibration):
    module = claim_files[calibration.file]
    *margins, effect = calibrate(calibration, module, card_of(module, calibration.card), worlds=WORLDS, zoos=1)
    for margin in margins:
        assert not margin.errs, f"reproduced in {margin.counts} of worlds at the margin {margin.truth:g}"
    assert effect.share().value >= max(margin.share().value for margin in margins)


def test_every_claim_over_zoos_is_calibrated_once(claim_files, cards, all_calibrations):
    over_zoos = Counter((c.id, c.part) for found in cards.values() for c in found if c.evidence == "zoo")
    entries = [card_of(claim_files[c.file], c.card) for c in all_calibrations]
    calibrated = Counter((c.id, c.part) for c in entries)
    missing, surplus = (sorted(map(" / ".join, one)) for one in (over_zoos - calibrated, calibrated - over_zoos))
    assert missing == [], f"add to CALIBRATIONS in tests/judges/worlds (docs/claims-guide.md): {missing}"
    assert surplus == [], f"calibrated twice, or no claim over a zoo: {surplus}"


def test_the_edge_is_where_the_rule_starts_to_hold():
    assert edges_of(claim(above(1.0, null=0.5))) == [1.0]
    assert edges_of(claim(within(-1.0, 1.0))) == [-1.0, 1.0]


def test_the_effect_of_a_truth_is_found_and_none_out_of_reach():
    # 20,000 units: the mean is known to 0.007, the effect to half of that.
    one, none = effect_at(entry(), None, [1.0, 5.0])
    (falling,) = effect_at(entry(effects=(2.0, 0.0)), None, [1.0])
    assert one == pytest.approx(0.5, abs=0.02)
    assert falling == pytest.approx(0.5, abs=0.02)
    assert none is None


def test_a_rule_at_its_margin_errs_as_often_as_its_confidence_says_and_finds_the_effect():
    margin, effect = calibrate(entry(), None, claim(above(1.0)), worlds=2_000)
    assert (margin.place, effect.place) == ("margin", "effect")
    assert margin.share().value == pytest.approx(0.025, abs=0.012)
    # One standard deviation above the bound, ten units: noncentral t, 9 degrees, shift sqrt(10).
    assert effect.share().value == pytest.approx(0.80, abs=0.04)
    assert margin.worlds == effect.worlds == 2_000


def test_both_ends_of_a_range_are_margins():
    low, high, inside = calibrate(entry(effects=(-2.0, 2.0), at=0.0), None, claim(within(-2.0, 2.0)), worlds=200)
    assert (low.truth, high.truth, inside.truth) == (-2.0, 2.0, 0.0)
    assert max(low.share().value, high.share().value) < 0.08 < inside.share().value


def test_a_rule_that_errs_too_often_is_found_out():
    """Intervals that are too short by half: a wrong 'reproduced' in about 14% of worlds."""

    def short(module, world):
        wide = mean_interval(world)
        half = (wide.high - wide.low) / 4
        return type(wide)(wide.value, wide.value - half, wide.value + half, wide.n, 0.95)

    margin, _ = calibrate(entry(estimate=short), None, claim(above(1.0)), worlds=300)
    assert margin.errs
    assert margin.share().value == pytest.approx(0.14, abs=0.06)


def test_only_the_margin_can_err():
    assert Frequencies("margin", 0, 0, {Verdict.REPRODUCED: 50, Verdict.UNDECIDED: 50}).errs
    assert not Frequencies("effect", 0, 0, {Verdict.REPRODUCED: 50, Verdict.UNDECIDED: 50}).errs
    assert not Frequencies("margin", 0, 0, {Verdict.REPRODUCED: 2, Verdict.UNDECIDED: 38}).errs


def test_worlds_that_do_not_lead_past_the_edge_are_refused():
    with pytest.raises(InvalidInput, match="must lead past the edge of its rule, above 9: got"):
        calibrate(entry(), None, claim(above(9.0)), worlds=5)
    with pytest.raises(InvalidInput, match=r"at of none CARD must be reached .* got 9"):
        calibrate(entry(at=9.0), None, claim(above(1.0)), worlds=5)


def test_the_worlds_of_one_place_are_the_same_every_time_and_differ_among_each_other():
    seen = []

    def world(effect, generator, seeds, point_only):
        values = effect + generator.standard_normal(seeds)
        if seeds == 10:
            seen.append(values)
        return values

    recorded = entry(world=world, effects=(0.0, 4.0))
    first, second = (calibrate(recorded, None, claim(above(1.0)), worlds=3) for _ in range(2))
    assert [f.counts for f in first] == [f.counts for f in second]
    assert all(np.array_equal(a, b) for a, b in zip(seen[:6], seen[6:], strict=True))
    assert len({float(values[0]) for values in seen}) == 6
    assert not math.isnan(first[0].effect)


def test_a_margin_is_moved_to_where_more_seeds_see_it():
    """Four zoos of 10 seeds place it at random; 40,000 seeds leave an error of 1/200 of a unit's spread."""
    coarse = entry(truth_seeds=10)
    (rough,) = (place for place in places_of(coarse, None, claim(above(1.0))) if place.name == "margin")
    placed = sharpened(coarse, None, rough, seeds=40_000)
    assert math.isnan(rough.error)
    assert placed.error == pytest.approx(0.005, rel=0.2)
    # The truth is twice the effect; the rough place is off by a sixth of a unit's spread, more or less.
    assert abs(2 * placed.effect - 1.0) < 4 * placed.error < abs(2 * rough.effect - 1.0)


def test_worlds_judged_apart_are_those_judged_together():
    card = claim(above(1.0))
    margin = sharpened(entry(), None, places_of(entry(), None, card)[0])
    whole = judged(entry(), None, card, margin, range(400))
    parts = judged(entry(), None, card, margin, range(150)) + judged(entry(), None, card, margin, range(150, 400))
    assert parts.counts == whole.counts
    # Ten seeds with a spread of 1: the mean's is the root of a tenth.
    assert parts.spread == pytest.approx(whole.spread, rel=0.02) == pytest.approx(math.sqrt(0.1), rel=0.15)
    assert parts.blur == pytest.approx(margin.error / math.sqrt(0.1), rel=0.15)


def test_worlds_of_two_places_are_not_counted_together():
    card = claim(above(1.0))
    margin, effect = (judged(entry(), None, card, place, range(5)) for place in places_of(entry(), None, card))
    with pytest.raises(InvalidInput, match="must be of one place"):
        margin + effect
