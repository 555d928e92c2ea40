"""Train what a store lacks of a plan: several processes, each with one thread and one ensemble at a time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console

from dbench.errors import DamagedData, InvalidInput
from dbench.zoo.keys import RunKey
from dbench.zoo.progress import Meter, clock
from dbench.zoo.store import Store
from dbench.zoo.workers import cores, run_tasks, terminable

if TYPE_CHECKING:
    from dbench.zoo.engine import Group

__all__ = ["GROUP_SIZE", "TrainSummary", "survey", "train_runs"]

GROUP_SIZE = 15
"""Runs in an ensemble, at most. Results do not depend on it."""

Cell = tuple[str, str, float]


@dataclass(frozen=True)
class TrainSummary:
    """What a call of :func:`train_runs` did.

    Attributes:
        present: runs that were finished before.
        trained: runs finished now, diverged ones included.
        diverged: runs of the plan that diverged, now or before.
        left: runs of the plan that are not finished.
        damaged: runs found damaged and therefore trained anew.
        seconds: it took.
        cancelled: whether Ctrl-C ended it.
    """

    present: int
    trained: int
    diverged: int
    left: int
    damaged: int
    seconds: float
    cancelled: bool

    def __str__(self) -> str:
        """Summary in one line."""
        parts = [f"trained {self.trained} runs in {clock(self.seconds)}", f"{self.present} were there before"]
        if self.damaged:
            parts.append(f"{self.damaged} were damaged and trained anew")
        if self.diverged:
            parts.append(f"{self.diverged} diverged")
        if self.left:
            parts.append(f"{self.left} are left (the same command goes on)")
        return "; ".join(parts)


def survey(store: Store, keys: Iterable[RunKey]) -> dict[Cell, Counter[str]]:
    """Count the runs of a plan by data set, objective, strength and state.

    States: ``done``, ``diverged``, ``interrupted``, ``damaged`` (a checksum fails), ``missing``; ``scored`` counts
    those of the done runs that have scores.
    """
    counts: dict[Cell, Counter[str]] = {}
    for key in keys:
        cell = counts.setdefault((key.data, key.objective, key.strength), Counter())
        state = _state(store, key)
        cell[state] += 1
        cell["scored"] += state == "done" and store.read_document("scores", key=key) is not None
    return counts


def _state(store: Store, key: RunKey) -> str:
    try:
        status = store.status(key)
    except DamagedData:
        return "damaged"
    if status is None or status == "interrupted":
        return status or "missing"
    return status if store.intact(key) else "damaged"


def train_runs(
    store: Store,
    keys: Sequence[RunKey],
    *,
    workers: int | None = None,
    budget: float | None = None,
    group_size: int = GROUP_SIZE,
    device: str = "cpu",
    precision: str = "float32",
    console: Console | None = None,
) -> TrainSummary:
    """Train every run of the plan that the store does not hold whole.

    Damaged runs are trained anew, interrupted ones go on from their checkpoint. Ctrl-C, SIGTERM and the end of the
    budget make the workers write checkpoints and stop.

    Args:
        store: where finished runs lie and new ones go.
        keys: the plan.
        workers: processes; one a core when not given, one on a GPU.
        budget: seconds after which to stop.
        group_size: runs in an ensemble, at most.
        device: ``cpu`` or a torch device such as ``cuda``.
        precision: of matrix products, as in :func:`dbench.training.train`.
        console: where plan and progress are written; standard error when not given.

    Raises:
        DbenchError: a worker died, or the store cannot be written.
        UnknownName: an objective, network or data set nobody knows.
    """
    console = console or Console(stderr=True)
    workers = workers or (1 if device.startswith("cuda") else cores())
    begin = time.monotonic()
    states = {key: _state(store, key) for key in keys}
    todo = [key for key in keys if states[key] not in ("done", "diverged")]
    groups = _groups(store.url, todo, workers, group_size, device, precision)
    cancelled = _train(groups, workers, begin, budget, console) if groups else False
    after = Counter(_state(store, key) for key in keys)
    finished = after["done"] + after["diverged"]
    return TrainSummary(
        present=len(keys) - len(todo),
        trained=finished - (len(keys) - len(todo)),
        diverged=after["diverged"],
        left=len(keys) - finished,
        damaged=sum(state == "damaged" for state in states.values()),
        seconds=time.monotonic() - begin,
        cancelled=cancelled,
    )


def _train(groups: list[Group], workers: int, begin: float, budget: float | None, console: Console) -> bool:
    """Train the groups; return whether it was cancelled."""
    from dbench.zoo.engine import measure_speed, train_group

    n_runs = sum(len(group.keys) for group in groups)
    steps = float(sum(len(group.keys) * group.keys[0].steps for group in groups))
    used = min(workers, len(groups))
    expected = steps / (measure_speed(groups[0]) * used)
    console.print(
        f"{n_runs} runs in {len(groups)} groups, {steps:,.0f} model-steps on {used} "
        f"{'process' if used == 1 else 'processes'}: about {clock(expected)} when nothing else runs",
        highlight=False,
        soft_wrap=True,
    )
    deadline = None if budget is None else begin + budget
    news = run_tasks(train_group, groups, workers=workers, deadline=deadline)
    with terminable(), Meter(runs=n_runs, units=steps, unit="model-steps", console=console) as meter, closing(news):
        try:
            for kind, content in news:
                if kind == "news":
                    meter.advance(**content)
        except KeyboardInterrupt:
            console.print("stopping: the workers write checkpoints", highlight=False)
            return True
    return False


def _groups(
    url: str, keys: Sequence[RunKey], workers: int, group_size: int, device: str, precision: str
) -> list[Group]:
    """Cut the plan into groups of one shape and nearly equal size, as many as keep all workers busy to the end."""
    from dbench.models.objectives import find_card
    from dbench.zoo.engine import Group

    if group_size < 1:
        raise InvalidInput(f"group_size must be at least 1, got {group_size}")
    shapes: dict[tuple[Any, ...], list[RunKey]] = {}
    for key in sorted(keys):
        company = find_card(key.objective).company  # heads and adversaries are stacked too
        shape = (key.data, key.network, key.steps, key.batch_size, key.learning_rate, company)
        shapes.setdefault(shape, []).append(key)
    groups = []
    for members in shapes.values():
        count = -(-len(members) // group_size)
        count = min(-(-count // workers) * workers, len(members))
        for i in range(count):
            part = members[len(members) * i // count : len(members) * (i + 1) // count]
            groups.append(Group(url, tuple(part), device, precision))
    return groups
