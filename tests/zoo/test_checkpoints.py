"""What an interrupted run may go on from; what does not fit costs its own run the steps, and no other one."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from dbench.errors import DbenchError
from dbench.zoo import engine
from dbench.zoo.checkpoints import checkpoint_name, steps_taken
from dbench.zoo.engine import Group, train_group
from dbench.zoo.store import Store


@pytest.fixture(scope="module")
def keys(tiny):
    return replace(tiny, steps=150, seeds=2, sweeps=tiny.sweeps[:1]).runs()[:2]


@pytest.fixture(scope="module")
def stopped(keys, tmp_path_factory, channel):
    store = Store(tmp_path_factory.mktemp("stopped"))
    assert train_group(channel(0), Group(store.url, tuple(keys))) == 0
    return store


@pytest.fixture
def copy(stopped, tmp_path):
    shutil.copytree(stopped.url, tmp_path / "copy")
    return Store(tmp_path / "copy")


def _find(store, key):
    return engine._checkpoint_of(store, key, Group(store.url, (key,)))


def _change(store, key, change):
    record = store.record(key)
    tensors = store.tensors(key, checkpoint_name(100))
    change(tensors, record)
    name = checkpoint_name(record["step"]) if isinstance(record["step"], int) else checkpoint_name(100)
    rest = {name: value for name, value in record.items() if name not in ("schema", "key", "status", "files")}
    store.save(key, status="interrupted", tensors={name: tensors}, record=rest)


def _tensors(name, value):
    return lambda tensors, _: tensors.update({name: value})


def _record(name, value):
    return lambda _, record: record.update({name: value})


def _stands_at(step):
    return lambda tensors, record: (tensors.update(step=np.array(step)), record.update(step=step))


CHANGES = {
    "a tensor is missing": lambda tensors, _: tensors.pop("first.encoder.0.bias"),
    "a tensor is too much": _tensors("more", np.zeros(3, np.float32)),
    "a tensor of another shape": _tensors("rows.encoder.0.bias", np.zeros(3, np.float32)),
    "a tensor of another type": _tensors("diverged_at", np.array(-1.0)),
    "another step in the file": _tensors("step", np.array(0)),
    "a step no run stops at": _stands_at(90),
    "a step beyond the end": _stands_at(200),
    "a step that is no number": _record("step", "100"),
    "no losses": lambda _, record: record.pop("scores"),
    "losses that are no numbers": _record("scores", {"loss.100": "low"}),
    "no seconds": lambda _, record: record.pop("trained_seconds"),
    "other data": _record("data_sha256", "ab" * 32),
    "another precision": _record("precision", "bfloat16"),
    "another device": _record("device", "NVIDIA H100"),
    "other versions": _record("versions", "python 3, torch 1"),
    "no commit": lambda _, record: record.pop("commit"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_checkpoint_that_does_not_fit_is_discarded(copy, keys, what):
    _change(copy, keys[0], CHANGES[what])
    assert _find(copy, keys[0]).step == 0
    assert copy.record(keys[0]) is None
    assert _find(copy, keys[1]).step == 100


def test_a_checkpoint_that_fits_is_found_as_it_was_saved(copy, keys):
    _change(copy, keys[0], lambda *_: None)
    found = _find(copy, keys[0])
    assert (found.step, set(found.losses)) == (100, {"loss.100"})
    assert found.seconds > 0
    assert steps_taken(copy.record(keys[0]), keys[0]) == 100
    assert _find(copy, replace(keys[0], seed=9)).step == 0


def test_a_run_of_several_commits_names_them_in_order(copy, keys, monkeypatch, channel):
    own = copy.record(keys[0])["commit"]
    for commit, named in (("b", f"{own}; b"), (own, f"{own}; b")):
        monkeypatch.setattr(engine, "commit", lambda commit=commit: commit)
        train_group(channel(0), Group(copy.url, (replace(keys[0], steps=150),)))
        assert copy.record(keys[0])["commit"] == named


def test_an_error_in_one_set_does_not_stop_the_others(copy, keys, monkeypatch, channel):
    """Of the runs that stand at step 100 none can be trained; those that stand at 0 are."""
    begun = []

    def run(self):
        begun.append([*self.keys])
        if self.last == 100:
            raise DbenchError("no space left")
        return len(self.keys)

    monkeypatch.setattr(engine._Training, "run", run)
    copy.discard(keys[1])
    with pytest.raises(DbenchError, match="no space left"):
        train_group(channel(), Group(copy.url, tuple(keys)))
    assert begun == [keys[:1], keys[1:]]


def test_a_run_that_diverged_is_saved_as_such_at_the_checkpoint(store, keys, channel):
    wild, line, again = replace(keys[0], strength=1e38), channel(0), channel()
    group = Group(store.url, (wild, keys[0]))
    assert train_group(line, group) == 1
    assert [store.status(key) for key in group.keys] == ["diverged", "interrupted"]
    assert line.total("runs") == 1
    assert train_group(again, group) == 1
    assert again.total("units") == 50
