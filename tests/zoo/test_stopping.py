"""Ctrl-C, SIGTERM and the end of the budget, before the first run is begun."""

import io
import os
import signal
import time

import pytest
from rich.console import Console

from dbench.errors import InvalidInput
from dbench.zoo import plan
from dbench.zoo.engine import Group, measure_speed
from dbench.zoo.plan import Setup, expected_seconds
from dbench.zoo.population import score_population
from dbench.zoo.score import score_runs
from dbench.zoo.store import Store
from dbench.zoo.train import train_runs


def _interrupt(*_, **__):
    raise KeyboardInterrupt


def _be_terminated(*_, **__):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
    return 1.0


@pytest.mark.parametrize("end", [_interrupt, _be_terminated])
def test_a_sweep_can_be_stopped_while_it_estimates(store, tiny_keys, monkeypatch, end):
    monkeypatch.setattr(plan, "measure_speed", end)
    before = signal.getsignal(signal.SIGTERM)
    summary = train_runs(store, tiny_keys, workers=1, console=Console(file=io.StringIO()))
    assert (summary.cancelled, summary.trained, summary.left) == (True, 0, len(tiny_keys))
    assert signal.getsignal(signal.SIGTERM) == before


def test_there_is_no_estimate_after_the_deadline(store, tiny_keys, monkeypatch):
    group, taken = Group(store.url, tuple(tiny_keys[:1])), []
    monkeypatch.setattr("dbench.zoo.engine.train", lambda *_, steps, **__: taken.append(steps))
    assert expected_seconds([group], 1, Setup(), deadline=time.monotonic() - 1) is None
    assert taken == []
    assert expected_seconds([group], 1, Setup(), deadline=time.monotonic() + 600) is not None
    assert taken == [2, 10]
    taken.clear()
    assert measure_speed(group, steps=10**15, deadline=time.monotonic() + 1) > 0
    assert taken == [2]


@pytest.mark.parametrize("work", [train_runs, score_runs, score_population])
def test_a_store_in_memory_is_refused_where_processes_would_write_it(work, tiny_keys):
    with pytest.raises(InvalidInput, match=r"store must be a folder or a bucket.*got 'memory://nowhere'"):
        work(Store("memory://nowhere"), tiny_keys)
