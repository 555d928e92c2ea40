"""Record a step as a CUDA graph, to be replayed by one launch."""

from __future__ import annotations

from collections.abc import Callable

import torch

from dbench.errors import CaptureFailed

__all__ = ["Recorder", "record_graph"]

Recorder = Callable[[Callable[[], None], Callable[[], None], torch.device], Callable[[], None]]
"""Takes a step, what puts everything back that steps changed, and their device; returns what repeats the step."""

_WARM_UP = 3  # steps: libraries choose their algorithms and take their memory before the capture


def record_graph(step: Callable[[], None], restore: Callable[[], None], device: torch.device) -> Callable[[], None]:
    """Return a function that repeats a step by replaying its CUDA graph.

    Warm-up steps run on a stream of their own, as captures do, and are undone; capturing itself computes nothing.

    Args:
        step: reads and writes tensors of the device in place, allocates nothing that outlives it, and never waits.
        restore: puts back whatever steps changed.
        device: a GPU.

    Raises:
        CaptureFailed: the step cannot be captured. Nothing was changed.
    """
    with torch.cuda.device(device):
        aside = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(aside):
            for _ in range(_WARM_UP):
                step()
        torch.cuda.current_stream(device).wait_stream(aside)
        restore()
        graph = torch.cuda.CUDAGraph()
        try:
            # thread_local: another thread may take memory, say for a progress line, without spoiling the capture.
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                step()
        except RuntimeError as error:
            reason = str(error).strip().partition("\n")[0]
            raise CaptureFailed(f"a step of this ensemble cannot be captured as a CUDA graph: {reason}") from error
    return graph.replay
