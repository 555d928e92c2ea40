"""The tool that brings the expected verdicts up to a report."""

from datetime import date

import expect

OLD, NEW = date(2026, 1, 1), date(2026, 2, 2)


def _record(name, verdict):
    return {"claim": name, "evidence": "zoo", "part": "", "params": {}, "role": "primary", "verdict": verdict}


def _table(verdict, reason, *names):
    return {"verdict": verdict, "reason": reason, "date": OLD, "records": [f"{name} / zoo" for name in names]}


def test_what_still_holds_keeps_its_reason_and_the_rest_gets_one_or_asks_for_it():
    tables = [_table("contradicted", "why", "a.1", "a.2", "b.1"), _table("undecided", "few", "a.3")]
    found = {"a.1": "contradicted", "a.2": "reproduced", "a.3": "absent", "a.4": "undecided"}
    after = expect.updated(tables, [_record(*item) for item in found.items()], NEW)
    assert [(each["reason"], each["date"], each["records"]) for each in after] == [
        (expect.MISSING, NEW, ["a.3 / zoo"]),  # what a person must look at stands first
        ("why", OLD, ["a.1 / zoo", "b.1 / zoo"]),  # b.1 was not judged
        (expect.GENERAL["undecided"], NEW, ["a.4 / zoo"]),
    ]


def test_a_reason_stays_where_its_claim_broke_or_was_judged_in_part():
    tables = [_table("contradicted", "why", "a.1", "b.1")]
    records = [_record("a.1", "broken"), _record("b.1", "reproduced") | {"part": "other"}]
    assert expect.updated(tables, records, NEW)[0]["records"] == ["a.1 / zoo"]
    assert expect.updated(tables, records, NEW, complete=False)[0]["records"] == ["a.1 / zoo", "b.1 / zoo"]


def test_the_page_of_verdicts_lists_what_was_seen_of_findings_that_did_not_come_out_as_said():
    heading = {"heads": "zoo", "unexpected": 0, "says": "DCI leads by *.2*."}
    found = [("a.1", "weaker"), ("a.2", "contradicted"), ("a.3", "reproduced")]
    headings = [heading | {"claim": claim, "verdict": verdict} for claim, verdict in found]
    headings.append(headings[1] | {"claim": "a.4", "heads": "synthetic"})
    page = "before\n<!-- from a report: tools/expect.py -->\n- old\n<!-- end -->\nafter\n"
    assert expect.listed(page, {"headings": headings}) == page.replace(
        "- old", "- `a.2`, contradicted: DCI leads by \\*.2\\*.\n- `a.1`, weaker: DCI leads by \\*.2\\*."
    )
    assert expect.LIST.search(expect.REASONS.read_text(encoding="utf-8"))
