"""Cards: closed vocabularies, a quotation where the paper speaks, and judged on no less than they promise."""

import importlib
import math
import pkgutil
import re
from dataclasses import FrozenInstanceError, is_dataclass, replace

import numpy as np
import pytest
from sample_card import CARD, estimate
from scipy.stats import t as student

import dbench.claims
import dbench.estimates
import dbench.stats
from dbench.claims import (
    CARD_ATTRIBUTE,
    Claim,
    Frozen,
    Predicate,
    Printed,
    Verdict,
    above,
    below,
    load_frozen,
)
from dbench.claims.card import fault_of
from dbench.claims.frozen import FrozenCard
from dbench.errors import DamagedData, InvalidInput
from dbench.stats import Estimate, Interval, exact, jackknife, mean_of


def test_an_unknown_field_is_refused_and_a_card_never_changes():
    with pytest.raises(TypeError, match="'note'"):
        replace(CARD, note="?")
    with pytest.raises(FrozenInstanceError):
        CARD.min_n = 1
    assert CARD.revision == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"evidence": "zooo"}, "evidence of claim 'sober.theorem-1' must be one of .*, got 'zooo'"),
        ({"role": "main"}, "role of claim 'sober.theorem-1' must be one of .*, got 'main'"),
        ({"role": "size"}, "role of claim 'sober.theorem-1' must be one of .*, got 'size'"),
        ({"quote": " "}, "quote of primary claim 'sober.theorem-1' must be the paper's sentence, got none"),
        ({"id": "theorem-1"}, "must read paper.finding, got 'theorem-1'"),
        ({"confidence": 0.0}, r"must lie in \(0, 1\], got 0.0"),
        ({"confidence": 1.01}, "got 1.01"),
        ({"confidence": math.nan}, "got nan"),
        ({"min_n": 0}, "min_n of claim 'sober.theorem-1' must be at least 1, got 0"),
        (
            {"evidence": "synthetic", "regime": (Predicate("n", "n", above(0), "us", "why", lambda *_: 1),)},
            "regime of claim 'sober.theorem-1' is for trained models alone, got one on synthetic",
        ),
    ],
)
def test_a_card_outside_the_closed_vocabularies_is_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        replace(CARD, **change)


def test_what_a_card_leaves_out_is_what_its_attributes_say():
    card = Claim(id="a.b", evidence="zoo", population="p", statistic="s", rule=above(0.5), unit="seed", quote="Q.")
    known = {"role": "primary", "says": "", "where": "", "roles": {}, "part": "", "confidence": 0.95, "min_n": 1}
    known |= {"printed": None, "deviations": (), "regime": (), "source": "", "demonstration": False, "revision": 1}
    known |= {"bounds": (-math.inf, math.inf), "given": {}, "false": {}, "filtered": {}}
    assert {name: getattr(card, name) for name in known} == known
    assert Claim.zoo(id="a.b", statistic="s", rule=above(0.5), quote="Q.").population.startswith("all runs")
    assert (replace(card, confidence=1.0).confidence, card.probe("p").demonstration) == (1.0, False)
    with pytest.raises(TypeError):
        Claim("a.b", "zoo", "p", "s", above(0.5), "seed")


def test_cards_are_compared_whatever_arrays_their_tests_are_given():
    cards = [replace(CARD, **{name: {"x": np.zeros(2)} for name in ("given", "false", "filtered")}) for _ in range(2)]
    assert cards[0] == cards[1] == CARD


def test_a_card_is_named_by_finding_evidence_and_part():
    assert (CARD.paper, CARD.name) == ("sober", "sober.theorem-1 / zoo")
    assert replace(CARD, part="a b").name == "sober.theorem-1 / zoo / a b"


def test_a_card_is_derived_with_what_differs_alone():
    said = {"id": CARD.id, "quote": "Seeds.", "population": "p", "statistic": "s", "rule": above(0.5)}
    zoo = Claim.zoo(**said)
    assert (zoo.evidence, zoo.unit, zoo.min_n, zoo.says) == ("zoo", "seed", 5, "")
    made, table = Claim.synthetic(**said), Claim.published(**said, unit="cell")
    assert (made.evidence, made.role, made.unit, made.min_n) == ("synthetic", "primary", "sample", 5)
    assert (table.evidence, table.unit, table.confidence) == ("published", "cell", 1.0)
    cell = replace(CARD, roles={"all": "probe"}).cell("each", min_n=3)
    assert cell == replace(CARD, role="cell", part="each", min_n=3, printed=None)
    assert CARD.probe("turned") == replace(CARD, role="probe", part="turned", quote="", printed=None)


def test_an_estimate_is_judged_at_the_level_of_its_card_or_at_the_one_that_its_cells_share():
    assert CARD.judge(mean_of([0.5, 0.7, 0.9])).interval == mean_of([0.5, 0.7, 0.9]).at(0.95)
    assert CARD.judge(mean_of([0.5, 0.7, 0.9]), confidence=0.99).interval.confidence == 0.99
    assert CARD.judge(exact(0.6, n=5)).verdict is Verdict.REPRODUCED


