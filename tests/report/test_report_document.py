"""One list of records becomes one document, whatever their order."""

import math
import random

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from dbench.errors import DamagedData, InvalidInput
from dbench.report import build_document, validate
from dbench.report.schema import MEANINGS, SCHEMA, SYMBOLS, VERDICTS


def test_the_published_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)
    assert list(MEANINGS) == list(SYMBOLS) == list(VERDICTS)


def test_the_order_in_which_workers_report_does_not_matter(sample, make_document):
    shuffled = [*sample["records"]]
    random.Random(0).shuffle(shuffled)
    assert shuffled != sample["records"]
    parts = {name: sample[name] for name in ("provenance", "errata")}
    assert make_document(shuffled, checks=sample["checks"][::-1], **parts) == sample


def test_papers_come_in_the_order_of_the_study_and_findings_in_that_of_the_ledger(sample):
    papers = dict.fromkeys(heading["paper"] for heading in sample["headings"])
    assert list(papers) == ["sober", "udr", "flaws", "irs", "hownot"]
    claims = [heading["claim"] for heading in sample["headings"]]
    assert claims[:3] == ["sober.theorem-1", "sober.tc-sampled-falls", "sober.tc-mean-exceeds-sampled"]


def test_a_document_is_made_of_built_in_types(make_record):
    document = build_document([make_record(estimate=np.float64(0.5), interval=(0.4, 0.6), params={"pair": (1, 2)})])
    (record,) = document["records"]
    assert type(record["estimate"]) is float
    assert record["interval"] == [0.4, 0.6]
    assert record["params"] == {"pair": [1, 2]}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("estimate", "0.5"),
        ("interval", [0.4]),
        ("n", 3.5),
        ("n", -1),
        ("seconds", -1.0),
        ("verdict", "passed"),
        ("role", "heading"),
        ("evidence", "hearsay"),
        ("expected", "maybe"),
        ("agreement", "differs"),
        ("deviations", "images averaged down"),
        ("params", [1]),
        ("confidence", 95),
        ("left_out", [3]),
        ("regime", [{"name": "factors"}]),
        ("claim", " "),
    ],
)
def test_a_field_that_breaks_its_rule_is_named_with_its_value(make_record, field, value):
    with pytest.raises(InvalidInput, match=rf"records\[1\]\.{field}.*: .* \(in '"):
        build_document([make_record(), make_record(**{field: value})])


@pytest.mark.parametrize("field", ["claim", "verdict", "interval", "deviations", "seconds"])
def test_a_missing_field_is_named(make_record, field):
    record = make_record()
    del record[field]
    with pytest.raises(InvalidInput, match=rf"records\[0\]: '{field}' is a required property"):
        build_document([record])


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), np.int64(3), {1, 2}])
def test_parameters_hold_only_what_json_can_hold(make_record, value):
    with pytest.raises(InvalidInput, match="strict JSON only"):
        build_document([make_record(params={"value": value})])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": 3}, "schema: 2 was expected"),
        ({"records": [None]}, r"records\[0\]: .* is not of type 'object'"),
        (
            {"checks": [{"nodeid": "a", "outcome": "fine", "detail": "", "seconds": 0.0}]},
            r"checks\[0\]\.outcome: 'fine'",
        ),
    ],
)
def test_what_breaks_the_schema_is_named_with_its_file(sample, changes, message):
    with pytest.raises(DamagedData, match=rf"a\.json: {message}"):
        validate(sample | changes, error=DamagedData, source="a.json")


def test_an_error_is_short_whatever_the_value(make_record):
    with pytest.raises(InvalidInput) as caught:
        build_document([make_record(verdict="x" * 100_000)])
    assert len(str(caught.value)) < 400
    assert "is not one of" in str(caught.value)


def test_unknown_fields_survive(make_record):
    assert build_document([make_record(colour="grey")])["records"][0]["colour"] == "grey"
