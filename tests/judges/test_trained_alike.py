"""Which tables were trained alike, whatever their manifests leave out, and what is read and told of tables in part."""

import json
from dataclasses import replace

import pandas as pd
import pytest
from simulation import table_of

from dbench.estimates.evidence import (
    describe_evidence,
    evidence_pairs,
    load_left_out,
    load_population,
    whole_data_folders,
)
from dbench.zoo.complete import write_table
from dbench.zoo.profiles import Profile, Sweep

DATA = ("dsprites_grid_16", "color_dsprites_grid_16")
SWEEPS = [
    {"objective": "beta_vae", "strengths": [1.0, 4.0]},
    {"objective": "mtd", "strengths": [1.0, 2.0], "learning_rate": 0.5, "data": list(DATA)},
]
PLAIN = {"network": "mlp", "steps": 10, "batch_size": 8, "learning_rate": 1e-3, "sweeps": SWEEPS}


def write(root, name, data, profile=PLAIN, runs=1):
    """Write as much of a table as tells what it was trained on, and its manifest."""
    (root / name).mkdir(exist_ok=True)
    pd.DataFrame({"profile": ["own"], "data": [data]}).to_parquet(root / name / "runs.parquet")
    manifest = {"schema": 2, "sha256": "", "runs": runs, "scores": [], "key_schema": 1, "profile": profile}
    (root / name / "manifest.json").write_text(json.dumps(manifest | {"arrays": {"sha256": "", "shapes": {}}}))
    return root / name


def changed(number, **fields):
    return {"sweeps": [sweep | fields if n == number else sweep for n, sweep in enumerate(SWEEPS)]}


ELSEWHERE = {"objective": "beta_vae", "strengths": [9.0, 10.0], "data": ["shapes3d"]}


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        ({}, True),
        # What profiles of before a field leave out is its default.
        ({"likelihood_factor": 1.0, "cooldown": 0.0}, True),
        (changed(0, constants=[], network="", learning_rate=0.0), True),
        (changed(0, data=[]), True),
        (changed(0, seeds=99), True),
        ({"sweeps": [*SWEEPS, ELSEWHERE]}, True),
        ({"deviations": ["words"], "seeds": 99}, True),
        *(({name: value}, False) for name, value in {"network": "conv", "steps": 11, "batch_size": 9}.items()),
        ({"learning_rate": 1.0}, False),
        ({"likelihood_factor": 2.0}, False),
        ({"cooldown": 0.5}, False),
        (changed(0, strengths=[1.0, 5.0]), False),
        (changed(0, objective="beta_tcvae"), False),
        (changed(0, constants=[["warmup", 3]]), False),
        (changed(0, network="conv"), False),
        (changed(0, learning_rate=0.5), False),
        (changed(1, learning_rate=0.25), False),
        (changed(1, data=["shapes3d"]), False),
        ({"sweeps": SWEEPS[:1]}, False),
    ],
)
def test_tables_make_a_pair_where_what_moves_weights_is_the_same(tmp_path, other, alike):
    first, second = (write(tmp_path, name, data) for name, data in zip("ab", DATA, strict=True))
    assert evidence_pairs([second, first]) == [(second, first)]  # by the name of the data
    write(tmp_path, "b", DATA[1], PLAIN | other)
    assert bool(evidence_pairs([first, second])) is alike


def test_of_tables_of_one_data_set_that_of_most_models_comes_first_and_one_that_cannot_be_read_has_none(tmp_path):
    tables = [("b", DATA[1], 0), ("c", DATA[0], 1), ("d", DATA[0], 5), ("e", DATA[0], 3)]
    folders = [write(tmp_path, name, data, runs=runs) for name, data, runs in tables]
    unread = write(tmp_path, "a", DATA[0], runs=9)
    (unread / "manifest.json").write_text("damaged")
    assert [folder.name for folder in whole_data_folders([unread, *folders])] == list("decab")


def two_sweeps(tmp_path, name="part", data="dsprites_grid", **fields):
    sweeps = (Sweep("beta_vae", (1.0, 2.0)), Sweep("mtd", (1.0,), seeds=2))
    profile = Profile(name, (data,), "mlp", sweeps, steps=10, batch_size=8, learning_rate=1e-3, seeds=4, **fields)
    return table_of(profile, lambda key: {"mig": 0.0}), profile


def test_a_report_tells_the_most_seeds_and_steps_of_a_setting(tmp_path):
    rows, profile = two_sweeps(tmp_path)
    longer = table_of(replace(profile, steps=20, sweeps=profile.sweeps[1:]), lambda key: {"mig": 0.0})
    rows = pd.concat([rows[rows["objective"] == "beta_vae"], longer], ignore_index=True)
    found = describe_evidence(write_table(tmp_path / "part", rows, profile).parent)
    assert [found[name] for name in ("seeds", "steps", "models", "deviations")] == [4, 20, 10, []]


def test_objectives_that_are_read_alone_are_rows_like_any_others(tmp_path):
    folder = write_table(tmp_path / "part", *two_sweeps(tmp_path)).parent
    whole, alone = load_population(folder).table, load_population(folder, objectives=["mtd"]).table
    assert alone.columns.tolist() == whole.columns.tolist()
    assert alone.index.tolist() == [0, 1]


def test_one_combination_alone_is_a_study_and_rules_of_all_its_tables_are_its_own(tmp_path):
    rows, profile = two_sweeps(tmp_path, data="dsprites_grid_16-without-shape2-scale3", deviations=("few",))
    folder = write_table(tmp_path / "part", rows, replace(profile, name="novel"), rules={"card": "a"}).parent
    study = load_left_out("study", [folder])
    assert (study.seeds().tolist(), study.rules, study.unit, study.setting) == (
        [0],
        {"card": "a"},
        "combination",
        "run_number",
    )
    assert study.scores("mig", "mtd").shape == (1, 2)
