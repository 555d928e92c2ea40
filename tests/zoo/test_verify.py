"""``dbench zoo verify``: runs retrained from their keys alone, held against a table."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from rounding import PLAINEST

from dbench.errors import DamagedData, EvidenceLacking, InvalidInput
from dbench.training.execution import device_name
from dbench.zoo import scorers, verify
from dbench.zoo.complete import build_table, write_table
from dbench.zoo.score import score_one


@pytest.fixture
def in_process(monkeypatch, trained, short):
    """Let verify train and score in this process, on the cheap scorers."""
    few = {name: scorers.SCORERS[name] for name in ("posterior", "gaussian_tc", "mig")}
    monkeypatch.setattr(scorers, "SCORERS", few)

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
def evidence(store, short, trained, in_process, tmp_path):
    trained(store, short)
    for key in short.runs():
        score_one(store, key)
    table, _ = build_table(store, short.runs(), short, {key.digest: {"udr.lasso": 0.5} for key in short.runs()})
    write_table(tmp_path / "evidence", table, short)
    return tmp_path / "evidence"


def test_a_true_table_is_verified_to_the_last_bit(evidence):
    comparison = verify.verify_runs(evidence, number=2, seed=3)
    assert comparison["run"].nunique() == 2
    assert (comparison["result"] == "same").all()
    assert not any(name.startswith("udr") for name in comparison["score"])
    # Each run is held to the spread of its own setting.
    assert comparison.loc[comparison["score"] == "elbo", "tolerance"].nunique() == 2


@pytest.mark.parametrize(
    ("score", "shift", "result"), [("mig", 3.0, "differs"), ("loss.100", 0.5, "differs"), ("mig", 1e-6, "not tested")]
)
def test_a_forged_value_does_not_agree(evidence, forge, score, shift, result):
    table = pd.read_parquet(evidence / "runs.parquet")
    table.loc[table["score"] == score, "value"] += shift
    table.to_parquet(evidence / "runs.parquet")
    forge(evidence)
    comparison = verify.verify_runs(evidence, number=1, seed=3)
    wrong = comparison[comparison["result"] != "same"]
    assert (set(wrong["score"]), set(wrong["result"])) == ({score}, {result})


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


def test_a_score_that_a_seed_lacks_is_not_compared(evidence, forge):
    table = pd.read_parquet(evidence / "runs.parquet")
    lacks = (table["score"] == "mig") & (table["seed"] == table["seed"].max())
    table.loc[lacks, "value"] = float("nan")
    table.to_parquet(evidence / "runs.parquet")
    forge(evidence)
    comparison = verify.verify_runs(evidence, number=4, seed=3).set_index("run")
    with_mig = set(comparison.index[comparison["score"] == "mig"])
    assert set(comparison.index) - with_mig == set(table.loc[lacks, "run"]) != set()
    assert with_mig


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
    ("change", "error", "message"),
    [
        (lambda table: table.assign(data_sha256="0" * 64), DamagedData, "another version of dsprites_grid_16"),
        (lambda table: table.replace("mig", "other"), InvalidInput, "this version computes, got other"),
    ],
)
def test_a_table_of_other_data_or_scores_than_there_are_here_is_refused(evidence, short, change, error, message):
    write_table(evidence, change(pd.read_parquet(evidence / "runs.parquet")), short)
    with pytest.raises(error, match=message):
        verify.verify_runs(evidence, number=1)


@pytest.mark.parametrize("change", [{"seed": 7}, {"data_sha256": "0" * 64}])
def test_what_the_table_alone_tells_is_told_before_anything_is_trained(evidence, monkeypatch, change):
    monkeypatch.setattr(verify, "train_runs", lambda *_, **__: pytest.fail("trained"))
    table, manifest = verify.load_runs(evidence), verify.load_manifest(evidence)
    known = verify.run_keys(table, manifest)
    table = table[table["seed"] == table["seed"].min()] if "seed" in change else table.assign(**change)
    monkeypatch.setattr(verify, "load_runs", lambda _: table)
    monkeypatch.setattr(verify, "load_arrays", lambda *_: SimpleNamespace(with_rows=lambda rows: rows))
    monkeypatch.setattr(verify, "run_keys", lambda *_: known)
    with pytest.raises((InvalidInput, DamagedData), match=r"two seeds of some setting|another version"):
        verify.verify_runs(evidence, number=1)


def test_a_run_that_diverged_in_the_table_alone_does_not_agree(evidence, short):
    table = pd.read_parquet(evidence / "runs.parquet")
    key = short.runs()[0]
    table.loc[table["run"] == key.digest, ["status", "value"]] = ["diverged", float("nan")]
    write_table(evidence, table, short)
    comparison = verify.verify_runs(evidence, number=4)
    found = comparison[comparison["run"] == key.digest]
    assert (found["score"].tolist(), found["result"].tolist()) == (["status"], ["differs"])
    assert set(comparison.loc[comparison["run"] != key.digest, "result"]) == {"same"}


def test_the_start_of_a_run_is_verified_by_its_early_losses(evidence, short):
    comparison = verify.verify_start(evidence, seed=1)
    assert comparison["score"].tolist() == ["loss.100"]  # runs of a hundred steps have no other
    assert comparison["result"].tolist() == ["same"]
    table = pd.read_parquet(evidence / "runs.parquet")
    table.loc[table["score"] == "loss.100", "value"] *= 1.001
    write_table(evidence, table, short)
    assert verify.verify_start(evidence, seed=1)["result"].tolist() == ["differs"]
    write_table(evidence, table[table["score"] != "loss.100"], short)
    with pytest.raises(EvidenceLacking, match=r"a run that is done and has loss\.100 or loss\.1000, got none"):
        verify.verify_start(evidence)


_TRAIN = """
import sys
from pathlib import Path
from dataclasses import replace
sys.path.insert(0, sys.argv[1])
from conftest import TINY, LoneChannel
from dbench.zoo import scorers
from dbench.zoo.engine import Group, train_group
from dbench.zoo.score import score_one
from dbench.zoo.store import Store
from dbench.zoo.complete import build_table, write_table

for name in set(scorers.SCORERS) - {"posterior", "gaussian_tc", "mig"}:
    del scorers.SCORERS[name]
profile = replace(TINY, steps=100, batch_size=16, sweeps=TINY.sweeps[:1])
store = Store(sys.argv[2])
train_group(LoneChannel(), Group(store.url, tuple(profile.runs())))
for key in profile.runs():
    score_one(store, key)
write_table(sys.argv[3], build_table(store, profile.runs(), profile)[0], profile)
"""


def test_evidence_made_with_plainer_instructions_is_verified(in_process, tmp_path):
    """Another processor rounds otherwise: nothing is the same to the last bit, and everything agrees."""
    arguments = [str(Path(__file__).parent), str(tmp_path / "store"), str(tmp_path / "evidence")]
    plain = os.environ | PLAINEST | {"OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", _TRAIN, *arguments], env=plain, check=True)
    comparison = verify.verify_runs(tmp_path / "evidence", number=4)
    assert "differs" not in set(comparison["result"]), comparison.to_string()
    early = comparison[comparison["score"] == "loss.100"]
    assert (early["difference"] < early["table"] * 1e-5).all()
    assert verify.verify_start(tmp_path / "evidence")["result"].tolist() != ["differs"]
    device = pd.read_parquet(tmp_path / "evidence" / "runs.parquet")["device"].unique()
    if device_name("cpu") != device:  # where there is something plainer than what is used here
        assert set(comparison["result"]) != {"same"}
