"""A worker's part of training: one group of runs, from their keys or checkpoints to the store."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dbench.data import DataSet, load
from dbench.errors import DamagedData
from dbench.models import Network, find_network
from dbench.models.objectives import find_card
from dbench.provenance import commit, utc_now, versions
from dbench.training import Member, State, encode_grid, evaluate, extra_shapes, train
from dbench.zoo.devices import check_device
from dbench.zoo.keys import RunKey
from dbench.zoo.store import Store
from dbench.zoo.workers import Line

__all__ = [
    "EARLY",
    "Group",
    "images_of",
    "measure_speed",
    "member_of",
    "network_of",
    "settings_of",
    "train_group",
    "training_images",
]

EARLY = (100, 1000)
"""Steps at which a run's mean loss over the last 100 steps is kept: rounding has not yet pulled runs apart there."""

_CHECKPOINT = "checkpoint-"

_PATIENCE = 10.0
"""Seconds to wait for runs that another process holds: workers whose master or node was killed still end theirs."""


@dataclass(frozen=True)
class Group:
    """Runs to train together: equal but for objective, strength and seed.

    Args:
        url: of the store.
        keys: the runs.
        device: where to train.
        precision: of matrix products, as in :func:`dbench.training.train`.
        checkpoint_every: seconds between checkpoints.
    """

    url: str
    keys: tuple[RunKey, ...]
    device: str = "cpu"
    precision: str = "float32"
    checkpoint_every: float = 60.0


def member_of(key: RunKey) -> Member:
    """Return a run as a member of an ensemble; its randomness derives from its whole key."""
    return Member(key.objective, key.strength, key.axes, key.constants)


@cache
def images_of(data_name: str) -> tuple[DataSet, Tensor]:
    """Load a data set and the images of its whole grid (N x C x H x W, uint8), the same ones every time."""
    data = load(data_name)
    return data, torch.from_numpy(data.grid_images())


def training_images(data: DataSet, images: Tensor) -> Tensor:
    """Return those of the images of the grid that runs are trained on: all that the data set does not hold out."""
    held_out = data.held_out()
    return images[torch.from_numpy(~held_out)] if held_out.any() else images


def network_of(key: RunKey, data: DataSet) -> Network:
    """Return the network of a run, for the images of its data set."""
    return find_network(key.network)(image_shape=data.image_shape)


def settings_of(keys: Sequence[RunKey], data: DataSet) -> dict[str, Any]:
    """Return what :func:`dbench.training.train` is told of runs of one group beside steps, device and precision."""
    needed = any(find_card(key.objective).needs_factors for key in keys)
    return {
        "batch_size": keys[0].batch_size,
        "learning_rate": keys[0].learning_rate,
        "factors": torch.from_numpy(data.grid()[~data.held_out()]) if needed else None,
        "factor_sizes": data.factor_sizes,
    }


def measure_speed(group: Group, *, steps: int = 20) -> float:
    """Train the group for a few steps, keep nothing, and return model-steps a second of one worker."""
    key, members = group.keys[0], [member_of(key) for key in group.keys]
    data, images = images_of(key.data)
    for count in (2, steps):  # the first call warms up
        start = time.perf_counter()
        train(
            members,
            training_images(data, images),
            network_of(key, data),
            steps=count,
            device=group.device,
            precision=group.precision,
            **settings_of(group.keys, data),
        )
    return steps * len(members) / (time.perf_counter() - start)


def train_group(line: Line, group: Group) -> int:
    """Train those runs of a group that nobody else holds and that are not finished; save each.

    Runs that were interrupted at different steps are trained one set after the other, each from where it stood.

    Returns:
        Number of runs finished here.

    Raises:
        InvalidInput: this machine lacks the group's device or precision.
        DbenchError: the store cannot be read or written.
    """
    check_device(group.device, group.precision)
    torch.set_num_threads(1)
    store, finished = Store(group.url), 0
    with store.claim(group.keys, patience=_PATIENCE) as mine:
        starts: dict[int, list[RunKey]] = {}
        for key in mine:
            # Another process may have finished it between the plan and the claim.
            if not store.intact(key):
                starts.setdefault(_step_of(store, key), []).append(key)
        for step, keys in sorted(starts.items(), reverse=True):
            finished += _Training(line, store, group, keys, step).run()
    return finished


def _step_of(store: Store, key: RunKey) -> int:
    """Return the step at which an interrupted run can go on; 0 (and an empty folder) when there is none."""
    try:
        record = store.record(key)
        if record is not None and record["status"] == "interrupted":
            step = int(record["step"])
            store.tensors(key, f"{_CHECKPOINT}{step}")
            return step
    except DamagedData:
        pass
    store.discard(key)
    return 0


