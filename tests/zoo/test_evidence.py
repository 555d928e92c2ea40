from importlib.resources import as_file, files

import pytest
import torch

from dbench.training import State, train
from dbench.zoo.engine import EARLY, images_of, member_of, network_of, settings_of, training_images
from dbench.zoo.profiles import find_profile
from dbench.zoo.table import load_manifest, load_runs, run_keys
from dbench.zoo.verify import choose_runs

# Pinned here as well as in the manifest, so that editing both files of a folder does not go unseen.
SHA256 = {
    "micro-color_dsprites_grid_16": "cfb7952b728468588bfc6eb11bf594b4a5587a26e04a57a95d127e4561edcff6",
    "micro-dsprites_grid_16": "69ca82f50111cec06eeb63567a71f83d10ca3037e610d9caf6ad40e98ab5da58",
    "novel-dsprites_grid_16-without-shape0-scale0": "d2204888c27a7b7de81e0c6bd390e2f14367ffc52f5d1a6345b8ad47af7ca7ed",
    "novel-dsprites_grid_16-without-shape1-scale2": "ca5c9feefa5f8b618e138508df1b02dde95e2a49c0a4d3d8e1dc6f8b95c37774",
    "novel-dsprites_grid_16-without-shape1-scale3": "eedbc8b397050baaf70cd854437bc6b32252ff14793043941adc1d6109a4e2b7",
    "novel-dsprites_grid_16-without-shape2-scale3": "83ed7cad80c6cd7a87b299d2555f45d32ca552464aa1cd5a6c8853d2336d1828",
    "novel-dsprites_grid_16-without-shape2-scale5": "09d101f6acda873c1d89ddf341b5ae5421e89550642ac27083e470abcf200893",
}


@pytest.fixture(params=sorted(SHA256))
def folder(request: pytest.FixtureRequest):
    with as_file(files("dbench_fixtures") / "evidence" / request.param) as path:
        yield path


def test_shipped_evidence_is_whole_and_of_the_profile_it_names(folder):
    table, manifest = load_runs(folder), load_manifest(folder)
    profile, trained = find_profile(manifest["profile"]["name"]), manifest["profile"]
    objectives = {sweep["objective"] for sweep in trained["sweeps"]}
    # The profile may have grown since: what was trained then must still be trained in the same way.
    assert set(run_keys(table, manifest).values()) == set(
        profile.runs(data=table["data"].unique(), objectives=objectives)
    )
    assert set(manifest["scores"]) == set(table["score"])
    assert all(score.startswith("udr.") for score in manifest["scores"] if score not in manifest["tolerance"])
    assert set(table["status"]) == {"done"}


def test_shipped_evidence_is_the_one_that_was_reviewed(folder):
    assert load_manifest(folder)["sha256"] == SHA256[folder.name]


def test_shipped_runs_come_from_clean_code(folder):
    table = load_runs(folder)
    assert not table["commit"].str.contains("dirty").any()


def test_shipped_models_have_learnt_something(folder):
    table = load_runs(folder)
    assert table.loc[table["score"] == "mig", "value"].max() > 0.15


def test_a_shipped_run_starts_as_the_table_says(folder):
    """The cheap part of verification: a changed engine, network or key shows within a hundred steps."""
    table, manifest = load_runs(folder), load_manifest(folder)
    told = table[table["score"] == f"loss.{EARLY[0]}"].set_index("run")["value"]
    tolerance = manifest["tolerance"][f"loss.{EARLY[0]}"]
    for run in choose_runs(table, number=2, seed=11):
        key = run_keys(table, manifest)[run]
        data, images = images_of(key.data)
        state: State = train(
            [member_of(key)],
            training_images(data, images),
            network_of(key, data),
            steps=key.steps,
            each_block=lambda state: state.step >= EARLY[0],
            **settings_of([key], data),
        )
        assert torch.isfinite(state.loss).all()
        assert float(state.loss[0]) == pytest.approx(told[run], abs=tolerance)
