"""Convolutions of many members at once, in three ways: as groups of one convolution, or as matrix products.

All kernels are 4 x 4 with stride 2 and a border of 1. Such a convolution is one of 2 x 2 kernels and stride 1 over
blocks of 2 x 2 pixels, which is one matrix product for each member over the channels of four neighbouring blocks; its
transpose likewise, from the other side. Which way is quickest depends on the device: see ``benchmarks/gpu.py``.

On a processor a lone member's convolutions run as those of two, of which one is dropped: the library computes a
convolution of one group in another way than one of several, and a member's bits must not depend on its company.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

__all__ = ["ALGORITHMS", "downwards", "upwards"]

ALGORITHMS = ("grouped", "channels_last", "products")
"""``grouped``: one convolution with a group for each member; ``channels_last``: the same on channels that lie side by
side in memory; ``products``: batched matrix products. They differ in rounding only."""


def downwards(x: Tensor, layers: list[tuple[Tensor, Tensor]], algorithm: str) -> Tensor:
    """Apply each member's convolutions to its own images, ReLU after each: M x B x C x H x W to M x B x O x h x w.

    Args:
        x: images; H and W divisible by two for every layer.
        layers: weights M x O x C x 4 x 4 and biases M x O.
        algorithm: one of :data:`ALGORITHMS`.
    """
    if _lone(x, algorithm):
        return downwards(_twice(x), _both(layers), algorithm)[:1]
    members = len(x)
    if algorithm == "products":
        h = x.permute(0, 1, 3, 4, 2)
        for weight, bias in layers:
            h = _convolve(h, weight, bias).relu()
        return h.permute(0, 1, 4, 2, 3)
    h = x.transpose(0, 1).flatten(1, 2)  # B x (M C) x H x W
    for weight, bias in layers:
        w, b = _grouped(weight, bias, algorithm)
        h = F.conv2d(_ordered(h, algorithm), w, b, stride=2, padding=1, groups=members).relu()
    return h.reshape(len(h), members, -1, *h.shape[2:]).transpose(0, 1)


def upwards(h: Tensor, layers: list[tuple[Tensor, Tensor]], algorithm: str) -> Tensor:
    """Apply each member's transposed convolutions, ReLU between them: M x B x C x h x w to M x B x O x H x W.

    Args:
        h: what comes out of the fully connected layers.
        layers: weights M x C x O x 4 x 4 and biases M x O.
        algorithm: one of :data:`ALGORITHMS`.
    """
    if _lone(h, algorithm):
        return upwards(_twice(h), _both(layers), algorithm)[:1]
    members = len(h)
    products = algorithm == "products"
    h = h.permute(0, 1, 3, 4, 2) if products else h.transpose(0, 1).flatten(1, 2)
    for i, (weight, bias) in enumerate(layers):
        if products:
            h = _convolve_transposed(h, weight, bias)
        else:
            w, b = _grouped(weight, bias, algorithm)
            h = F.conv_transpose2d(_ordered(h, algorithm), w, b, stride=2, padding=1, groups=members)
        h = h.relu() if i + 1 < len(layers) else h
    if products:
        return h.permute(0, 1, 4, 2, 3)
    return h.reshape(len(h), members, -1, *h.shape[2:]).transpose(0, 1)


def _lone(h: Tensor, algorithm: str) -> bool:
    return len(h) == 1 and algorithm != "products" and h.device.type == "cpu"


def _twice(h: Tensor) -> Tensor:
    return h.expand(2, *h.shape[1:])


def _both(layers: list[tuple[Tensor, Tensor]]) -> list[tuple[Tensor, Tensor]]:
    return [(_twice(weight), _twice(bias)) for weight, bias in layers]


def _grouped(weight: Tensor, bias: Tensor, algorithm: str) -> tuple[Tensor, Tensor]:
    return _ordered(weight.flatten(0, 1), algorithm), bias.flatten(0, 1)


def _ordered(h: Tensor, algorithm: str) -> Tensor:
    return h.contiguous(memory_format=torch.channels_last) if algorithm == "channels_last" else h


def _neighbours(h: Tensor) -> Tensor:
    """Join the channels of every 2 x 2 neighbouring places: M x B x I x J x C to M x B x (I - 1) x (J - 1) x 4C."""
    rows, columns = h.shape[2] - 1, h.shape[3] - 1
    return torch.cat([h[:, :, i : i + rows, j : j + columns] for i in (0, 1) for j in (0, 1)], dim=4)


def _product(h: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Multiply the channels of every place by its member's matrix: M x B x I x J x K to M x B x I x J x N."""
    out = torch.baddbmm(bias.unsqueeze(1), h.reshape(len(h), -1, h.shape[4]), weight)
    return out.view(*h.shape[:4], -1)


def _convolve(h: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Convolve, channels last: M x B x H x W x C to M x B x H/2 x W/2 x O."""
    members, outputs, channels = weight.shape[:3]
    h = F.pad(h, (0, 0, 1, 1, 1, 1))
    rows, columns = h.shape[2] // 2, h.shape[3] // 2
    blocks = h.view(members, -1, rows, 2, columns, 2, channels).transpose(3, 4).flatten(4)
    # A kernel's row is 2 (row of the block) + (row in the block), and so is its column.
    matrix = weight.view(members, outputs, channels, 2, 2, 2, 2).permute(0, 3, 5, 4, 6, 2, 1)
    return _product(_neighbours(blocks.view(members, -1, rows, columns, 4 * channels)), matrix.flatten(1, 5), bias)


def _convolve_transposed(h: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Convolve transposed, channels last: M x B x H x W x C to M x B x 2H x 2W x O."""
    members, channels, outputs = weight.shape[:3]
    # A block of the output sees the input at its own place through rows 0 and 1 of the kernel, and the input before
    # through rows 2 and 3; hence the flips. The padded input is one place ahead of the blocks.
    matrix = weight.view(members, channels, outputs, 2, 2, 2, 2).flip(3, 5).permute(0, 3, 5, 1, 4, 6, 2)
    matrix = matrix.reshape(members, 4 * channels, 4 * outputs)
    blocks = _product(_neighbours(F.pad(h, (0, 0, 1, 1, 1, 1))), matrix, bias.repeat(1, 4))
    rows, columns = blocks.shape[2:4]
    pixels = blocks.view(members, -1, rows, columns, 2, 2, outputs).transpose(3, 4)
    return pixels.reshape(members, -1, 2 * rows, 2 * columns, outputs)[:, :, 1:-1, 1:-1]
