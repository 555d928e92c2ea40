"""A fully connected network of each member, for adversaries and heads."""

import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from dbench.models.stacked import Parameters, linear

SLOPE = 0.2
"""Slope of the leaky ReLU below zero (Kim and Mnih 2018, appendix A)."""


def discriminate(parameters: Parameters, chain: str, z: Tensor) -> Tensor:
    """Apply each member's chain to its own rows, leaky ReLU between the layers: M x B x d to M x B x outputs.

    The chain has as many layers as there are weights of its prefix; other parameters are left alone.
    """
    depth = sum(name.startswith(f"{chain}.") and name.endswith(".weight") for name in parameters)
    for i in range(depth - 1):
        z = F.leaky_relu(linear(parameters, f"{chain}.{i}", z), SLOPE)
    return linear(parameters, f"{chain}.{depth - 1}", z)
