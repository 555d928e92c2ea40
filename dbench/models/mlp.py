"""A small fully connected network, made for images of a few hundred pixels and training on processors."""

import math
from dataclasses import dataclass

from torch import Tensor

from dbench.models.stacked import Parameters, Shapes, chain, dense_shapes


@dataclass(frozen=True)
class Mlp:
    """Fully connected encoder and its mirror image as decoder, ReLU between the layers.

    Args:
        image_shape: channels, height, width.
        latents: number of codes, d.
        hidden: widths of the encoder's hidden layers, from the image inwards.
        discriminator: widths of the hidden layers of a discriminator of the codes. The studies' six of 1000 units would
            take nearly all the time of so small a network.
    """

    image_shape: tuple[int, int, int] = (1, 16, 16)
    latents: int = 10
    hidden: tuple[int, ...] = (64, 64)
    discriminator: tuple[int, ...] = (64, 64, 64)

    @property
    def shapes(self) -> Shapes:
        """Shape of each parameter of one member."""
        pixels = math.prod(self.image_shape)
        encoder = (pixels, *self.hidden, 2 * self.latents)
        decoder = (self.latents, *reversed(self.hidden), pixels)
        return dense_shapes("encoder", encoder) | dense_shapes("decoder", decoder)

    def encode(self, parameters: Parameters, x: Tensor) -> tuple[Tensor, Tensor]:
        """Map images M x B x C x H x W in 0..1 to means and log-variances of the codes, each M x B x d."""
        mean, logvar = chain(parameters, "encoder", x.flatten(2)).chunk(2, dim=-1)
        return mean, logvar

    def decode(self, parameters: Parameters, z: Tensor) -> Tensor:
        """Map codes M x B x d to Bernoulli logits M x B x C x H x W."""
        return chain(parameters, "decoder", z).view(*z.shape[:2], *self.image_shape)
