"""Checkpoints from which interrupted runs resume: how they are found, checked and stacked for an ensemble."""

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
    """The state of a run between two blocks of steps; without tensors, the state before the first step.

    ``tensors`` are the run's rows of ``State.to_tensors``, without the member axis.
    """

    step: int = 0
    tensors: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    losses: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    commit: str = ""


def checkpoint_name(step: int) -> str:
    """Return the name, without ending, of the file that holds the checkpoint of a step."""
    return f"checkpoint-{step}"


def steps_taken(record: Mapping[str, Any] | None, key: RunKey) -> int:
    """Return the steps that an interrupted run has taken by its record; 0 if no checkpoint can be at that step."""
    if record is None or record.get("status") != "interrupted":
        return 0
    step = record.get("step")
    return step if isinstance(step, int) and 0 < step <= key.steps and step % BLOCK == 0 else 0


def find_checkpoint(
    store: Store, key: RunKey, network: Network, extra: Mapping[str, tuple[int, ...]], **required: str
) -> Checkpoint:
    """Return the checkpoint from which a run can resume, or the empty one before the first step.

    A checkpoint that does not fit is discarded with its run, so that it stops neither this run nor those trained with
    it. ``extra`` gives shapes of parameters beside the network's; ``required`` gives fields that the record must have.
    """
    try:
        record = store.record(key)
        if record is None:
            return Checkpoint()
        step, losses, seconds = steps_taken(record, key), record.get("scores"), record.get("trained_seconds")
        numbers = [seconds, *losses.values()] if isinstance(losses, dict) else [None]
        complete = all(isinstance(number, (int, float)) for number in numbers) and isinstance(record.get("commit"), str)
        if step and complete and all(record.get(name) == value for name, value in required.items()):
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
    """Stack the checkpoints of runs, all at one step, to the state of an ensemble.

    Raises:
        DamagedData: tensors that do not fit the network.
    """
    tensors = {}
    for name, values in stored[0].items():
        array = np.asarray(values) if name == "step" else np.stack([member[name] for member in stored])
        tensors[name] = torch.from_numpy(array)
    return State.from_tensors(tensors, network, extra)
