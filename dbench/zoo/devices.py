"""Devices to train on, here or on a cluster: whether one has a precision, and what it is called."""

import platform
import re
from pathlib import Path

import torch

from dbench.errors import InvalidInput
from dbench.training.execution import PRECISIONS


def check_device(device: str, precision: str = "float32", *, cluster: bool = False) -> None:
    """Make sure that this machine can train on the device with that precision, or a cluster be asked for it."""
    there = ["cpu"]
    if torch.cuda.is_available():
        there += ["cuda", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    if cluster and device not in ("cpu", "cuda"):
        raise InvalidInput(f"device must be cpu or cuda on a Ray cluster, which picks the GPUs, got {device!r}")
    if not cluster and device not in there:
        raise InvalidInput(f"device must be one that this machine has ({', '.join(there)}), got {device!r}")
    if precision not in PRECISIONS:
        raise InvalidInput(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if device == "cpu" and precision != "float32":
        raise InvalidInput(f"precision must be float32 on a processor, got {precision!r}; it needs --device cuda")
    if precision == "bfloat16" and not cluster and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise InvalidInput(f"precision must be float32 or tf32 on {device_name(device)}, which has no bfloat16")


def device_name(device: str) -> str:
    """Name the GPU, or the processor's model and the instruction set that torch uses on it: they decide last bits.

    A model is named by its maker's family and number too, since virtual machines often hide the rest: ``cpu AMD EPYC
    (family 25, model 1), AVX512``.
    """
    if device.startswith("cuda"):
        return torch.cuda.get_device_name(device)
    try:
        listed = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", Path("/proc/cpuinfo").read_text(), flags=re.MULTILINE))
    except OSError:  # not on Linux
        listed = {}
    model = listed.get("model name") or platform.processor() or platform.machine()
    numbers = [f"{name.removeprefix('cpu ')} {listed[name]}" for name in ("cpu family", "model") if name in listed]
    details = f" ({', '.join(numbers)})" if numbers else ""
    return f"cpu {model}{details}, {torch.backends.cpu.get_cpu_capability()}"
