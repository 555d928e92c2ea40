"""Choose the form of a network to train with on a GPU: the quicker one in a short timing."""

import time
import warnings
from dataclasses import replace

import numpy as np
import torch

from dbench.models import Network
from dbench.models.conv import Conv, Form
from dbench.models.stacked import glorot_uniform
from dbench.training.execution import autocast

_FORMS: tuple[Form, ...] = ("kernels", "grouped")
_MEMBERS = 8  # timed at most: the library first times its own convolutions, which takes longer for more members
_PASSES = 5  # timed, after one that compiles


def quickest(network: Network, *, members: int, batch_size: int, device: torch.device, precision: str) -> Network:
    """Return the network in the form whose forward and backward pass is quickest; unchanged on processors.

    A form that fails is skipped with a warning: Triton may be missing, or not support the GPU.
    """
    if device.type != "cuda" or not isinstance(network, Conv) or network.form is not None:
        return network
    seconds = {}
    for form in _FORMS:
        candidate = replace(network, form=form)
        try:
            seconds[candidate] = _seconds(candidate, min(members, _MEMBERS), batch_size, device, precision)
        except torch.OutOfMemoryError:
            raise
        except Exception as error:  # a compiler has errors of its own
            reason = f"{type(error).__name__}: {error}".strip().partition("\n")[0]
            warnings.warn(
                f"convolving by {form} fails on {device} ({reason}); going on without", RuntimeWarning, stacklevel=2
            )
    return min(seconds, key=seconds.__getitem__, default=network)


def _seconds(network: Conv, members: int, batch_size: int, device: torch.device, precision: str) -> float:
    """Return the seconds of the quickest of a few passes of one random batch, after one that compiles."""
    drawn = glorot_uniform(network.shapes, np.random.default_rng(0))
    weights = {name: value.expand(members, *value.shape).to(device).requires_grad_() for name, value in drawn.items()}
    x = torch.rand(members, batch_size, *network.image_shape, device=device)
    times = []
    for _ in range(1 + _PASSES):
        torch.cuda.synchronize(device)
        start = time.perf_counter()
        with autocast(device, precision):
            logits = network.decode(weights, network.encode(weights, x)[0].float())
        torch.autograd.grad(logits.float().square().sum(), list(weights.values()))
        torch.cuda.synchronize(device)
        times.append(time.perf_counter() - start)
    return min(times[1:])
