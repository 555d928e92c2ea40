import errno
import hashlib
import json
import os
import shutil
import threading
import time
import uuid
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save

from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.zoo.store import Store, seal


@pytest.fixture(params=["folder", "memory"])
def anywhere(request, tmp_path):
    return Store(tmp_path / "zoo" if request.param == "folder" else f"memory://{uuid.uuid4().hex}")


def _file(store, key, name):
    return Path(store.url) / "runs" / key.digest / name


def test_a_run_comes_back_as_it_was_saved_until_it_is_discarded(anywhere, key, finish):
    assert anywhere.record(key) is None
    assert not anywhere.intact(key)
    finish(anywhere, key)
    record = anywhere.record(key)
    assert (record["status"], record["scores"]) == ("done", {"elbo": -20.0})
    np.testing.assert_array_equal(anywhere.tensors(key, "codes")["logvar"], np.zeros((6, 2), np.float32))
    assert anywhere.intact(key)
    assert anywhere.contents().keys == [key]
    anywhere.discard(key)
    anywhere.discard(key)
    assert anywhere.record(key) is None
    assert anywhere.contents().keys == []


def test_the_record_of_a_run_is_renamed_last(store, key, finish, renames):
    finish(store, key)
    assert [name for name, _ in renames] == ["weights.safetensors", "codes.safetensors", "run.json"]


def test_a_copy_of_hard_links_keeps_what_it_had(store, key, finish, tmp_path):
    finish(store, key, scores={"mig": 0.5})
    copy = Store(shutil.copytree(store.url, tmp_path / "copy", copy_function=os.link))
    before = copy.record(key), copy.read_document("scores", key=key)
    finish(store, key, scores={"mig": 0.6}, data_sha256="cd" * 32)
    assert (copy.record(key), copy.read_document("scores", key=key)) == before
    assert copy.intact(key)


@pytest.mark.parametrize("name", ["codes.safetensors", "run.json"])
def test_a_write_that_fails_halfway_leaves_the_run_as_it_was(anywhere, key, finish, monkeypatch, name):
    finish(anywhere, key)
    before, pipe_file = anywhere.record(key), type(anywhere._fs).pipe_file

    def full(self, path, value, **options):
        if name in str(path):
            pipe_file(self, path, value[: len(value) // 2], **options)
            raise OSError(errno.ENOSPC, "No space left on device")
        pipe_file(self, path, value, **options)

    monkeypatch.setattr(type(anywhere._fs), "pipe_file", full)
    with pytest.raises(DbenchError, match=f"could not write {name}: .*No space left"):
        finish(anywhere, key)
    assert anywhere.record(key) == before
    assert anywhere.intact(key)


@pytest.mark.parametrize("what", ["pipe", "device", "folder", "sparse"])
def test_a_record_that_is_no_regular_file_of_bounded_size_is_damaged_and_never_waited_for(store, key, finish, what):
    finish(store, key)
    path = _file(store, key, "run.json")
    path.unlink()
    if what == "pipe":
        os.mkfifo(path)
    elif what == "device":
        path.symlink_to("/dev/zero")
    elif what == "folder":
        path.mkdir()
    else:
        with path.open("wb") as file:
            file.truncate(1 << 40)
    with pytest.raises(DamagedData, match=r"run\.json must (be a regular file|hold at most .* bytes)"):
        store.record(key)
    assert not store.intact(key)
    assert store.contents().keys == []


def test_what_a_saved_run_sheds_goes_after_its_record(store, key, finish, refuse):
    store.save(key, status="interrupted", tensors={"checkpoint-5": {"step": np.array([5])}}, record={"step": 5})
    refuse(store, key, "rm_file")
    with pytest.raises(DbenchError, match="could not remove"):
        finish(store, key)
    assert store.status(key) == "done"
    assert store.intact(key)
    assert _file(store, key, "checkpoint-5.safetensors").is_file()


def test_a_run_that_cannot_be_discarded_whole_is_none(store, key, finish, refuse):
    finish(store, key)
    refuse(store, key, "rm")
    with pytest.raises(DbenchError, match="could not remove"):
        store.discard(key)
    assert store.record(key) is None
    assert _file(store, key, "codes.safetensors").is_file()


def test_a_run_that_is_saved_again_keeps_its_scores_and_sheds_what_it_does_not_name(store, key, finish):
    def stop():
        store.save(key, status="interrupted", tensors={"checkpoint-5": {"step": np.array([5])}}, record={"step": 5})

    def left():
        return sorted(path.name for path in _file(store, key, "").iterdir())

    stop()
    assert store.status(key) == "interrupted"
    assert not store.intact(key)
    _file(store, key, "weights.safetensors.0.partial").write_bytes(b"left by a killed process")
    finish(store, key, scores={"mig": 0.5})
    assert left() == ["codes.safetensors", "run.json", "scores.json", "weights.safetensors"]
    before = store.read_document("scores", key=key)
    stop()
    assert store.read_document("scores", key=key) == before
    assert left() == ["checkpoint-5.safetensors", "run.json", "scores.json"]
    _file(store, key, "run.json").unlink()  # as where a process is killed before the record
    assert store.record(key) is None
    assert store.contents().keys == []


@pytest.mark.parametrize("damage", [lambda data: data[:-1] + bytes([data[-1] ^ 1]), lambda data: data[:50], None])
def test_damaged_codes_are_noticed(store, key, finish, damage):
    finish(store, key)
    path = _file(store, key, "codes.safetensors")
    data = path.read_bytes()
    path.unlink()
    if damage is not None:
        path.write_bytes(damage(data))
    assert not store.intact(key)
    with pytest.raises(DamagedData, match=r"codes\.safetensors"):
        store.tensors(key, "codes")


def test_an_array_of_a_type_that_numpy_lacks_is_damaged(store, key):
    saved = save({"mean": torch.zeros(2, dtype=torch.bfloat16)})
    store.save(key, status="done", tensors={"codes": {}}, record={})
    _file(store, key, "codes.safetensors").write_bytes(saved)
    record = store.record(key) | {"files": {"codes.safetensors": hashlib.sha256(saved).hexdigest()}}
    _file(store, key, "run.json").write_bytes(seal(record))
    with pytest.raises(DamagedData, match=r"codes\.safetensors cannot be read as a safetensors file: .*BF16"):
        store.tensors(key, "codes")


def test_brackets_in_its_path_are_no_pattern(tmp_path, key, finish):
    store = Store(tmp_path / "zoo[1]")
    finish(store, key)
    (Path(store.url) / "runs" / "note.txt").touch()
    assert store.contents() == ([key], 0, 0)


def test_runs_that_the_system_refuses_to_list_are_not_gone(store, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(store._fs), "ls", refused)
    with pytest.raises(DbenchError, match=r"could not list its runs: .*Permission denied"):
        store.contents()


def _naming(file):
    def spoil(data):
        document = json.loads(data)
        del document["sha256"]
        return seal({**document, "files": {file: "0" * 64}})

    return spoil


OUTSIDE = (
    "../../../secret.safetensors",
    "/etc/passwd",
    "a/b.safetensors",
    "a.safetensors/..",
    "run.json",
    "",
    "..",
    "a\0b",
)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        *((_naming(name), "must name files of its own folder, got") for name in OUTSIDE),
        (lambda _: b"[" * 100_000, r"run\.json cannot be read as a document of the store"),
        (lambda data: data[1:], r"run\.json cannot be read as a document of the store"),
        (lambda data: data.replace(b"done", b"diverged"), r"run\.json does not have the checksum it carries"),
        (lambda data: data.replace(b"-20.0", b"-19.0"), r"run\.json does not have the checksum it carries"),
    ],
)
def test_a_record_that_was_edited_is_noticed(store, key, finish, spoil, message):
    finish(store, key)
    path = _file(store, key, "run.json")
    path.write_bytes(spoil(path.read_bytes()))
    assert not store.intact(key)
    with pytest.raises(DamagedData, match=message):
        store.record(key)


