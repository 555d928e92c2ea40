"""Cut runs into groups that are trained together, and estimate how long training will take."""

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
"""Largest ensemble on a processor: a larger one does not fit its caches. Results do not depend on it."""

_LARGEST = 500
"""Largest ensemble: each run holds its lock file open, and many systems allow a process 1,024 open files."""

_ENGINES = ("local", "ray")

_SHARE = 0.6
"""Share of a GPU's free memory that an ensemble may fill; the rest is for workspaces, temporaries and fragments."""

_ASSUMED = 16 * 2**30
"""Assumed memory, in bytes, of a GPU in another machine, whose real memory is unknown: the smallest in common use."""

_COPIES = 8
"""Copies of a member's parameters during a block of steps: weights and both moments, now and at the block's start; the
gradient; a temporary."""


@dataclass(frozen=True)
class Setup:
    """How to train: the settings that do not determine the result of a run.

    Args:
        device: ``cpu``, ``cuda`` or, unless on a cluster, one GPU of several (``cuda:1``).
        precision: as in :func:`dbench.training.train`.
        workers: number of groups that train at once; as many as there is room for when not given.
        group_size: runs in an ensemble, 500 at most; when not given, 15 on processors and on GPUs as many as fit.
        num_gpus: GPUs of a group on a Ray cluster, 1 or a fraction; 1 on ``cuda`` when not given.
        checkpoint_every: seconds between the checkpoints of a run.

    Raises:
        InvalidInput: this machine lacks the device, or a cluster does not offer it; or ``workers``, ``group_size`` or
            ``num_gpus`` is out of range.
        UnknownName: an engine that does not exist.
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
        # On a cluster every node checks its own devices.
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
        """Share of a GPU that one group gets; 0 on processors."""
        if not self.on_gpu:
            return 0.0
        return (self.num_gpus or 1.0) if self.engine == "ray" else 1 / (self.workers or 1)


def cut_groups(url: str, keys: Sequence[RunKey], at_once: int, setup: Setup) -> list[Group]:
    """Cut a plan into groups of one kind of run and nearly equal size, so many that all workers stay busy."""
    runs_by_shape: dict[tuple[Any, ...], list[RunKey]] = {}
    for key in sorted(keys):
        runs_by_shape.setdefault(_shape(key), []).append(key)
    groups = []
    for members in runs_by_shape.values():
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
    """Return how many models of this kind to train at once in ``memory`` bytes of a GPU; at least one."""
    return max(int((_SHARE * memory - _image_bytes(key.data)) / _counted_bytes(replace(key, seed=0))), 1)


@cache
def _image_bytes(data_name: str) -> int:
    return images_of(data_name)[1].nbytes


def member_bytes(key: RunKey) -> int:
    """Return the bytes that one more model of this kind takes in an ensemble, in training or encoding, the larger.

    Measured by one step of two models on a processor. The activations that a network saves for its gradients do not
    depend on the device. Two models, since some networks train a single model as two.
    """
    data, images = images_of(key.data)
    saved_bytes = dict[int, int]()

    def remember(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        saved_bytes[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(remember, lambda tensor: tensor):
        state = train_keys([key, key], steps=1)
    training = (sum(saved_bytes.values()) + _COPIES * sum(row.nbytes for row in state.rows.values())) // 2
    # Means and log-variances of all images, twice: in batches, and concatenated.
    encoding = 2 * 2 * len(images) * network_of(key, data).latents * torch.finfo(torch.float32).bits // 8
    return max(training, encoding)


_counted_bytes = cache(member_bytes)


def _shape(key: RunKey) -> tuple[Any, ...]:
    """Return what runs must have in common to be trained as one ensemble."""
    shared = find_card(key.objective).tuned(dict(key.constants)).shared_settings  # heads and adversaries stack too
    return replace(key, objective="any", strength=0, seed=0, constants=()), shared


class Speed(NamedTuple):
    """Model-steps per second of one worker, and the seconds that a group takes to start."""

    steps: float
    start: float = 0.0


def measure_speed(group: Group, *, steps: int, deadline: float | None = None) -> Speed:
    """Measure the speed of a group over a few steps, after two steps to warm up.

    If the steps are not expected to end by ``deadline``, a ``time.monotonic()``, the speed is that of the first two. On
    a GPU the second block of steps is timed, because starting and capturing a step takes as long as 200 steps.

    Raises:
        DbenchError: the group does not fit the GPU's memory.
    """
    images_of(group.keys[0].data)  # loads them before the clock starts
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

    def note_time(_: State) -> bool:
        times.append(time.perf_counter())
        return deadline is not None and time.monotonic() > deadline

    with fitting(group):
        train_keys(group.keys, steps=2 * BLOCK, each_block=note_time, device=group.device, precision=group.precision)
    if torch.cuda.is_available():
        torch.cuda.empty_cache()  # the workers that train are other processes and need the memory
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
    """Estimate the seconds that groups take when nothing else runs, from a few steps of one group of each shape.

    ``taken`` gives the steps that runs have taken before; ``speeds`` caches measured speeds between calls. Return
    ``None`` if this machine lacks the device, or if ``deadline``, a ``time.monotonic()``, passes first.
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
"""Share of the time left that whole seeds may be expected to train for: encoding and saving takes time, too."""


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
    """Cut a plan into groups, and log their number, where they run and about how long they take.

    With a ``deadline``, a ``time.monotonic()``, the first groups are of as many whole seeds as are expected to be
    finished by then, at least one; the other seeds follow one by one. On a GPU the other seeds are left out if the time
    can be estimated: the next call may get another GPU, where their checkpoints are of no use.
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
            with_next = expected(cut(*seeds[: fit + 1]))
            if with_next is None or with_next > _MARGIN * (deadline - time.monotonic()):
                break
            fit += 1
        omit_others = setup.on_gpu and seconds is not None
        first, others = seeds[:fit], seeds[fit:]
        if others:
            then = "the others are left" if omit_others else "then one after the other"
            log(f"whole seeds first, {', '.join(map(str, first))}; {then} ({', '.join(map(str, others))})")
        groups = cut(*first)
        if not omit_others:
            groups += [group for seed in others for group in cut(seed)]
    sizes, seconds = [len(group.keys) for group in groups], expected(groups)
    steps = sum(key.steps - taken.get(key, 0) for group in groups for key in group.keys)
    length = "the first report tells how long" if seconds is None else f"about {clock(seconds)} if nothing else runs"
    log(
        f"{sum(sizes)} runs in {len(groups)} group{'' if len(groups) == 1 else 's'} of at most {max(sizes)}, "
        f"{min(at_once, len(groups))} at once on {'a Ray cluster' if setup.engine == 'ray' else setup.device}: "
        f"{steps:,} model-steps, {length}"
    )
    return groups
