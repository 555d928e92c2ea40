"""A budget is spent on whole seeds of all settings first."""

import math
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
        groups.extend(tasks)
        return Outcome([], [], cancelled=False)

    monkeypatch.setattr("dbench.zoo.train.run_tasks", run_tasks)
    monkeypatch.setattr("dbench.zoo.plan.check_device", lambda *_, **__: None)

    def train(budget, *, speed, **setup):
        monkeypatch.setattr("dbench.zoo.plan.measure_speed", lambda *_, **__: speed)
        train_runs(store, plan.runs(), budget=budget, console=console, workers=1, **setup)
        return [sorted({key.seed for key in group.keys}) for group in groups], console.file.getvalue()

    return train


def test_as_many_whole_seeds_as_fit_come_first_and_then_one_after_the_other(trained_seeds):
    seeds, told = trained_seeds(1800, speed=Speed(0.1))  # a seed takes 480 s
    assert seeds == [[10, 11, 12]] * 2 + [[13]] * 2 + [[14]] * 2 + [[15]] * 2
    assert "whole seeds first, 10, 11, 12; then one after the other (13, 14, 15)" in told


def test_on_a_gpu_the_seeds_that_do_not_fit_are_left_and_the_others_trained_at_once(trained_seeds):
    seeds, told = trained_seeds(1800, speed=Speed(0.1), device="cuda")
    assert seeds == [[10, 11, 12]] * 2
    assert "the others are left (13, 14, 15)" in told
    assert "12 runs in 2 groups of at most 9, 1 at once on cuda: 144 model-steps, about 24 min 00 s" in told


def test_on_the_gpus_of_a_cluster_whose_speed_nobody_knows_here_one_seed_follows_the_other(plan, monkeypatch):
    monkeypatch.setattr("dbench.zoo.plan.expected_seconds", lambda *_, **__: None)
    told, setup = [], Setup(engine="ray", device="cuda", group_size=8)
    groups = plan_groups("nowhere", plan.runs(), 1, setup, deadline=math.inf, log=told.append)
    assert [sorted({key.seed for key in group.keys}) for group in groups] == [[n] for n in range(10, 16) for _ in "ab"]
    assert told[0] == "whole seeds first, 10; then one after the other (11, 12, 13, 14, 15)"


def test_a_tenth_of_the_time_is_left_for_encoding(trained_seeds):
    seeds, _ = trained_seeds(1500, speed=Speed(0.1), device="cuda")
    assert seeds == [[10, 11]] * 2


def test_what_a_group_takes_before_its_first_step_counts(trained_seeds):
    seeds, _ = trained_seeds(1800, speed=Speed(0.1, start=400.0), device="cuda")  # of two groups
    assert seeds == [[10]] * 2


def test_where_not_even_one_seed_fits_it_is_trained_and_a_line_says_so(trained_seeds):
    seeds, told = trained_seeds(400, speed=Speed(0.1), device="cuda")
    assert seeds == [[10]] * 2
    assert "not even one seed is expected to be finished: it takes about 8 min 00 s of 6 min" in told


def test_where_all_fit_nothing_is_said_of_seeds(trained_seeds):
    seeds, told = trained_seeds(10_000, speed=Speed(0.1))
    assert (len(seeds), {seed for group in seeds for seed in group}) == (3, {10, 11, 12, 13, 14, 15})
    assert "whole seeds" not in told


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