def test_too_few_units_decide_nothing_however_clear_they_look():
    judgement = CARD.judge(estimate(0.8, 0.9, n=4))
    assert (judgement.verdict, judgement.settles_at) == (Verdict.UNDECIDED, 5)
    assert judgement.reason.endswith("needs at least 5 (seed)")


def test_two_units_without_a_spread_decide_nothing():
    judgement = replace(CARD, min_n=1).judge(jackknife(lambda kept: float(len(kept)), 2))
    assert judgement.verdict is Verdict.UNDECIDED
    assert judgement.reason.endswith("needs at least 3 (seed)")


def test_trained_models_that_are_all_the_same_decide_nothing_and_constructions_do():
    same = estimate(1.0, 1.0)
    judgement = CARD.judge(same)
    assert judgement.verdict is Verdict.UNDECIDED
    assert "all units gave the same" in judgement.reason
    assert replace(CARD, evidence="synthetic").judge(same).verdict is Verdict.REPRODUCED
    assert "all units gave the same" in CARD.judge(estimate(0.0, 0.0)).reason
    for size, width, alike in ((1e6, 1e-7, True), (1e-6, 1e-13, False), (1.0, 1e-11, False), (-1e6, 1e-7, True)):
        assert ("all units gave the same" in CARD.judge(estimate(size, size + width)).reason) is alike
    # Rounding leaves a width: the mean of six times 0.7 is not 0.7, and five times 0.9 are not four times.
    for rounded in (mean_of([0.7] * 6), jackknife(lambda kept: np.full(len(kept), 0.9).mean(), 5)):
        assert rounded.at(0.95).low < rounded.at(0.95).high
        assert "all units gave the same" in CARD.judge(rounded).reason


def test_an_interval_with_one_end_is_decided_and_one_without_any_asks_for_more_units_than_there_are():
    assert CARD.judge(estimate(0.6, 0.7)).verdict is Verdict.REPRODUCED
    open_above = Estimate(0.7, 5, lambda level: (0.6, math.inf))
    assert CARD.judge(open_above).verdict is Verdict.REPRODUCED
    for n, least in ((2, 5), (7, 8)):
        found = CARD.judge(Estimate(0.7, n, lambda level: (-math.inf, math.inf)))
        assert (found.verdict, found.settles_at) == (Verdict.UNDECIDED, least)


def test_what_holds_of_a_demonstration_is_demonstrated_and_nothing_else_of_it():
    shown = replace(CARD, demonstration=True)
    for ends, word in (((0.6, 0.7), "demonstrated"), ((-0.2, -0.1), "contradicted"), ((0.4, 0.6), "undecided")):
        assert shown.judge(estimate(*ends)).verdict == word


def test_an_open_case_says_what_would_settle_it():
    judgement = CARD.judge(estimate(0.4, 0.8))
    assert judgement.verdict is Verdict.UNDECIDED
    assert judgement.reason.endswith(f"about n = {judgement.settles_at} would settle it")
    assert CARD.judge(estimate(0.4, 0.6)).reason.endswith("more of the same would not settle it")


def test_a_decided_case_gives_estimate_interval_n_and_rule():
    assert CARD.judge(estimate(0.6, 0.7)).reason == "0.65 [0.6, 0.7], n = 5; the rule is above 0.5 (no effect: 0)"
    assert CARD.judge(exact(0.2, n=5)).reason == "0.2, n = 5; the rule is above 0.5 (no effect: 0)"


@pytest.mark.parametrize(("theirs", "ours"), [(2, 9), (9, 2), (4, 4), (30, 7)])
def test_a_replication_is_expected_by_students_law_of_the_fewer_units(theirs, ours):
    error, spread = 0.3, 0.8
    half = error * student.ppf(0.95, ours - 1)
    low, high = Printed("x", 1.0, spread, theirs).expects(Interval(5.0, 5 - half, 5 + half, ours, 0.9))
    away = student.ppf(0.975, min(theirs, ours) - 1) * math.hypot(error, spread / math.sqrt(theirs))
    assert (low, high) == pytest.approx((1 - away, 1 + away))
    cut = Printed("x", 1.0, spread, theirs).expects(Interval(5.0, 5 - half, 5, ours, 0.9))
    assert cut == pytest.approx((low, high)), "an end that is cut says nothing of the error"


def test_nothing_is_expected_of_what_was_not_sampled_or_has_no_ends():
    figure = Printed("0.6", 0.6, 0.1, 9)
    assert figure.expects(exact(0.6).at(0.95)) is None
    assert figure.expects(Interval(0.6, -math.inf, math.inf, 5, 0.95)) is None
    assert figure.expects(Interval(0.6, 0.6, 0.6, 1, 0.95)) is None


