"""What primary cards quote stands in the papers, word for word; where their texts lie beside the checkout."""

import re
from pathlib import Path

import pytest

TEXTS = Path(__file__).parents[3] / "shared" / "papers"
# First letters of the file names of the texts.
FILES = {"sober": "000_", "udr": "001_", "flaws": "002_", "irs": "003_", "hownot": "004_"}


def plain(text: str) -> str:
    """Text without what extraction from a PDF adds: line breaks, hyphens at them, emphasis, odd quotation marks."""
    text = re.sub(r"[*$_\\]|(?<=\w)-\s+(?=[a-z])", "", text.replace("\u2019", "'"))
    text = re.sub("[\u201c\u201d]", '"', text)
    return re.sub(r"\s+", " ", text).strip()


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    if not TEXTS.is_dir():
        pytest.skip("the papers' texts are not beside the checkout")
    return {paper: plain(next(TEXTS.glob(f"{start}*")).read_text(encoding="utf-8")) for paper, start in FILES.items()}


def test_every_quotation_stands_in_its_paper(cards, texts):
    missing = [
        (card.name, fragment.strip())
        for card in cards
        for fragment in card.quote.split("[...]")
        if plain(fragment) not in texts[card.paper]
    ]
    assert missing == []


def test_a_primary_quotes_enough_to_be_found(cards):
    short = [card.name for card in cards if card.role == "primary" and len(card.quote) < 20]
    assert short == []
