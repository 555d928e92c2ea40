"""A fully connected network for each member, used by adversaries and heads."""

from functools import partial

import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from dbench.models.stacked import Parameters, chain

SLOPE = 0.2
"""Slope of the leaky ReLU below zero (Kim and Mnih 2018, appendix A)."""


def discriminate(parameters: Parameters, prefix: str, z: Tensor) -> Tensor:
    """Apply each member's chain to its own rows, leaky ReLU between the layers: M x B x d to M x B x outputs."""
    return chain(parameters, prefix, z, partial(F.leaky_relu, negative_slope=SLOPE))
