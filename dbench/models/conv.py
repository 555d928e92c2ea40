"""The convolutional network of Locatello et al. (2020), table 2, for images of 64 x 64."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from dbench.errors import InvalidInput
from dbench.models.convolution import downwards, upwards
from dbench.models.stacked import Parameters, Shapes, dense_shapes, glorot_uniform, linear

__all__ = ["Conv", "conv"]

_KERNEL = (4, 4)
_SIDE = 64
# Channels, height and width where convolutions and fully connected layers meet.
_CORE = (64, 4, 4)
_WIDE = math.prod(_CORE)


@dataclass(frozen=True)
class Conv:
    """Four convolutions and two fully connected layers each way.

    All kernels are 4 x 4 with stride 2 and a border of 1, so that each halves or doubles the side.

    Args:
        image_shape: channels, 64, 64.
        latents: number of codes, d.
        discriminator: widths of the hidden layers of a discriminator of the codes (Kim and Mnih 2018, appendix A).
    """

    image_shape: tuple[int, int, int]
    latents: int
    discriminator: tuple[int, ...] = (1000,) * 6

    def __post_init__(self) -> None:
        """Check the side of the images and the widths."""
        channels, *sides = self.image_shape
        if sides != [_SIDE, _SIDE] or min(channels, self.latents, *self.discriminator) < 1:
            raise InvalidInput(f"the convolutional network takes images of channels x 64 x 64, got {self}")

    @property
    def shapes(self) -> Shapes:
        """Shape of each parameter of one member."""
        inwards, outwards = (self.image_shape[0], 32, 32, 64, 64), (64, 64, 32, 32, self.image_shape[0])
        shapes: Shapes = {}
        for i in range(4):
            shapes[f"convolution.{i}.weight"] = (inwards[i + 1], inwards[i], *_KERNEL)
            shapes[f"convolution.{i}.bias"] = (inwards[i + 1],)
        shapes |= dense_shapes("encoder", (_WIDE, 256, 2 * self.latents))
        shapes |= dense_shapes("decoder", (self.latents, 256, _WIDE))
        for i in range(4):
            shapes[f"upconvolution.{i}.weight"] = (outwards[i], outwards[i + 1], *_KERNEL)
            shapes[f"upconvolution.{i}.bias"] = (outwards[i + 1],)
        return shapes

    def init(self, generator: np.random.Generator) -> dict[str, Tensor]:
        """Draw the initial parameters of one member (no member axis)."""
        return glorot_uniform(self.shapes, generator)

    def encode(self, parameters: Parameters, x: Tensor) -> tuple[Tensor, Tensor]:
        """Map images M x B x C x 64 x 64 in 0..1 to means and log-variances of the codes, each M x B x d."""
        h = downwards(x, self._layers(parameters, "convolution")).reshape(*x.shape[:2], _WIDE)
        h = linear(parameters, "encoder.0", h).relu()
        mean, logvar = linear(parameters, "encoder.1", h).chunk(2, dim=-1)
        return mean, logvar

    def decode(self, parameters: Parameters, z: Tensor) -> Tensor:
        """Map codes M x B x d to Bernoulli logits M x B x C x 64 x 64."""
        h = linear(parameters, "decoder.1", linear(parameters, "decoder.0", z).relu()).relu()
        return upwards(h.view(*h.shape[:2], *_CORE), self._layers(parameters, "upconvolution"))

    @staticmethod
    def _layers(parameters: Parameters, chain: str) -> list[tuple[Tensor, Tensor]]:
        return [(parameters[f"{chain}.{i}.weight"], parameters[f"{chain}.{i}.bias"]) for i in range(4)]


def conv(image_shape: tuple[int, int, int] = (1, 64, 64), latents: int = 10) -> Conv:
    """Build the convolutional network.

    Raises:
        InvalidInput: images that are not 64 x 64.
    """
    return Conv(image_shape, latents)
