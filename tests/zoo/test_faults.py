"""What goes wrong around a sweep gets a status and a message, and the rest of the sweep goes on."""

import errno
import math
import multiprocessing
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from dbench.data import NEEDS_DOWNLOAD, fingerprint_of, load
from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.training.execution import device_name
from dbench.zoo import score as score_module
from dbench.zoo.engine import Group, train_group
from dbench.zoo.executor import Channel
from dbench.zoo.plan import Setup, Speed, cut_groups, expected_seconds, gpu_group_size, measure_speed, member_bytes
from dbench.zoo.score import score_runs
from dbench.zoo.survey import state_of, survey
from dbench.zoo.train import train_runs

pytestmark = pytest.mark.usefixtures("in_process")


def test_a_full_disk_fails_one_group_and_the_others_go_on(store, tiny_keys, refuse, console):
    refuse(store, tiny_keys[0], "pipe_file", errno.ENOSPC)
    with pytest.raises(DbenchError, match=r"could not write weights\.safetensors: .*No space left on device"):
        train_runs(store, tiny_keys[:3], workers=2, group_size=2, console=console)
    assert "failed, the others go on: store" in console.file.getvalue()
    assert [state_of(store, key) for key in tiny_keys[:3]] == ["missing", "done", "done"]
    assert not list(store._fs.glob(f"{store.root}/runs/*/*.partial"))


def test_an_unreadable_run_is_left_alone_and_the_others_go_on(store, tiny_keys, finish, refuse, console, monkeypatch):
    finish(store, tiny_keys[0])
    refuse(store, tiny_keys[0])
    assert state_of(store, tiny_keys[0]) == "unreadable"
    summary = train_runs(store, tiny_keys[:3], workers=1, console=console)
    assert (summary.done, summary.others["left"], summary.others["unreadable"]) == (2, 0, 1)
    assert "1 cannot be read and were left alone" in str(summary)
    monkeypatch.undo()
    assert store.status(tiny_keys[0]) == "done"


def test_a_finished_run_that_a_worker_cannot_read_is_left_alone_and_the_others_go_on(
    store, tiny_keys, finish, refuse, channel, monkeypatch
):
    finish(store, tiny_keys[0])
    refuse(store, tiny_keys[0], number=errno.EIO, file="codes.safetensors")
    with pytest.raises(DbenchError, match=r"could not read .*codes\.safetensors: .*Input/output error"):
        train_group(channel(), Group(store.url, tuple(tiny_keys[:2])))
    monkeypatch.undo()
    assert [state_of(store, key) for key in tiny_keys[:2]] == ["done", "done"]
    assert store.record(tiny_keys[0])["commit"] == "0123abc"


def test_runs_with_every_score_some_and_damaged_ones_are_told_apart(store, key, finish, monkeypatch):
    monkeypatch.setattr("dbench.zoo.scorers.SCORERS", {"quick": None, "slow": None})
    finish(store, key, scores={"mig": 0.5})
    document = store.read_document("scores", key=key)
    whole, part = {**document, "groups": {"quick": {}, "slow": {}}}, {**document, "groups": {"quick": {}}}
    for written, progress in ((whole, "scored"), (part, "partly scored"), ({}, "unscored")):
        store.write_document("scores", written, key=key)
        (counts,) = survey(store, [key]).values()
        assert +counts == {"done": 1, progress: 1}


def test_runs_of_another_version_of_data_or_keys_are_trained_anew(store, tiny_keys, finish, console, monkeypatch):
    with monkeypatch.context() as earlier:
        earlier.setattr("dbench.zoo.store.KEY_SCHEMA", 0)
        finish(store, tiny_keys[2])
    finish(store, tiny_keys[0], data_sha256="cd" * 32)
    finish(store, tiny_keys[1])
    assert [state_of(store, key) for key in tiny_keys[:3]] == ["damaged", "done", "damaged"]
    summary = train_runs(store, tiny_keys[:3], workers=1, console=console)
    assert (summary.present, summary.done, summary.others["damaged"]) == (1, 2, 2)
    assert "1 runs were trained on another version of dsprites_grid_16 than is installed" in console.file.getvalue()
    assert [state_of(store, key) for key in tiny_keys[:3]] == ["done"] * 3


