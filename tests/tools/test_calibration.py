"""The calibration in small: its rows, one quick run, and how a margin is found. The whole takes hours."""

import argparse
import math
from concurrent.futures import Future
from dataclasses import dataclass, replace
from types import SimpleNamespace

import calibrate
import numpy as np
import pytest
from calibration import judging, page
from calibration.families import ROWS
from calibration.judging import Frequencies, Place, judged, places_of, sharpened
from calibration.row import CLAIMS, Row, claim_file

from dbench.claims import CARD_ATTRIBUTE, Verdict, above, within
from dbench.errors import InvalidInput
from dbench.stats import Estimate, mean_of

FILES = [path.relative_to(CLAIMS).with_suffix("").as_posix() for path in sorted(CLAIMS.glob("*/test_*.py"))]


# ------------------------------------------------------------------ the shipped rows and page
def test_every_card_over_trained_models_has_one_row():
    covered = {
        (file, id(getattr(test, CARD_ATTRIBUTE)))
        for file in FILES
        for test in vars(claim_file(file)).values()
        if getattr(getattr(test, CARD_ATTRIBUTE, None), "evidence", "") == "zoo"
    }
    names = {(file, id(card)): name for file in FILES for name, card in vars(claim_file(file)).items()}
    assert sorted((row.file, row.name) for row in ROWS) == sorted((file, names[file, card]) for file, card in covered)


def marks_of(row: Row) -> tuple:
    return () if row.claim.role == "primary" else (pytest.mark.nightly,)


@pytest.mark.parametrize("row", [pytest.param(r, id=f"{r.file}-{r.name}", marks=marks_of(r)) for r in ROWS])
def test_the_effects_of_a_row_lead_past_the_edge_of_its_rule(row):
    """The machinery looks for the edge between the two; a renamed argument or score is seen here as well."""
    few = replace(row, truth_seeds=min(row.truth_seeds, 50))
    ends = sorted(row.estimate(few.draw_many(effect, test="edge")).value for effect in row.effects)
    edges = [edge for edge in (row.claim.rule.low, row.claim.rule.high) if ends[0] <= edge <= ends[1]]
    assert edges, f"{row.claim.rule} is not reached from {ends[0]:g} to {ends[1]:g}"


@pytest.mark.parametrize("row", [row for row in ROWS if row.claim.regime], ids=lambda row: row.name)
def test_a_world_of_a_card_with_conditions_leaves_units_out_at_most_half(row):
    worlds = [row.draw(sum(row.effects) / 2, world=number) for number in range(30)]
    left = [set(row.world(0.1, generator=np.random.default_rng(0)).objectives) - set(one.objectives) for one in worlds]
    assert {len(one) for one in left} == ({0} if row.decides == "mtd" else {0, 1, 2, 3})
    assert not any(row.decides in one or "mtd" in one for one in left)
    assert all(math.isfinite(row.estimate(one).value) for one in worlds)


def test_one_claim_is_calibrated_quickly():
    row = next(row for row in ROWS if row.name == "MARGINAL")
    margin, effect = judging.calibrate(row, row.claim, worlds=12, zoos=1)
    assert not margin.errs
    assert effect.share().value >= margin.share().value


def test_no_rule_errs_too_often_and_what_looked_suspect_was_judged_again():
    for row in page.read():
        worlds = int(row["worlds"].replace(",", ""))
        for wrong in (row["wrong 'reproduced'"], row["wrong 'contradicted' or 'absent'"]):
            assert page.TOO_OFTEN not in wrong, row["claim"]
            share, low = (float(text) for text in wrong.replace("[", "").split("%")[:2])
            assert low <= 5, f"{row['claim']} errs in {share}% of worlds, {low}% at the least"
            assert worlds >= 1_000 or share <= 3, f"{row['claim']} was judged in {worlds} worlds alone"


def test_a_page_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "PAGE", tmp_path / "calibration.md")
    claim = ROWS[0].claim
    margin = Frequencies("margin", 0.5, 1.0, {Verdict.REPRODUCED: 300, Verdict.UNDECIDED: 1_700}, 0.001, 0.04)
    effect = Frequencies("effect", 0.7, 2.0, {Verdict.REPRODUCED: 150, Verdict.UNDECIDED: 50})
    page.write([page.cells_of(claim, margin, effect, "much")], page.passes_text(200, 2_000, 0.03, [margin]))
    (row,) = page.read()
    assert (row["claim"], row["rule"], row["what the effect is"]) == (page.name_of(claim), str(claim.rule), "much")
    assert (row["margin"], row["worlds"], row["effect"]) == ("0.5", "2,000", "0.7")
    assert row["wrong 'reproduced'"].startswith("15.0% [13.5%, ")
    assert row["wrong 'reproduced'"].endswith(page.TOO_OFTEN)
    assert "standard error of 2.5% of the spread" in page.PAGE.read_text()