def test_a_record_moved_to_another_key_is_refused(store, key, finish):
    other = replace(key, seed=9)
    finish(store, key, other)
    shutil.copy(_file(store, other, "run.json"), _file(store, key, "run.json"))
    with pytest.raises(DamagedData, match="another run"):
        store.record(key)


def test_two_holders_never_share_a_run(store, tiny_keys):
    with store.claim(tiny_keys[:2]) as first, Store(store.url).claim(tiny_keys) as second:
        assert first == tiny_keys[:2]
        assert second == tiny_keys[2:]
    with store.claim(tiny_keys) as later:
        assert later == tiny_keys


@pytest.mark.parametrize("place", [__file__, "nosuchprotocol://bucket"])
def test_a_store_that_cannot_be_written_gives_a_message(place):
    with pytest.raises(InvalidInput, match="store must be"):
        Store(place)


def test_a_held_run_is_waited_for(store, key):
    with store.claim([key]):
        begin = time.monotonic()
        with Store(store.url).claim([key], patience=0.3) as late:
            assert late == []
        assert time.monotonic() - begin >= 0.3
    held = ExitStack()
    held.enter_context(store.claim([key]))
    threading.Timer(0.3, held.close).start()
    with Store(store.url).claim([key], patience=30) as freed:
        assert freed == [key]


def test_a_lock_that_cannot_be_made_gives_a_message(store, key, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(DbenchError, match="could not lock run"), store.claim([key]):
        pass


def test_runs_of_another_schema_or_refused_are_counted_and_never_read(store, tiny_keys, finish, refuse, monkeypatch):
    finish(store, *tiny_keys[:3])
    monkeypatch.setattr("dbench.zoo.store.KEY_SCHEMA", 2)
    finish(store, *tiny_keys[3:5])
    refuse(store, tiny_keys[3])
    assert store.contents() == ([tiny_keys[4]], 3, 1)
    with pytest.raises(DamagedData, match="holds another run"):
        store.record(tiny_keys[0])


@pytest.mark.parametrize("lost", ["weights", "codes"])
def test_a_done_run_has_weights_and_codes(store, key, finish, lost):
    finish(store, key)
    kept = {name: store.tensors(key, name) for name in ("weights", "codes") if name != lost}
    store.save(key, status="done", tensors=kept, record={"scores": {}})
    assert not store.intact(key)
    store.save(key, status="diverged", tensors={}, record={"scores": {}})
    assert store.intact(key)


def test_what_the_system_refuses_to_show_does_not_count_as_gone(anywhere, key, finish, refuse, monkeypatch):
    finish(anywhere, key, scores={"mig": 0.5})
    for what in ("cat_file", "rm_file", "rm"):
        refuse(anywhere, key, what)
    monkeypatch.setattr(type(anywhere._fs), "exists", lambda *_, **__: False)  # as it answers when it may not look
    for question in (anywhere.record, anywhere.intact, lambda key: anywhere.read_document("scores", key=key)):
        with pytest.raises(DbenchError, match=r"could not read .*Permission denied"):
            question(key)
    with pytest.raises(DbenchError, match=r"could not remove .*Permission denied"):
        anywhere.discard(key)
    monkeypatch.undo()
    assert anywhere.intact(key)
    assert anywhere.read_document("scores", key=key) is not None
