"""The report as Markdown."""

from __future__ import annotations

import re

from dbench.report import build_document
from dbench.report.markdown import escape, flatten, render_markdown


def tables(text: str) -> list[list[str]]:
    return [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]


def cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row)) - 1


def test_every_table_has_rows_of_one_width(sample):
    found = tables(render_markdown(sample))
    assert len(found) == 1 + 5 + 1 + 1 + 1
    for table in found:
        assert len({cells(row) for row in table}) == 1


def test_the_counts_are_those_of_the_verdicts(sample):
    counts = tables(render_markdown(sample))[0]
    assert counts[0] == "|  | reproduced (R) | inconclusive (?) | not reproduced (N) | broken (F) | unexpected |"
    assert counts[-1] == "| records | 15 | 2 | 3 | 1 | 1 |"


def test_the_worst_come_first(sample):
    sober = tables(render_markdown(sample))[1][2:]
    symbols = [row[4] for row in sober]
    assert symbols == sorted(symbols, key="FN?R".index)


def test_only_deviations_are_listed_and_the_others_counted(sample):
    text = render_markdown(sample)
    deviations = tables(text)[6][2:]
    assert len(deviations) == 6
    assert not any("**R**" in row for row in deviations)
    assert "15 other records are reproduced" in text


def test_a_verdict_that_became_better_is_listed(make_record):
    text = render_markdown(build_document([make_record(expected="not reproduced")]))
    assert "unexpected: not reproduced was expected" in text
    assert "0 other records" in text


def test_a_finding_shows_its_statement_and_its_counts(make_record):
    records = [make_record(part=part, printed_agrees=part == "a") for part in "ab"]
    text = render_markdown(build_document(records, statements={records[0]["claim"]: "As the ledger has it."}))
    assert "| As the ledger has it. | 2 reproduced | 2; 0.05 by chance | 1 agrees, 1 differs | - |" in text
    assert "None.\n\n2 other records are reproduced" in text


def test_hostile_text_stays_text(make_record):
    hostile = "<script>alert(1)</script> | [x](javascript:alert(1)) `code`\n\n# heading"
    text = render_markdown(build_document([make_record(reason=hostile, verdict="inconclusive", claim="sober.a|b")]))
    assert "<script" not in text.replace("\\<script", "")
    assert "[x]" not in text.replace("\\[x\\]", "")
    assert "\n# heading" not in text
    assert all(len({cells(row) for row in table}) == 1 for table in tables(text))


def test_very_long_text_is_clipped(make_record):
    text = render_markdown(build_document([make_record(reason="word " * 100_000, verdict="broken")]))
    assert len(text) < 10_000


def test_a_report_of_nothing_says_so():
    text = render_markdown(build_document([]))
    assert "No records: nothing was judged." in text
    assert "None was run." in text
    assert "None was recorded." in text


def test_provenance_is_flattened_to_its_leaves():
    nested = {"b": {"c": [1, 2], "d": None}, "a": [{"e": 1}, {"e": 2}]}
    assert list(flatten(nested)) == [("a[0].e", "1"), ("a[1].e", "2"), ("b.c", "1, 2"), ("b.d", "")]


def test_escaping_is_idle_on_plain_words():
    assert escape("the interval lies wholly below 0.5") == "the interval lies wholly below 0.5"