def test_heavy_tails_have_a_page_of_their_own_that_says_what_it_leaves_out(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "HEAVY_TAILS", tmp_path / "heavy-tails.md")
    claim = ROWS[0].claim
    blurred = Frequencies("margin", 0.5, 1.0, {Verdict.REPRODUCED: 300}, error=0.4, spread=0.04)
    assert (blurred.placed, blurred.errs) == (False, False)
    page.write([page.cells_of(claim, blurred, None, "much")], "Once.", outcome=page.outcome_text([], [claim]))
    text = page.HEAVY_TAILS.read_text()
    assert f"\nOnce.\n\nToo often: none. Left out: {page.name_of(claim)}, which judge" in text
    assert "| 0.5 | not placed | not placed | 300 | not reached | - | much |" in text


# ------------------------------------------------------------------ where a margin lies, how often a rule errs there
@dataclass(frozen=True)
class Card:
    """A stand-in for a card: what the calibration needs of one."""

    rule: object
    confidence: float = 0.95
    min_n: int = 5
    regime: tuple = ()

    def judge(self, estimate):
        return SimpleNamespace(verdict=self.rule.decide(estimate.at(self.confidence)))


CARD = Card(above(1.0, null=0.5))


def row(**fields) -> Row:
    """Seeds with a mean of twice the effect and a spread of 1; the statistic is their mean."""
    known = {
        "file": "none",
        "name": "CARD",
        "world": lambda effect, generator, seeds: 2 * effect + generator.standard_normal(seeds),
        "estimated": lambda seeds: mean_of(seeds),
        "effects": (0.0, 2.0),
        "at": 2.0,
        "at_says": "two",
        "truth_seeds": 5_000,
    }
    return Row(**(known | fields))


def test_a_rule_at_its_margin_errs_as_often_as_its_confidence_says_and_finds_the_effect():
    margin, effect = judging.calibrate(row(), CARD, worlds=2_000)
    assert (margin.place, margin.truth, effect.place) == ("margin", 1.0, "effect")
    assert margin.effect == pytest.approx(0.5, abs=0.02)  # 20,000 seeds: the mean is known to 0.007
    assert margin.share().value == pytest.approx(0.025, abs=0.012)
    # One standard deviation above the bound, ten units: noncentral t, 9 degrees, shift sqrt(10).
    assert effect.share().value == pytest.approx(0.80, abs=0.04)


def test_both_ends_of_a_range_are_margins():
    low, high, inside = judging.calibrate(row(effects=(2.0, -2.0), at=0.0), Card(within(-2.0, 2.0)), worlds=200)
    assert (low.truth, high.truth, inside.truth) == (-2.0, 2.0, 0.0)
    assert max(low.share().value, high.share().value) < 0.08 < inside.share().value


def test_worlds_that_do_not_lead_past_the_edge_are_refused():
    with pytest.raises(InvalidInput, match="must lead past the edge of its rule, above 9: got"):
        places_of(row(), Card(above(9.0)))
    with pytest.raises(InvalidInput, match=r"at of none CARD must be reached .* got 9"):
        places_of(row(at=9.0), CARD)
    assert [place.name for place in places_of(row(at=9.0, heavy_tails=True), CARD)] == ["margin"]


def test_a_margin_is_moved_to_where_more_seeds_see_it():
    """Four zoos of 10 seeds place it at random; 40,000 seeds leave an error of 1/200 of a unit's spread."""
    coarse = row(truth_seeds=10)
    rough = places_of(coarse, CARD)[0]
    placed = sharpened(coarse, rough, seeds=40_000)
    assert math.isnan(rough.error)
    assert placed.error == pytest.approx(0.005, rel=0.2)
    # The truth is twice the effect; the rough place is off by a sixth of a unit's spread, more or less.
    assert abs(2 * placed.effect - 1.0) < 4 * placed.error < abs(2 * rough.effect - 1.0)


def test_what_is_true_is_asked_of_the_endless_family_and_of_its_value_alone():
    def ends(level):
        raise AssertionError("an interval was asked for")

    where = row(endless=row().world, world=None, estimated=lambda seeds: Estimate(seeds.mean(), len(seeds), ends))
    assert list(map(str, places_of(where, CARD))) == list(map(str, places_of(row(), CARD)))


