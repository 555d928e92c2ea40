import importlib
import io
import multiprocessing
import os
import subprocess
import sys
import time
import weakref
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from dbench.errors import InvalidInput
from dbench.zoo.engine import Group, images_of, train_group
from dbench.zoo.executor import FAILED, STOPPING, UNSAVED, Processes, run_tasks
from dbench.zoo.pack import shapes_of
from dbench.zoo.profiles import Sweep
from dbench.zoo.progress import ProgressBar, clock
from dbench.zoo.store import Store
from dbench.zoo.survey import survey
from dbench.zoo.train import train_runs


def _codes(store, key):
    return store.tensors(key, "codes")["mean"]


@pytest.mark.parametrize(
    ("sweeps", "adversary"),
    [
        ((Sweep("beta_vae", (1,)), Sweep("beta_tcvae", (4,))), {}),
        ((Sweep("factor_vae", (10, 40)),), {"adversary.0.weight": (10, 64), "adversary.3.bias": (2,)}),
    ],
)
def test_a_run_is_the_same_alone_interrupted_or_among_others(store, tiny, tmp_path, channel, sweeps, adversary):
    keys, line = replace(tiny, steps=250, seeds=1, sweeps=sweeps).runs(), channel()
    assert train_group(line, Group(store.url, tuple(keys))) == 2
    assert (line.total("units"), line.total("runs")) == (2 * 250, 2)
    assert not np.array_equal(*(_codes(store, key) for key in keys))
    weights = store.tensors(keys[1], "weights")
    beside = weights.keys() & {"adversary.0.weight", "adversary.3.bias"}
    assert {name: weights[name].shape for name in beside} == adversary
    alone = Store(tmp_path / "alone")
    for stop_after, ended in ((1, 0), (1, 0), (10, 1)):
        assert train_group(channel(stop_after), Group(alone.url, (keys[1],))) == ended
    for name in ("weights", "codes"):
        again = alone.tensors(keys[1], name)
        assert all(np.array_equal(values, again[part]) for part, values in store.tensors(keys[1], name).items())
    first, second = (place.record(keys[1]) for place in (store, alone))
    assert first["scores"] == second["scores"]
    assert first["scores"]["loss.100"] > 0


def test_images_of_one_data_set_are_kept_at_a_time(monkeypatch):
    monkeypatch.setattr("dbench.zoo.engine.load", lambda _: SimpleNamespace(grid_images=lambda: np.zeros((2, 1, 4, 4))))
    images_of.cache_clear()
    kept = weakref.ref(images_of("one")[1])
    assert images_of("one")[1] is kept()
    images_of("other")
    assert kept() is None
    images_of.cache_clear()


def test_shapes_are_known_without_images(key, monkeypatch):
    monkeypatch.setattr("dbench.data.base.GridData.grid_images", lambda self: pytest.fail(f"{self.name} was drawn"))
    assert shapes_of(replace(key, data="dsprites_grid_32-without-random0"))["encoder.0.weight"] == (32 * 32, 64)


def test_runs_that_another_holds_or_has_finished_are_left_to_it(store, tiny_keys, channel, monkeypatch):
    monkeypatch.setattr("dbench.zoo.engine._PATIENCE", 0.0)
    group, line = Group(store.url, tuple(tiny_keys[:2])), channel()
    with store.claim(tiny_keys[:1]):
        assert train_group(channel(), group) == 1
    assert [store.status(key) for key in group.keys] == [None, "done"]
    # Planned before the other one finished its part.
    assert train_group(line, group) == 1
    assert (line.total("units"), line.total("runs")) == (12, 1)
    assert all(store.intact(key) for key in group.keys)


@pytest.mark.long
def test_processes_train_what_is_missing_and_only_that(store, tiny, channel, console):
    keys = tuple(replace(tiny, steps=150, sweeps=(Sweep("beta_vae", (1,)), Sweep("beta_tcvae", (4,)))).runs())
    group = Group(store.url, keys)
    train_group(channel(), replace(group, keys=keys[:1]))
    train_group(channel(1), replace(group, keys=keys[1:2]))
    codes = Path(store.url) / "runs" / keys[0].digest / "codes.safetensors"
    before = _codes(store, keys[0]).copy()
    codes.write_bytes(codes.read_bytes()[:-4])
    assert sum(survey(store, keys).values(), Counter()) == {"damaged": 1, "interrupted": 1, "missing": 2}
    summary = train_runs(store, keys, workers=1, group_size=3, console=console)
    assert (summary.present, summary.done, summary.others["left"], summary.others["damaged"]) == (0, 4, 0, 1)
    assert "4 runs in 2 groups of at most 2, 1 at once on cpu: 500 model-steps" in console.file.getvalue()
    np.testing.assert_array_equal(_codes(store, keys[0]), before)
    again = train_runs(store, keys)
    assert (again.present, again.done) == (4, 0)


