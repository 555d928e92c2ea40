"""Devices: their names, what they can do, and how they calculate (threads, denormals, precision of products)."""

import platform
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import torch

from dbench.errors import InvalidInput

PRECISIONS = ("float32", "tf32", "bfloat16")
"""Arithmetic of matrix products and convolutions; parameters, moments and loss terms are always float32."""


@contextmanager
def arithmetic(device: torch.device, precision: str) -> Iterator[None]:
    """Set how processors and GPUs calculate, and restore the settings afterwards.

    Processors use one thread and take numbers below 1e-38 as zero: weights of far-away codes and moments of idle units
    get that small, and would slow arithmetic down several times. GPUs use the quickest of the library's convolutions,
    as timed at the first step.
    """
    threads, flushed = torch.get_num_threads(), bool(torch.tensor(1e-39) * 1 == 0)
    if device.type == "cpu":
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
    try:
        with products(device, precision):
            yield
    finally:
        torch.set_num_threads(threads)
        torch.set_flush_denormal(flushed)


@contextmanager
def products(device: torch.device, precision: str) -> Iterator[None]:
    """Set how GPUs multiply matrices and convolve, and restore the settings afterwards."""
    switches = (torch.backends.cuda.matmul, torch.backends.cudnn.conv)  # type: ignore[attr-defined]
    precisions, benchmark = [switch.fp32_precision for switch in switches], torch.backends.cudnn.benchmark
    for switch in switches:
        switch.fp32_precision = "tf32" if precision == "tf32" else "ieee"
    torch.backends.cudnn.benchmark = device.type == "cuda"
    try:
        yield
    finally:
        for switch, value in zip(switches, precisions, strict=True):
            switch.fp32_precision = value
        torch.backends.cudnn.benchmark = benchmark


def autocast(device: torch.device, precision: str) -> AbstractContextManager[object]:
    """Return the context in which a network calculates: autocast for bfloat16, else one that changes nothing.

    Autocast keeps no casts between operations: a captured step would reuse the casts of another step.
    """
    if precision == "bfloat16":
        return torch.autocast(device.type, dtype=torch.bfloat16, cache_enabled=False)
    return nullcontext()


def check_precision(precision: str) -> None:
    """Refuse a precision that is not one of :data:`PRECISIONS`."""
    if precision not in PRECISIONS:
        raise InvalidInput(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")


def check_device(device: str, precision: str = "float32", *, cluster: bool = False) -> None:
    """Refuse a device or precision that this machine, or a Ray cluster, cannot train with."""
    present = ["cpu"]
    if torch.cuda.is_available():
        present += ["cuda", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    if cluster and device not in ("cpu", "cuda"):
        raise InvalidInput(f"device must be cpu or cuda on a Ray cluster, which picks the GPUs, got {device!r}")
    if not cluster and device not in present:
        raise InvalidInput(f"device must be one that this machine has ({', '.join(present)}), got {device!r}")
    check_precision(precision)
    if device == "cpu" and precision != "float32":
        raise InvalidInput(f"precision must be float32 on a processor, got {precision!r}; it needs --device cuda")
    if precision == "bfloat16" and not cluster and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise InvalidInput(f"precision must be float32 or tf32 on {device_name(device)}, which has no bfloat16")


def device_name(device: str) -> str:
    """Return the name of the GPU, or the processor's model and the instruction set of torch: they decide last bits.

    The name of a processor has its family and model number too, since virtual machines often hide the rest:
    ``cpu AMD EPYC (family 25, model 1), AVX512``.
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