@pytest.mark.parametrize("name", sorted(NEEDS_DOWNLOAD))
def test_a_look_at_runs_of_a_published_data_set_fetches_nothing(store, key, finish, monkeypatch, name):
    monkeypatch.setattr("dbench.data.load", lambda name: pytest.fail(f"{name} was loaded"))
    of_one, of_other = replace(key, data=name), replace(key, data=name, seed=1)
    finish(store, of_one, data_sha256=fingerprint_of(name))
    finish(store, of_other, data_sha256="cd" * 32)
    assert [state_of(store, key) for key in (of_one, of_other)] == ["done", "damaged"]


def test_runs_that_cannot_be_scored_stop_no_others(store, tiny_keys, finish, monkeypatch):
    finish(store, *tiny_keys[:4])
    (Path(store.url) / "runs" / tiny_keys[0].digest / "run.json").write_bytes(b"{}")
    finish(store, tiny_keys[1], data_sha256="cd" * 32)
    (Path(store.url) / "runs" / tiny_keys[2].digest / "weights.safetensors").unlink()
    scored = []
    monkeypatch.setattr(score_module, "score_one", lambda _, key, **__: scored.append(key) or {"mig": 0.1})
    told = r"3 runs have no scores \(1 others were scored now\): 3 are damaged.*; run dbench zoo train to train them"
    with pytest.raises(DamagedData, match=told):
        score_runs(store, tiny_keys[:5], workers=1)
    assert scored == [tiny_keys[3]]


def test_scores_that_cannot_be_read_stop_no_others_and_nobody_is_told_to_train_their_runs(
    store, tiny_keys, finish, refuse, monkeypatch
):
    finish(store, *tiny_keys[:3], scores={"mig": 0.5})
    refuse(store, tiny_keys[0], file="scores.json")
    refuse(store, tiny_keys[1])
    scored = []
    monkeypatch.setattr(score_module, "score_one", lambda _, key, **__: scored.append(key) or {"mig": 0.1})
    told = r"2 runs have no scores \(1 others were scored now\): 2 cannot be read, .*scores\.json: .*Permission denied"
    with pytest.raises(DamagedData, match=told) as refused:
        score_runs(store, tiny_keys[:3], workers=1)
    assert scored == [tiny_keys[2]]
    assert "zoo train" not in str(refused.value)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_runs_that_do_not_fit_the_memory_say_what_to_give(store, tiny_keys, channel, monkeypatch, device):
    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")

    monkeypatch.setattr("dbench.zoo.engine.train", full)
    group = Group(store.url, tuple(tiny_keys[:3]), device=device)
    train_or_measure = partial(train_group, channel()) if device == "cpu" else partial(measure_speed, steps=10)
    with pytest.raises(DbenchError, match=r"got 3 at once: give a smaller --group-size.*\(CUDA out of memory\)"):
        train_or_measure(group)
    assert [store.status(key) for key in group.keys] == [None] * 3


def test_a_folder_that_cannot_be_listed_stops_no_other_run(store, tiny_keys, refuse, channel):
    refuse(store, tiny_keys[1], "ls", errno.EIO)
    with pytest.raises(DbenchError, match=r"could not list .*Input/output error"):
        train_group(channel(), Group(store.url, tuple(tiny_keys[:3])))
    assert [store.status(key) for key in tiny_keys[:3]] == ["done"] * 3


def test_a_run_that_ends_without_finite_codes_diverged_at_its_last_step(store, key, channel, monkeypatch):
    nowhere = lambda *_, **__: SimpleNamespace(elbo=torch.tensor([math.nan]))  # noqa: E731
    monkeypatch.setattr("dbench.zoo.engine.evaluate", nowhere)
    train_group(channel(), Group(store.url, (key,)))
    assert (store.status(key), store.record(key)["diverged_at"]) == ("diverged", key.steps)


def test_a_worker_saves_what_it_has_when_its_controller_is_gone(store, key):
    ours, theirs = multiprocessing.Pipe()
    ours.close()
    long = replace(key, steps=1000)
    train_group(Channel(theirs), Group(store.url, (long,)))
    assert (store.status(long), store.record(long)["step"]) == ("interrupted", 100)


