"""The convolutional network of Locatello et al. (2020), table 2, for images of 64 x 64."""

import math
from dataclasses import dataclass
from typing import Literal

import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from dbench.errors import InvalidInput
from dbench.models.stacked import Parameters, Shapes, chain, dense_shapes

Form = Literal["grouped", "kernels"]
"""How members are convolved: as the groups of one convolution of the library, or by Triton kernels of our own."""

_KERNEL = (4, 4)
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
        form: how to convolve; it changes only time and rounding. ``kernels`` needs Triton, and a GPU unless Triton
            interprets them. When not given, training on a GPU takes the quicker form, everything else ``grouped``.

    Raises:
        InvalidInput: images that are not 64 x 64.
    """

    image_shape: tuple[int, int, int] = (1, 64, 64)
    latents: int = 10
    discriminator: tuple[int, ...] = (1000,) * 6
    form: Form | None = None

    def __post_init__(self) -> None:
        if tuple(self.image_shape[1:]) != (64, 64):
            raise InvalidInput(f"the convolutional network takes images of channels x 64 x 64, got {self}")

    @property
    def shapes(self) -> Shapes:
        """Shape of each parameter of one member."""
        encoder, decoder = (self.image_shape[0], 32, 32, 64, 64), (64, 64, 32, 32, self.image_shape[0])  # channels
        shapes: Shapes = {}
        for i in range(4):
            shapes[f"convolution.{i}.weight"] = (encoder[i + 1], encoder[i], *_KERNEL)
            shapes[f"convolution.{i}.bias"] = (encoder[i + 1],)
        shapes |= dense_shapes("encoder", (_WIDE, 256, 2 * self.latents))
        shapes |= dense_shapes("decoder", (self.latents, 256, _WIDE))
        for i in range(4):
            shapes[f"upconvolution.{i}.weight"] = (decoder[i], decoder[i + 1], *_KERNEL)
            shapes[f"upconvolution.{i}.bias"] = (decoder[i + 1],)
        return shapes

    def encode(self, parameters: Parameters, x: Tensor) -> tuple[Tensor, Tensor]:
        """Map images M x B x C x 64 x 64 in 0..1 to means and log-variances of the codes, each M x B x d."""
        layers = self._layers(parameters, "convolution")
        if self.form == "kernels":
            from dbench.models.conv_kernels import downwards  # Triton is not installed everywhere

            h = downwards(x, layers)
        else:
            h = _downwards(x, layers)
        h = h.reshape(*x.shape[:2], _WIDE)
        mean, logvar = chain(parameters, "encoder", h).chunk(2, dim=-1)
        return mean, logvar

    def decode(self, parameters: Parameters, z: Tensor) -> Tensor:
        """Map codes M x B x d to Bernoulli logits M x B x C x 64 x 64."""
        h = chain(parameters, "decoder", z).relu()
        h = h.view(*h.shape[:2], *_CORE)
        layers = self._layers(parameters, "upconvolution")
        if self.form == "kernels":
            from dbench.models.conv_kernels import upwards

            return upwards(h, layers)
        return _upwards(h, layers)

    @staticmethod
    def _layers(parameters: Parameters, prefix: str) -> list[tuple[Tensor, Tensor]]:
        return [(parameters[f"{prefix}.{i}.weight"], parameters[f"{prefix}.{i}.bias"]) for i in range(4)]


def _downwards(x: Tensor, layers: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Apply each member's convolutions as one group, ReLU after each: M x B x C x H x W to M x B x O x h x w."""
    if _lone(x):
        return _downwards(_twice(x), _layers_twice(layers))[:1]
    members = len(x)
    h = x.transpose(0, 1).flatten(1, 2)  # B x (M C) x H x W
    for weight, bias in layers:
        h = F.conv2d(h, weight.flatten(0, 1), bias.flatten(0, 1), stride=2, padding=1, groups=members).relu()
    return h.reshape(len(h), members, -1, *h.shape[2:]).transpose(0, 1)


def _upwards(h: Tensor, layers: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Apply each member's transposed convolutions, ReLU between them: M x B x C x h x w to M x B x O x H x W."""
    if _lone(h):
        return _upwards(_twice(h), _layers_twice(layers))[:1]
    members = len(h)
    h = h.transpose(0, 1).flatten(1, 2)
    for i, (weight, bias) in enumerate(layers):
        h = F.conv_transpose2d(h, weight.flatten(0, 1), bias.flatten(0, 1), stride=2, padding=1, groups=members)
        h = h.relu() if i + 1 < len(layers) else h
    return h.reshape(len(h), members, -1, *h.shape[2:]).transpose(0, 1)


def _lone(h: Tensor) -> bool:
    """Whether h is a lone member on a processor: torch rounds one group otherwise than several, so it runs as two."""
    return len(h) == 1 and h.device.type == "cpu"


def _twice(h: Tensor) -> Tensor:
    return h.expand(2, *h.shape[1:])


def _layers_twice(layers: list[tuple[Tensor, Tensor]]) -> list[tuple[Tensor, Tensor]]:
    return [(_twice(weight), _twice(bias)) for weight, bias in layers]
