"""How a worker trains one group of runs, from their keys or checkpoints, and saves them in the store."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dbench.data import DataSet, load
from dbench.errors import DbenchError, InvalidInput
from dbench.models import Network, find_network
from dbench.models.objectives import find_card
from dbench.models.stacked import Parameters
from dbench.provenance import commit, utc_now, versions
from dbench.training import Member, State, encode_grid, evaluate, extra_shapes, train
from dbench.training.execution import check_device, device_name
from dbench.zoo.checkpoints import Checkpoint, checkpoint_name, find_checkpoint, stacked
from dbench.zoo.executor import Channel
from dbench.zoo.keys import RunKey, likelihood_factor
from dbench.zoo.store import Store
from dbench.zoo.survey import FINISHED, read_state

EARLY = {100: "loss.100", 1000: "loss.1000"}
"""Step -> name of a score: the mean loss of the 100 steps up to it. Rounding has not yet pulled runs apart then."""

_PATIENCE = 10.0
"""Seconds to wait for runs that another process holds: workers of a killed controller or node take time to end."""


@dataclass(frozen=True)
class Group:
    """Runs to train as one ensemble, which share all but objective, constants, strength and seed; and the setup."""

    url: str
    keys: tuple[RunKey, ...]
    device: str = "cpu"
    precision: str = "float32"
    checkpoint_every: float = 60.0


def member_of(key: RunKey) -> Member:
    """Return a run as a member of an ensemble; its randomness derives from its whole key."""
    return Member(key.objective, key.strength, key.axes, key.constants)


@lru_cache(maxsize=1)  # images may take gigabytes, and data sets are trained on one after the other
def images_of(data_name: str) -> tuple[DataSet, Tensor]:
    """Load a data set and the images of its whole grid (N x C x H x W, uint8); the last call is cached."""
    data = load(data_name)
    return data, torch.from_numpy(data.grid_images())


def training_images(data: DataSet, images: Tensor) -> Tensor:
    """Return the images of the grid that runs are trained on: all but those that the data set holds out."""
    held_out = data.held_out()
    return images[torch.from_numpy(~held_out)] if held_out.any() else images


def network_of(key: RunKey, data: DataSet) -> Network:
    """Return the network of a run, for the images of its data set."""
    return find_network(key.network)(image_shape=data.image_shape)


def settings_of(keys: Sequence[RunKey], data: DataSet) -> dict[str, Any]:
    """Return the arguments of :func:`dbench.training.train` for a group, but steps, device and precision.

    Raises:
        InvalidInput: a likelihood factor that is neither 1 nor the one for images of this size.
    """
    factor = keys[0].likelihood_factor
    if factor != 1 and factor != (fitting := likelihood_factor(data.image_shape)):
        raise InvalidInput(
            f"likelihood_factor must be 1, or {fitting:g} for the images of {data.name} to count as 64 x 64, "
            f"got {factor:g}"
        )
    needs_factors = any(find_card(key.objective).needs_factors for key in keys)
    return {
        "batch_size": keys[0].batch_size,
        "learning_rate": keys[0].learning_rate,
        "cooldown": keys[0].cooldown,
        "likelihood_factor": factor,
        "factors": torch.from_numpy(data.grid()[~data.held_out()]) if needs_factors else None,
        "factor_sizes": data.factor_sizes,
    }


def train_keys(keys: Sequence[RunKey], **options: Any) -> State:
    """Train runs of one group as their keys say; ``options`` of :func:`dbench.training.train` take precedence."""
    data, images = images_of(keys[0].data)
    arguments: dict[str, Any] = {"steps": keys[0].steps, **settings_of(keys, data), **options}
    members = [member_of(key) for key in keys]
    return train(members, training_images(data, images), network_of(keys[0], data), **arguments)


@contextmanager
def fitting(group: Group) -> Iterator[None]:
    """Turn an out-of-memory error of a GPU into one that says which options to change."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        raise DbenchError(
            f"group_size must be fewer runs than fill the memory of {group.device}, got {len(group.keys)} at once: "
            f"give a smaller --group-size, or fewer --workers ({str(error).partition('.')[0]})"
        ) from None