def test_worlds_are_the_same_every_time_and_may_be_judged_apart():
    margin = Place("margin", 1.0, 0.5, 0.01)
    whole, part, rest = (judged(row(), CARD, margin, numbers) for numbers in (range(400), range(150), range(150, 400)))
    assert (part + rest).counts == whole.counts
    # Ten seeds with a spread of 1: the mean's is the root of a tenth.
    assert (part + rest).spread == pytest.approx(whole.spread, rel=0.02) == pytest.approx(math.sqrt(0.1), rel=0.15)
    assert whole.blur == pytest.approx(0.01 / math.sqrt(0.1), rel=0.15)
    with pytest.raises(InvalidInput, match="must be of one place"):
        part + judged(row(), CARD, replace(margin, truth=2.0), range(5))


def test_only_the_margin_can_err():
    assert Frequencies("margin", 0, 0, {Verdict.REPRODUCED: 50, Verdict.UNDECIDED: 50}).errs
    assert not Frequencies("effect", 0, 0, {Verdict.REPRODUCED: 50, Verdict.UNDECIDED: 50}).errs
    assert not Frequencies("margin", 0, 0, {Verdict.REPRODUCED: 2, Verdict.UNDECIDED: 38}).errs


def test_heavy_tails_have_the_same_variance_and_far_more_that_is_far_off():
    world = row(world=lambda effect, generator, seeds: generator.normal(5.0, 0.5, 100_000))
    light, heavy = ((replace(world, heavy_tails=tails).draw(0.0, world=0) - 5) / 0.5 for tails in (False, True))
    assert [np.mean(np.abs(drawn) > 5) > 1e-3 for drawn in (light, heavy)] == [False, True]
    assert np.var(light) == pytest.approx(1, abs=0.02)
    assert np.var(heavy) == pytest.approx(1, abs=0.15)


# ------------------------------------------------------------------ the command
CHOSEN = argparse.Namespace(worlds=100, more=300, suspect=0.03, heavy_tails=False)


@pytest.fixture
def cards(monkeypatch):
    """Two claims: one that errs at its margin in 14% of worlds, and one that hardly ever does."""
    known = {"SHORT": Card(above(1.0), 0.7), "WIDE": Card(above(1.0), 0.9999)}
    monkeypatch.setattr(Row, "claim", property(lambda entry: known[entry.name]))
    monkeypatch.setattr(calibrate, "ROWS", [row(name=name) for name in known])
    monkeypatch.setattr(calibrate, "PIECE", 50)
    return known


class AtOnce:
    """Does what it is handed at once, and notes of which entries that was."""

    def __init__(self) -> None:
        self.done = []

    def submit(self, function, index, chosen):
        self.done.append(index)
        future = Future()
        try:
            future.set_result(function(index, chosen))
        except InvalidInput as error:
            future.set_exception(error)
        return future


def counts(found) -> dict:
    return {index: [(at.place, at.effect, at.counts) for at in places] for index, places in found.items()}


def start(pool, scratch=None) -> dict[int, list[Frequencies]]:
    return dict(calibrate.run([0, 1], CHOSEN, pool, calibrate.Scratch(scratch, CHOSEN)))


def test_what_looks_suspect_is_judged_in_other_worlds_and_those_alone_count(cards):
    found = start(AtOnce())
    (short, short_effect), (wide, wide_effect) = found[0], found[1]
    assert [at.worlds for at in (short, short_effect, wide, wide_effect)] == [300, 100, 100, 100]
    assert short.counts == dict(judged(row(name="SHORT"), cards["SHORT"], place_of(short), range(100, 400)).counts)
    assert short.errs
    assert not wide.errs
    assert 0 < wide.blur < 0.05


def place_of(found: Frequencies) -> Place:
    return Place(found.place, found.truth, found.effect, found.error)


def test_an_interrupted_run_goes_on_where_it_stopped_and_a_changed_card_is_measured_again(cards, tmp_path):
    scratch = tmp_path / "claims.jsonl"
    expected = start(AtOnce(), scratch)
    text = scratch.read_text()
    scratch.write_text(text[: text.index("\n") + 1] + '{"claim": "cut off')
    again = AtOnce()
    assert counts(start(again, scratch)) == counts(expected)
    assert len(again.done) == 1
    cards["WIDE"] = replace(cards["WIDE"], rule=above(1.5))
    changed = AtOnce()
    start(changed, scratch)
    assert changed.done == [1]


def test_a_family_that_misses_its_edge_is_named_and_the_others_go_on(cards, capsys):
    cards["SHORT"] = replace(cards["SHORT"], rule=above(9.0))
    assert set(start(AtOnce())) == {1}
    assert "must lead past the edge of its rule, above 9" in capsys.readouterr().err
