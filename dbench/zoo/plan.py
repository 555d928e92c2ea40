"""From runs to groups: which are trained together, where, and about how long it will take."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import torch

from dbench.errors import InvalidInput, unknown_name
from dbench.models.objectives import find_card
from dbench.training import State
from dbench.training.execution import check_device
from dbench.training.state import BLOCK
from dbench.zoo.engine import Group, fitting, images_of, network_of, train_keys
from dbench.zoo.keys import RunKey
from dbench.zoo.progress import clock

Log = Callable[[str], None]

_GROUP_SIZE = 15
"""Runs in an ensemble on a processor, at most: more fall out of its caches. Results do not depend on it."""

_LARGEST = 500
"""Runs in an ensemble, at most: each holds the file of its lock open, and many systems allow a process 1,024."""

_ENGINES = ("local", "ray")

_SHARE = 0.6
"""Part of a GPU's free memory that an ensemble may fill; the rest is for workspaces, temporaries and fragments."""

_ASSUMED = 16 * 2**30
"""Bytes of memory of a GPU that cannot be asked because it is in another machine: the smallest in common use."""

_COPIES = 8
"""Copies of a member's parameters in a block of steps: weights and both moments, now and at its start; gradient; one in
passing."""


@dataclass(frozen=True)
class Setup:
    """How to train: everything that does not decide what comes out.

    Args:
        device: ``cpu``, ``cuda`` or, unless on a cluster, one GPU of several (``cuda:1``).
        precision: as in :func:`dbench.training.train`.
        workers: groups at once; as many as there is room for when not given.
        group_size: runs in an ensemble, 500 at most; 15 on processors and what fits on GPUs when not given.
        num_gpus: GPUs of a group on a Ray cluster, 1 or a fraction; 1 on ``cuda`` when not given.
        checkpoint_every: seconds between the checkpoints of a run.

    Raises:
        InvalidInput: a device that this machine lacks or a cluster cannot be asked for, or workers, runs in an
            ensemble or GPUs out of range.
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
        if self.engine not in _ENGINES:
            raise unknown_name("engine", self.engine, _ENGINES)
        for name, number in (("workers", self.workers), ("group_size", self.group_size)):
            if number is not None and number < 1:
                raise InvalidInput(f"{name} must be 1 or more, got {number}")
        if self.group_size is not None and self.group_size > _LARGEST:
            raise InvalidInput(f"group_size must be at most {_LARGEST}, got {self.group_size}")
        # On a cluster every node checks for itself what it has.
        check_device(self.device, self.precision, cluster=self.engine == "ray")
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
        return _GROUP_SIZE
    free = torch.cuda.mem_get_info(setup.device)[0] if torch.cuda.is_available() else _ASSUMED
    return min(gpu_group_size(key, memory=setup.gpu_share * free), _LARGEST)


def gpu_group_size(key: RunKey, *, memory: float) -> int:
    """How many models of this kind to train at once in so many bytes of a GPU's memory; at least one."""
    return max(int((_SHARE * memory - _image_bytes(key.data)) / _counted_bytes(replace(key, seed=0))), 1)


@cache
def _image_bytes(data_name: str) -> int:
    return images_of(data_name)[1].nbytes


