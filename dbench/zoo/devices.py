"""Where this machine can train, and with which arithmetic."""

from __future__ import annotations

import torch

from dbench.errors import InvalidInput
from dbench.training.ensemble import PRECISIONS

__all__ = ["check_device"]


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
    if precision not in PRECISIONS:
        raise InvalidInput(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if device == "cpu" and precision != "float32":
        raise InvalidInput(f"precision must be float32 on a processor, got {precision!r}; it needs --device cuda")