TASKS = """
import os, signal, time

from dbench.errors import InvalidInput


def die(channel, number):
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail(channel, number):
    raise InvalidInput(f"number must not be {number}")


def tell(channel, name):
    return os.environ.get(name)


def be_asked_to_end(channel, number):
    os.kill(os.getpid(), signal.SIGTERM)
    return number


def wait(channel, number):
    channel.report(started=number)
    while not channel.stopping:
        time.sleep(0.01)
    channel.report(saved=number)
    return number


def fail_to_save(channel, number):
    wait(channel, number)
    raise InvalidInput("no space left")
"""


@pytest.fixture
def tasks(tmp_path, monkeypatch):
    """Tasks in a module that worker processes can import."""
    (tmp_path / "tasks_for_workers.py").write_text(TASKS)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("tasks_for_workers")
    del sys.modules["tasks_for_workers"]


class Bar:
    """Keeps what a progress bar is told; Ctrl-C may come with a report."""

    def __init__(self, interrupt=False):
        self.told, self.lines, self.interrupt = [], [], interrupt
        self.log = self.lines.append

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def advance(self, **progress):
        self.told.append(progress)
        if self.interrupt:
            self.interrupt = False
            raise KeyboardInterrupt


@pytest.fixture
def bar():
    yield Bar()
    assert not multiprocessing.active_children()


def test_a_dying_worker_is_an_error_and_the_others_go_on(tasks, bar):
    results, errors, _ = run_tasks(Processes(tasks.die, 2), [0, 1, 2], bar)
    assert (sorted(results), len(errors)) == ([0, 2], 1)
    assert "worker process died (exit code -9)" in str(errors[0])
    assert bar.lines == [f"{FAILED}: {errors[0]}"]


def test_an_error_in_a_worker_keeps_its_message(tasks, bar):
    with pytest.raises(InvalidInput, match="number must not be 7"):
        run_tasks(Processes(tasks.fail, 1), [7], bar).checked()


def test_a_worker_has_the_environment_of_now_and_one_thread(tasks, bar, monkeypatch):
    names = ["OF_A_TEST", "OMP_NUM_THREADS", "PYTHONSAFEPATH"]
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    for value in ("one", "other"):
        monkeypatch.setenv("OF_A_TEST", value)
        assert set(run_tasks(Processes(tasks.tell, 1), names, bar).results) == {value, "1", None}
    assert "PYTHONSAFEPATH" not in os.environ


PROGRAM = """
from tasks_of_a_script import tell
from dbench.zoo.executor import Processes, run_tasks
from dbench.zoo.progress import ProgressBar

if __name__ == "__main__":
    bar = ProgressBar(runs=1, units=1, unit="tasks")
    print(run_tasks(Processes(tell, 1), ["x"], bar).checked().results)
"""


def test_workers_import_from_where_their_controller_does_and_not_from_the_current_folder(tmp_path):
    for folder in ("script", "current"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tasks_of_a_script.py").write_text(f"def tell(channel, task):\n    return {folder!r}\n")
    (tmp_path / "script" / "main.py").write_text(PROGRAM)
    command = [sys.executable, "../script/main.py"]
    done = subprocess.run(command, cwd=tmp_path / "current", capture_output=True, text=True, check=False)
    assert done.stdout == "['script']\n", done.stderr


def test_fewer_than_one_worker_is_refused(tasks):
    with pytest.raises(InvalidInput, match="workers must be at least 1"):
        Processes(tasks.fail, 0)


def test_a_worker_leaves_it_to_its_controller_when_to_end(tasks, bar):
    assert run_tasks(Processes(tasks.be_asked_to_end, 1), [3], bar) == ([3], [], False)


def test_what_could_not_be_saved_after_a_ctrl_c_is_reported_and_an_error(tasks):
    bar = Bar(interrupt=True)
    results, errors, cancelled = run_tasks(Processes(tasks.fail_to_save, 1), [0, 1], bar)
    assert (results, [str(error) for error in errors], cancelled) == ([], ["no space left"], True)
    assert bar.lines == [STOPPING, f"{UNSAVED}: no space left"]
    assert not multiprocessing.active_children()


def test_workers_finish_their_task_before_they_stop(tasks, bar):
    results, _, cancelled = run_tasks(Processes(tasks.wait, 2), [0, 1, 2], bar, deadline=time.monotonic() + 3)
    assert not cancelled
    assert sorted(told["started"] for told in bar.told if "started" in told) == sorted(results)
    assert sorted(told["saved"] for told in bar.told if "saved" in told) == sorted(results)
    assert 2 not in results


def test_a_progress_bar_counts_and_tells_the_time_left():
    now = 100.0
    console = Console(file=io.StringIO(), get_time=lambda: now)
    with ProgressBar(runs=4, units=4000, unit="model-steps", console=console) as bar:
        now = 120.0
        bar.advance(runs=1, units=1000)
    assert console.file.getvalue() == "1 of 4 runs, 50 model-steps/s, 1 min 00 s left\n"


@pytest.mark.parametrize(("seconds", "text"), [(-1, "0 s"), (59, "59 s"), (200, "3 min 20 s"), (7500, "2 h 05 min")])
def test_a_duration_reads_well(seconds, text):
    assert clock(seconds) == text
