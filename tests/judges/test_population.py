"""Populations and the evidence they are read from: complete seeds only, and nothing missing in silence."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from simulation import table_of

from dbench.errors import DamagedData, DbenchError, EvidenceLacking, InvalidInput, UnknownName
from dbench.estimates import evidence
from dbench.estimates.agreements import agreements_of
from dbench.estimates.evidence import (
    OnDemand,
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
from dbench.estimates.partly_scored import PartlyScored, on_scored_seeds
from dbench.estimates.population import Population, PopulationPair
from dbench.plugin import judge
from dbench.stats import jackknife
from dbench.zoo.arrays import AGREEMENTS, RunArrays
from dbench.zoo.complete import write_table
from dbench.zoo.keys import KEY_SCHEMA
from dbench.zoo.profiles import Profile, Sweep

TINY = Profile(
    name="tiny",
    data=("dsprites_grid",),
    network="mlp",
    sweeps=(Sweep("beta_tcvae", (1.0, 4.0)), Sweep("beta_vae", (1.0, 2.0, 4.0))),
    steps=10,
    batch_size=8,
    learning_rate=1e-3,
    seeds=3,
    deviations=("tiny",),
)


def rows_of(diverged=lambda key: False) -> pd.DataFrame:
    """Two scores that spell strength and seed out."""
    return table_of(TINY, lambda key: {"mig": 100 * key.strength + key.seed, "sap": key.seed}, diverged)


@pytest.fixture
def folder(tmp_path):
    return write_table(tmp_path / "micro", rows_of(), TINY).parent


@pytest.fixture
def population() -> Population:
    return Population("tiny", rows_of())


def test_scores_stand_as_seeds_by_rising_strengths(population):
    assert population.objectives == ["beta_tcvae", "beta_vae"]
    assert population.strengths("beta_vae").tolist() == [1, 2, 4]
    assert population.seeds().tolist() == [0, 1, 2]
    assert population.scores("mig", "beta_vae").tolist() == [[100, 200, 400], [101, 201, 401], [102, 202, 402]]
    assert population.scores("mig", "beta_tcvae", seeds=np.array([2])).tolist() == [[102, 402]]


def test_the_order_of_the_rows_does_not_matter(population):
    shuffled = Population("tiny", population.table.sample(frac=1, random_state=0))
    assert (shuffled.scores("mig", "beta_vae") == population.scores("mig", "beta_vae")).all()


def test_a_seed_with_a_diverged_run_is_left_out_at_every_strength():
    population = Population("tiny", rows_of(lambda key: key.objective == "beta_vae" and key.seed == 1))
    assert population.seeds().tolist() == [0, 2]
    assert population.seeds("beta_vae").tolist() == [0, 2]
    assert population.seeds("beta_tcvae").tolist() == [0, 1, 2]
    assert population.scores("mig", "beta_vae")[:, 0].tolist() == [100, 102]


def test_a_seed_with_a_missing_run_is_left_out(population):
    table = population.table
    lacking = Population("tiny", table[~((table["seed"] == 2) & (table["strength"] == 4))])
    assert lacking.seeds().tolist() == [0, 1]


def test_runs_that_diverged_are_counted_apart_from_those_never_trained(tmp_path):
    gone = rows_of(lambda key: (key.objective, key.seed, key.strength) == ("beta_tcvae", 0, 4))
    fewer, both = (rows[~((rows["objective"] == "beta_vae") & (rows["seed"] == 2))] for rows in (rows_of(), gone))
    untrained = "3 of 15 runs were not trained (beta_vae); judged on the"
    for name, rows, said in (
        ("whole", rows_of(), []),
        ("fewer", fewer, [f"{untrained} 2 of 3"]),
        ("gone", gone, ["1 of 15 runs diverged; judged on the 2 of 3"]),
        ("both", both, [f"1 of 12 runs diverged and {untrained} 1 of 3"]),
    ):
        folder = write_table(tmp_path / name, rows, TINY).parent
        notes = tuple(f"{text} seeds whose runs are all done" for text in said)
        assert load_population(folder).deviations == ("tiny", *notes)


def test_seeds_are_left_out_jointly_across_all_that_shares_them(population):
    seen = []

    def statistic(tables):
        seen.append({key: table[:, 0].tolist() for key, table in tables.items()})
        return float(tables["sap", "beta_vae"].mean() + tables["mig", "beta_tcvae"][:, 0].mean())

    estimate = population.estimate(statistic, scores=["mig", "sap"], objectives=["beta_tcvae", "beta_vae"]).at(0.95)
    known = jackknife(lambda kept: 2 * kept.mean() + 100, 3).at(0.95)
    assert (estimate.value, estimate.n) == (known.value, 3)
    assert (estimate.low, estimate.high) == pytest.approx((known.low, known.high))
    assert seen[1]["sap", "beta_vae"] == [1, 2]
    assert seen[1]["mig", "beta_tcvae"] == [101, 102]


def test_several_statistics_have_the_intervals_of_each_alone(population):
    wanted = {"scores": ["mig", "sap"], "objectives": ["beta_vae"]}
    both = population.estimates(lambda tables: [table.mean() for table in tables.values()], **wanted)
    for score, found in zip(("mig", "sap"), both, strict=True):
        alone = population.estimate(lambda tables, s=score: float(tables[s, "beta_vae"].mean()), **wanted)
        assert (found.value, found.n) == (alone.value, alone.n)
        assert (found.at(0.95).low, found.at(0.95).high) == pytest.approx((alone.at(0.95).low, alone.at(0.95).high))


def partly_scored(lacks: dict[str, set[int]]) -> pd.DataFrame:
    rows = rows_of()
    for score, seeds in lacks.items():
        rows.loc[(rows["score"] == score) & rows["seed"].isin(seeds), "value"] = np.nan
    return rows


def test_what_asks_for_a_score_that_some_seeds_lack_is_asked_again_of_the_others():
    population = Population("tiny", partly_scored({"sap": {1, 2}}))
    given, asked = {"one": population, "pair": PopulationPair(population, population), "other": 3}, []

    def statistic(one, pair, other):
        asked.append(len(one.seeds()))
        return [part.scores("sap", "beta_vae").tolist() for part in (one, *pair.parts)]

    assert population.scores("mig", "beta_vae").shape == (3, 3)
    with pytest.raises(PartlyScored, match="tiny has sap of some seeds alone"):
        population.scores("sap", "beta_vae")
    assert on_scored_seeds(statistic, given) == [[[0, 0, 0]]] * 3
    assert asked == [3, 1]
    assert given["one"] is population.having("sap")
    assert given["one"].deviations == ("2 of 3 complete seeds left out, of which sap was not computed",)
    assert population.having("mig").seeds().tolist() == [0, 1, 2]
    assert population.having("mig").deviations == ()
    with pytest.raises(PartlyScored):  # what is no argument cannot be cut, and is not asked for ever
        on_scored_seeds(lambda one: population.scores("sap", "beta_vae"), {"one": population})


def test_each_part_of_a_pair_is_cut_for_itself():
    first, second = (Population(name, partly_scored({"sap": lacks})) for name, lacks in (("one", {1, 2}), ("two", {0})))
    pair = PopulationPair(first, second)
    assert [part.seeds().tolist() for part in pair.having("sap").parts] == [[0], [1, 2]]
    both = [(part.name, part.objectives) for part in pair.of(["beta_vae"]).parts]
    assert both == [("one", ["beta_vae"]), ("two", ["beta_vae"])]


def test_seeds_that_lack_a_score_are_left_out_with_those_that_diverged_and_leave_the_settings_as_they_are():
    rows = partly_scored({"sap": {1}, "mig": {0}})
    gone = (rows["seed"] == 2) & (rows["strength"] == 4)
    population = Population("tiny", rows.assign(status=np.where(gone, "diverged", "done")))
    assert population.seeds().tolist() == [0, 1]
    found = population.having("sap")
    assert found.seeds().tolist() == found.seeds("beta_vae").tolist() == [0]
    assert found.strengths("beta_vae").tolist() == [1, 2, 4]
    assert found.deviations == ("1 of 2 complete seeds left out, of which sap was not computed",)
    made = OnDemand(lambda: population).having("sap").having("mig")
    with pytest.raises(EvidenceLacking):
        made()
    assert made.made == [found]


def test_scores_that_no_seed_has_together_are_lacking():
    population = Population("tiny", partly_scored({"sap": {1, 2}, "mig": {0}}))
    with pytest.raises(EvidenceLacking, match="tiny has no seed of which all that is asked for was scored: mig"):
        on_scored_seeds(lambda p: [p.scores(s, "beta_vae") for s in ("sap", "mig")], {"p": population})


def test_arrays_and_agreements_are_cut_to_the_seeds_that_have_them():
    table = rows_of()
    runs = table.drop_duplicates("run")
    seeds = runs["seed"].to_numpy()
    values = np.where(seeds[:, None] == 1, np.nan, seeds[:, None] + np.array([0.0, 0.5]))
    agreements = {"beta_tcvae": np.add.outer([0, 1, 2] * 2, [0.0] * 6).astype(np.float32)}
    population = Population("tiny", table, arrays=RunArrays(tuple(runs["run"]), {"nk.factor": values}, agreements))
    with pytest.raises(PartlyScored):
        population.array("nk.factor", "beta_vae")
    found = population.having("nk.factor")
    assert found.array("nk.factor", "beta_vae").tolist() == [[[0, 0.5]] * 3, [[2, 2.5]] * 3]
    assert agreements_of(found, "beta_tcvae")[:, :, 0, 0].tolist() == [[0, 0], [2, 2]]


def test_agreements_are_those_of_the_largest_part_of_the_seeds_that_was_compared():
    table, seeds = rows_of(), np.array([0, 1, 2] * 2)
    table = table[table["objective"] == "beta_tcvae"]
    whole = np.add.outer(seeds, np.zeros(6)).astype(np.float32)

    def population(part):
        compared = np.where(np.equal.outer(part, part), whole, np.nan)
        return Population("tiny", table, arrays=RunArrays(agreements={"beta_tcvae": compared}))

    found = on_scored_seeds(lambda p: agreements_of(p, "beta_tcvae"), {"p": population(seeds == 1)})
    assert found[:, :, 0, 0].tolist() == [[0, 0], [2, 2]]
    assert population(seeds).having(AGREEMENTS).seeds().tolist() == [0]  # of several as large the first
    assert Population("tiny", table).having(AGREEMENTS).seeds().tolist() == [0, 1, 2]


def test_a_population_without_a_complete_seed_is_refused():
    empty = Population("tiny", rows_of(lambda key: key.strength == 4))
    with pytest.raises(EvidenceLacking, match="tiny must have 1 or more complete seeds, got 0"):
        empty.estimate(lambda tables: 0.0, scores=["mig"], objectives=["beta_vae"])
    with pytest.raises(EvidenceLacking, match="tiny has no seed with all strengths of beta_vae"):
        empty.scores("mig", "beta_vae")


def test_unknown_scores_and_objectives_are_told_the_nearest(population):
    with pytest.raises(EvidenceLacking, match=r"^tiny holds no score 'migg'; did you mean 'mig'\?$"):
        population.scores("migg", "beta_vae")
    with pytest.raises(UnknownName, match="did you mean 'beta_vae'"):
        population.strengths("betavae")


def test_a_pair_names_both_tables_and_each_deviation_once(population):
    pair = PopulationPair(population, Population("other", population.table, ("small", "grey")))
    first = PopulationPair(Population("tiny", population.table, ("small",)), pair.target)
    assert (pair.name, first.deviations) == ("tiny and other", ("small", "grey"))


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
    with pytest.raises(DamagedData, match="deviations of the profile must be a list of text"):
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


@pytest.mark.parametrize(
    ("role", "roles", "everywhere"),
    [("primary", {}, True), ("cell", {"x": "primary"}, True), ("cell", {}, False), ("probe", {}, False)],
)
def test_cells_and_probes_are_judged_on_the_nearest_table_and_primaries_on_all(
    claim_files, cards, role, roles, everywhere
):
    primary = next(card for card in cards if card.evidence == "zoo" and card.role == "primary")
    card = replace(primary, role=role, roles=roles)
    asked = {}
    claim_files["conftest"].pytest_generate_tests(
        SimpleNamespace(
            fixturenames=["unsupervised", "evidence_folder"],
            config=SimpleNamespace(getoption=lambda name: None),
            definition=SimpleNamespace(obj=card.covers(lambda unsupervised: None)),
            parametrize=lambda name, values, ids: asked.update({name: ids}),
        )
    )
    nearest, *others = asked["evidence_folder"]
    assert nearest == "micro-dsprites_grid_16"
    swept = {folder.name for folder in evidence_folders() if folder.name.startswith(("micro", "small", "full"))}
    assert set(others) == (swept - {nearest} if everywhere else set())


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


def test_units_outside_are_left_out_of_each_population_that_a_test_is_given(population):
    gone, *left = population.objectives
    given = {"one": population, "pair": PopulationPair(population, population), "other": 3}
    inside = judge._inside(given, [gone])
    assert inside["one"].objectives == left
    assert [part.objectives for part in inside["pair"].parts] == [left] * 2
    assert inside["other"] == 3
    assert judge._inside(given, population.objectives) == {}
