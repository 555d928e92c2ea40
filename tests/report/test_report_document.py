"""One list of records becomes one document, whatever their order."""

from __future__ import annotations

import itertools
import json
import math
import random

import numpy as np
import pytest

from dbench.errors import DamagedData, InvalidInput
from dbench.report import VERDICTS, build_document, is_deviation, roll_up, standing, validate
from dbench.report.document import findings_match
from dbench.report.findings import findings_by_paper


@pytest.mark.parametrize(("worse", "better"), list(itertools.combinations(VERDICTS, 2)))
def test_the_worse_of_two_verdicts_wins_the_roll_up(worse, better):
    assert VERDICTS == ("broken", "not reproduced", "inconclusive", "reproduced")
    assert roll_up([better, worse, better]) == worse


def test_a_finding_is_reproduced_only_if_every_record_is():
    assert roll_up(["reproduced"] * 5) == "reproduced"
    assert roll_up(["reproduced"] * 5 + ["inconclusive"]) == "inconclusive"


@pytest.mark.parametrize("verdicts", [[], ["reproduced", "passed"]])
def test_only_verdicts_can_be_rolled_up(verdicts):
    with pytest.raises(InvalidInput, match="verdicts must be at least one of"):
        roll_up(verdicts)


def test_a_claim_has_one_finding_for_each_kind_of_evidence(make_record):
    document = build_document(
        [
            make_record(evidence="zoo", params={"metric": "dci"}),
            make_record(evidence="zoo", params={"metric": "mig"}, verdict="not reproduced", expected="reproduced"),
            make_record(evidence="published"),
        ]
    )
    published, zoo = document["findings"]
    assert (published["evidence"], published["verdict"]) == ("published", "reproduced")
    assert (zoo["evidence"], zoo["verdict"], zoo["unexpected"]) == ("zoo", "not reproduced", 1)
    assert zoo["counts"] == {"broken": 0, "not reproduced": 1, "inconclusive": 0, "reproduced": 1}


def test_parts_rolled_up_differently_stand_each_for_themselves(make_record):
    parts = [make_record(part="a", rollup="all"), make_record(part="b", rollup="each")]
    assert [finding["rollup"] for finding in build_document(parts)["findings"]] == ["each"]
    assert [finding["rollup"] for finding in build_document(parts[:1])["findings"]] == ["all"]


def test_a_finding_carries_its_statement_where_there_is_one(make_record):
    records = [make_record(claim="sober.a"), make_record(claim="sober.b"), make_record(claim="sober.b", part="half")]
    document = build_document(records, statements={"sober.b": "All of b.", "sober.c": "Not judged."})
    first, second = document["findings"]
    assert "statement" not in first
    assert second["statement"] == "All of b."
    assert findings_match(document)


def test_a_statement_must_be_text(make_record):
    with pytest.raises(InvalidInput, match=r"findings\[0\]\.statement must be text, got 3"):
        build_document([make_record()], statements={make_record()["claim"]: 3})


def test_findings_stand_in_the_order_in_which_they_are_read(sample):
    for findings in findings_by_paper(sample).values():
        worst = [VERDICTS.index(finding.verdict) for finding in findings]
        assert worst == sorted(worst)
    assert sum(map(len, findings_by_paper(sample).values())) == len(sample["findings"])


@pytest.mark.parametrize(
    ("verdicts", "state"),
    [
        ([("reproduced", None)], ""),
        ([("not reproduced", "not reproduced"), ("reproduced", None)], "known deviation"),
        ([("not reproduced", "not reproduced"), ("not reproduced", None)], ""),
        ([("not reproduced", "not reproduced"), ("reproduced", "inconclusive")], "unexpected"),
    ],
)
def test_a_finding_is_a_known_deviation_only_if_all_of_it_is(make_record, verdicts, state):
    records = [
        make_record(params={"i": i}, verdict=verdict, expected=expected)
        for i, (verdict, expected) in enumerate(verdicts)
    ]
    ((finding,),) = findings_by_paper(build_document(records)).values()
    assert finding.standing == state


def test_the_order_in_which_workers_report_does_not_matter(sample):
    shuffled = [*sample["records"]]
    random.Random(0).shuffle(shuffled)
    assert shuffled != sample["records"]
    again = build_document(shuffled, provenance=sample["provenance"], checks=sample["checks"][::-1])
    assert again == sample


