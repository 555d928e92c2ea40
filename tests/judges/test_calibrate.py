"""The command behind docs/calibration.md: what it judges again, and how an interrupted run goes on."""

import argparse
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import calibrate
import pytest
from calibration import Calibration

from dbench.claims import above
from dbench.claims.rules import Rule
from dbench.stats import Interval, mean_interval

CHOSEN = argparse.Namespace(worlds=100, more=300, suspect=0.03, heavy_tails=False)


@dataclass
class Card:
    rule: Rule
    confidence: float = 0.95
    min_n: int = 5

    def judge(self, estimate: Interval):
        return SimpleNamespace(verdict=self.rule.decide(estimate))


def interval(width: float):
    """Intervals of a mean, too short or too wide."""

    def estimate(module, world):
        found = mean_interval(world)
        half = (found.high - found.low) / 2 * width
        return replace(found, low=found.value - half, high=found.value + half)

    return estimate


def entry(card: str, width: float) -> Calibration:
    def world(effect, generator, seeds, point_only):
        return effect + generator.standard_normal(seeds)

    return Calibration("none", card, world, interval(width), (0.0, 4.0), 2.0, "two")


@pytest.fixture
def cards(monkeypatch):
    """Two claims: one that errs at its margin in 14% of worlds, and one that hardly ever does."""
    known = {"SHORT": Card(above(1.0)), "WIDE": Card(above(1.0))}
    monkeypatch.setattr(calibrate, "CALIBRATIONS", [entry("SHORT", 0.5), entry("WIDE", 2.0)])
    monkeypatch.setattr(calibrate, "claim_file", lambda file: None)
    monkeypatch.setattr(calibrate, "card_of", lambda module, card: known[card])
    monkeypatch.setattr(calibrate, "PIECE", 50)
    return known


class AtOnce:
    """Does what it is handed at once, and notes of which entries that was."""

    def __init__(self) -> None:
        self.done = []

    def submit(self, function, index, chosen):
        self.done.append(index)
        future = Future()
        future.set_result(function(index, chosen))
        return future


def start(pool: AtOnce, scratch: Path | None = None):
    return calibrate.run([0, 1], CHOSEN, pool, calibrate.Scratch(scratch, CHOSEN))


def seen(found) -> list:
    return sorted((index, [(at.place, at.effect, at.counts) for at in places]) for index, places in found)


def test_what_looks_suspect_is_judged_in_other_worlds_and_those_alone_count(cards, monkeypatch):
    numbers, judged = {"SHORT": [], "WIDE": []}, calibrate.judged

    def noted(entry, module, claim, place, part):
        numbers[entry.card] += part if place.name == "margin" else []
        return judged(entry, module, claim, place, part)

    monkeypatch.setattr(calibrate, "judged", noted)
    found = dict(start(AtOnce()))
    (short, short_effect), (wide, wide_effect) = found[0], found[1]
    assert [at.worlds for at in (short, short_effect, wide, wide_effect)] == [300, 100, 100, 100]
    assert numbers == {"SHORT": [*range(400)], "WIDE": [*range(100)]}
    assert short.errs
    assert short.share().value == pytest.approx(0.14, abs=0.06)
    assert not wide.errs
    assert 0 < wide.blur < 0.05


def test_an_interrupted_run_goes_on_where_it_stopped(cards, tmp_path):
    expected, scratch = seen(start(AtOnce())), tmp_path / "claims.jsonl"
    interrupted = start(AtOnce(), scratch)
    done, _ = next(interrupted)
    interrupted.close()
    with scratch.open("a") as file:
        file.write('{"claim": "cut off')
    second, third = AtOnce(), AtOnce()
    assert seen(start(second, scratch)) == expected
    assert second.done == [1 - done]
    assert seen(start(third, scratch)) == expected
    assert third.done == []


def test_a_changed_card_is_measured_again_and_the_others_are_not(cards, tmp_path):
    scratch = tmp_path / "claims.jsonl"
    list(start(AtOnce(), scratch))
    cards["WIDE"] = replace(cards["WIDE"], rule=above(1.5))
    again = AtOnce()
    list(start(again, scratch))
    assert again.done == [1]
