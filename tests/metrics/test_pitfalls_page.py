import re
from pathlib import Path

import pytest

from dbench.metrics import METRICS
from dbench.models.objectives import OBJECTIVES

ROOT = Path(__file__).parents[2]
ROWS = [
    [cell.strip() for cell in line.strip("| \n").split(" | ")]
    for line in (ROOT / "docs" / "pitfalls.md").read_text().splitlines()
    if line.startswith("| `")
]


@pytest.fixture(scope="module")
def tests_there_are():
    found = (re.findall(r"^def (test_\w+)", path.read_text(), re.M) for path in (ROOT / "tests").rglob("test_*.py"))
    return {name for names in found for name in names}


@pytest.mark.parametrize("row", ROWS, ids=[f"{number}-{row[0].strip('`')[:20]}" for number, row in enumerate(ROWS)])
def test_every_pitfall_is_shown_avoided_by_tests_that_exist(row, tests_there_are):
    assert len(row) == 4
    named = re.findall(r"`(test_\w+)`", row[3])
    assert named
    assert set(named) <= tests_there_are


def test_rows_are_of_metrics_and_objectives():
    subjects = {name for row in ROWS for name in re.findall(r"`(\w+)`", row[0])}
    assert subjects <= set(METRICS) | set(OBJECTIVES)
    assert len(subjects) >= 28  # a new one may come without a row; none may lose its own
