"""``dbench zoo verify``: runs retrained from their keys alone, held against a table."""

import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from rich.console import Console

from dbench.errors import DamagedData, InvalidInput
from dbench.zoo import scorers, verify
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import Profile
from dbench.zoo.score import score_one
from dbench.zoo.store import Store
from dbench.zoo.table import build_table, write_table
from dbench.zoo.tolerance import tolerances


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch, trained: Callable[[Store, Profile], None], short: Profile) -> None:
    """Let verify train and score in this process, on the cheap scorers."""
    few = {name: scorers.SCORERS[name] for name in ("posterior", "gaussian_tc", "mig")}
    monkeypatch.setattr(scorers, "SCORERS", few)

    def train(store: Store, keys: list[RunKey], **_: object) -> SimpleNamespace:
        trained(store, short)
        return SimpleNamespace(cancelled=False)

    def score(store: Store, keys: list[RunKey], **_: object) -> SimpleNamespace:
        for key in keys:
            score_one(store, key)
        return SimpleNamespace(cancelled=False)

    monkeypatch.setattr(verify, "train_runs", train)
    monkeypatch.setattr(verify, "score_runs", score)


@pytest.fixture
def evidence(
    store: Store, short: Profile, trained: Callable[[Store, Profile], None], in_process: None, tmp_path: Path
) -> Path:
    trained(store, short)
    for key in short.runs():
        score_one(store, key)
    table = build_table(store, short.runs(), short, {key.digest: {"udr.lasso": 0.5} for key in short.runs()})
    write_table(tmp_path / "evidence", table, short, tolerances(table["score"].unique()))
    return tmp_path / "evidence"


def test_a_true_table_is_verified_to_the_last_bit(evidence: Path) -> None:
    comparison = verify.verify_runs(evidence, number=2, seed=3)
    assert comparison["run"].nunique() == 2
    assert comparison["exact"].all()
    assert comparison["agrees"].all()
    assert "status" in set(comparison["score"])
    assert not any(name.startswith("udr") for name in comparison["score"])
    # Each run is held to the tolerances of its objective, not to the largest of all.
    held_to = set(comparison.loc[comparison["score"] == "elbo", "tolerance"])
    assert held_to == {tolerances(["elbo"], "beta_vae")["elbo"]} != {tolerances(["elbo"])["elbo"]}


@pytest.mark.parametrize(
    ("score", "shift", "agrees"), [("mig", 1.0, False), ("loss.100", 0.5, False), ("mig", 1e-6, True)]
)
def test_a_forged_value_does_not_agree(evidence: Path, score: str, shift: float, agrees: bool) -> None:
    table = pd.read_parquet(evidence / "runs.parquet")
    table.loc[table["score"] == score, "value"] += shift
    table.to_parquet(evidence / "runs.parquet")
    manifest = json.loads((evidence / "manifest.json").read_text())
    manifest["sha256"] = hashlib.sha256((evidence / "runs.parquet").read_bytes()).hexdigest()
    (evidence / "manifest.json").write_text(json.dumps(manifest))
    comparison = verify.verify_runs(evidence, number=1, seed=3)
    wrong = comparison[~comparison["exact"]]
    assert set(wrong["score"]) == {score}
    assert wrong["agrees"].all() == agrees


def test_a_comparison_lists_what_differs_and_counts_the_rest() -> None:
    runs = [("a1", "beta_vae 1 seed 0", 0.5), ("b2", "beta_vae 4 seed 0", 0.0)]
    comparison = pd.DataFrame(
        {"run": run, "name": name, "score": f"kl.{i}", "table": 1.0, "difference": wrong * (i > 7), "tolerance": 1e-3}
        for run, name, wrong in runs
        for i in range(10)
    )
    comparison.loc[:1, "difference"] = (1e-5, 5e-4)
    comparison.loc[0, "tolerance"] = 1e-2
    comparison["retrained"] = comparison["table"] + comparison["difference"]
    comparison["exact"] = comparison["difference"] == 0
    comparison["agrees"] = comparison["difference"] <= comparison["tolerance"]
    text = io.StringIO()
    Console(file=text, width=200).print(verify.comparison_table(comparison))
    assert [" ".join(line.split()) for line in text.getvalue().splitlines()] == [
        "run score table retrained difference tolerance",
        "beta_vae 1 seed 0 6 scores same",
        "beta_vae 1 seed 0 2 scores, furthest kl.1 1 1.0005 0.0005 0.001 agrees",
        "beta_vae 1 seed 0 kl.8 1 1.5 0.5 0.001 differs",
        "beta_vae 1 seed 0 kl.9 1 1.5 0.5 0.001 differs",
        "beta_vae 4 seed 0 10 scores same",
    ]


@pytest.mark.parametrize(("step", "later"), [("train_runs", ["score_runs"]), ("score_runs", [])])
def test_a_stopped_verification_says_nothing_of_the_table(
    evidence: Path, monkeypatch: pytest.MonkeyPatch, step: str, later: list[str]
) -> None:
    monkeypatch.setattr(verify, step, lambda *_, **__: SimpleNamespace(cancelled=True))
    for name in later:
        monkeypatch.setattr(verify, name, lambda *_, **__: pytest.fail("went on after it was stopped"))
    with pytest.raises(KeyboardInterrupt):
        verify.verify_runs(evidence, number=1)


def test_a_table_of_other_data_is_refused(evidence: Path, store: Store, short: Profile, tmp_path: Path) -> None:
    table = build_table(store, short.runs(), short).assign(data_sha256="0" * 64)
    write_table(tmp_path / "other", table, short, {})
    with pytest.raises(DamagedData, match="another version of dsprites_grid_16"):
        verify.verify_runs(tmp_path / "other", number=1)


def test_the_seed_decides_which_runs_are_verified(evidence: Path) -> None:
    table = pd.read_parquet(evidence / "runs.parquet")
    choices = {tuple(verify.choose_runs(table, number=2, seed=seed)) for seed in range(20)}
    assert len(choices) > 3
    assert verify.choose_runs(table, number=2, seed=1) == verify.choose_runs(table, number=2, seed=1)
    with pytest.raises(InvalidInput, match="number must lie between 1 and the 4 runs"):
        verify.choose_runs(table, number=5, seed=0)
