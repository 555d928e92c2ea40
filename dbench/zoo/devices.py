"""Where this machine or a cluster can train, and with which arithmetic."""

from __future__ import annotations

import torch

from dbench.errors import InvalidInput
from dbench.training.ensemble import PRECISIONS

__all__ = ["check_cluster_device", "check_device"]


def check_device(device: str, precision: str = "float32") -> None:
    """Make sure that this machine can train on the device with that precision.

    Args:
        device: ``cpu``, ``cuda`` or one GPU of several (``cuda:1``).
        precision: one of ``dbench.training.ensemble.PRECISIONS``; on a processor ``float32`` only.

    Raises:
        InvalidInput: no such device or precision here.
    """
    there = ["cpu"]
    if torch.cuda.is_available():
        there += ["cuda", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    if device not in there:
        raise InvalidInput(f"device must be one that this machine has ({', '.join(there)}), got {device!r}")
    _check_precision(device, precision)


def check_cluster_device(device: str, precision: str = "float32") -> None:
    """Make sure that the nodes of a Ray cluster can be asked for the device and the precision, whatever they have.

    Ray gives each group its GPU and hides the others from it: a number would name none of the node's.

    Args:
        device: ``cpu`` or ``cuda``.
        precision: as in :func:`check_device`.

    Raises:
        InvalidInput: another device, one GPU of several included, or a precision that no node has.
    """
    if device not in ("cpu", "cuda"):
        raise InvalidInput(f"device must be cpu or cuda on a Ray cluster, which picks the GPUs, got {device!r}")
    _check_precision(device, precision)


def _check_precision(device: str, precision: str) -> None:
    if precision not in PRECISIONS:
        raise InvalidInput(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if device == "cpu" and precision != "float32":
        raise InvalidInput(f"precision must be float32 on a processor, got {precision!r}; it needs --device cuda")
