"""Ctrl-C, SIGTERM, the end of the budget and what cannot be done, before the first run is begun."""

import os
import signal
import time

import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.errors import InvalidInput
from dbench.zoo import plan
from dbench.zoo.engine import Group
from dbench.zoo.plan import Setup, expected_seconds, measure_speed
from dbench.zoo.population import score_population
from dbench.zoo.score import score_runs
from dbench.zoo.store import Store
from dbench.zoo.train import train_runs

TWO = ["--data", "dsprites_grid_16", "--data", "color_dsprites_grid_16"]


def _interrupt(*_, **__):
    raise KeyboardInterrupt


def _be_terminated(*_, **__):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
    return 1.0


@pytest.mark.parametrize("end", [_interrupt, _be_terminated])
def test_a_sweep_can_be_stopped_while_it_estimates(store, tiny_keys, console, monkeypatch, end):
    monkeypatch.setattr(plan, "measure_speed", end)
    before = signal.getsignal(signal.SIGTERM)
    summary = train_runs(store, tiny_keys, workers=1, console=console)
    assert (summary.cancelled, summary.done, summary.others["left"]) == (True, 0, len(tiny_keys))
    assert signal.getsignal(signal.SIGTERM) == before


def test_there_is_no_estimate_after_the_deadline(store, tiny_keys, monkeypatch):
    group, taken = Group(store.url, tuple(tiny_keys[:1])), []
    monkeypatch.setattr("dbench.zoo.engine.train", lambda *_, steps, **__: taken.append(steps))
    assert expected_seconds([group], 1, Setup(), deadline=time.monotonic() - 1) is None
    assert taken == []
    assert expected_seconds([group], 1, Setup(), deadline=time.monotonic() + 600) is not None
    assert taken == [2, 10]
    taken.clear()
    assert measure_speed(group, steps=10**15, deadline=time.monotonic() + 1).steps > 0
    assert taken == [2]


@pytest.mark.parametrize(("left", "seconds"), [(None, 0.5), (600, 0.5), (-1, 7)])
def test_capturing_a_step_does_not_count_as_training_where_there_is_time(store, tiny_keys, monkeypatch, left, seconds):
    clock = iter([0.0, 7.0, 7.5])  # the first block of 100 steps ends after its capture, the second half a second later
    deadline = None if left is None else time.monotonic() + left

    def blocks(*_, steps, device, each_block, **__):
        assert (steps, device) == (200, "cuda")
        assert each_block(None) or each_block(None) is False

    monkeypatch.setattr("dbench.zoo.engine.train", blocks)
    monkeypatch.setattr("dbench.zoo.plan.time.perf_counter", lambda: next(clock))
    group = Group(store.url, tuple(tiny_keys[:3]), device="cuda")
    assert measure_speed(group, steps=10, deadline=deadline) == (
        pytest.approx(3 * 100 / seconds),
        6.5 if seconds == 0.5 else 0.0,
    )


@pytest.mark.parametrize("work", [train_runs, score_runs, score_population])
def test_a_store_in_memory_is_refused_where_processes_would_write_it(work, tiny_keys):
    with pytest.raises(InvalidInput, match=r"store must be a folder or a bucket.*got 'memory://nowhere'"):
        work(Store("memory://nowhere"), tiny_keys)


def test_a_table_of_two_data_sets_or_of_untrained_runs_is_refused_before_their_runs_are_compared(
    store, tmp_path, monkeypatch
):
    compared = []
    monkeypatch.setattr("dbench.zoo.complete.score_population", lambda *_, **__: compared.append(True) or {})
    command = ["zoo", "table", "--store", store.url, "--objective", "beta_vae", "--out", str(tmp_path / "out")]
    two = CliRunner().invoke(main, [*command, *TWO])
    assert two.exit_code == 2
    assert "data must name one data set for a table, got color_dsprites_grid_16, dsprites_grid_16" in two.output
    assert not compared
    one = CliRunner().invoke(main, [*command, *TWO[:2], *TWO[:2]])  # the same one twice is one
    assert "is not trained to its end" in one.output
    assert not compared


_PICKS = "device must be cpu or cuda on a Ray cluster, which picks the GPUs"


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        *(({"engine": "ray", "device": name}, f"{_PICKS}, got '{name}'") for name in ("cuda:9", "mps", "CUDA")),
        *(({"engine": "ray", "precision": name}, f"precision must be .*, got '{name}'") for name in ("float8", "tf32")),
        ({"group_size": 501}, "group_size must be at most 500, got 501"),  # a process may not open as many files
        *(({name: 0}, f"{name} must be 1 or more, got 0") for name in ("workers", "group_size")),
    ],
)
def test_a_setup_that_nothing_can_be_trained_in_is_refused(setup, message):
    with pytest.raises(InvalidInput, match=message):
        Setup(**setup)
