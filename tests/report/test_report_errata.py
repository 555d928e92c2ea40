"""What papers print and what does not follow, in every form of the report."""

import pytest

from dbench.report import build_document, read_report, summary_lines, write_report
from dbench.report.html import render_html
from dbench.report.markdown import render_markdown

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"


def erratum(**changes):
    return {
        "name": "flaws-toy-mig",
        "paper": "flaws",
        "place": "Table 1, MIG of M2",
        "printed": "11.9",
        "right": "12.9",
        "derivation": "The mean of 0.1887\nand 0.07.",
        "cells": ["Table 2, nk, dSprites: weak_de 5.9 -> 8.6"],
        "claims": ["irs.definition"],
        "stands": "The order of M1 and M2.",
    } | changes


def test_the_document_holds_them_in_their_order(make_record, tmp_path):
    entries = [erratum(name="flaws-b"), erratum(name="flaws-a", cells=())]
    document = build_document([make_record()], errata=entries)
    assert [entry["name"] for entry in document["errata"]] == ["flaws-b", "flaws-a"]
    write_report(tmp_path, document)
    assert read_report(tmp_path)["errata"] == document["errata"]


def test_the_page_lists_them_by_paper_after_the_records(make_record):
    entries = [erratum(paper="hownot", name="hownot-a"), erratum(), erratum(name="flaws-b", place="Table 9")]
    page = render_html(build_document([make_record()], errata=entries))
    places = [page.index(text) for text in ('id="findings"', 'id="errata"', "Correcting Flaws", "Table 9", "hownot-a")]
    assert sorted(places[:2] + places[3:]) == places[:2] + places[3:]
    section = page[page.index('id="errata"') : page.index('id="checks"')]
    assert section.count("<details>") == 2 + len(entries)
    assert "2 entries" in section
    assert "1 entry" in section
    for text in ("11.9", "12.9", "The order of M1 and M2.", "The mean of 0.1887 and 0.07.", "weak_de 5.9 \u2192 8.6"):
        assert text in section


def test_entry_and_finding_link_to_each_other(make_record):
    record = make_record()
    touching = erratum(claims=[record["claim"], "not.judged"])
    page = render_html(build_document([record], errata=[touching, erratum(name="flaws-b", claims=["not.judged"])]))
    assert page.count('href="#erratum-flaws-toy-mig"') == page.count('id="erratum-flaws-toy-mig"') == 1
    assert "#erratum-flaws-b" not in page
    entry = page[page.index('id="erratum-flaws-toy-mig"') : page.index('id="erratum-flaws-b"')]
    assert f'href="#{record["claim"]}"' in entry
    assert "not.judged" not in entry


def test_a_session_without_them_says_nothing_of_them(make_record):
    document = build_document([make_record()])
    assert 'id="errata"' not in render_html(document)
    assert "rrata" not in render_markdown(document) + "".join(summary_lines(document))


@pytest.mark.parametrize(("count", "words"), [(1, "1 entry"), (3, "3 entries")])
def test_summaries_say_in_one_line_how_many_there_are(make_record, count, words):
    document = build_document([make_record()], errata=[erratum(name=f"flaws-{i}") for i in range(count)])
    for lines in (render_markdown(document).splitlines(), summary_lines(document)):
        (line,) = [line for line in lines if "rrata" in line]
        assert words in line


@pytest.mark.parametrize("field", ["name", "place", "printed", "right", "derivation", "stands", "test"])
def test_hostile_text_is_shown_and_not_run(field):
    page = render_html(build_document([], errata=[erratum(**{"cells": [HOSTILE], field: HOSTILE})]))
    assert page.count("<script") == 2
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
