"""How many wrong decisions the report says chance may account for."""

from __future__ import annotations

import pytest

from dbench.report import build_document
from dbench.report.chance import expected_errors, finding_chance, parts_text, session_text
from dbench.report.findings import findings_by_paper
from dbench.report.html import render_html
from dbench.report.markdown import render_markdown


def parts(make_record, count, **changes):
    return [make_record(part=f"{number}", nodeid=f"t.py::t[{number}]", **changes) for number in range(count)]


def finding_of(records):
    ((finding,),) = findings_by_paper(build_document(records)).values()
    return finding


def test_each_record_adds_the_share_of_one_side_of_its_own_level(make_record):
    records = [make_record(), make_record(confidence=0.9), make_record(confidence=0.98)]
    assert expected_errors(records) == pytest.approx(0.025 + 0.05 + 0.01)


def test_nothing_is_expected_of_what_was_computed_or_never_decided(make_record):
    assert expected_errors([make_record(confidence=1.0), make_record(interval=None)]) == 0
    flat = {"estimate": 1.0, "interval": [1.0, 1.0]}
    assert expected_errors([make_record(evidence="published", **flat)]) == 0
    # All seeds agree: that is a sample too.
    assert expected_errors([make_record(evidence="zoo", **flat)]) == pytest.approx(0.025)


def test_a_finding_says_how_many_parts_may_be_wrong_as_its_heading_is(make_record):
    records = [*parts(make_record, 71), make_record(verdict="not reproduced", part="last")]
    finding = finding_of(records)
    assert finding_chance(finding) == "1.8"
    assert parts_text(finding) == (
        "72 parts, each judged at its own level. If all of them lay on their bounds, at most 1.8 would be expected to "
        "be called not reproduced by chance."
    )
    assert "called reproduced by chance" in parts_text(finding_of(parts(make_record, 2)))


def test_an_open_finding_has_its_parts_counted_alone_and_one_part_says_nothing(make_record):
    left_open = finding_of([*parts(make_record, 2), make_record(verdict="inconclusive", part="last")])
    assert (parts_text(left_open), finding_chance(left_open)) == ("3 parts, each judged at its own level.", "")
    assert parts_text(finding_of([make_record()])) == ""


def test_only_records_over_trained_models_are_summed_for_the_session(make_record):
    records = [*parts(make_record, 40), make_record(evidence="published", part="p")]
    assert session_text(records).startswith("40 records over trained models, each judged at its own level")
    assert "at most 1 would be expected to be wrongly reproduced" in session_text(records)
    assert session_text(records[-1:]) == ""


def test_page_and_summary_say_both(make_record):
    records = [
        *parts(make_record, 40),
        make_record(part="with", deviations=["The filter removes none of the 3 models: x."]),
    ]
    document = build_document(records)
    page, summary = render_html(document), render_markdown(document)
    for said in (
        parts_text(finding_of(records)),
        session_text(document["records"]),
        "filter removes none of the 3 models",
    ):
        assert said in page.replace("&#39;", "'")
    assert session_text(document["records"]) in summary
    assert "| 41; 1 by chance |" in summary


def test_the_summary_notes_what_a_filter_removed(make_record):
    told = "The filter removes 2 of the 3 models."
    summary = render_markdown(
        build_document([make_record(verdict="inconclusive", reason="x; wide", deviations=[told])])
    )
    assert "wide; filter removes 2 of the 3 models" in summary
