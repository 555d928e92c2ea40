"""A budget is spent on whole seeds of all settings first."""

import math
import time
from dataclasses import replace

import pytest

from dbench.errors import InvalidInput
from dbench.training.execution import check_device
from dbench.zoo.executor import Outcome
from dbench.zoo.plan import Setup, Speed, plan_groups
from dbench.zoo.profiles import Sweep
from dbench.zoo.train import train_runs


@pytest.fixture
def plan(tiny):
    """Four settings of two shapes, six seeds: 48 model-steps a seed, 12 of them of the other shape."""
    sweeps = (Sweep("beta_vae", (1, 4, 16)), Sweep("factor_vae", (10,)))
    return replace(tiny, seeds=6, first_seed=10, sweeps=sweeps)


@pytest.fixture
def trained_seeds(store, plan, console, monkeypatch):
    """Plan a sweep within a budget; return the seeds of each group in order, and what was told."""
    groups = []

    def run_tasks(pool, tasks, bar, *, deadline):
        assert deadline > time.monotonic()
        groups.extend(tasks)
        return Outcome([], [], cancelled=False)

    monkeypatch.setattr("dbench.zoo.train.run_tasks", run_tasks)
    monkeypatch.setattr("dbench.zoo.plan.check_device", lambda *_, **__: None)

    def train(budget, *, speed, **setup):
        monkeypatch.setattr("dbench.zoo.plan.measure_speed", lambda *_, **__: speed)
        train_runs(store, plan.runs(), budget=budget, console=console, workers=1, **setup)
        return [sorted({key.seed for key in group.keys}) for group in groups], console.file.getvalue()

    return train


SLOW = Speed(0.1)  # a seed takes 480 s
FIRST = "whole seeds first, 10, 11, 12; "


@pytest.mark.parametrize(
    ("budget", "device", "speed", "seeds", "said"),
    [
        (1800, "cpu", SLOW, [[10, 11, 12], [13], [14], [15]], f"{FIRST}then one after the other (13, 14, 15)"),
        (1800, "cuda", SLOW, [[10, 11, 12]], f"{FIRST}the others are left (13, 14, 15)"),
        (1800, "cuda", SLOW, [[10, 11, 12]], "12 runs in 2 groups of at most 9, 1 at once on cuda: 144 model-steps, "),
        (1800, "cuda", SLOW, [[10, 11, 12]], "model-steps, about 24 min 00 s if nothing else runs"),
        (1500, "cuda", SLOW, [[10, 11]], ""),  # a tenth of the time is left for encoding
        (1800, "cuda", Speed(0.1, start=400.0), [[10]], ""),  # of each group, before its first step
        (400, "cuda", SLOW, [[10]], "not even one seed is expected to be finished: it takes about 8 min 00 s of 6 min"),
    ],
)
def test_as_many_whole_seeds_as_fit_come_first(trained_seeds, budget, device, speed, seeds, said):
    """On a processor the others follow one after the other; on a GPU they are left."""
    found, told = trained_seeds(budget, speed=speed, device=device)
    assert found == [group for group in seeds for _ in range(2)]  # of two shapes
    assert said in told


def test_where_all_fit_nothing_is_said_of_seeds(trained_seeds):
    seeds, told = trained_seeds(10_000, speed=SLOW)
    assert (len(seeds), {seed for group in seeds for seed in group}) == (3, {10, 11, 12, 13, 14, 15})
    assert "whole seeds" not in told


def test_on_the_gpus_of_a_cluster_whose_speed_nobody_knows_here_one_seed_follows_the_other(plan, monkeypatch):
    monkeypatch.setattr("dbench.zoo.plan.expected_seconds", lambda *_, **__: None)
    told, setup = [], Setup(engine="ray", device="cuda", group_size=8)
    groups = plan_groups("nowhere", plan.runs(), 1, setup, deadline=math.inf, log=told.append)
    assert [sorted({key.seed for key in group.keys}) for group in groups] == [[n] for n in range(10, 16) for _ in "ab"]
    assert told[0] == "whole seeds first, 10; then one after the other (11, 12, 13, 14, 15)"


@pytest.mark.parametrize("budget", [0, -1, float("nan")])
def test_a_budget_of_nothing_is_refused(store, plan, budget):
    with pytest.raises(InvalidInput, match="budget must be above zero seconds, got"):
        train_runs(store, plan.runs(), budget=budget)


def test_a_store_with_finished_runs_of_another_precision_is_refused_before_anything_is_trained(
    trained_seeds, monkeypatch
):
    monkeypatch.setattr("dbench.zoo.train.precisions_of", lambda store: {"bfloat16"})
    with pytest.raises(InvalidInput, match=r"precision must be that of the runs in .*, bfloat16, got 'float32'"):
        trained_seeds(1800, speed=Speed(0.1))


def test_a_card_without_bfloat16_is_refused_by_name(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 1)
    monkeypatch.setattr("torch.cuda.get_device_name", lambda device: "An Old Card")
    monkeypatch.setattr("torch.cuda.is_bf16_supported", lambda including_emulation: False)
    check_device("cuda", "tf32")
    with pytest.raises(InvalidInput, match="float32 or tf32 on An Old Card, which has no bfloat16"):
        check_device("cuda", "bfloat16")
