"""Folders of evidence: which tables there are, what they rest on, and which claims are judged on which."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pandas as pd
import pytest
from simulation import TINY, table_of, tiny_rows

from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.estimates import evidence
from dbench.estimates.evidence import (
    describe_evidence,
    evidence_folders,
    evidence_pairs,
    evidence_sha256,
    load_population,
    other_size,
    repeats,
    swept_folders,
    whole_data_folders,
)
from dbench.zoo.complete import write_table
from dbench.zoo.keys import KEY_SCHEMA
from dbench.zoo.profiles import Sweep


@pytest.fixture
def folder(tmp_path):
    return write_table(tmp_path / "micro", tiny_rows(), TINY).parent


def test_runs_that_diverged_are_counted_apart_from_those_never_trained(tmp_path):
    gone = tiny_rows(lambda key: (key.objective, key.seed, key.strength) == ("beta_tcvae", 0, 4))
    fewer, both = (rows[~((rows["objective"] == "beta_vae") & (rows["seed"] == 2))] for rows in (tiny_rows(), gone))
    untrained = "3 of 15 runs were not trained (beta_vae); judged on the"
    for name, rows, said in (
        ("whole", tiny_rows(), []),
        ("fewer", fewer, [f"{untrained} 2 of 3"]),
        ("gone", gone, ["1 of 15 runs diverged; judged on the 2 of 3"]),
        ("both", both, [f"1 of 12 runs diverged and {untrained} 1 of 3"]),
    ):
        folder = write_table(tmp_path / name, rows, TINY).parent
        notes = tuple(f"{text} seeds whose runs are all done" for text in said)
        assert load_population(folder).deviations == ("tiny", *notes)


def test_a_table_is_read_back_as_a_population(folder):
    found = load_population(folder)
    assert (found.name, found.deviations) == ("micro", ("tiny",))
    assert found.scores("mig", "beta_vae").shape == (3, 3)
    assert json.loads((folder / "manifest.json").read_text())["key_schema"] == KEY_SCHEMA


def test_a_report_is_told_what_a_table_rests_on(folder, monkeypatch):
    found = describe_evidence(folder)
    known = {"name": "micro", "data": "dsprites_grid", "side": 64, "profile": "tiny", "models": 15, "seeds": 3}
    known |= {"objectives": ["beta_tcvae", "beta_vae"], "steps": 10, "deviations": ["tiny"]}
    assert found == known | {"sha256": evidence_sha256(folder)}
    monkeypatch.setattr(evidence, "load", Mock(side_effect=DbenchError("could not be downloaded")))
    assert describe_evidence(folder) == found | {"side": None}
    (folder / "runs.parquet").write_bytes(b"")
    nothing = {"data": "", "side": None, "profile": "", "models": 0, "seeds": 0}
    nothing |= {"objectives": [], "steps": None, "deviations": []}
    assert describe_evidence(folder) == {"name": "micro"} | nothing


@pytest.mark.parametrize("deviations", ["small images", [1], ["small", 1], 5])
def test_deviations_that_are_no_list_of_text_are_refused(folder, deviations):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["profile"]["deviations"] = deviations
    path.write_text(json.dumps(manifest))
    with pytest.raises(DamagedData, match=r"profile\.deviations\S* .* is not of type"):
        load_population(folder)
    assert describe_evidence(folder)["models"] == 0


def test_fewer_seeds_of_another_objective_cost_no_seed_and_one_that_is_not_there_is_refused(tmp_path):
    sweeps = (Sweep("beta_vae", (1.0, 2.0)), Sweep("mtd", (1.0,), seeds=2))
    profile = replace(TINY, name="part", sweeps=sweeps, seeds=4)
    part = write_table(tmp_path / "part", table_of(profile, lambda key: {"mig": 0.0}), profile).parent
    assert load_population(part).seeds().tolist() == [0, 1]
    found = load_population(part, objectives=("annealed_vae", "beta_vae"))
    assert (found.name, found.objectives, found.deviations) == ("part", ["beta_vae"], ("tiny",))
    assert found.seeds().tolist() == [0, 1, 2, 3]
    with pytest.raises(InvalidInput, match=r"objectives must name one of part, \['beta_vae', 'mtd'\], got \['vae'\]"):
        load_population(part, objectives=["vae"])


def test_folders_with_a_table_or_a_manifest_are_evidence_called_by_their_names(tmp_path, monkeypatch):
    for folder, file in (("b", "runs.parquet"), ("a", "manifest.json"), ("c", "notes.md")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / file).touch()
    assert [folder.name for folder in evidence_folders(tmp_path)] == ["a", "b"]
    assert [folder.name for folder in evidence_folders(tmp_path / "a")] == ["a"]
    monkeypatch.chdir(tmp_path / "a")
    assert [folder.name for folder in evidence_folders(".")] == ["a"]


@pytest.mark.parametrize("name", ["empty", "none", "file"])
def test_evidence_that_is_missing_is_refused_with_what_was_asked_for(tmp_path, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match=f"evidence must be a folder with runs.parquet .*{name}'"):
        evidence_folders(tmp_path / name)


@pytest.fixture
def cases_of(claim_files):
    """Return the cases that a test of a card gets which asks for a fixture: ids by parameter."""

    def cases_of(card, *fixtures, root=None):
        found = {}
        claim_files["conftest"].pytest_generate_tests(
            SimpleNamespace(
                fixturenames=fixtures,
                config=SimpleNamespace(getoption=lambda name: root),
                definition=SimpleNamespace(obj=card.covers(lambda: None)),
                parametrize=lambda name, values, ids: found.update({name: ids}),
            )
        )
        return found

    return cases_of


@pytest.mark.parametrize(
    ("role", "roles", "everywhere"),
    [("primary", {}, True), ("cell", {"x": "primary"}, True), ("cell", {}, False), ("probe", {}, False)],
)
def test_cells_and_probes_are_judged_on_the_nearest_table_and_primaries_on_all(
    cases_of, cards, role, roles, everywhere
):
    primary = next(card for card in cards if card.evidence == "zoo" and card.role == "primary")
    card = replace(primary, role=role, roles=roles)
    nearest, *others = cases_of(card, "unsupervised", "evidence_folder")["evidence_folder"]
    assert nearest == "micro-dsprites_grid_16"
    swept = {folder.name for folder in evidence_folders() if folder.name.startswith(("micro", "small", "full"))}
    swept = {name for name in swept if not name.endswith("-fresh")}
    assert set(others) == (swept - {nearest} if everywhere else set())


def test_claims_about_six_systems_are_judged_where_they_are_and_on_the_fresh_seeds_of_the_table_that_heads(
    cases_of, claim_files, tmp_path
):
    def folders(card, **root):
        return cases_of(card, "six_systems", "evidence_folder", **root)["evidence_folder"]

    card = claim_files["flaws/test_3_1_misalignment"].TRAINED
    assert folders(card) == ["systems-dsprites_grid_16", "systems-dsprites_grid_16-fresh"]
    elsewhere = replace(card, id="flaws.linear-is-weaker")  # of which another table heads the finding
    assert folders(elsewhere) == folders(replace(card, role="cell")) == ["systems-dsprites_grid_16"]
    shutil.copytree(evidence.SHIPPED / "micro-scream_dsprites_grid_16", tmp_path / "micro-scream_dsprites_grid_16")
    assert folders(card, root=tmp_path) == ["none"]


def test_primaries_that_ask_for_data_sets_are_judged_once_more_where_the_heading_table_has_fresh_seeds(
    cases_of, claim_files, tmp_path
):
    card = claim_files["sober/test_5_2_mean_codes_levels"].DIP2_FAILS
    assert cases_of(card, "data_set", "evidence_seeds") == {"evidence_seeds": [pytest.HIDDEN_PARAM, "fresh"]}
    assert cases_of(replace(card, role="cell"), "data_set", "evidence_seeds") == {}
    assert cases_of(replace(card, id="sober.efficiency-artefact"), "data_set", "evidence_seeds") == {}
    shutil.copytree(evidence.SHIPPED / "micro-scream_dsprites_grid_16", tmp_path / "fresh")  # a name like any other
    assert cases_of(replace(card, id="sober.own"), "data_set", "evidence_seeds", root=tmp_path) == {}


@pytest.mark.parametrize(
    ("case", "heads", "same"),
    [
        (Path("x/b-fresh"), Path("y/b"), True),
        (Path("x/a-fresh"), Path("x/b"), False),
        (Path("x/b"), Path("x/b"), False),
        ((Path("b-fresh"), Path("a-fresh")), (Path("b"), Path("a")), True),
        ((Path("b-fresh"), Path("c-fresh")), (Path("b"), Path("a")), False),
        ((Path("b-fresh"), Path("a")), (Path("b"), Path("a")), False),
        ((), (Path("b"), Path("a")), False),
        ("novel-x-fresh", "novel-x", True),
        ("novel-x", "novel-x", False),
        ("fresh", "", True),
        ("", "", False),
    ],
)
def test_fresh_seeds_repeat_the_table_that_they_are_named_after(case, heads, same):
    assert repeats(case, heads) is same


def test_pairs_are_tables_of_one_profile_on_different_data_in_the_order_of_the_profile(tmp_path):
    held_out = "dsprites_grid_16-without-shape2-scale3"
    tables = {
        "a": ("micro", "color_dsprites_grid_16"),
        "b": ("micro", "dsprites_grid_16"),
        "c": ("micro", held_out),
        "d": ("standard", "dsprites"),
        "e": ("own", "x"),
        "f": ("own", "y"),
        "g": ("own", "y"),
    }
    for name, (profile, data) in tables.items():
        (tmp_path / name).mkdir()
        pd.DataFrame({"profile": [profile] * 2, "data": [data] * 2}).to_parquet(tmp_path / name / "runs.parquet")
    for name, text in (("h", b"no table"), ("i", b"")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "runs.parquet").write_bytes(text)
    pd.DataFrame({"profile": ["own"], "data": ["zz"]}).to_parquet(tmp_path / "i" / "runs.parquet", compression=None)
    damaged = (tmp_path / "i" / "runs.parquet").read_bytes()
    (tmp_path / "i" / "runs.parquet").write_bytes(damaged.replace(b"zz", b"\xff\xfe"))  # no UTF-8
    folders = evidence_folders(tmp_path)
    assert [folder.name for folder in whole_data_folders(folders)] == list("bdaefghi")
    assert [(a.name, b.name) for a, b in evidence_pairs(folders)] == [("b", "a"), ("e", "f"), ("e", "g")]
    assert evidence_pairs([tmp_path / "b"]) == []
    # Of tables of dSprites that of most models comes first; images of another size are known by the name of the data.
    manifest = {"schema": 2, "sha256": "", "runs": 1, "scores": [], "key_schema": 1, "profile": {}}
    manifest["arrays"] = {"sha256": "", "shapes": {}}
    (tmp_path / "d" / "manifest.json").write_text(json.dumps(manifest))
    assert [folder.name for folder in whole_data_folders(folders)] == list("dbaefghi")
    pd.DataFrame({"profile": ["full"], "data": ["dsprites_grid"]}).to_parquet(tmp_path / "e" / "runs.parquet")
    assert other_size(tmp_path / "e", than=tmp_path / "b")
    for name, than in ("ba", "bd", "bb", "fg", "hi"):
        assert not other_size(tmp_path / name, than=tmp_path / than)
    # Of fresh seeds come last, and make pairs of their own.
    for name in ("b-fresh", "a-fresh"):
        shutil.copytree(tmp_path / name[0], tmp_path / name)
    both, whole = evidence_folders(tmp_path), whole_data_folders(folders)
    fresh = [tmp_path / "b-fresh", tmp_path / "a-fresh"]
    assert whole_data_folders(both) == [*whole, *fresh]
    assert set(evidence_pairs(both)) == {*evidence_pairs(folders), tuple(fresh)}
    # Single settings are no sweep; without any sweep all tables are looked at.
    single = {"sweeps": [{"strengths": [4.0]}, {"strengths": [6.0]}]}
    (tmp_path / "b" / "manifest.json").write_text(json.dumps(manifest | {"profile": single}))
    assert [folder.name for folder in swept_folders(folders)] == list("deafghi")
    assert swept_folders([tmp_path / "b"]) == [tmp_path / "b"]
