"""Convolutions of many members at once: one convolution with a group for each member.

All kernels are 4 x 4 with stride 2 and a border of 1. On a processor a lone member's convolutions run as those of two,
of which one is dropped: the library computes a convolution of one group in another way than one of several, and a
member's bits must not depend on the others.
"""

from __future__ import annotations

import torch.nn.functional as F  # noqa: N812
from torch import Tensor

__all__ = ["downwards", "upwards"]


def downwards(x: Tensor, layers: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Apply each member's convolutions to its own images, ReLU after each: M x B x C x H x W to M x B x O x h x w.

    Args:
        x: images; H and W divisible by two for every layer.
        layers: weights M x O x C x 4 x 4 and biases M x O.
    """
    if _lone(x):
        return downwards(_twice(x), _both(layers))[:1]
    members = len(x)
    h = x.transpose(0, 1).flatten(1, 2)  # B x (M C) x H x W
    for weight, bias in layers:
        h = F.conv2d(h, weight.flatten(0, 1), bias.flatten(0, 1), stride=2, padding=1, groups=members).relu()
    return h.reshape(len(h), members, -1, *h.shape[2:]).transpose(0, 1)


def upwards(h: Tensor, layers: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Apply each member's transposed convolutions, ReLU between them: M x B x C x h x w to M x B x O x H x W.

    Args:
        h: what comes out of the fully connected layers.
        layers: weights M x C x O x 4 x 4 and biases M x O.
    """
    if _lone(h):
        return upwards(_twice(h), _both(layers))[:1]
    members = len(h)
    h = h.transpose(0, 1).flatten(1, 2)
    for i, (weight, bias) in enumerate(layers):
        h = F.conv_transpose2d(h, weight.flatten(0, 1), bias.flatten(0, 1), stride=2, padding=1, groups=members)
        h = h.relu() if i + 1 < len(layers) else h
    return h.reshape(len(h), members, -1, *h.shape[2:]).transpose(0, 1)


def _lone(h: Tensor) -> bool:
    return len(h) == 1 and h.device.type == "cpu"


def _twice(h: Tensor) -> Tensor:
    return h.expand(2, *h.shape[1:])


def _both(layers: list[tuple[Tensor, Tensor]]) -> list[tuple[Tensor, Tensor]]:
    return [(_twice(weight), _twice(bias)) for weight, bias in layers]
