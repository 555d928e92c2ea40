"""What papers print and what does not follow, in every form of the report."""

import pytest

from dbench.report import build_document, summary_lines
from dbench.report.html import render_html
from dbench.report.markdown import render_markdown


@pytest.fixture
def erratum(sample):
    def make(name="sober-a", **changes):
        return sample["errata"][0] | {"name": name} | changes

    return make


def test_the_document_holds_them_in_their_order(make_record, erratum):
    document = build_document([make_record()], errata=[erratum("sober-b"), erratum()])
    assert [entry["name"] for entry in document["errata"]] == ["sober-b", "sober-a"]


def test_the_page_lists_them_by_paper_after_the_records(make_record, erratum):
    entries = [erratum("hownot-a", paper="hownot"), erratum(), erratum("sober-b", place="Table 9")]
    page = render_html(build_document([make_record()], errata=entries))
    places = [page.index(text) for text in ('id="findings"', 'id="errata"', "Table 9", "hownot-a")]
    assert sorted(places) == places
    section = page[page.index('id="errata"') : page.index('id="checks"')]
    assert section.count("<details>") == 2 + len(entries)
    texts = ("80.7%", "81.9%", "The first row.", "The text and the table give two numbers.", "weak_de 5.9 \u2192 8.6")
    for text in ("2 entries", "1 entry", *texts):
        assert text in section


def test_entry_and_finding_link_to_each_other(make_record, erratum):
    record = make_record()
    entries = [erratum(claims=[record["claim"], "not.judged"]), erratum("sober-b", claims=["not.judged"])]
    page = render_html(build_document([record], errata=entries))
    assert page.count('href="#erratum-sober-a"') == page.count('id="erratum-sober-a"') == 1
    assert "#erratum-sober-b" not in page
    entry = page[page.index('id="erratum-sober-a"') : page.index('id="erratum-sober-b"')]
    assert f'href="#{record["claim"]}"' in entry
    assert "not.judged" not in entry


def test_a_session_without_them_says_nothing_of_them(make_record):
    document = build_document([make_record()])
    assert 'id="errata"' not in render_html(document)
    assert "rrata" not in render_markdown(document) + "".join(summary_lines(document))


@pytest.mark.parametrize(("count", "words"), [(1, "1 entry"), (3, "3 entries")])
def test_summaries_say_in_one_line_how_many_there_are(make_record, erratum, count, words):
    document = build_document([make_record()], errata=[erratum(f"sober-{i}") for i in range(count)])
    for lines in (render_markdown(document).splitlines(), summary_lines(document)):
        (line,) = [line for line in lines if "rrata" in line]
        assert words in line
