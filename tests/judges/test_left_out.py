"""Tables of models trained without a combination, read together: a unit for each combination."""

import json
from dataclasses import replace

import pandas as pd
import pytest
from simulation import table_of

from dbench.data.held_out import paper_splits
from dbench.errors import EvidenceLacking, InvalidInput
from dbench.estimates.evidence import evidence_folders, left_out_folders, load_left_out
from dbench.zoo.complete import write_table
from dbench.zoo.profiles import NOVEL, Sweep

SPLITS = paper_splits("dsprites_grid_16")[:3]
STUDY = replace(
    NOVEL, first_seed=0, sweeps=(Sweep("beta_vae", (1.0, 4.0)), Sweep("mtd", (10.0,))), seeds=3, deviations=("few",)
)


def write(root, diverged=lambda key: False):
    """Write a table for each combination; a score spells combination, strength and seed out."""
    for number, data in enumerate(SPLITS):
        study = replace(STUDY, data=(data,))
        table = table_of(study, lambda key, n=number: {"mig": 100 * n + 10 * key.strength + key.seed}, diverged)
        write_table(root / f"novel-{data}", table, study, rules={"same": "a", "moved": f"{number}"})
    return left_out_folders(evidence_folders(root))


def test_combinations_are_units_and_runs_are_numbered_by_strength_and_seed(tmp_path):
    ((name, folders),) = write(tmp_path).items()
    study = load_left_out(name, folders)
    assert (study.name, study.objectives, study.score_names) == ("novel-dsprites_grid_16", ["beta_vae", "mtd"], ["mig"])
    assert study.seeds().tolist() == [0, 1, 2]
    assert study.table.index.is_unique
    # By name: shape 0, shape 1 (written last), shape 2.
    assert study.scores("mig", "mtd").tolist() == [[100.0, 101, 102], [300.0, 301, 302], [200.0, 201, 202]]
    assert study.scores("mig", "beta_vae")[0].tolist() == [10.0, 11, 12, 40, 41, 42]
    # Columns hold what they are called: without strength and seed a value is what its combination adds.
    rest = study.table["value"] - 10 * study.table["strength"] - study.table["seed"]
    assert [set(values) for _, values in rest.groupby(study.table["combination"])] == [{0.0}, {200.0}, {100.0}]
    assert study.deviations == ("few", "3 combinations are the units, with 3 seeds each")
    assert study.rules == {"same": "a"}  # those in force when every table was scored


def test_every_combination_has_as_many_seeds_as_the_one_of_fewest(tmp_path):
    lost = write(tmp_path, lambda key: (key.data, key.objective, key.seed) == (SPLITS[1], "mtd", 0))
    study = load_left_out("study", lost["novel-dsprites_grid_16"])
    assert study.seeds().tolist() == [0, 1, 2]
    assert study.scores("mig", "mtd").tolist() == [[100.0, 101], [300.0, 301], [201.0, 202]]
    assert study.scores("mig", "beta_vae")[2].tolist() == [111.0, 112, 141, 142]
    assert study.deviations[-1] == "3 combinations are the units, with 2 seeds each"


def test_without_a_complete_seed_a_claim_is_left_open(tmp_path):
    lost = write(tmp_path, lambda key: (key.data, key.strength) == (SPLITS[0], 4.0))
    with pytest.raises(EvidenceLacking, match=r"study needs a complete seed without each combination, got none"):
        load_left_out("study", lost["novel-dsprites_grid_16"])
    with pytest.raises(EvidenceLacking):
        load_left_out("none", ())


@pytest.mark.parametrize("otherwise", ["batch size", "strength", "learning rate"])
def test_tables_of_one_combination_or_trained_otherwise_are_no_study(tmp_path, otherwise):
    (folders,) = write(tmp_path).values()
    with pytest.raises(InvalidInput, match="study must have one table of each combination"):
        load_left_out("study", [*folders, folders[0]])
    manifest = json.loads((folders[1] / "manifest.json").read_text())
    if otherwise == "batch size":
        manifest["profile"]["batch_size"] += 1
    elif otherwise == "strength":
        manifest["profile"]["sweeps"][0]["strengths"][0] += 1
    else:
        manifest["profile"]["sweeps"][1]["learning_rate"] = 0.01
    (folders[1] / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InvalidInput, match="study must have tables of runs that were trained alike"):
        load_left_out("study", folders)


def test_only_combinations_of_one_profile_and_data_set_make_a_study(tmp_path):
    tables = {
        "a": ("micro", "dsprites_grid_16"),
        "b": ("novel", "dsprites_grid_16-without-shape2-scale3"),
        "c": ("novel", "dsprites_grid_16-without-random0"),
        "d": ("own", "dsprites_grid_16-without-shape2-scale3"),
        "e": ("novel", "dsprites_grid_16-without-shape0-scale0"),
        "g": ("novel", "dsprites_grid_16-without-Shape!"),
        "b-fresh": ("novel", "dsprites_grid_16-without-shape2-scale3"),
    }
    for name, (profile, data) in tables.items():
        (tmp_path / name).mkdir()
        pd.DataFrame({"profile": [profile], "data": [data]}).to_parquet(tmp_path / name / "runs.parquet")
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "runs.parquet").write_bytes(b"no table")
    found = left_out_folders(evidence_folders(tmp_path))
    assert {name: [folder.name for folder in folders] for name, folders in found.items()} == {
        "novel-dsprites_grid_16": ["b", "e"],
        "novel-dsprites_grid_16-fresh": ["b-fresh"],
        "own-dsprites_grid_16": ["d"],
    }
