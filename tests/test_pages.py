"""What pages of docs/ repeat of cards is as the cards have it now."""

import re
from pathlib import Path

import pages
import pytest

from dbench.claims.ledger import ledger
from dbench.data import FETCHED

ROOT = Path(__file__).parents[1]
TEXTS = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))}
GENERATED = [path for path, text in TEXTS.items() if "<!-- generated: " in text]


@pytest.mark.parametrize("page", GENERATED, ids=lambda path: path.stem)
def test_a_page_is_as_the_cards_have_it(page):
    assert pages.written(TEXTS[page]) == TEXTS[page], "run make docs"


def test_every_part_that_can_be_written_stands_on_a_page_once():
    assert sorted(part[1] for text in TEXTS.values() for part in pages.PART.finditer(text)) == sorted(pages.PARTS)


def test_a_part_that_is_out_of_date_is_written_anew():
    stale = "before\n<!-- generated: objectives -->\n| old |\n<!-- end -->\nafter\n"
    assert pages.written(stale).startswith("before\n<!-- generated: objectives -->\n| objective |")
    assert pages.written(stale).endswith("<!-- end -->\nafter\n")
    with pytest.raises(SystemExit, match="a row for every paper"):
        pages.references("| `kim2018` | Kim | nothing |\n")


def test_every_published_archive_stands_on_the_page():
    page = TEXTS[ROOT / "docs" / "data.md"]
    assert set(FETCHED) <= set(re.findall(r"`(\w+)`", page))


def test_findings_told_on_the_page_of_verdicts_are_those_of_the_ledger():
    papers = "|".join({name.partition(".")[0] for name in ledger()})
    told = set(re.findall(rf"`((?:{papers})\.[\w-]+)`", TEXTS[ROOT / "docs" / "verdicts.md"]))
    assert told
    assert told <= set(ledger())
