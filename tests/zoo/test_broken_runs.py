"""Runs that are damaged, refused or of another version of their data set: told, and no others are stopped."""

import io
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from dbench.cli import main
from dbench.errors import DamagedData
from dbench.zoo import score as score_module
from dbench.zoo import train as train_module
from dbench.zoo.score import score_runs
from dbench.zoo.survey import state_of
from dbench.zoo.train import train_runs


class _Silent:
    stopping = False

    def report(self, **_):
        pass


def _here(function, tasks, **_):
    for task in tasks:
        yield "done", function(_Silent(), task)


def _replace_data(store, key):
    """Make the run one of another version of its data set."""
    record = store.record(key)
    assert record is not None
    tensors = {
        name.removesuffix(".safetensors"): store.tensors(key, name.removesuffix(".safetensors"))
        for name in record["files"]
    }
    rest = {name: value for name, value in record.items() if name not in ("schema", "key", "status", "files")}
    store.save(key, status=record["status"], tensors=tensors, record={**rest, "data_sha256": "cd" * 32})


def test_a_run_of_another_version_of_the_data_is_trained_anew_and_told(store, tiny_keys, finish, monkeypatch):
    monkeypatch.setattr(train_module, "run_tasks", _here)
    for key in tiny_keys[:2]:
        finish(store, key)
    _replace_data(store, tiny_keys[0])
    assert [state_of(store, key) for key in tiny_keys[:2]] == ["damaged", "done"]
    text = io.StringIO()
    summary = train_runs(store, tiny_keys[:2], workers=1, console=Console(file=text, width=200))
    assert (summary.present, summary.trained, summary.damaged) == (1, 1, 1)
    assert "1 runs were trained on another version of dsprites_grid_16 than is installed" in text.getvalue()
    assert state_of(store, tiny_keys[0]) == "done"


def test_runs_that_cannot_be_scored_stop_no_others(store, tiny_keys, finish, monkeypatch):
    for key in tiny_keys[:4]:
        finish(store, key)
    (Path(store.url) / "runs" / tiny_keys[0].digest / "run.json").write_bytes(b"{}")
    _replace_data(store, tiny_keys[1])
    (Path(store.url) / "runs" / tiny_keys[2].digest / "weights.safetensors").unlink()
    scored = []
    monkeypatch.setattr(score_module, "run_tasks", _here)
    monkeypatch.setattr(score_module, "score_one", lambda _, key, **__: scored.append(key) or {})
    with pytest.raises(DamagedData, match=r"3 runs are damaged.*1 others were scored now.*dbench zoo train"):
        score_runs(store, tiny_keys[:5], workers=1)
    assert scored == [tiny_keys[3]]


def test_ls_says_how_many_records_are_refused(store, finish, monkeypatch):
    from dbench.zoo.profiles import find_profile

    key = find_profile("micro").runs()[0]
    finish(store, key)
    read = type(store._fs).cat_file

    def refuse(self, path, **options):
        if key.digest in path:
            raise PermissionError(13, "Permission denied", path)
        return bytes(read(self, path, **options))

    monkeypatch.setattr(type(store._fs), "cat_file", refuse)
    result = CliRunner().invoke(main, ["zoo", "ls", "--store", store.url, "--seeds", "1"])
    assert result.exit_code == 0, result.output
    assert "1 records of this store cannot be read" in result.output
