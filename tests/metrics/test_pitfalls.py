"""docs/pitfalls.md lists what goes wrong elsewhere, each row with the test that shows what is done here."""

import re
from pathlib import Path

import pytest

from dbench.metrics import METRICS
from dbench.models.objectives import OBJECTIVES

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "pitfalls.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (.+) \| `(\w+)` \|$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def tests_there_are():
    found = (re.findall(r"^def (test_\w+)", path.read_text(), re.M) for path in TESTS.rglob("test_*.py"))
    return {name for names in found for name in names}


@pytest.mark.parametrize(("name", "pitfall", "test"), ROWS, ids=[f"{name}: {pitfall}" for name, pitfall, _ in ROWS])
def test_every_pitfall_is_shown_avoided_by_a_test_that_exists(name, pitfall, test, tests_there_are):
    assert name in METRICS | OBJECTIVES
    assert test in tests_there_are


def test_no_row_is_lost():
    assert len(ROWS) >= 115
    assert len({(name, pitfall) for name, pitfall, _ in ROWS}) == len(ROWS)