class _Training:
    """The runs of one group that stand at the same step."""

    def __init__(self, line: Line, store: Store, group: Group, keys: Sequence[RunKey], step: int) -> None:
        self.line, self.store, self.group, self.keys, self.start = line, store, group, list(keys), step
        self.data, self.images = images_of(keys[0].data)
        self.network = network_of(keys[0], self.data)
        self.losses: list[dict[str, float]] = [{} for _ in keys]
        self.seconds = [0.0 for _ in keys]
        self.last, self.began, self.saved = step, time.monotonic(), time.monotonic()

    def run(self) -> int:
        """Train to the end or until asked to stop; return how many runs were finished."""
        key = self.keys[0]
        state = train(
            [member_of(key) for key in self.keys],
            training_images(self.data, self.images),
            self.network,
            steps=key.steps,
            device=self.group.device,
            precision=self.group.precision,
            state=self._resume() if self.start else None,
            each_block=self._each_block,
            **settings_of(self.keys, self.data),
        )
        if state.step < key.steps:
            return 0
        self._finish(state)
        return len(self.keys)

    def _resume(self) -> State:
        stored = []
        for i, key in enumerate(self.keys):
            record = self.store.record(key)
            assert record is not None
            self.losses[i], self.seconds[i] = dict(record["scores"]), float(record["trained_seconds"])
            stored.append(self.store.tensors(key, f"{_CHECKPOINT}{self.start}"))
        tensors = {
            name: torch.from_numpy(np.stack([one[name] for one in stored])) for name in stored[0] if name != "step"
        }
        extra = extra_shapes([member_of(key) for key in self.keys], self.network, self.data.factor_sizes)
        return State.from_tensors({**tensors, "step": torch.tensor(self.start)}, self.network, extra)

    def _each_block(self, state: State) -> bool:
        if state.step in EARLY:
            for kept, loss in zip(self.losses, state.loss.tolist(), strict=True):
                kept[f"loss.{state.step}"] = loss
        self.line.report(units=(state.step - self.last) * len(self.keys))
        self.last = state.step
        if state.step >= self.keys[0].steps:
            return False
        stop = self.line.stopping
        if stop or time.monotonic() - self.saved > self.group.checkpoint_every:
            self._checkpoint(state)
        return stop

    def _record(self, i: int) -> dict[str, Any]:
        # An ensemble's time is shared equally among its members.
        return {
            "commit": commit(),
            "versions": versions(),
            "device": _device_name(self.group.device),
            "precision": self.group.precision,
            "data_sha256": self.data.fingerprint,
            "trained_seconds": self.seconds[i] + (time.monotonic() - self.began) / len(self.keys),
            "trained_utc": utc_now(),
        }

    def _checkpoint(self, state: State) -> None:
        tensors = {name: tensor.numpy() for name, tensor in state.to_tensors().items()}
        diverged = state.diverged.tolist()
        for i, key in enumerate(self.keys):
            if diverged[i]:
                continue  # trained again from the start, it diverges again
            rows = {name: array if name == "step" else array[i] for name, array in tensors.items()}
            record = {**self._record(i), "scores": self.losses[i], "step": state.step}
            name = f"{_CHECKPOINT}{state.step}"
            self.store.save(key, status="interrupted", tensors={name: rows}, record=record)
        self.saved = time.monotonic()

    def _finish(self, state: State) -> None:
        parameters, images = state.parameters, self.images.to(state.loss.device)
        mean, logvar = (part.cpu() for part in encode_grid(parameters, images, self.network))
        generators = [key.generator("evaluate") for key in self.keys]
        evaluation = evaluate(parameters, images, self.network, generators=generators)
        finite = mean.isfinite().all((1, 2)) & logvar.isfinite().all((1, 2)) & evaluation.elbo.isfinite().cpu()
        for i, key in enumerate(self.keys):
            if bool(state.diverged[i]) or not bool(finite[i]):
                record = {**self._record(i), "scores": {}, "diverged_at": int(state.diverged_at[i])}
                self.store.save(key, status="diverged", tensors={}, record=record)
                self.line.report(runs=1)
                continue
            scores = {
                **self.losses[i],
                "elbo": float(evaluation.elbo[i]),
                "reconstruction": float(evaluation.reconstruction[i]),
                "kl": float(evaluation.kl[i].sum()),
            }
            self.store.save(
                key,
                status="done",
                tensors={
                    "weights": {name: tensor[i].cpu().numpy() for name, tensor in parameters.items()},
                    "codes": {"mean": mean[i].numpy(), "logvar": logvar[i].numpy()},
                },
                record={**self._record(i), "scores": scores},
            )
            self.line.report(runs=1)


def _device_name(device: str) -> str:
    return (
        torch.cuda.get_device_name(device)
        if device.startswith("cuda")
        else f"cpu {torch.backends.cpu.get_cpu_capability()}"
    )