def member_bytes(key: RunKey) -> int:
    """Bytes of memory one more model of this kind takes in an ensemble: in training, or in encoding all images.

    Measured on a processor by a step of two: what a network keeps of each for its gradients does not depend on the
    device, but some train a model that is alone as two.
    """
    data, images = images_of(key.data)
    kept = dict[int, int]()

    def remember(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(remember, lambda tensor: tensor):
        state = train_keys([key, key], steps=1)
    training = (sum(kept.values()) + _COPIES * sum(row.nbytes for row in state.rows.values())) // 2
    # Means and log-variances of all images: the parts, and the whole they are joined to.
    encoding = 2 * 2 * len(images) * network_of(key, data).latents * torch.finfo(torch.float32).bits // 8
    return max(training, encoding)


_counted_bytes = cache(member_bytes)


def _shape(key: RunKey) -> tuple[Any, ...]:
    """What runs must have in common to be trained as one ensemble."""
    shared = find_card(key.objective).tuned(dict(key.constants)).shared_settings  # heads and adversaries stack too
    return replace(key, objective="any", strength=0, seed=0, constants=()), shared


class Speed(NamedTuple):
    """Model-steps a second of one worker, and the seconds before the first of a group."""

    steps: float
    start: float = 0.0


def measure_speed(group: Group, *, steps: int, deadline: float | None = None) -> Speed:
    """Train the group for a few steps, after two that warm up.

    ``deadline`` is the ``time.monotonic()`` to be done by: where there is no time for more, the first steps tell.
    On a GPU the second block of steps tells: to begin and to capture a step takes as long as two hundred steps.

    Raises:
        DbenchError: the group does not fit the GPU's memory.
    """
    images_of(group.keys[0].data)  # to be loaded takes time too
    runs, speed = len(group.keys), 0.0
    if group.device.startswith("cuda"):
        return _speed_on_gpu(group, deadline)
    for count in (2, steps):
        if speed and deadline is not None and time.monotonic() + steps * runs / speed > deadline:
            break
        start = time.perf_counter()
        train_keys(group.keys, steps=count)
        speed = count * runs / (time.perf_counter() - start)
    return Speed(speed)


def _speed_on_gpu(group: Group, deadline: float | None) -> Speed:
    times = [time.perf_counter()]

    def late(_: State) -> bool:
        times.append(time.perf_counter())
        return deadline is not None and time.monotonic() > deadline

    with fitting(group):
        train_keys(group.keys, steps=2 * BLOCK, each_block=late, device=group.device, precision=group.precision)
    if torch.cuda.is_available():
        torch.cuda.empty_cache()  # the workers that train are other processes, and need it
    last = times[-1] - times[-2]
    return Speed(BLOCK * len(group.keys) / last, max(times[1] - times[0] - last, 0.0))


def expected_seconds(
    groups: Sequence[Group],
    at_once: int,
    setup: Setup,
    deadline: float | None = None,
    *,
    taken: Mapping[RunKey, int] = MappingProxyType({}),
    speeds: dict[tuple[Any, ...], Speed] | None = None,
) -> float | None:
    """Seconds that the groups will take when nothing else runs, from a few steps of one group of each shape.

    ``taken`` gives the steps that a run has taken before, ``speeds`` keeps what was measured for another call. ``None``
    if this machine lacks the device and so cannot tell, or if ``deadline``, a ``time.monotonic()``, comes first.
    """
    try:
        check_device(setup.device, setup.precision)
    except InvalidInput:
        return None
    speeds = {} if speeds is None else speeds
    seconds = 0.0
    for group in groups:
        shape = _shape(group.keys[0])
        if shape not in speeds:
            if deadline is not None and time.monotonic() > deadline:
                return None
            speeds[shape] = measure_speed(group, steps=10, deadline=deadline)
        seconds += speeds[shape].start + sum(key.steps - taken.get(key, 0) for key in group.keys) / speeds[shape].steps
    return seconds / at_once


_MARGIN = 0.9
"""Part of the time left that whole seeds may be expected to take: to encode and save them takes some, too."""


def plan_groups(
    url: str,
    keys: Sequence[RunKey],
    at_once: int,
    setup: Setup,
    *,
    deadline: float | None = None,
    taken: Mapping[RunKey, int] = MappingProxyType({}),
    log: Log,
) -> list[Group]:
    """Cut a plan into groups, and say what it is and how long it takes.

    With a ``deadline``, a ``time.monotonic()``, as many whole seeds come first as are expected to be finished by it,
    one at least, and then one after the other. On a GPU the others are left: checkpoints are worth nothing on another
    one, which the next call may be given. Where the time cannot be told none are.
    """
    speeds: dict[tuple[Any, ...], Speed] = {}

    def cut(*seeds: int) -> list[Group]:
        return cut_groups(url, [key for key in keys if not seeds or key.seed in seeds], at_once, setup)

    def expected(groups: Sequence[Group]) -> float | None:
        return expected_seconds(groups, min(at_once, len(groups)), setup, deadline, taken=taken, speeds=speeds)

    groups, seeds = cut(), sorted({key.seed for key in keys})
    if deadline is not None:
        fit, seconds = 1, expected(cut(seeds[0]))
        if seconds is not None and seconds > (left := deadline - time.monotonic()):
            log(f"not even one seed is expected to be finished: it takes about {clock(seconds)} of {clock(left)}")
        while fit < len(seeds):
            more = expected(cut(*seeds[: fit + 1]))
            if more is None or more > _MARGIN * (deadline - time.monotonic()):
                break
            fit += 1
        leave = setup.on_gpu and seconds is not None
        first, others = ([str(seed) for seed in some] for some in (seeds[:fit], seeds[fit:]))
        if others:
            then = "the others are left" if leave else "then one after the other"
            log(f"whole seeds first, {', '.join(first)}; {then} ({', '.join(others)})")
        groups = cut(*seeds[:fit])
        if not leave:
            groups += [group for seed in seeds[fit:] for group in cut(seed)]
    sizes, seconds = [len(group.keys) for group in groups], expected(groups)
    steps = sum(key.steps - taken.get(key, 0) for group in groups for key in group.keys)
    length = "the first report tells how long" if seconds is None else f"about {clock(seconds)} if nothing else runs"
    log(
        f"{sum(sizes)} runs in {len(groups)} group{'' if len(groups) == 1 else 's'} of at most {max(sizes)}, "
        f"{min(at_once, len(groups))} at once on {'a Ray cluster' if setup.engine == 'ray' else setup.device}: "
        f"{steps:,} model-steps, {length}"
    )
    return groups
