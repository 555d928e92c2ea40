"""Records: the whole card and what was seen, in built-in types, with the printed figure beside."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from sample_card import CARD, estimate

from dbench.claims import Printed, below, broken_record, card_fields, record_of, within
from dbench.stats import Estimate, exact


@pytest.mark.parametrize(
    ("printed", "agreement"),
    [
        (Printed("0.6", 0.6, 0.1, 4), "agrees"),
        (Printed("0.4", 0.4, 0.1, 3), "agrees"),
        (Printed("0.4", 0.4, 0.1, 100), "larger"),
        (Printed("0.9", 0.9, 0.1, 100), "smaller"),
        (Printed("0.4", 0.4), None),
        (Printed("much"), None),
        (None, None),
        ({"mig": Printed("0.6", 0.6, 0.1, 9), "sap": Printed("0.9", 0.9, 0.1, 9)}, "agrees"),
        ({"mig-all": Printed("0.9", 0.9, 0.1, 100), "mig": Printed("0.6", 0.6, 0.1, 100)}, "smaller"),
        ({"dci": Printed("0.6", 0.6, 0.1, 9)}, None),
    ],
)
def test_the_printed_figure_of_a_case_is_compared_where_its_spread_is_printed(printed, agreement):
    card = replace(CARD, printed=printed)
    record = record_of(card, card.judge(estimate(0.57, 0.68)), params={}, ids=("mig", "all"), nodeid="t")
    assert (record["verdict"], record["agreement"]) == ("reproduced", agreement)
    assert (record["printed_expects"] is None) == (agreement is None)


@pytest.mark.parametrize(("value", "word"), [(0.59, "smaller"), (0.6, "agrees"), (0.7, "agrees"), (0.71, "larger")])
def test_an_end_of_what_is_expected_belongs_to_it(monkeypatch, value, word):
    monkeypatch.setattr(Printed, "expects", lambda self, seen: (0.6, 0.7))
    judged = CARD.judge(Estimate(value, 9, lambda level: (0.5, 0.8)))
    assert record_of(CARD, judged, params={}, ids=(), nodeid="t")["agreement"] == word


def test_a_record_holds_the_whole_card_in_built_in_types():
    record = card_fields(CARD)
    same = asdict(CARD).keys() & record.keys() - {"rule", "printed", "deviations"}
    assert all(record[name] == getattr(CARD, name) for name in same)
    assert (record["claim"], record["paper"]) == ("sober.theorem-1", "sober")
    assert [record[name] for name in ("low", "high", "closed", "null")] == [0.5, None, False, 0.0]
    closed = card_fields(replace(CARD, rule=within(0.0, 1.0)))
    assert [closed[name] for name in ("low", "high", "closed", "null")] == [0.0, 1.0, True, None]
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["deviations"] == ["small images"]
    judged = record_of(CARD, CARD.judge(estimate(0.5, 0.75)), params={}, ids=(), nodeid="a::b")
    known = {"nodeid": "a::b", "estimate": 0.625, "interval": [0.5, 0.75], "n": 5, "tips_at": 0.5, "confidence": 0.95}
    known |= {"left_out": None, "all_units": None, "filtered": None, "notes": [], "regime": []}
    known |= {"unconfirmed": False, "unfrozen": "", "expected": None, "expected_reason": None, "unexpected": False}
    assert {name: judged[name] for name in known} == known
    assert judged.keys() == record.keys() | known.keys() | {"params", "verdict", "reason", "settles_at"}


@pytest.mark.parametrize(("rule", "tips"), [(below(0.9), 0.7), (within(0.0, 1.0), None)])
def test_a_record_says_at_which_bound_its_word_would_tip(rule, tips):
    def record(found):
        card = replace(CARD, rule=rule)
        return record_of(card, card.judge(found), params={}, ids=(), nodeid="t")

    assert record(estimate(0.6, 0.7))["tips_at"] == tips
    assert record(Estimate(0.6, 9, lambda level: (-math.inf, math.inf)))["tips_at"] is None


def test_a_record_takes_parameters_as_json_can_hold_them_and_no_path_of_this_machine():
    params = {
        "whole": np.int64(3),
        "real": np.float64(0.5),
        "flag": np.bool_(True),
        "several": (1, np.float32(0.5)),
        "nothing": None,
        "wild": math.inf,
        "folder": Path("/somewhere/on/this/machine/micro"),
        "function": exact,
    }
    found = replace(estimate(0.6, 0.7), left_out=(3, 10))
    record = record_of(CARD, CARD.judge(found), params=params, ids=(), nodeid="t")
    plain = {"whole": 3, "real": 0.5, "flag": True, "several": [1, 0.5], "nothing": None, "wild": "inf"}
    assert record["params"] == plain | {"folder": "micro", "function": "exact"}
    assert [type(record["params"][name]) for name in ("whole", "real", "flag")] == [int, float, bool]
    assert record["left_out"] == [3, 10]
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_a_record_of_an_interval_without_ends_shows_none():
    found = Estimate(0.6, 1, lambda level: (-math.inf, math.inf))
    record = record_of(CARD, CARD.judge(found), params={}, ids=(), nodeid="t")
    assert (record["estimate"], record["interval"], record["verdict"]) == (0.6, None, "undecided")


def test_a_record_holds_what_was_seen_of_all_units_beside_what_was_judged():
    found, all_units = estimate(0.6, 0.7), estimate(0.1, 0.3)
    every = CARD.judge(all_units)
    record = record_of(CARD, CARD.judge(found), params={}, ids=(), nodeid="t", every=every, filtered=CARD.judge(found))
    assert (record["filtered"]["verdict"], record["filtered"]["interval"]) == ("reproduced", [0.6, 0.7])
    assert record["all_units"].keys() == {"estimate", "interval", "n", "left_out", "verdict", "reason"}
    assert (record["verdict"], record["all_units"]["verdict"]) == ("reproduced", str(every.verdict))
    assert record["all_units"]["interval"] == [0.1, 0.3]
    assert record["interval"] == [0.6, 0.7]


def test_a_broken_record_claims_no_numbers():
    record = broken_record(card_fields(CARD), nodeid="t", reason="it broke")
    assert (record["verdict"], record["reason"], record["claim"]) == ("broken", "it broke", CARD.id)
    assert [record[name] for name in ("estimate", "interval", "n", "agreement")] == [None] * 4
