"""How far a retrained score may lie from the table's: every score that is shipped has an answer."""

import json
from importlib.resources import files

import pytest

from dbench.zoo.tolerance import OF_A_POPULATION, tolerances


def _shipped_scores() -> set[str]:
    tables = [folder for folder in (files("dbench_fixtures") / "evidence").iterdir() if folder.is_dir()]
    manifests = [folder / "manifest.json" for folder in tables if (folder / "manifest.json").is_file()]
    return {score for manifest in manifests for score in json.loads(manifest.read_text())["scores"]}


def test_no_shipped_score_has_to_be_the_same_to_the_last_bit() -> None:
    """A tolerance of 0 fails on any processor but the one that trained the table."""
    scores = _shipped_scores()
    assert len(scores) > 100
    found = tolerances(scores)
    assert {score for score in scores if score not in found} == {
        score for score in scores if score.startswith(OF_A_POPULATION)
    }
    assert sorted(score for score, tolerance in found.items() if not tolerance > 0) == []


@pytest.mark.parametrize(
    ("score", "like"),
    [
        ("modularity.bins.50.active", "modularity"),
        ("dci.single.informativeness", "dci.informativeness"),
        ("again.mig", "mig"),
        ("relation.importance_single.0.3", "relation.importance.0.3"),
    ],
)
def test_a_score_moves_as_its_like(score: str, like: str) -> None:
    found = tolerances([score, like])
    assert found[score] == found[like] > 0


def test_the_robustness_of_a_code_may_move_over_its_range() -> None:
    scores = [f"irs.{kind}.9" for kind in ("code", "one_nuisance", "mean")]
    assert tolerances(scores) == dict.fromkeys(scores, 1.0)


def test_a_score_nobody_knows_must_be_the_same() -> None:
    assert tolerances(["irs.code", "unheard_of"]) == {"irs.code": 0.0, "unheard_of": 0.0}
