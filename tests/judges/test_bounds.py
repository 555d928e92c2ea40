"""Where the bounds of cards come from: ``claims/bounds.toml`` has each word, and the paper prints what is quoted."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BOUNDS = tomllib.loads((ROOT / "claims" / "bounds.toml").read_text(encoding="utf-8"))


def test_every_word_that_a_card_names_has_a_bound_and_every_bound_is_named(cards):
    named = set()
    for card in cards:
        kind, _, word = card.source.partition(": ")
        if word:
            named.add((card.paper if kind == "paper" else kind, word))
    assert named == {(table, word) for table, words in BOUNDS.items() for word in words}


@pytest.mark.parametrize(("table", "word"), [(table, word) for table, words in BOUNDS.items() for word in words])
def test_a_bound_is_a_number_and_a_papers_bound_has_its_quotation(table, word):
    entry = BOUNDS[table][word]
    assert isinstance(entry["bound"], (int, float, list))
    assert table == "lexicon" or (entry["quote"].strip() and entry["where"].strip())