def train_group(channel: Channel, group: Group) -> int:
    """Train and save the unfinished runs of a group that no other process holds; return how many were finished.

    Runs that were interrupted at different steps are trained as separate ensembles, one after the other, each from its
    step. An error in one ensemble, or with one run, does not stop the others.

    Raises:
        InvalidInput: this machine lacks the group's device or precision.
        DbenchError: the store cannot be read or written, or the runs do not fit the GPU's memory; the first such
            error, raised when the others are done.
    """
    check_device(group.device, group.precision)
    torch.set_num_threads(1)
    store, finished, errors = Store(group.url), 0, list[DbenchError]()
    with store.claim(group.keys, patience=_PATIENCE) as claimed:
        starts: dict[int, dict[RunKey, Checkpoint]] = {}
        for key in claimed:
            with kept(errors):
                # Another process may have finished the run between the plan and the claim.
                if read_state(store, key) not in FINISHED:
                    checkpoint = _checkpoint_of(store, key, group)
                    starts.setdefault(checkpoint.step, {})[key] = checkpoint
        for _, checkpoints in sorted(starts.items(), reverse=True):
            with kept(errors), fitting(group):
                finished += _Training(channel, store, group, checkpoints).run()
    if errors:
        raise errors[0]
    return finished


@contextmanager
def kept(errors: list[DbenchError]) -> Iterator[None]:
    """Collect an error instead of raising it, so that the rest of the work goes on."""
    try:
        yield
    except DbenchError as error:
        errors.append(error)


def _checkpoint_of(store: Store, key: RunKey, group: Group) -> Checkpoint:
    data, _ = images_of(key.data)
    network = network_of(key, data)
    extra = extra_shapes([member_of(key)], network, data.factor_sizes)
    # A record gives one value of each, so it must be the same from the run's first step to its last.
    required = {"versions": versions(), "device": device_name(group.device), "precision": group.precision}
    return find_checkpoint(store, key, network, extra, data_sha256=data.fingerprint, **required)


