"""Pieces shared by networks whose parameters carry a leading member axis."""

import math
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

ALIGN = 16  # floats in a cache line

Parameters = Mapping[str, Tensor]
Shapes = dict[str, tuple[int, ...]]


def dense_shapes(prefix: str, widths: tuple[int, ...]) -> Shapes:
    """Name the weights (inputs x outputs) and biases of a chain of fully connected layers."""
    shapes: Shapes = {}
    for i, (inputs, outputs) in enumerate(pairwise(widths)):
        shapes[f"{prefix}.{i}.weight"] = (inputs, outputs)
        shapes[f"{prefix}.{i}.bias"] = (outputs,)
    return shapes


def glorot_uniform(shapes: Shapes, generator: np.random.Generator) -> dict[str, Tensor]:
    """Draw the initial parameters of one member: Glorot-uniform weights, zero biases.

    A weight is uniform within sqrt(6 / (fan in + fan out)) of zero (Glorot and Bengio 2010, equation 16), where a
    kernel of k x k counts k * k times. This is the default of TensorFlow 1, in which the study of Locatello et al.
    (2020) was run; torch's default distribution is another. Shapes have both channel counts first, kernel sizes last.
    """
    drawn = {}
    for name, shape in shapes.items():
        if name.endswith("bias"):
            drawn[name] = torch.zeros(shape)
        else:
            bound = math.sqrt(6 / ((shape[0] + shape[1]) * math.prod(shape[2:])))
            drawn[name] = torch.from_numpy(generator.uniform(-bound, bound, size=shape).astype(np.float32))
    return drawn


def chain(
    parameters: Parameters, prefix: str, x: Tensor, activation: Callable[[Tensor], Tensor] = torch.relu
) -> Tensor:
    """Apply each member's chain to its own rows, with activations between layers: M x B x inputs to M x B x outputs.

    The chain has as many layers as there are weights with its prefix; other parameters are ignored.
    """
    depth = sum(name.startswith(f"{prefix}.") and name.endswith(".weight") for name in parameters)
    for i in range(depth - 1):
        x = activation(linear(parameters, f"{prefix}.{i}", x))
    return linear(parameters, f"{prefix}.{depth - 1}", x)


def linear(parameters: Parameters, layer: str, x: Tensor) -> Tensor:
    """Apply each member's fully connected layer to its own rows: M x B x inputs to M x B x outputs.

    A layer whose weights do not fill whole cache lines is padded with outputs of zero weight, which are cut off again:
    otherwise the gradients of its weights could begin anywhere in a cache line, and a member's last bits would depend
    on its place. A lone member's layer of one input runs as two members, one of which is dropped: torch would compute
    it as a product with a vector and round its gradient differently than in an ensemble.
    """
    weight, bias = parameters[f"{layer}.weight"], parameters[f"{layer}.bias"].unsqueeze(1)
    inputs = weight.shape[1]
    if len(weight) == 1 and inputs == 1:
        weight, bias, x = (part.expand(2, -1, -1) for part in (weight, bias, x))
        return _padded_linear(weight, bias, x)[:1]
    return _padded_linear(weight, bias, x)


def _padded_linear(weight: Tensor, bias: Tensor, x: Tensor) -> Tensor:
    inputs, outputs = weight.shape[1:]
    if inputs * outputs % ALIGN == 0:
        return torch.baddbmm(bias, x, weight)
    padding = -outputs % ALIGN
    return torch.baddbmm(F.pad(bias, (0, padding)), x, F.pad(weight, (0, padding)))[..., :outputs]
