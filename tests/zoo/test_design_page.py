"""docs/design.md names the scores and arrays that lie in shipped tables and beside them, and no others."""

import re
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from safetensors import safe_open

from dbench.zoo.table import load_runs

PAGE = (Path(__file__).parents[2] / "docs" / "design.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("| score | what |\n")[2].partition("\n\n")[0]
PLACES = {
    **dict.fromkeys("ijn", r"\d+"),
    "codes": "(mean|sampled)",
    "kind": "(mutual_information|importance|predictability|importance_single)",
    "model": "(logistic|trees)",
    "relation": "(lasso|spearman)",
    "detail": r"[\w.]+",
}
NAMES = [name for line in TABLE.splitlines() for name in re.findall("`([^`]*)`", line.split("|")[1])]
PATTERNS = {name: re.sub(r"<(\w+)>", lambda m: PLACES.get(m[1], r"\w+"), name.replace(".", r"\.")) for name in NAMES}


@pytest.fixture(scope="module")
def shipped():
    with as_file(files("dbench_fixtures") / "evidence") as folder:
        names = {name for place in folder.glob("*/runs.parquet") for name in load_runs(place.parent)["score"].unique()}
        for place in folder.glob("*/arrays.safetensors"):
            with safe_open(place, "np") as arrays:
                # Agreements have a matrix for each objective.
                names |= {re.sub(r"\.with\..*", ".with", name) for name in arrays.keys()}  # noqa: SIM118
        return names


def test_every_shipped_score_is_named_once(shipped):
    named = {score: [name for name, pattern in PATTERNS.items() if re.fullmatch(pattern, score)] for score in shipped}
    assert {score: names for score, names in named.items() if len(names) != 1} == {}


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("novel")])
def test_every_name_is_that_of_a_shipped_score(name, shipped):
    assert any(re.fullmatch(PATTERNS[name], score) for score in shipped)