class _Training:
    """Training of those runs of a group that start at the same step, as one ensemble."""

    def __init__(self, channel: Channel, store: Store, group: Group, start: Mapping[RunKey, Checkpoint]) -> None:
        self.channel, self.store, self.group, self.keys = channel, store, group, list(start)
        self.data, self.images = images_of(self.keys[0].data)
        self.network = network_of(self.keys[0], self.data)
        checkpoints = start.values()
        self.losses = [dict(checkpoint.losses) for checkpoint in checkpoints]
        self.seconds = [checkpoint.seconds for checkpoint in checkpoints]
        earlier = [checkpoint.commit.split("; ") if checkpoint.commit else [] for checkpoint in checkpoints]
        self.commits = ["; ".join(dict.fromkeys([*commits, commit()])) for commits in earlier]
        extra = extra_shapes([member_of(key) for key in self.keys], self.network, self.data.factor_sizes)
        self.last = start[self.keys[0]].step
        tensors = [checkpoint.tensors for checkpoint in checkpoints]
        self.state = stacked(tensors, self.network, extra) if self.last else None
        self.began, self.saved = time.monotonic(), time.monotonic()
        self.ended = set[int]()

    def run(self) -> int:
        """Train to the end or until asked to stop; return how many runs were finished."""
        state = train_keys(
            self.keys,
            device=self.group.device,
            precision=self.group.precision,
            state=self.state,
            each_block=self._each_block,
        )
        if state.step < self.keys[0].steps:
            return len(self.ended)
        self._finish(state)
        return len(self.keys)

    def _each_block(self, state: State) -> bool:
        """Note early losses, report progress and save checkpoints; return whether to stop before the last step."""
        if state.step in EARLY:
            for losses, loss in zip(self.losses, state.loss.tolist(), strict=True):
                losses[EARLY[state.step]] = loss
        self.channel.report(units=(state.step - self.last) * len(self.keys))
        self.last = state.step
        if state.step >= self.keys[0].steps:
            return False
        stop = self.channel.stopping
        if stop or time.monotonic() - self.saved > self.group.checkpoint_every:
            self._checkpoint(state)
        return stop

    def _record(self, i: int) -> dict[str, Any]:
        # An ensemble's time is shared equally among its members.
        return {
            "commit": self.commits[i],
            "versions": versions(),
            "device": device_name(self.group.device),
            "precision": self.group.precision,
            "data_sha256": self.data.fingerprint,
            "trained_seconds": self.seconds[i] + (time.monotonic() - self.began) / len(self.keys),
            "trained_utc": utc_now(),
        }

    def _checkpoint(self, state: State) -> None:
        tensors = {name: tensor.numpy() for name, tensor in state.to_tensors().items()}
        diverged = state.diverged.tolist()

        def save(i: int) -> None:
            if diverged[i]:
                self._save_diverged(i, state)
                return
            rows = {name: array if name == "step" else array[i] for name, array in tensors.items()}
            record = {**self._record(i), "scores": self.losses[i], "step": state.step}
            files = {checkpoint_name(state.step): rows}
            self.store.save(self.keys[i], status="interrupted", tensors=files, record=record)

        self._each_run(save)
        self.saved = time.monotonic()

    def _each_run(self, save: Callable[[int], None]) -> None:
        """Save every run that can be saved, then raise the first error: a full disk may have room for other runs."""
        errors = list[DbenchError]()
        for i in range(len(self.keys)):
            with kept(errors):
                save(i)
        if errors:
            raise errors[0]

    def _save_diverged(self, i: int, state: State) -> None:
        """Save a diverged run, unless an earlier checkpoint has saved it."""
        if i in self.ended:
            return
        step = int(state.diverged_at[i])
        record = {**self._record(i), "scores": {}, "diverged_at": step if step >= 0 else state.step}
        self.store.save(self.keys[i], status="diverged", tensors={}, record=record)
        self.ended.add(i)
        self.channel.report(runs=1)

    def _finish(self, state: State) -> None:
        parameters = state.parameters
        results = finish(self.keys, parameters, self.images.to(state.loss.device), self.network)

        def save(i: int) -> None:
            finished = results[i]
            if bool(state.diverged[i]) or finished is None:
                self._save_diverged(i, state)
                return
            self.store.save(
                self.keys[i],
                status="done",
                tensors={
                    "weights": {name: tensor[i].cpu().numpy() for name, tensor in parameters.items()},
                    "codes": finished.codes,
                },
                record={**self._record(i), "scores": {**self.losses[i], **finished.scores}},
            )
            self.channel.report(runs=1)

        self._each_run(save)


class Finished(NamedTuple):
    """Codes of the whole grid (``mean`` and ``logvar``, each N x d float32), and scores by name in nats."""

    codes: dict[str, NDArray[np.float32]]
    scores: dict[str, float]


def finish(keys: Sequence[RunKey], parameters: Parameters, images: Tensor, network: Network) -> list[Finished | None]:
    """Encode all images with trained runs, and evaluate their ELBO with one draw of the codes of each image.

    Args:
        keys: of the M runs.
        parameters: name -> M x its shape; those of encoder and decoder are enough.
        images: N x C x H x W, uint8, on the device of the parameters.
        network: of all runs.

    Returns:
        One entry for each run; ``None`` where a code or the ELBO is not finite, so that the run counts as diverged.
    """
    mean, logvar = (part.cpu() for part in encode_grid(parameters, images, network))
    generators = [key.generator("evaluate") for key in keys]
    evaluation = evaluate(parameters, images, network, generators=generators)
    finite = mean.isfinite().all((1, 2)) & logvar.isfinite().all((1, 2)) & evaluation.elbo.isfinite().cpu()
    results: list[Finished | None] = []
    for i, key in enumerate(keys):
        if not bool(finite[i]):
            results.append(None)
            continue
        reconstruction, kl = float(evaluation.reconstruction[i]), float(evaluation.kl[i].sum())
        as_trained = key.likelihood_factor * reconstruction
        scores = {
            "elbo": float(evaluation.elbo[i]),
            "elbo.as_trained": -(as_trained + kl),
            "reconstruction": reconstruction,
            "reconstruction.as_trained": as_trained,
            "kl": kl,
        }
        results.append(Finished({"mean": mean[i].numpy(), "logvar": logvar[i].numpy()}, scores))
    return results
