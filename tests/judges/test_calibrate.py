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
from dbench.stats import Estimate, mean_interval


@dataclass
class Card:
    rule: Rule
    confidence: float = 0.95
    min_n: int = 5

    def judge(self, estimate: Estimate):
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
    calibrate.fingerprint.cache_clear()
    yield known
    calibrate.fingerprint.cache_clear()


class AtOnce:
    """Does a piece as soon as it is handed in; the piece after the last allowed one interrupts."""

    def __init__(self, allowed: int = 1_000) -> None:
        self.done, self.allowed = [], allowed

    def submit(self, function, piece, place):
        if len(self.done) == self.allowed:
            raise KeyboardInterrupt
        self.done.append(piece)
        future = Future()
        future.set_result(function(piece, place))
        return future


def run(pool: AtOnce, scratch: Path | None = None):
    options = argparse.Namespace(worlds=100, more=300, suspect=0.03)
    started = calibrate.Run(options, pool, calibrate.Scratch(scratch))
    for index in range(2):
        started.start(index)
    assert sorted(started.finished()) == [0, 1]
    return [started.entries[index].frequencies() for index in range(2)]


def seen(entries) -> list:
    return [(found.place, found.effect, found.counts) for entry in entries for found in entry]


def test_what_looks_suspect_is_judged_in_other_worlds_and_those_alone_count(cards):
    pool = AtOnce()
    (short, short_effect), (wide, wide_effect) = run(pool)
    assert [found.worlds for found in (short, short_effect, wide, wide_effect)] == [300, 100, 100, 100]
    judged = [(piece.entry, piece.start) for piece in pool.done if piece.place == 0]
    assert sorted(judged) == [*((0, start) for start in range(0, 400, 50)), (1, 0), (1, 50)]
    assert short.errs
    assert short.share().value == pytest.approx(0.14, abs=0.06)
    assert not wide.errs
    assert 0 < wide.blur < 0.05


def test_an_interrupted_run_goes_on_where_it_stopped(cards, tmp_path):
    whole, first, second, third = AtOnce(), AtOnce(allowed=7), AtOnce(), AtOnce()
    expected = run(whole)
    scratch = tmp_path / "pieces.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run(first, scratch)
    kept = len(scratch.read_text().splitlines())
    assert 0 < kept <= 7
    with scratch.open("a") as file:
        file.write('{"piece": "cut off')
    assert seen(run(second, scratch)) == seen(expected)
    assert len(second.done) == len(whole.done) - kept
    assert seen(run(third, scratch)) == seen(expected)
    assert not third.done


def test_a_changed_card_is_measured_again_and_the_others_are_not(cards, tmp_path):
    scratch = tmp_path / "pieces.jsonl"
    run(AtOnce(), scratch)
    cards["WIDE"] = replace(cards["WIDE"], rule=above(1.5))
    calibrate.fingerprint.cache_clear()
    again = AtOnce()
    run(again, scratch)
    assert {piece.entry for piece in again.done} == {1}
