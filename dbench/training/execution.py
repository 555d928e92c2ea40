"""Arithmetic on a device: threads, denormals, and the precision of matrix products and convolutions."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch

PRECISIONS = ("float32", "tf32", "bfloat16")
"""Arithmetic of matrix products and convolutions; parameters, moments and loss terms are float32 always."""


@contextmanager
def arithmetic(device: torch.device, precision: str) -> Iterator[None]:
    """Set how processors and GPUs calculate, and put it back afterwards.

    Processors: one thread; and numbers below 1e-38 are taken as zero, because weights of far-away codes and moments of
    idle units end there and slow arithmetic down several times. GPUs: the quickest of the library's convolutions, as
    timed at the first step.
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
    """Set how GPUs multiply matrices and convolve, and put it back afterwards."""
    switches = (torch.backends.cuda.matmul, torch.backends.cudnn.conv)  # type: ignore[attr-defined]
    earlier, timed = [switch.fp32_precision for switch in switches], torch.backends.cudnn.benchmark
    for switch in switches:
        switch.fp32_precision = "tf32" if precision == "tf32" else "ieee"
    torch.backends.cudnn.benchmark = device.type == "cuda"
    try:
        yield
    finally:
        for switch, value in zip(switches, earlier, strict=True):
            switch.fp32_precision = value
        torch.backends.cudnn.benchmark = timed


def autocast(device: torch.device, precision: str) -> AbstractContextManager[object]:
    """Return the context in which a network calculates.

    Casts are not kept between operations: a captured step would find those of another step.
    """
    if precision == "bfloat16":
        return torch.autocast(device.type, dtype=torch.bfloat16, cache_enabled=False)
    return nullcontext()
