"""A chain of fully connected layers of each member that tells codes apart, for adversaries and heads."""

import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from dbench.models.stacked import Parameters, linear

SLOPE = 0.2
"""Slope of the leaky ReLU below zero (Kim and Mnih 2018, appendix A)."""


def discriminate(parameters: Parameters, chain: str, z: Tensor) -> Tensor:
    """Apply each member's chain to its own rows, leaky ReLU between the layers: M x B x d to M x B x outputs.

    Args:
        parameters: of M members, as :func:`dbench.models.stacked.dense_shapes` names them; others are left alone.
        chain: prefix of its parameters; it has as many layers as weights.
        z: what is told apart.
    """
    depth = sum(name.startswith(f"{chain}.") and name.endswith(".weight") for name in parameters)
    for i in range(depth - 1):
        z = F.leaky_relu(linear(parameters, f"{chain}.{i}", z), SLOPE)
    return linear(parameters, f"{chain}.{depth - 1}", z)
