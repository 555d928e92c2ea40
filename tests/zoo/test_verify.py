"""``dbench zoo verify``: runs retrained from their keys alone, held against a table."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from rounding import PLAINEST

from dbench.errors import DamagedData, EvidenceLacking, InvalidInput
from dbench.training.execution import device_name
from dbench.zoo import scorers, verify
from dbench.zoo.complete import build_table, write_table
from dbench.zoo.profiles import find_profile
from dbench.zoo.score import score_one
from dbench.zoo.store import Store


@pytest.fixture(scope="module", autouse=True)
def cheap_scorers():
    few = {name: scorers.SCORERS[name] for name in ("posterior", "gaussian_tc", "mig")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scorers, "SCORERS", few)
        yield


@pytest.fixture(scope="module")
def true_table(trained, short, tmp_path_factory):
    store, folder = Store(tmp_path_factory.mktemp("store")), tmp_path_factory.mktemp("evidence")
    trained(store, short)
    for key in short.runs():
        score_one(store, key)
    table, _ = build_table(store, short.runs(), short, {key.digest: {"udr.lasso": 0.5} for key in short.runs()})
    write_table(folder, table, short)
    return folder


@pytest.fixture
def in_process(monkeypatch, trained, short):
    """Let verify train and score in this process."""

    def train(store, keys, **_):
        trained(store, short)
        return SimpleNamespace(cancelled=False)

    def score(store, keys, **_):
        for key in keys:
            score_one(store, key)
        return SimpleNamespace(cancelled=False)

    monkeypatch.setattr(verify, "train_runs", train)
    monkeypatch.setattr(verify, "score_runs", score)


@pytest.fixture
def evidence(true_table, in_process, tmp_path):
    return Path(shutil.copytree(true_table, tmp_path / "evidence"))


@pytest.fixture
def edit(evidence, short):
    """Write the table again, changed."""
    return lambda change: write_table(evidence, change(pd.read_parquet(evidence / "runs.parquet")), short)


@pytest.fixture
def one_turn(monkeypatch):
    """Let few starts tell what rounding does."""
    monkeypatch.setattr("dbench.zoo.tolerance._TURNS", 1)


def _with(value, **rows):
    """Replace the value of the rows that have these entries by what is computed from it."""

    def change(table):
        chosen = np.logical_and.reduce([table[name] == wanted for name, wanted in rows.items()])
        return table.assign(value=table["value"].mask(chosen, value(table["value"])))

    return change


def test_a_true_table_is_verified_to_the_last_bit(evidence):
    comparison = verify.verify_runs(evidence, number=2, seed=3)
    assert comparison["run"].nunique() == 2
    assert (comparison["result"] == "same").all()
    assert not any(name.startswith("udr") for name in comparison["score"])
    # Each run is held to the spread of its own setting.
    assert comparison.loc[comparison["score"] == "elbo", "tolerance"].nunique() == 2


def test_a_table_that_was_rounded_otherwise_is_verified(evidence, edit):
    edit(lambda table: table.assign(value=table["value"] * (1 + 1e-7)))
    comparison = verify.verify_runs(evidence, number=1)
    assert set(comparison.loc[comparison["table"] != 0, "result"]) == {"agrees", "not tested"}


@pytest.mark.parametrize(("score", "shift"), [("mig", 3.0), ("loss.100", 0.5)])
def test_a_forged_value_does_not_agree(evidence, edit, one_turn, score, shift):
    edit(_with(lambda value: value + shift, score=score))
    comparison = verify.verify_runs(evidence, number=1, seed=3)
    wrong = comparison[comparison["result"] != "same"]
    assert (set(wrong["score"]), set(wrong["result"])) == ({score}, {"differs"})


@pytest.mark.parametrize(
    ("wrong", "of", "else_", "score", "result"),
    [
        (2, 100, "agrees", "s", "outlier"),
        (3, 100, "agrees", "s", "differs"),  # more than true reruns have
        (1, 100, "same", "s", "differs"),  # the run itself, to the last bit: a score that differs was changed
        (1, 100, "agrees", "loss.100", "differs"),  # which rounding alone is asked of
    ],
)
def test_another_draw_may_have_a_few_scores_beyond(evidence, monkeypatch, wrong, of, else_, score, result):
    frame = pd.DataFrame({"score": [score, *(f"t{i}" for i in range(of - 1))], "result": else_})
    frame.loc[: wrong - 1, "result"] = "differs"
    monkeypatch.setattr(verify, "_compared", lambda *_: frame)
    comparison = verify.verify_runs(evidence, number=1)
    assert comparison["result"].tolist() == [result] * wrong + [else_] * (of - wrong)


def test_a_score_that_a_seed_lacks_is_not_compared(evidence, edit, short):
    edit(_with(lambda _: np.nan, score="mig", seed=1))
    comparison = verify.verify_runs(evidence, number=4, seed=3)
    with_mig = {key.digest for key in short.runs() if key.seed != 1}
    assert set(comparison.loc[comparison["score"] == "mig", "run"]) == with_mig < set(comparison["run"])


def test_a_comparison_lists_what_differs_and_of_the_rest_the_furthest(console):
    results = ["same"] * 5 + ["agrees", "agrees", "not tested", "differs", "outlier"]
    comparison = pd.DataFrame({"name": "beta_vae 1 seed 0", "score": [f"kl.{i}" for i in range(10)], "result": results})
    comparison["difference"] = [0, 0, 0, 0, 0, 1e-5, 5e-4, 1e-6, 0.5, 0.5]
    comparison = comparison.assign(table=1.0, retrained=1 + comparison["difference"], tolerance=1e-3)
    console.print(verify.comparison_table(comparison))
    assert [" ".join(line.split()) for line in console.file.getvalue().splitlines()] == [
        "run score table retrained difference tolerance",
        "beta_vae 1 seed 0 kl.0 1 1 0 0.001 same, 4 more",
        "beta_vae 1 seed 0 kl.6 1 1.0005 0.0005 0.001 agrees, 1 more",
        "beta_vae 1 seed 0 kl.7 1 1 1e-06 0.001 not tested: seeds differ as much as the table",
        "beta_vae 1 seed 0 kl.8 1 1.5 0.5 0.001 differs",
        "beta_vae 1 seed 0 kl.9 1 1.5 0.5 0.001 beyond, as a few of a true rerun",
    ]


@pytest.mark.parametrize(("step", "later"), [("train_runs", ["score_runs"]), ("score_runs", [])])
def test_a_stopped_verification_says_nothing_of_the_table(evidence, monkeypatch, step, later):
    monkeypatch.setattr(verify, step, lambda *_, **__: SimpleNamespace(cancelled=True))
    for name in later:
        monkeypatch.setattr(verify, name, lambda *_, **__: pytest.fail("went on after it was stopped"))
    with pytest.raises(KeyboardInterrupt):
        verify.verify_runs(evidence, number=1)


def test_the_seed_decides_which_runs_are_verified(evidence):
    table = pd.read_parquet(evidence / "runs.parquet")
    choices = {tuple(verify.choose_runs(table, number=2, seed=seed)) for seed in range(20)}
    assert len(choices) > 3
    assert verify.choose_runs(table, number=2, seed=1) == verify.choose_runs(table, number=2, seed=1)
    with pytest.raises(InvalidInput, match="number must lie between 1 and the 4 runs"):
        verify.choose_runs(table, number=5, seed=0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.assign(data_sha256="0" * 64), "another version of dsprites_grid_16"),
        (lambda table: table[table["seed"] == 0], "two seeds of some setting"),
    ],
)
def test_what_the_table_alone_tells_is_told_before_anything_is_trained(evidence, edit, monkeypatch, change, message):
    monkeypatch.setattr(verify, "train_runs", lambda *_, **__: pytest.fail("trained"))
    edit(change)
    with pytest.raises((InvalidInput, DamagedData), match=message):
        verify.verify_runs(evidence, number=1)


def test_scores_that_are_not_computed_here_are_refused(evidence, edit):
    edit(lambda table: table.replace("mig", "other"))
    with pytest.raises(InvalidInput, match="this version computes, got other"):
        verify.verify_runs(evidence, number=1)


def test_a_run_that_diverged_in_the_table_alone_does_not_agree(evidence, edit, short):
    digest = short.runs()[0].digest
    edit(_with(lambda _: np.nan, run=digest))
    edit(lambda table: table.assign(status=table["status"].mask(table["run"] == digest, "diverged")))
    comparison = verify.verify_runs(evidence, number=4)
    found = comparison[comparison["run"] == digest]
    assert (found["score"].tolist(), found["result"].tolist()) == (["status"], ["differs"])
    assert set(comparison.loc[comparison["run"] != digest, "result"]) == {"same"}


def test_a_start_is_trained_for_as_long_as_the_table_has_early_losses(evidence, monkeypatch):
    over = []

    def train(keys, each_block):
        over.append(each_block(SimpleNamespace(step=100, loss=[1.0])))

    monkeypatch.setattr(verify, "train_keys", train)
    verify.verify_start(evidence)
    assert over == [True]  # runs of a hundred steps have no other


def test_the_start_of_a_run_is_verified_by_its_early_losses(evidence, edit, one_turn):
    def compared():
        return verify.verify_start(evidence, seed=1).set_index("score")["result"].to_dict()

    assert compared() == {"loss.100": "same"}  # runs of a hundred steps have no other
    edit(_with(lambda value: 1.001 * value, score="loss.100"))
    assert compared() == {"loss.100": "differs"}
    edit(lambda table: table[table["score"] != "loss.100"])
    with pytest.raises(EvidenceLacking, match=r"a run that is done and has loss\.100 or loss\.1000, got none"):
        compared()


@pytest.mark.nightly
def test_evidence_made_with_plainer_instructions_is_verified(in_process, short, spell, tmp_path):
    """Another processor rounds otherwise: nothing is the same to the last bit, and everything agrees."""
    store, file = Store(tmp_path / "store"), spell(short, tmp_path / f"{short.name}.toml")
    train = [sys.executable, "-m", "dbench", "zoo", "train", "--profile", file, "--store", store.url, "--workers", "1"]
    subprocess.run(train, env=os.environ | PLAINEST, check=True)
    profile = find_profile(file)
    for key in profile.runs():
        score_one(store, key)
    table, _ = build_table(store, profile.runs(), profile)
    write_table(tmp_path / "evidence", table, profile)
    comparison = verify.verify_runs(tmp_path / "evidence", number=4)
    assert "differs" not in set(comparison["result"]), comparison.to_string()
    early = comparison[comparison["score"] == "loss.100"]
    assert (early["difference"] < early["table"] * 1e-5).all()
    assert verify.verify_start(tmp_path / "evidence")["result"].tolist() != ["differs"]
    if set(table["device"]) != {device_name("cpu")}:  # where there is something plainer than what is used here
        assert set(comparison["result"]) != {"same"}
