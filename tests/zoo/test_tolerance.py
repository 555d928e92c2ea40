"""How far a retrained score may lie from the table's: every score that is shipped has an answer."""

import json
from importlib.resources import files

import pytest

from dbench.zoo.profiles import find_profile
from dbench.zoo.tolerance import OF_A_POPULATION, tolerances

OBJECTIVES = sorted({sweep.objective for sweep in find_profile("micro").sweeps})
FIRST = ("beta_vae", "beta_tcvae")
OTHERS = sorted(set(OBJECTIVES) - set(FIRST))


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
    found = tolerances([score, like], "beta_vae")
    assert found[score] == found[like] > 0


def test_the_robustness_of_a_code_may_move_over_its_range() -> None:
    scores = [f"irs.{kind}.9" for kind in ("code", "one_nuisance", "mean")]
    assert tolerances(scores) == dict.fromkeys(scores, 1.0)


def test_a_score_nobody_knows_must_be_the_same() -> None:
    assert tolerances(["irs.code", "unheard_of"]) == {"irs.code": 0.0, "unheard_of": 0.0}


def test_without_an_objective_the_largest_of_all_counts() -> None:
    """What a manifest says must not be tighter than what a run of its table is held to."""
    scores = _shipped_scores()
    each = [tolerances(scores, objective) for objective in OBJECTIVES]
    assert tolerances(scores) == {score: max(one[score] for one in each) for score in each[0]}
    assert tolerances(scores, "registered_by_a_user") == tolerances(scores)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_shipped_score_of_every_objective_has_a_tolerance(objective: str) -> None:
    found = tolerances(_shipped_scores(), objective)
    assert sorted(score for score, tolerance in found.items() if not tolerance > 0) == []
    assert tolerances(["unheard_of"], objective) == {"unheard_of": 0.0}


@pytest.mark.parametrize("objective", OTHERS)
def test_an_objective_measured_on_few_runs_is_held_to_no_less_than_the_first_two(objective: str) -> None:
    scores = _shipped_scores()
    first, found = tolerances(scores, FIRST[0]), tolerances(scores, objective)
    assert first == tolerances(scores, FIRST[1])
    assert sorted(score for score in first if found[score] < first[score]) == []


@pytest.mark.parametrize("objective", OTHERS)
def test_a_score_nobody_measured_on_an_objective_may_move_over_its_range(objective: str) -> None:
    scores = ["dci", "nk.0", "downstream.trees.1000", "efficiency.logistic.100", "beta_vae_metric", "small.mig"]
    assert tolerances(scores, objective) == dict.fromkeys(scores, 1.0)


@pytest.mark.parametrize("objective", OTHERS)
def test_a_second_sample_of_a_measured_score_moves_as_the_first(objective: str) -> None:
    found = tolerances(["mig", "again.mig", "irs", "again.irs"], objective)
    assert found["again.mig"] == found["mig"]
    assert found["again.irs"] == found["irs"]
