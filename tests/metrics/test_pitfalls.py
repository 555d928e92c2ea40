import re
from pathlib import Path

import pytest

from dbench.metrics import METRICS
from dbench.models.objectives import OBJECTIVES

TESTS = Path(__file__).parents[1]
CARDS = [function.card for function in (*METRICS.values(), *OBJECTIVES.values()) if function.card.pitfalls]


@pytest.fixture(scope="module")
def tests_there_are():
    found = (re.findall(r"^def (test_\w+)", path.read_text(), re.M) for path in TESTS.rglob("test_*.py"))
    return {name for names in found for name in names}


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.label)
def test_every_pitfall_is_shown_avoided_by_a_test_that_exists(card, tests_there_are):
    assert set(card.pitfalls.values()) <= tests_there_are


def test_no_card_loses_its_pitfalls():
    assert len(CARDS) >= 29  # a new one may come without
