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
    assert len(found) == 2 + 5 + 1 + 1
    for table in found:
        assert len({cells(row) for row in table}) == 1


def test_one_sentence_the_totals_and_the_famous_failures_come_first(sample):
    text = render_markdown(sample)
    counts = tables(text)[0]
    assert counts[0] == "|  | trained models | the paper's printed tables | constructions | which means |"
    assert counts[2].startswith("| reproduced | 3 | 1 | 2 | the interval lies")
    assert counts[-1] == "| all | 8 | 1 | 3 |  |"
    assert "| A Sober Look (Locatello et al., JMLR 2020) | 4 | 1 | 0 | 0 | 0 | 0 | 1 |" in tables(text)[1]
    places = [
        text.index(part)
        for part in (
            "**Of 8 findings on trained models, tested again, 3 hold,",
            "| all |",
            "## Famous claims that failed or are weaker than said, and why",
            "- **The score falls as nuisance factors move the code.** Absent: The score falls by 0.07, where 0.5",
            "(Robustly Disentangled Causal Mechanisms, conclusion; seen on ",
            "## All findings",
            "440 models of 2 objectives",
            "commit 3f2c9d1e",
            "<details>",
        )
    ]
    assert places == sorted(places)


def test_failures_that_are_not_famous_are_counted(make_document, make_record):
    text = render_markdown(make_document([make_record(claim="sober.a", verdict="contradicted")]))
    assert "## Claims that failed\n\nThey stand below: 1 on trained models.\n" in text
    assert "that failed" not in render_markdown(make_document([make_record()]))


def test_the_worst_come_first_and_tables_are_folded(sample):
    text = render_markdown(sample)
    sober = [re.search(r"\*\* ([a-z ]+?) \|", row)[1] for row in tables(text)[2][2:]]
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
