"""docs/design.md names the scores and arrays that lie in shipped tables and beside them, and no others."""

import re
from pathlib import Path

import pytest

from dbench.estimates.evidence import evidence_folders
from dbench.zoo.table import load_manifest

PAGE = (Path(__file__).parents[2] / "docs" / "design.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("| score | what |\n")[2].partition("\n\n")[0]
# What a placeholder of the page stands for; one that is not here stands for any one word.
PLACES = {
    "n": r"\d+",
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
    """As the manifests have it, which test_evidence holds against what they promise."""
    manifests = [load_manifest(folder) for folder in evidence_folders()]
    names = {name for manifest in manifests for name in [*manifest["scores"], *manifest["arrays"]["shapes"]]}
    # Agreements have a matrix for each objective.
    return {re.sub(r"\.with\..*", ".with", name) for name in names}


def test_every_shipped_score_is_named_once(shipped):
    named = {score: [name for name, pattern in PATTERNS.items() if re.fullmatch(pattern, score)] for score in shipped}
    assert {score: names for score, names in named.items() if len(names) != 1} == {}


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_that_of_a_shipped_score(name, shipped):
    assert any(re.fullmatch(PATTERNS[name], score) for score in shipped)
