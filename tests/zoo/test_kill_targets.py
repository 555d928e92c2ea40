"""What a kill hit, judged by the files of the store as the killed process left them."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import kill_targets
import numpy as np
import pytest
from kill_targets import Witness, kill, wait_for_file

from dbench import seeds

TENSORS = {"checkpoint-100": {"step": np.array(100)}}


@pytest.fixture
def run(store, key):
    """Folder of a run that has a checkpoint."""
    store.save(key, status="interrupted", tensors=TENSORS, record={"step": 100})
    return Path(store.root) / "runs" / key.digest


@pytest.fixture
def witness(store, run):
    found = Witness(Path(store.root), lambda: False)
    found.note_start()
    return found


@pytest.fixture
def sleeper():
    program = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'input()'], stdin=-1); input()"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, start_new_session=True)
    yield process
    kill(process, "all", seeds.generator(purpose="test"))
    process.stdin.close()


def test_what_is_hit_is_the_beginning_and_then_training_until_all_are_trained(store, key, witness, finish):
    assert witness.hit("all") == "beginning"
    store.save(key, status="interrupted", tensors=TENSORS, record={"step": 100})  # the same names, later
    assert witness.hit("all") == "training"
    finish(store, key, scores={"mig": 0.5})
    assert witness.hit("all") == "training"
    assert Witness(Path(store.root), lambda: True).hit("all") == "trained"


def test_a_file_that_no_record_names_was_left_between_two_files_of_a_run(run, witness):
    (run / "checkpoint-200.safetensors").write_bytes(b"whole")
    assert witness.hit("all") == "save"
    assert witness.hit("all") == "training"  # it was the earlier kill that left it
    (run / "checkpoint-200.safetensors").write_bytes(b"written anew")
    assert witness.hit("master") == "save"
    (run / "run.json").unlink()
    assert witness.hit("all") == "save"


@pytest.mark.parametrize("place", ["runs/{}/weights.safetensors", "runs/{}/run.json", "table/runs.parquet"])
def test_a_file_that_was_being_written_is_told_before_everything_else(store, key, run, witness, place):
    (run / "checkpoint-200.safetensors").write_bytes(b"whole")
    aside = Path(store.root) / f"{place.format(key.digest)}.0123abcd.partial"
    aside.parent.mkdir(exist_ok=True)
    aside.write_bytes(b"half")
    assert witness.hit("all") == "file"


def test_what_a_survivor_goes_on_writing_is_not_taken_for_what_the_kill_left(run, witness, monkeypatch):
    aside = run / "run.json.0123abcd.partial"
    aside.write_bytes(b"half")
    monkeypatch.setattr(kill_targets.time, "sleep", lambda _: aside.unlink())
    (run / "scores.json").write_bytes(b"{}")
    assert witness.hit("worker") == "training"


def test_the_next_file_is_waited_for_and_no_longer_than_that(store, run, sleeper):
    (run / "left.0123abcd.partial").write_bytes(b"by an earlier kill")
    began = time.monotonic()
    wait_for_file(Path(store.root), sleeper, patience=0.2)
    assert time.monotonic() - began >= 0.2
    writer = threading.Timer(0.1, (run / "next.0123abcd.partial").write_bytes, [b"half"])
    writer.start()
    wait_for_file(Path(store.root), sleeper, patience=60)
    assert time.monotonic() - began < 30
    writer.join()


def test_a_sweep_that_ended_is_not_waited_for_and_not_killed(store, run, sleeper):
    generator = seeds.generator(purpose="test")
    assert kill(sleeper, "all", generator)
    began = time.monotonic()
    wait_for_file(Path(store.root), sleeper, patience=60)
    assert time.monotonic() - began < 30
    assert not kill(sleeper, "master", generator)


def test_a_worker_is_killed_and_its_master_lives(sleeper):
    generator, until = seeds.generator(purpose="test"), time.monotonic() + 60
    while not kill(sleeper, "worker", generator) and time.monotonic() < until:
        time.sleep(0.05)
    assert sleeper.poll() is None
    assert kill(sleeper, "master", generator)
    assert sleeper.returncode == -9
