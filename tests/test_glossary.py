"""One glossary for all pages: sorted, each word once, and the words of the library are on it."""

import re
from pathlib import Path
from typing import get_args

import pytest

from dbench.claims import Verdict
from dbench.claims.card import Role

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "concepts" / "glossary.md").read_text(encoding="utf-8")
WORDS = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", PAGE, re.MULTILINE)[1:]
# Of earlier pages, for which the field has its own words: shuffled, negative control, outlier, unplanned, controller.
DIALECT = ("dealt", "counter-world", "stray", "strays", "stranger", "strangers", "teller")
CURRENT = [page for page in sorted(DOCS.rglob("*.md")) if not {"blind", "history"} & set(page.relative_to(DOCS).parts)]


def test_the_glossary_has_each_word_once_in_order():
    assert len(WORDS) > 40
    assert sorted(set(WORDS), key=str.lower) == WORDS


@pytest.mark.parametrize("word", [*map(str, Verdict), *(role for roles in get_args(Role) for role in get_args(roles))])
def test_a_word_of_records_is_in_the_glossary(word):
    assert re.search(rf"\b{word}\b", PAGE)


@pytest.mark.parametrize("page", CURRENT, ids=lambda page: page.stem)
def test_no_page_has_a_dialect_beside_it(page):
    words = re.findall(r"[\w-]+", page.read_text(encoding="utf-8").lower())
    assert not set(words) & set(DIALECT)
