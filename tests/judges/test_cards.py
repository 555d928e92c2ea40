"""Cards: closed and complete, and they judge on no less than they promise."""

import json
import math
from dataclasses import FrozenInstanceError, asdict, fields
from pathlib import Path

import numpy as np
import pytest

from dbench.claims import CARD_ATTRIBUTE, Claim, Printed, Verdict, above, broken_record, card_fields, record_of
from dbench.errors import InvalidInput
from dbench.stats import Estimate, exact, jackknife_interval

FIELDS = {
    "id": "sober.theorem-1",
    "part": "",
    "where": "5.3",
    "says": "Seeds matter.",
    "evidence": "zoo",
    "kind": "direction",
    "population": "seeds varied",
    "deviations": ("small images",),
    "unit": "seed",
    "statistic": "mean",
    "rule": above(0.5),
    "confidence": 0.95,
    "min_n": 5,
    "printed": Printed("0.6", 0.6, 0.05),
    "tier": "smoke",
    "rollup": "each",
    "revision": 1,
    "superseded_by": None,
}
CARD = Claim(**FIELDS)


def estimate(low: float, high: float, *, n: int = 5, confidence: float = 0.95) -> Estimate:
    return Estimate((low + high) / 2, low, high, n, confidence)


@pytest.mark.parametrize("name", [field.name for field in fields(Claim)])
def test_every_field_of_a_card_is_required(name):
    with pytest.raises(TypeError, match=f"'{name}'"):
        Claim(**{field: value for field, value in FIELDS.items() if field != name})


def test_an_unknown_field_is_refused_and_a_card_never_changes():
    with pytest.raises(TypeError, match="'note'"):
        Claim(**FIELDS, note="?")
    with pytest.raises(FrozenInstanceError):
        CARD.min_n = 1


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("evidence", "zooo", "evidence of claim 'sober.theorem-1' must be one of .*, got 'zooo'"),
        ("kind", "trend", "kind of claim"),
        ("tier", "nightly", "tier of claim"),
        ("rollup", "most", "rollup of claim"),
        ("id", "theorem-1", "must read paper.finding, got 'theorem-1'"),
        ("confidence", 0.0, r"must lie in \(0, 1\], got 0.0"),
        ("confidence", 1.01, "got 1.01"),
        ("confidence", math.nan, "got nan"),
        ("min_n", 0, "min_n of claim 'sober.theorem-1' must be at least 1, got 0"),
    ],
)
def test_a_card_outside_the_closed_vocabularies_is_refused(field, value, message):
    with pytest.raises(InvalidInput, match=message):
        Claim(**FIELDS | {field: value})


def test_the_paper_is_the_first_part_of_the_id():
    assert CARD.paper == "sober"


def test_an_interval_of_less_confidence_than_promised_is_refused():
    with pytest.raises(InvalidInput, match=r"judged at confidence 0.95, got an interval of 0.9"):
        CARD.judge(estimate(0.6, 0.7, confidence=0.9))
    assert CARD.judge(exact(0.6, n=5)).verdict is Verdict.REPRODUCED


def test_too_few_units_decide_nothing_however_clear_they_look():
    judgement = CARD.judge(estimate(0.8, 0.9, n=4))
    assert judgement.verdict is Verdict.INCONCLUSIVE
    assert judgement.reason.endswith("needs at least 5 (seed)")
    assert judgement.printed_agrees is False


def test_two_units_without_a_spread_decide_nothing():
    card = Claim(**FIELDS | {"min_n": 1})
    judgement = card.judge(jackknife_interval(lambda kept: float(len(kept)), 2))
    assert judgement.verdict is Verdict.INCONCLUSIVE
    assert judgement.reason.endswith("needs at least 3 (seed)")


def test_an_open_case_says_what_would_settle_it():
    assert CARD.judge(estimate(0.4, 0.8)).reason.endswith("about n = 20 would settle it")
    wide = Claim(**FIELDS | {"rule": above(0.5, margin=0.2)})
    assert wide.judge(estimate(0.55, 0.65)).reason.endswith("more of the same would not settle it")


