"""docs/references.md resolves every key that a card cites, and says what comes from which paper."""

import re
import unicodedata
from pathlib import Path

import pytest

from dbench.metrics import METRICS
from dbench.models.objectives import OBJECTIVES

CARDS = [function.card for function in (*METRICS.values(), *OBJECTIVES.values())]
LINES = (Path(__file__).parents[1] / "docs" / "references.md").read_text(encoding="utf-8").splitlines()
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in LINES if line.startswith("| `")]


def test_every_paper_has_one_row_in_the_order_of_the_keys():
    keys = [key.strip("`") for key, *_ in ROWS]
    assert keys == sorted(set(keys))
    swept_in = {card.swept_in.partition(",")[0] for card in CARDS if hasattr(card, "swept_in")}
    assert set(keys) == {card.cite for card in CARDS}
    assert {place for place in swept_in if re.fullmatch(r"[a-z]+\d{4}", place)} <= set(keys)


@pytest.mark.parametrize(("key", "paper"), [row[:2] for row in ROWS], ids=[row[0].strip("`") for row in ROWS])
def test_a_row_names_the_year_and_author_of_its_key(key, paper):
    name, year = re.fullmatch(r"`([a-z]+)(\d{4})`", key).groups()
    bare = unicodedata.normalize("NFKD", paper.partition(",")[0].lower())
    assert "".join(letter for letter in bare if letter.isalpha()) == name
    assert year in paper
