"""From runs to groups: which are trained together, where, and about how long it will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dbench.errors import InvalidInput, unknown_name
from dbench.models.objectives import find_card
from dbench.zoo.devices import check_cluster_device, check_device
from dbench.zoo.engine import Group, measure_speed
from dbench.zoo.keys import RunKey
from dbench.zoo.memory import free_memory, gpu_group_size

__all__ = ["ENGINES", "GROUP_SIZE", "Setup", "cut_groups", "expected_seconds"]

GROUP_SIZE = 15
"""Runs in an ensemble on a processor, at most: more fall out of its caches. Results do not depend on it."""

ENGINES = ("local", "ray")


@dataclass(frozen=True)
class Setup:
    """How to train: everything that does not decide what comes out.

    Args:
        engine: ``local`` or ``ray``.
        device: ``cpu``, ``cuda`` or, unless on a cluster, one GPU of several (``cuda:1``).
        precision: of matrix products, as in :func:`dbench.training.train`.
        workers: groups at once; as many as there is room for when not given.
        group_size: runs in an ensemble, at most; :data:`GROUP_SIZE` on processors and what fits on GPUs when not given.
        num_gpus: GPUs of a group on a Ray cluster, 1 or a fraction; 1 on ``cuda`` when not given.
        checkpoint_every: seconds between the checkpoints of a run.

    Raises:
        InvalidInput: a setting out of range, or a device that this machine lacks or a cluster cannot be asked for.
        UnknownName: no such engine.
    """

    engine: str = "local"
    device: str = "cpu"
    precision: str = "float32"
    workers: int | None = None
    group_size: int | None = None
    num_gpus: float | None = None
    checkpoint_every: float = 60.0

    def __post_init__(self) -> None:
        """Check every setting."""
        if self.engine not in ENGINES:
            raise unknown_name("engine", self.engine, ENGINES)
        # On a cluster every node checks for itself what it has.
        check = check_device if self.engine == "local" else check_cluster_device
        check(self.device, self.precision)
        for name in ("workers", "group_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidInput(f"{name} must be at least 1, got {value}")
        if self.num_gpus is None:
            return
        if self.engine != "ray" or not self.on_gpu:
            raise InvalidInput(f"num_gpus is for engine ray and device cuda, got {self.engine} and {self.device}")
        if not 0 < self.num_gpus <= 1:
            raise InvalidInput(
                f"num_gpus must be above 0 and at most 1, a group trains on one GPU, got {self.num_gpus}"
            )

    @property
    def on_gpu(self) -> bool:
        """Whether groups train on GPUs."""
        return self.device.startswith("cuda")

    @property
    def gpu_share(self) -> float:
        """Part of a GPU that a group has for itself; 0 on processors."""
        if not self.on_gpu:
            return 0.0
        return (self.num_gpus or 1.0) if self.engine == "ray" else 1 / (self.workers or 1)


def cut_groups(url: str, keys: Sequence[RunKey], at_once: int, setup: Setup) -> list[Group]:
    """Cut a plan into groups of one shape and nearly equal size, as many as keep all workers busy to the end."""
    shapes: dict[tuple[Any, ...], list[RunKey]] = {}
    for key in sorted(keys):
        shapes.setdefault(_shape(key), []).append(key)
    groups = []
    for members in shapes.values():
        count = -(-len(members) // _group_size(members[0], setup))
        count = min(-(-count // at_once) * at_once, len(members))
        for i in range(count):
            part = members[len(members) * i // count : len(members) * (i + 1) // count]
            groups.append(Group(url, tuple(part), setup.device, setup.precision, setup.checkpoint_every))
    return groups


def _group_size(key: RunKey, setup: Setup) -> int:
    if setup.group_size is not None:
        return setup.group_size
    if not setup.on_gpu:
        return GROUP_SIZE
    return gpu_group_size(key, memory=setup.gpu_share * free_memory(setup.device))


def _shape(key: RunKey) -> tuple[Any, ...]:
    """What runs must have in common to be trained as one ensemble."""
    company = find_card(key.objective).tuned(dict(key.constants)).company  # heads and adversaries are stacked too
    return replace(key, objective="any", strength=0, seed=0, constants=()), company


def expected_seconds(
    groups: Sequence[Group],
    at_once: int,
    setup: Setup,
    deadline: float | None = None,
    *,
    taken: Callable[[RunKey], int] = lambda _: 0,
) -> float | None:
    """Seconds that the groups will take when nothing else runs, from a few steps of one group of each shape.

    Args:
        groups: what is to be trained.
        at_once: how many groups at a time.
        setup: on what.
        deadline: ``time.monotonic()`` after which no more is tried.
        taken: steps that a run has taken before, and will not take again.

    Returns:
        ``None`` if this machine lacks the device and so cannot tell, or if ``deadline`` (``time.monotonic()``) comes
        first.
    """
    try:
        check_device(setup.device, setup.precision)
    except InvalidInput:
        return None
    speeds: dict[tuple[Any, ...], float] = {}
    seconds = 0.0
    for group in groups:
        shape = _shape(group.keys[0])
        if shape not in speeds:
            if deadline is not None and time.monotonic() > deadline:
                return None
            speeds[shape] = measure_speed(group, steps=10, deadline=deadline)
        seconds += sum(key.steps - taken(key) for key in group.keys) / speeds[shape]
    return seconds / at_once
