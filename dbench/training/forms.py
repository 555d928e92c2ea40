"""Which of a network's forms to train with on a GPU: the quicker one, by a short timing."""

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
_MEMBERS = 8  # that are timed, at most: the library times its own convolutions first, and takes longer for more
_PASSES = 5


def quickest(network: Network, *, members: int, batch_size: int, device: torch.device, precision: str) -> Network:
    """Return the network in the form in which a pass forwards and backwards is quicker; on processors as it is.

    A form that fails is left out with a warning: Triton may be missing, or not know the card.
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
    """Seconds of the quickest of a few passes of one random batch, after one that compiles."""
    one = glorot_uniform(network.shapes, np.random.default_rng(0))
    weights = {name: value.expand(members, *value.shape).to(device).requires_grad_() for name, value in one.items()}
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