def test_papers_come_in_the_order_of_the_study(sample):
    papers = list(dict.fromkeys(record["paper"] for record in sample["records"]))
    assert papers == ["sober", "udr", "flaws", "irs", "hownot"]


def test_a_document_is_made_of_built_in_types(make_record):
    document = build_document([make_record(estimate=np.float64(0.5), interval=(0.4, 0.6), params={"pair": (1, 2)})])
    (record,) = document["records"]
    assert type(record["estimate"]) is float
    assert record["interval"] == [0.4, 0.6]
    assert record["params"] == {"pair": [1, 2]}


def test_no_records_make_an_empty_document():
    document = build_document([])
    assert (document["findings"], document["records"]) == ([], [])
    validate(document)


def test_a_record_that_broke_before_it_knew_what_was_expected_expects_nothing(make_record):
    record = make_record(verdict="broken", estimate=None, interval=None)
    del record["expected"]
    assert build_document([record])["records"][0]["expected"] is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("estimate", math.nan),
        ("estimate", math.inf),
        ("estimate", "0.5"),
        ("estimate", True),
        ("estimate", 10**400),
        ("interval", [0.6, 0.4]),
        ("interval", [0.4]),
        ("interval", [math.nan, 0.4]),
        ("margin", -0.1),
        ("n", 3.5),
        ("n", -1),
        ("seconds", -1.0),
        ("verdict", "passed"),
        ("verdict", ["reproduced"]),
        ("evidence", "hearsay"),
        ("direction", "sideways"),
        ("expected", "maybe"),
        ("printed_agrees", 1),
        ("deviations", "images averaged down"),
        ("params", [1]),
        ("rollup", "majority"),
        ("claim", " "),
    ],
)
def test_a_field_that_breaks_its_rule_is_named_with_its_value(make_record, field, value):
    with pytest.raises(InvalidInput, match=rf"records\[1\]\.{field} must be .*, got "):
        build_document([make_record(), make_record(**{field: value})])


@pytest.mark.parametrize("field", ["claim", "verdict", "interval", "deviations", "seconds"])
def test_a_missing_field_is_named(make_record, field):
    record = make_record()
    del record[field]
    with pytest.raises(InvalidInput, match=rf"records\[0\]\.{field} is missing"):
        build_document([record])


@pytest.mark.parametrize("value", [math.nan, object(), np.int64(3), {1, 2}])
def test_parameters_hold_only_what_json_can_hold(make_record, value):
    with pytest.raises(InvalidInput, match="strict JSON only"):
        build_document([make_record(params={"value": value})])


def test_a_check_must_say_how_it_came_out():
    with pytest.raises(InvalidInput, match=r"checks\[0\]\.outcome must be one of"):
        build_document([], checks=[{"nodeid": "a", "outcome": "fine", "detail": "", "seconds": 0.0}])


def test_another_schema_is_refused(sample):
    with pytest.raises(DamagedData, match=r"a\.json: schema must be 1, got 2"):
        validate({**sample, "schema": 2}, error=DamagedData, source="a.json")


@pytest.mark.parametrize("item", [None, 3, "text", []])
def test_a_record_must_be_an_object(sample, item):
    with pytest.raises(InvalidInput, match=r"records\[0\] must be an object"):
        validate({**sample, "records": [item]})


def test_unknown_fields_survive(make_record):
    assert build_document([make_record(revision=2)])["records"][0]["revision"] == 2


@pytest.mark.parametrize(
    ("verdict", "expected", "state", "deviates"),
    [
        ("reproduced", None, "", False),
        ("reproduced", "reproduced", "", False),
        ("reproduced", "not reproduced", "unexpected", True),
        ("not reproduced", None, "", True),
        ("not reproduced", "not reproduced", "known deviation", True),
        ("inconclusive", "reproduced", "unexpected", True),
    ],
)
def test_a_verdict_is_set_against_the_expected_one(make_record, verdict, expected, state, deviates):
    record = make_record(verdict=verdict, expected=expected)
    assert standing(record) == state
    assert is_deviation(record) is deviates


def test_a_document_is_strict_json(sample):
    assert json.loads(json.dumps(sample, allow_nan=False)) == sample
