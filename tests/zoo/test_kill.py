"""A sweep that is asked to stop saves what it has, and one that is killed ends as one that was left alone."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import soak
from kill_targets import MOMENTS, TARGETS, kill
from torture import differences, small_plan, torture, trained_table

from dbench import seeds
from dbench.models.objectives import find_card
from dbench.zoo.profiles import Sweep
from dbench.zoo.store import Store
from dbench.zoo.survey import state_of
from dbench.zoo.train import train_runs

PROGRAM = """
import json, signal, sys

from dbench.zoo.keys import RunKey
from dbench.zoo.store import Store
from dbench.zoo.train import train_runs

signal.signal(signal.SIGINT, signal.default_int_handler)  # which tests in the background have inherited as ignored
keys = [RunKey.from_axes(axes) for axes in json.loads(sys.argv[2])]
summary = train_runs(Store(sys.argv[1]), keys, workers=1, group_size=1)
print(summary.done)
assert summary.done + summary.others["elsewhere"] + summary.others["left"] == len(keys)
sys.exit(130 if summary.cancelled else 0)
"""


def _start(store, keys):
    arguments = [sys.executable, "-c", PROGRAM, store.url, json.dumps([key.axes for key in keys])]
    return subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


TERM, INT, HUP = signal.SIGTERM, signal.SIGINT, signal.SIGHUP  # a scheduler, Ctrl-C, a terminal that is closed


@pytest.mark.long
@pytest.mark.parametrize(
    "sent",
    [(INT, INT, INT), (signal.SIGSTOP, signal.SIGCONT, HUP, TERM)],
    ids=lambda sent: "-".join(number.name for number in sent),
)
def test_a_sweep_that_is_asked_to_stop_saves_what_it_has(store, tiny, sent):
    keys = replace(tiny, steps=100_000, batch_size=16, seeds=1, sweeps=tiny.sweeps[:1]).runs()
    process = _start(store, keys)
    until = time.monotonic() + 60
    while not [*Path(store.root).glob("locks/*")] and time.monotonic() < until:
        time.sleep(0.05)
    for number in sent:
        os.killpg(process.pid, number)  # to controller and workers
        time.sleep(0.03)
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert [state_of(store, key) for key in keys] == ["interrupted", "missing"]


@pytest.mark.long
def test_two_sweeps_on_one_store_share_the_work(store, tiny, in_process):
    keys = replace(tiny, steps=500, batch_size=16, seeds=1, sweeps=tiny.sweeps[:1]).runs()
    other = _start(store, keys)
    assert "model-steps" in other.stderr.readline()  # it has begun
    here = train_runs(Store(store.url), keys, workers=1, group_size=1)
    there, said = other.communicate(timeout=120)
    assert other.returncode == 0, said
    assert here.done + int(there) == len(keys)
    assert {state_of(store, key) for key in keys} == {"done"}


@pytest.mark.long
def test_killed_sweeps_end_with_the_table_of_an_undisturbed_one(tiny, tmp_path):
    """The small form of ``python tools/torture.py``, which kills fifty times: checkpoints of every kind."""
    sweeps = (Sweep("beta_vae", (1,)), Sweep("factor_vae", (10,)), Sweep("weak_de", (10,)))
    keys = replace(tiny, steps=200, batch_size=16, seeds=1, sweeps=sweeps).runs()
    lines: list[str] = []
    generator = seeds.generator(purpose="test of kills", seed=0)
    counts = torture(tmp_path, keys, kills=1, generator=generator, workers=1, tell=lines.append)
    assert sum(counts[target] for target in TARGETS) == sum(counts[moment] for moment in MOMENTS) == 1
    assert sum(line.startswith("kill ") for line in lines) == 1
    assert counts["starts"] >= counts["sweeps"] >= 1
    table = trained_table(Store(tmp_path / "undisturbed"), keys)
    assert counts["cells"] == counts["sweeps"] * (table.size - 3 * len(table))  # three columns may differ
    assert counts["differences"] == 0


def test_a_table_that_differs_is_seen_to(store, tiny_keys, finish):
    finish(store, *tiny_keys)
    table = trained_table(store, tiny_keys)
    other = table.assign(trained_utc="later", commit="another")
    assert differences(table, other) == 0
    other.loc[0, "value"] = repr("another checksum")
    assert differences(table, other) == 1
    assert differences(table, other.iloc[1:]) > 1


def test_a_worker_is_killed_and_its_controller_lives_and_what_ended_is_not_killed():
    program = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'input()'], stdin=-1); input()"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, start_new_session=True)
    generator, until = seeds.generator(purpose="test"), time.monotonic() + 60
    while not kill(process, "worker", generator) and time.monotonic() < until:
        time.sleep(0.05)
    assert process.poll() is None
    assert kill(process, "controller", generator)
    assert process.returncode == -signal.SIGKILL
    assert not kill(process, "controller", generator)
    process.stdin.close()


def test_the_small_plan_is_small_and_has_every_kind_of_checkpoint():
    plan = small_plan(steps=200, number=2)
    assert len(plan) == 12
    assert {key.steps for key in plan} == {200}
    cards = [find_card(key.objective) for key in small_plan()]
    kinds = {(card.adversary is not None, card.extra is not None, card.labels is not None) for card in cards}
    assert kinds == {(False, False, False), (True, False, False), (True, True, True)}
    assert any(card.second_batch for card in cards)


def test_a_round_of_a_soak_that_is_not_finished_is_over(tmp_path, monkeypatch):
    places = []

    def torture_once(place, *_, **options):
        assert place not in places, "a folder that is not empty is refused"
        places.append(place)
        return Counter()

    monkeypatch.setattr(soak, "torture", torture_once)
    monkeypatch.setattr(soak, "sweep", lambda *_: 1)
    found = soak.soak(tmp_path, 0, seeds.generator(test="soak"), 1)
    assert (found["rounds"], found["not finished"]) == (1, 1)
