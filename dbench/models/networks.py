"""What a network is, and which there are.

A network holds no parameters. It says which it needs (``shapes``), draws those of one member (``init``), and maps
with those of M members at once: parameters are a dictionary of tensors with a leading member axis.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np
from torch import Tensor

from dbench.errors import find
from dbench.models.conv import conv
from dbench.models.mlp import mlp
from dbench.models.stacked import Parameters, Shapes

__all__ = ["NETWORKS", "Network", "find_network"]


class Network(Protocol):
    """Encoder and decoder of a variational autoencoder, without parameters."""

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """Channels C, height H and width W of an image."""

    @property
    def latents(self) -> int:
        """Number of codes, d."""

    @property
    def discriminator(self) -> tuple[int, ...]:
        """Widths of the hidden layers of a discriminator of its codes, for objectives with an adversary."""

    @property
    def shapes(self) -> Shapes:
        """Shape of each parameter of one member."""

    def init(self, generator: np.random.Generator) -> dict[str, Tensor]:
        """Draw the initial parameters of one member (no member axis), in the order of ``shapes``."""

    def encode(self, parameters: Parameters, x: Tensor) -> tuple[Tensor, Tensor]:
        """Map images M x B x C x H x W in 0..1 to means and log-variances of the codes, each M x B x d."""

    def decode(self, parameters: Parameters, z: Tensor) -> Tensor:
        """Map codes M x B x d to Bernoulli logits M x B x C x H x W."""


NETWORKS: dict[str, Callable[..., Network]] = {
    "conv": conv,
    "mlp": mlp,
    "mlp_128": partial(mlp, hidden=(128, 128)),
    "mlp_256": partial(mlp, hidden=(256, 256)),
}
"""Functions that build a network; each takes ``image_shape`` and ``latents``, both with defaults."""


def find_network(name: str) -> Callable[..., Network]:
    """Return the function that builds the network of that name.

    Raises:
        UnknownName: no such network.
    """
    return find("network", name, NETWORKS)
