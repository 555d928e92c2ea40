"""Checkpoints: what an interrupted run resumes from, and which of them fit it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dbench.errors import DamagedData
from dbench.models import Network
from dbench.training import State
from dbench.training.state import BLOCK
from dbench.zoo.keys import RunKey
from dbench.zoo.store import Store


@dataclass(frozen=True)
class Checkpoint:
    """A run between two blocks of steps, or before the first, when it has no tensors.

    ``tensors`` are its part of ``State.to_tensors``, without a member axis.
    """

    step: int = 0
    tensors: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    losses: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    commit: str = ""


def checkpoint_name(step: int) -> str:
    """Return the name of the file that holds a checkpoint of that step."""
    return f"checkpoint-{step}"


def steps_taken(record: Mapping[str, Any] | None, key: RunKey) -> int:
    """Return the steps that an interrupted run's record says it has taken; 0 if a run could not stand there."""
    step = None if record is None or record.get("status") != "interrupted" else record.get("step")
    return step if isinstance(step, int) and 0 < step <= key.steps and step % BLOCK == 0 else 0


def find_checkpoint(
    store: Store, key: RunKey, network: Network, extra: Mapping[str, tuple[int, ...]], **now: str
) -> Checkpoint:
    """Return the checkpoint from which a run can go on; that before the first step where there is none.

    One that does not fit is discarded with its run, so that it stops neither this run nor those trained with it.

    ``extra`` are shapes of its parameters beside the network's; ``now`` is what the record must hold by name.
    """
    try:
        record = store.record(key)
        if record is None:
            return Checkpoint()
        step, losses, seconds = steps_taken(record, key), record.get("scores"), record.get("trained_seconds")
        numbers = [seconds, *losses.values()] if isinstance(losses, dict) else [None]
        whole = all(isinstance(number, (int, float)) for number in numbers) and isinstance(record.get("commit"), str)
        if step and whole and all(record.get(name) == value for name, value in now.items()):
            tensors = store.tensors(key, checkpoint_name(step))
            if stacked([tensors], network, extra).step == step:
                return Checkpoint(step, tensors, dict(losses or {}), float(seconds or 0), record["commit"])
    except DamagedData:
        pass
    store.discard(key)
    return Checkpoint()


def stacked(
    stored: Sequence[Mapping[str, NDArray[Any]]], network: Network, extra: Mapping[str, tuple[int, ...]]
) -> State:
    """Return the state of an ensemble whose members' checkpoints, of one step, are given.

    Raises:
        DamagedData: tensors that do not fit the network.
    """
    tensors = {
        name: torch.from_numpy(np.asarray(values) if name == "step" else np.stack([one[name] for one in stored]))
        for name, values in stored[0].items()
    }
    return State.from_tensors(tensors, network, extra)