def test_a_run_whose_loss_is_no_number_diverges_next_to_a_healthy_one(store, key, console):
    healthy, wild = key, replace(key, strength=1e38)
    summary = train_runs(store, [healthy, wild], workers=1, console=console)
    assert (summary.done, summary.others["diverged"], summary.others["left"]) == (2, 1, 0)
    assert "1 diverged" in str(summary)
    assert (state_of(store, healthy), state_of(store, wild)) == ("done", "diverged")
    again = train_runs(store, [healthy, wild], workers=1, console=console)
    assert (again.done, again.present, again.others["diverged"]) == (0, 2, 0)


def test_the_time_expected_is_that_of_the_steps_not_taken_before(tiny_keys, monkeypatch):
    monkeypatch.setattr("dbench.zoo.plan.measure_speed", lambda *_, **__: Speed(10.0))  # model-steps a second
    groups = cut_groups("nowhere", tiny_keys[:2], 1, Setup())
    assert expected_seconds(groups, 1, Setup()) == pytest.approx(2 * 12 / 10)
    assert expected_seconds(groups, 1, Setup(), taken={key: 12 - key.seed for key in tiny_keys}) == pytest.approx(
        sum(key.seed for key in tiny_keys[:2]) / 10
    )


def test_a_device_that_is_not_there_is_refused_where_groups_train(store, key, channel):
    with pytest.raises(InvalidInput, match=r"device must be one that this machine has \(cpu.*got 'cuda:99'"):
        train_group(channel(), Group(store.url, (key,), device="cuda:99"))
    with pytest.raises(InvalidInput, match="precision must be float32 on a processor, got 'tf32'"):
        train_group(channel(), Group(store.url, (key,), precision="tf32"))


def test_a_gpu_holds_as_many_models_as_fit(tiny):
    mlp = tiny.runs()[0]
    with pytest.raises(LookupError):
        member_bytes(replace(mlp, network="mlpp"))
    assert member_bytes(mlp) < member_bytes(replace(mlp, batch_size=512))
    small, large = (gpu_group_size(mlp, memory=gigabytes * 2**30) for gigabytes in (1, 16))
    assert 15 * small < large <= 18 * small
    assert gpu_group_size(mlp, memory=1) == 1


def test_what_a_model_takes_is_not_counted_twice_where_a_processor_trains_it_as_two(tiny, monkeypatch):
    few = load("dsprites_grid"), torch.full((64, 1, 64, 64), 255, dtype=torch.uint8)
    for module in ("engine", "plan"):
        monkeypatch.setattr(f"dbench.zoo.{module}.images_of", lambda _: few)
    key = replace(tiny.runs()[0], network="conv", data="dsprites_grid")
    counted = member_bytes(key)
    monkeypatch.setattr("dbench.models.conv._lone", lambda *_: False)
    assert member_bytes(key) == counted


def test_groups_on_a_gpu_are_whole_shapes_and_on_processors_fifteen(tiny):
    keys = replace(tiny, seeds=20).runs()  # 40 runs of each objective, all of one shape
    there = Setup(engine="ray", device="cuda", precision="bfloat16")  # a cluster may have what this machine lacks
    assert [len(group.keys) for group in cut_groups("nowhere", keys, 1, there)] == [80]
    more = replace(tiny, seeds=130).runs()  # 520: a process may not hold the locks of so many
    assert [len(group.keys) for group in cut_groups("nowhere", more, 1, there)] == [260, 260]
    assert max(len(group.keys) for group in cut_groups("nowhere", keys, 2, Setup())) <= 15
    assert {len(group.keys) for group in cut_groups("nowhere", keys, 1, Setup(group_size=8))} == {8}
    assert there.gpu_share == 1
    assert Setup(engine="ray", device="cuda", num_gpus=0.25).gpu_share == 0.25


def test_a_processor_is_named_by_its_model_and_instruction_set(monkeypatch):
    listed = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: Some Maker 7\n\nprocessor\t: 1\n"
    monkeypatch.setattr("dbench.training.execution.Path.read_text", lambda *_: listed)
    monkeypatch.setattr("torch.backends.cpu.get_cpu_capability", lambda: "AVX2")
    assert device_name("cpu") == "cpu Some Maker 7 (family 25, model 1), AVX2"

    def missing(*_):
        raise FileNotFoundError

    monkeypatch.setattr("dbench.training.execution.Path.read_text", missing)
    monkeypatch.setattr("platform.processor", lambda: "arm")
    assert device_name("cpu") == "cpu arm, AVX2"
