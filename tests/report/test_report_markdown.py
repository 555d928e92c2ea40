"""The report as Markdown."""

import re

import pytest

from dbench.report import VERDICTS, build_document
from dbench.report.markdown import flatten, render_markdown


def tables(text: str) -> list[list[str]]:
    return [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]


def cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row)) - 1


def test_every_table_has_rows_of_one_width(sample):
    found = tables(render_markdown(sample))
    assert len(found) == 1 + 5 + 1 + 1
    for table in found:
        assert len({cells(row) for row in table}) == 1


def test_the_papers_by_verdict_come_first(sample):
    text = render_markdown(sample)
    counts = tables(text)[0]
    assert counts[0] == f"|  | {' | '.join(verdict for verdict in VERDICTS if verdict != 'demonstrated')} |"
    assert counts[2] == "| A Sober Look (Locatello et al., JMLR 2020) | 4 | 1 | 0 | 0 | 0 | 0 | 1 |"
    assert counts[-1] == "| all | 6 | 1 | 1 | 1 | 1 | 1 | 1 |"
    places = [
        text.index(part)
        for part in ("440 of 2 objectives", "commit 3f2c9d1e", "| all |", "## Contradicted", "<details>")
    ]
    assert places == sorted(places)


def test_what_is_contradicted_or_absent_is_listed_with_its_reason(sample):
    listed = render_markdown(sample).partition("## Contradicted, absent or broken")[2].partition("##")[0]
    found = re.findall(r"- \*\*(\w+)\*\* (\S+)", listed)
    assert found == [
        ("broken", "sober.metric-pairs"),
        ("contradicted", "flaws.single-code-scores"),
        ("absent", "irs.monotone"),
    ]
    assert "no effect (0), and not above 0.5 as asked" in listed


def test_the_worst_come_first_and_tables_are_folded(sample):
    text = render_markdown(sample)
    sober = [re.search(r"\*\* ([a-z ]+?) \|", row)[1] for row in tables(text)[1][2:]]
    assert sober == sorted(sober, key=VERDICTS.index, reverse=True)
    assert text.count("<details>") == text.count("</details>") == 5 + 2


def test_what_was_not_expected_is_listed(sample, make_record):
    assert "metric=factor\\_vae: contradicted; unexpected: 'reproduced' was expected" in render_markdown(sample)
    assert "## Not as expected" not in render_markdown(build_document([make_record()]))


def test_a_finding_shows_its_statement_and_its_notes(make_document, make_record):
    text = render_markdown(make_document([make_record(), make_record(role="probe", part="a", verdict="absent")]))
    assert "| Total correlation of samples falls with the strength. | Spearman correlation" in text
    assert "| Probe, not the paper's (a), on trained models: absent. |" in text


@pytest.mark.parametrize("field", ["statistic", "part", "claim", "where", "says", "unit"])
def test_hostile_text_stays_text(make_record, field):
    hostile = "<script>alert(1)</script> | [x](javascript:alert(1)) `code`\n\n# heading"
    record = make_record(**{"verdict": "contradicted", "paper": "sober", field: hostile})
    text = render_markdown(build_document([record, record | {"role": "probe"}]))
    assert "<script" not in text.replace("\\<script", "")
    assert "[x]" not in text.replace("\\[x\\]", "")
    assert "\n# heading" not in text
    assert all(len({cells(row) for row in table}) == 1 for table in tables(text))


def test_a_title_that_is_folded_means_only_itself(make_document, make_record):
    text = render_markdown(make_document([make_record(claim="my_<b>paper.x", paper="my_<b>paper")]))
    assert "<summary>my_&lt;b&gt;paper: " in text


def test_very_long_text_is_clipped(make_record):
    text = render_markdown(build_document([make_record(reason="word " * 100_000, verdict="broken")]))
    assert len(text) < 10_000


def test_provenance_is_flattened_to_its_leaves():
    nested = {"b": {"c": [1, 2], "d": None}, "a": [{"e": 1}, {"e": 2}]}
    assert list(flatten(nested)) == [("a[0].e", "1"), ("a[1].e", "2"), ("b.c", "1, 2"), ("b.d", "")]