def test_a_decided_case_gives_estimate_interval_n_and_rule():
    assert CARD.judge(estimate(0.6, 0.7)).reason == "0.65 [0.6, 0.7], n = 5; rule: interval above 0.5"
    assert CARD.judge(exact(0.2, n=5)).reason == "0.2, n = 5; rule: interval above 0.5"


@pytest.mark.parametrize(
    ("printed", "agrees"),
    [
        (Printed("0.6", 0.6, 0.05), True),
        (Printed("0.6", 0.6, 0.01), False),
        (Printed("much"), None),
        (None, None),
    ],
)
def test_the_printed_figure_is_judged_apart_from_the_finding(printed, agrees):
    card = Claim(**FIELDS | {"printed": printed})
    for found, verdict in ((estimate(0.56, 0.68), Verdict.REPRODUCED), (estimate(0.34, 0.90), Verdict.INCONCLUSIVE)):
        judgement = card.judge(found)
        assert (judgement.verdict, judgement.printed_agrees) == (verdict, agrees)


def test_the_figure_of_the_very_case_goes_before_that_of_the_card():
    judgement = CARD.judge(estimate(0.6, 0.7), printed=Printed("0.9", 0.9, 0.01))
    assert (judgement.printed.text, judgement.printed_agrees) == ("0.9", False)


@pytest.mark.parametrize(("value", "tolerance"), [(math.nan, 0.1), (math.inf, 0.1), (1.0, -0.1), (1.0, math.inf)])
def test_a_printed_figure_that_nothing_or_everything_meets_is_refused(value, tolerance):
    with pytest.raises(InvalidInput, match=r"of printed figure '1\.0' must be"):
        Printed("1.0", value, tolerance)


def test_a_test_covers_one_claim_only_and_stays_itself():
    def test():
        return 7

    assert CARD.covers(test) is test
    assert getattr(test, CARD_ATTRIBUTE) is CARD
    with pytest.raises(InvalidInput, match=r"must cover one claim, but test covers two: flaws\.xor"):
        Claim(**FIELDS | {"id": "flaws.xor"}).covers(test)


def test_a_record_holds_the_whole_card_in_built_in_types():
    record = card_fields(CARD)
    same = asdict(CARD).keys() & record.keys() - {"rule", "printed", "deviations"}
    assert all(record[name] == getattr(CARD, name) for name in same)
    assert (record["claim"], record["paper"]) == ("sober.theorem-1", "sober")
    assert (record["direction"], record["bound"], record["margin"]) == ("above", 0.5, 0.0)
    assert (record["printed"], record["printed_value"]) == ("0.6", 0.6)
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_a_record_takes_parameters_as_json_can_hold_them_and_no_path_of_this_machine():
    params = {
        "whole": np.int64(3),
        "real": np.float64(0.5),
        "flag": np.bool_(True),
        "several": (1, np.float32(0.5)),
        "nothing": None,
        "wild": math.inf,
        "folder": Path("/somewhere/on/this/machine/micro"),
    }
    found = estimate(0.6, 0.7)
    record = record_of(
        CARD, found, CARD.judge(found), params=params, nodeid="t", population="micro", deviations=("fewer",)
    )
    assert record["params"] == {
        "whole": 3,
        "real": 0.5,
        "flag": True,
        "several": [1, 0.5],
        "nothing": None,
        "wild": "inf",
        "folder": "micro",
    }
    assert record["deviations"] == ["small images", "fewer"]
    assert record["population"] == "micro: seeds varied"
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_a_record_of_an_interval_without_ends_shows_none():
    found = Estimate(0.6, -math.inf, math.inf, 1, 0.95)
    record = record_of(CARD, found, CARD.judge(found), params={}, nodeid="t")
    assert (record["estimate"], record["interval"], record["verdict"]) == (0.6, None, "inconclusive")


def test_a_broken_record_claims_no_numbers():
    record = broken_record(card_fields(CARD), nodeid="t", reason="it broke")
    assert (record["verdict"], record["reason"], record["claim"]) == ("broken", "it broke", CARD.id)
    assert [record[name] for name in ("estimate", "interval", "n", "printed_agrees")] == [None] * 4
