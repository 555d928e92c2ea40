"""How steps are executed on a device: arithmetic, graphs, compilation, threads; never what is computed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

import torch

from dbench.errors import InvalidInput

__all__ = ["PRECISIONS", "Execution", "arithmetic", "autocast", "products"]

PRECISIONS = ("float32", "tf32", "bfloat16")
"""Arithmetic of matrix products and convolutions; parameters, moments and loss terms are float32 always."""


@dataclass(frozen=True)
class Execution:
    """How the steps of an ensemble are executed.

    On processors no setting but ``compile`` changes a bit of the result. On a GPU sums are added in an order that the
    library chooses, so last bits may differ there with any of them, and from run to run.

    Args:
        capture: whether a step is captured as a CUDA graph, so that the processor launches one graph a step instead
            of some hundred kernels. When not given: on a GPU, where the objectives allow it, and with a warning and
            step by step where the capture fails. True makes a failure an error.
        compile: whether ``torch.compile`` fuses the loss and its gradient; needs a compiler for the device, and
            up to minutes at the first step.
        draw_threads: threads that draw the next block's batches and noise while this one is computed; 0 draws when
            they are needed. When not given: 8 on a GPU, else 0. Draws do not depend on it.
    """

    capture: bool | None = None
    compile: bool = False
    draw_threads: int | None = None

    def __post_init__(self) -> None:
        """Check the number of threads."""
        if self.draw_threads is not None and self.draw_threads < 0:
            raise InvalidInput(f"draw_threads must not be negative, got {self.draw_threads}")

    def threads_on(self, device: torch.device) -> int:
        """Return the number of threads that draw for training on a device."""
        if self.draw_threads is None:
            return 8 if device.type == "cuda" else 0
        return self.draw_threads


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