@pytest.mark.parametrize(
    ("value", "spread", "n"),
    [(math.nan, 0.1, 9), (math.inf, 0.1, 9), (1.0, -0.1, 9), (1.0, math.inf, 9), (1.0, 0.1, 1)],
)
def test_a_printed_figure_with_an_impossible_value_or_spread_is_refused(value, spread, n):
    with pytest.raises(InvalidInput, match=r"of printed figure '1\.0' must be"):
        Printed("1.0", value, spread, n)


def test_a_test_covers_one_claim_only_and_stays_itself():
    def test():
        return 7

    card = replace(CARD, false={"n": 1}, source="sign")
    assert card.covers(test) is test
    assert getattr(test, CARD_ATTRIBUTE) is card
    replace(CARD, id="flaws.xor").covers(test)
    assert "covers two: 'flaws.xor" in fault_of(test)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, ""),
        ({"source": ""}, "source of card .* must say where its bound comes from"),
        ({"source": "", "role": "cell"}, ""),
        ({"false": {}}, "false of card .* must name where its sentence is false"),
        ({"false": {}, "role": "cell"}, "false of card"),
        ({"false": {}, "role": "probe"}, ""),
        ({"printed": Printed("0.5", 0.5)}, ""),  # a figure on the bound passes
        ({"printed": Printed("0.4", 0.4)}, "must let the paper's own figures pass, got above 0.5 .* and 0.4"),
        ({"printed": Printed("0.4", 0.4), "source": "sign"}, ""),
        ({"printed": {"mig": Printed("0.6", 0.6), "dci-all": Printed("0.4", 0.4)}}, "figures pass, got .* and 0.4"),
        ({"printed": {"mig": Printed("0.6", 0.6), "dci-all": Printed("0.4", 0.4)}, "roles": {"all": "probe"}}, ""),
        ({"printed": {"much": Printed("much")}}, ""),
    ],
)
def test_a_test_says_why_it_cannot_be_judged(change, fault):
    def test():
        return None

    card = replace(CARD, **({"source": "paper: high", "false": {"n": 1}, "printed": None} | change))
    found = fault_of(card.covers(test))
    assert bool(found) == bool(fault)
    assert re.search(fault, found)


def test_cells_share_the_level_of_their_finding_and_nothing_else_does():
    frozen = Frozen(
        {
            "sober.theorem-1 / zoo": FrozenCard("a", "2026-01-01", "", cells=1),
            "sober.theorem-1 / zoo / each": FrozenCard("b", "2026-01-01", "", cells=4),
            "sober.theorem-10 / zoo": FrozenCard("c", "2026-01-01", "", cells=9),
            "sober.theorem-1 / synthetic": FrozenCard("d", "2026-01-01", "", cells=9),
        }
    )
    assert frozen.confidence_of(CARD, "cell") == pytest.approx(0.99)
    assert frozen.confidence_of(CARD, "primary") == frozen.confidence_of(CARD, "probe") == 0.95
    assert Frozen().confidence_of(CARD, "cell") == 0.95


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cards": {"a": {"hash": "x"}}}', '{"cards": {"a": 3}}'])
def test_damaged_frozen_rules_are_refused(tmp_path, text):
    (tmp_path / "frozen.json").write_text(text)
    with pytest.raises(DamagedData, match=r"frozen rules cannot be read from frozen\.json"):
        load_frozen(tmp_path / "frozen.json")


def test_an_interval_is_cut_to_what_the_statistic_can_be():
    share = replace(CARD, bounds=(0.0, 1.0))
    cut = share.cut(Interval(0.9, -0.2, 1.3, 5, 0.95))
    assert (cut.value, cut.low, cut.high) == (0.9, 0.0, 1.0)
    unknown = Interval(0.9, -math.inf, math.inf, 1, 0.95)
    assert share.cut(unknown) == unknown
    with pytest.raises(InvalidInput, match=r"has a statistic from 0 to 1, got 1.2"):
        share.cut(Interval(1.2, 1.1, 1.3, 5, 0.95))


def test_an_end_that_was_cut_promises_no_fewer_units():
    share = replace(CARD, rule=below(0.9), bounds=(0.0, 1.0))
    whole = Interval(0.7, 0.1, 1.3, 10, 0.95)
    judged = share.judge(estimate(0.1, 1.3, n=10))
    assert judged.settles_at == share.rule.n_to_settle(whole) > share.rule.n_to_settle(judged.interval)


def test_what_verdicts_rest_on_never_changes():
    """All data classes of claims, estimates and statistics are frozen."""
    found = {}
    for package in (dbench.claims, dbench.estimates, dbench.stats):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for thing in vars(importlib.import_module(module.name)).values():
                if isinstance(thing, type) and is_dataclass(thing):
                    found[thing.__name__] = thing.__dataclass_params__.frozen
    assert {name for name, frozen in found.items() if not frozen} == set()
    assert len(found) > 10
