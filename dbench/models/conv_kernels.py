"""Convolutions of many members as Triton kernels, for GPUs: the member is the outer axis of every launch.

A library's grouped convolution computes one group after the other, which leaves most of a GPU idle where each member
has few channels. Here every layer of the network is one of three products over all members, since all its kernels are
4 x 4 with stride 2 and a border of 1. Let ``large`` be the side of 2h x 2w pixels and L channels, ``small`` the side of
h x w pixels and S channels, and w the weights of a member, S x L x 4 x 4:

    shrink     small[y, x, s] = sum over ky, kx, l of large[2y - 1 + ky, 2x - 1 + kx, l] w[s, l, ky, kx]
    grow       large[2y - 1 + ky, 2x - 1 + kx, l] gets small[y, x, s] w[s, l, ky, kx] from every y, x, s, ky, kx
    correlate  w[s, l, ky, kx] = sum over y, x of large[2y - 1 + ky, 2x - 1 + kx, l] small[y, x, s]

Shrink and grow are each the gradient of the other with respect to its input; correlate is the gradient of both with
respect to the weights. Images are stored channels last (M x B x H x W x C), so that four neighbouring pixels of a row
are 4 C consecutive numbers.

Sums are taken in float32, or in float64 for float64 inputs. Their order does not depend on the values of other members,
but may depend on how many there are (:func:`correlate` cuts its sum into parts).
"""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
import triton
import triton.language as tl
from torch import Tensor

_PROGRAMS = 1024  # least number that correlate is cut into: several for each multiprocessor

TILES: dict[tuple[str, int, int], tuple[int, int, int, int]] = {}
"""Product, L and S -> a tile's pixels (or places) and depth, warps and stages (see ``benchmarks/conv_tiles.py``)."""


def _tile(product: str, large: int, small: int, x: Tensor) -> tuple[int, int, int, int]:
    if product == "grow":
        usual = 128, min(4 * small, 64), 8 if large > 16 else 4, 3
    else:
        usual = 128 if product == "shrink" else 64, min(16 * large, 128), 4, 3
    pixels, depth, warps, stages = TILES.get((product, large, small), usual)
    # Tiles were chosen for numbers of two bytes; wider numbers need at least twice the shared memory.
    return (pixels, depth, warps, stages) if x.itemsize == 2 else (min(pixels, 128), min(depth, 64), warps, 2)


@triton.jit
def _shrink(
    large, weight, bias, gate, small, batch,
    H: tl.constexpr, W: tl.constexpr, L: tl.constexpr, S: tl.constexpr,
    RELU: tl.constexpr, BIAS: tl.constexpr, GATE: tl.constexpr,
    PIXELS: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr, SUM: tl.constexpr,
):  # fmt: skip
    """Shrink a tile of pixels of a member, given weights (4, 4, L) x S."""
    member = tl.program_id(1).to(tl.int64)
    large += member * batch * 4 * H * W * L
    small += member * batch * H * W * S
    weight += member * 16 * L * S
    pixel = tl.program_id(0) * PIXELS + tl.arange(0, PIXELS)
    inside = pixel < batch * H * W
    x, y, image = pixel % W, pixel // W % H, pixel // (W * H)
    s = tl.arange(0, S)
    total = tl.zeros((PIXELS, S), SUM)
    for block in range(16 * L // K):
        k = block * K + tl.arange(0, K)
        ky, rest = k // (4 * L), k % (4 * L)
        row, column = (2 * y - 1)[:, None] + ky[None, :], (2 * x - 1)[:, None] + (rest // L)[None, :]
        seen = inside[:, None] & (row >= 0) & (row < 2 * H) & (column >= 0) & (column < 2 * W)
        at = ((image * 2 * H)[:, None] + row) * (2 * W * L) + ((2 * x - 1) * L)[:, None] + rest[None, :]
        part = tl.load(large + at, mask=seen, other=0.0)
        weights = tl.load(weight + k[:, None] * S + s[None, :])
        total = tl.dot(part, weights, total, input_precision=PRECISION, out_dtype=SUM)
    at = pixel[:, None] * S + s[None, :]
    if BIAS:
        total += tl.load(bias + member * S + s)[None, :].to(SUM)
    if RELU:
        total = tl.maximum(total, 0.0)
    if GATE:
        open_ = tl.load(gate + member * batch * H * W * S + at, mask=inside[:, None], other=0.0) > 0
        total = tl.where(open_, total, 0.0)
    tl.store(small + at, total.to(small.dtype.element_ty), mask=inside[:, None])


@triton.jit
def _grow(
    small, weight, bias, gate, large, batch,
    H: tl.constexpr, W: tl.constexpr, L: tl.constexpr, S: tl.constexpr,
    RELU: tl.constexpr, BIAS: tl.constexpr, GATE: tl.constexpr,
    PLACES: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr, SUM: tl.constexpr,
):  # fmt: skip
    """Grow a tile of places of a member, given weights (2, 2, S) x (2, 2, L).

    A place is a block of 2 x 2 pixels of the large side with its border; it depends on 2 x 2 pixels of the small side.
    """
    member = tl.program_id(2).to(tl.int64)
    small += member * batch * H * W * S
    large += member * batch * 4 * H * W * L
    weight += member * 16 * S * L
    place = tl.program_id(0) * PLACES + tl.arange(0, PLACES)
    inside = place < batch * (H + 1) * (W + 1)
    x, y, image = place % (W + 1), place // (W + 1) % (H + 1), place // ((W + 1) * (H + 1))
    n = tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((PLACES, N), SUM)
    for block in range(4 * S // K):
        k = block * K + tl.arange(0, K)
        rest = k % (2 * S)
        row, column = y[:, None] - (k // (2 * S))[None, :], (x - 1)[:, None] + (rest // S)[None, :]
        seen = inside[:, None] & (row >= 0) & (row < H) & (column >= 0) & (column < W)
        at = ((image * H)[:, None] + row) * (W * S) + ((x - 1) * S)[:, None] + rest[None, :]
        part = tl.load(small + at, mask=seen, other=0.0)
        weights = tl.load(weight + k[:, None] * (4 * L) + n[None, :], mask=n[None, :] < 4 * L, other=0.0)
        total = tl.dot(part, weights, total, input_precision=PRECISION, out_dtype=SUM)
    rest = n % (2 * L)
    row, column = (2 * y - 1)[:, None] + (n // (2 * L))[None, :], (2 * x - 1)[:, None] + (rest // L)[None, :]
    seen = inside[:, None] & (n < 4 * L)[None, :] & (row >= 0) & (row < 2 * H) & (column >= 0) & (column < 2 * W)
    at = ((image * 2 * H)[:, None] + row) * (2 * W * L) + ((2 * x - 1) * L)[:, None] + rest[None, :]
    if BIAS:
        total += tl.load(bias + member * L + n % L)[None, :].to(SUM)
    if RELU:
        total = tl.maximum(total, 0.0)
    if GATE:
        open_ = tl.load(gate + member * batch * 4 * H * W * L + at, mask=seen, other=0.0) > 0
        total = tl.where(open_, total, 0.0)
    tl.store(large + at, total.to(large.dtype.element_ty), mask=seen)


@triton.jit
def _correlate(
    large, small, weight, batch,
    H: tl.constexpr, W: tl.constexpr, L: tl.constexpr, S: tl.constexpr,
    TILES: tl.constexpr, PIXELS: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr, SUM: tl.constexpr,
):  # fmt: skip
    """Sum over a part of a member's pixels, a few tiles, for a block of K rows of its (4, 4, L) x S weights."""
    part, member = tl.program_id(1), tl.program_id(2).to(tl.int64)
    large += member * batch * 4 * H * W * L
    small += member * batch * H * W * S
    weight += (part * tl.num_programs(2) + member) * 16 * L * S
    k = tl.program_id(0) * K + tl.arange(0, K)
    ky, rest = k // (4 * L), k % (4 * L)
    s = tl.arange(0, S)
    total = tl.zeros((K, S), SUM)
    for tile in range(TILES):
        pixel = (part * TILES + tile) * PIXELS + tl.arange(0, PIXELS)
        inside = pixel < batch * H * W
        x, y, image = pixel % W, pixel // W % H, pixel // (W * H)
        row, column = (2 * y - 1)[:, None] + ky[None, :], (2 * x - 1)[:, None] + (rest // L)[None, :]
        seen = inside[:, None] & (row >= 0) & (row < 2 * H) & (column >= 0) & (column < 2 * W)
        at = ((image * 2 * H)[:, None] + row) * (2 * W * L) + ((2 * x - 1) * L)[:, None] + rest[None, :]
        ours = tl.load(large + at, mask=seen, other=0.0)
        theirs = tl.load(small + pixel[:, None] * S + s[None, :], mask=inside[:, None], other=0.0)
        total = tl.dot(tl.trans(ours), theirs, total, input_precision=PRECISION, out_dtype=SUM)
    tl.store(weight + k[:, None] * S + s[None, :], total)


def _arithmetic(x: Tensor) -> dict[str, Any]:
    quick = x.dtype == torch.float32 and torch.backends.cuda.matmul.fp32_precision == "tf32"
    return {"PRECISION": "tf32" if quick else "ieee", "SUM": tl.float64 if x.dtype == torch.float64 else tl.float32}


def shrink(
    large: Tensor, weight: Tensor, *, bias: Tensor | None = None, relu: bool = False, gate: Tensor | None = None
) -> Tensor:
    """Convolve M x B x 2h x 2w x L with weights M x S x L x 4 x 4 to M x B x h x w x S.

    If given, a bias (M x S) is added and a ReLU taken. The result is 0 where ``gate``, of its shape, is not above 0.
    """
    members, batch, height, width, channels = large.shape
    s, h, w = weight.shape[1], height // 2, width // 2
    packed = weight.permute(0, 3, 4, 2, 1).to(large.dtype).contiguous()
    small = large.new_empty(members, batch, h, w, s)
    pixels, k, warps, stages = _tile("shrink", channels, s, large)
    grid = (triton.cdiv(batch * h * w, pixels), members)
    _shrink[grid](
        large, packed, bias, gate, small, batch, H=h, W=w, L=channels, S=s,
        RELU=relu, BIAS=bias is not None, GATE=gate is not None,
        PIXELS=pixels, K=k, **_arithmetic(large), num_warps=warps, num_stages=stages,
    )  # fmt: skip
    return small


def grow(
    small: Tensor,
    weight: Tensor,
    *,
    bias: Tensor | None = None,
    relu: bool = False,
    gate: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """Convolve M x B x h x w x S, transposed, with weights M x S x L x 4 x 4 to M x B x 2h x 2w x L, of type ``dtype``.

    If given, a bias (M x L) is added and a ReLU taken. The result is 0 where ``gate``, of its shape, is not above 0.
    """
    members, batch, h, w, s = small.shape
    channels = weight.shape[2]
    blocks = weight.view(members, s, channels, 2, 2, 2, 2).flip(5)  # i a j b with ky = 2 i + a, kx = 2 (1 - j) + b
    packed = blocks.permute(0, 3, 5, 1, 4, 6, 2).to(small.dtype).contiguous()
    large = torch.empty(members, batch, 2 * h, 2 * w, channels, dtype=dtype or small.dtype, device=small.device)
    n = min(max(4 * channels, 16), 128)
    places, k, warps, stages = _tile("grow", channels, s, small)
    grid = (triton.cdiv(batch * (h + 1) * (w + 1), places), triton.cdiv(4 * channels, n), members)
    _grow[grid](
        small, packed, bias, gate, large, batch, H=h, W=w, L=channels, S=s,
        RELU=relu, BIAS=bias is not None, GATE=gate is not None,
        PLACES=places, N=n, K=k, **_arithmetic(small), num_warps=warps, num_stages=stages,
    )  # fmt: skip
    return large


def correlate(large: Tensor, small: Tensor) -> Tensor:
    """Return the gradient of the weights, M x S x L x 4 x 4, from M x B x 2h x 2w x L and M x B x h x w x S."""
    members, batch, h, w, s = small.shape
    channels = large.shape[4]
    pixels, k, warps, stages = _tile("correlate", channels, s, small)
    blocks = 16 * channels // k
    tiles = triton.cdiv(batch * h * w, pixels)
    parts = min(triton.cdiv(_PROGRAMS, blocks * members), tiles)
    dtype = torch.float64 if small.dtype == torch.float64 else torch.float32
    sums = torch.empty(parts, members, 4, 4, channels, s, dtype=dtype, device=small.device)
    _correlate[(blocks, parts, members)](
        large, small, sums, batch, H=h, W=w, L=channels, S=s,
        TILES=triton.cdiv(tiles, parts), PIXELS=pixels, K=k, **_arithmetic(small), num_warps=warps, num_stages=stages,
    )  # fmt: skip
    return sums.sum(0).permute(0, 4, 3, 1, 2)


class _Downwards(torch.autograd.Function):
    """All convolutions one after another, a ReLU after each. The backward kernels apply the ReLU's gradient too."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *layers: Tensor) -> Tensor:
        hidden, weights = [x], layers[::2]
        for weight, bias in zip(weights, layers[1::2], strict=True):
            hidden.append(shrink(hidden[-1], weight, bias=bias, relu=True))
        ctx.save_for_backward(*hidden, *weights)
        return hidden[-1]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        count = len(ctx.saved_tensors) // 2
        hidden, weights = ctx.saved_tensors[: count + 1], ctx.saved_tensors[count + 1 :]
        g = (gradients[0] * (hidden[-1] > 0)).contiguous()
        of_layers: list[Tensor | None] = []
        for i in reversed(range(count)):
            of_layers = [correlate(hidden[i], g), g.sum((1, 2, 3), dtype=weights[i].dtype), *of_layers]
            if i:
                g = grow(g, weights[i], gate=hidden[i])
        return (grow(g, weights[0]) if ctx.needs_input_grad[0] else None, *of_layers)


class _Upwards(torch.autograd.Function):
    """All transposed convolutions one after another, a ReLU between them; the result has the type of the weights."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *layers: Tensor) -> Tensor:
        hidden, weights, biases = [x], layers[::2], layers[1::2]
        for weight, bias in zip(weights[:-1], biases, strict=False):
            hidden.append(grow(hidden[-1], weight, bias=bias, relu=True))
        ctx.save_for_backward(*hidden, *weights)
        return grow(hidden[-1], weights[-1], bias=biases[-1], dtype=weights[-1].dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        count = len(ctx.saved_tensors) // 2
        hidden, weights = ctx.saved_tensors[:count], ctx.saved_tensors[count:]
        g = gradients[0].to(hidden[0].dtype).contiguous()
        of_layers: list[Tensor | None] = []
        for i in reversed(range(count)):
            of_layers = [correlate(g, hidden[i]), g.sum((1, 2, 3), dtype=weights[i].dtype), *of_layers]
            g = shrink(g, weights[i], gate=hidden[i] if i else None)
        return (g, *of_layers)


Layers = Sequence[tuple[Tensor, Tensor]]


def downwards(x: Tensor, layers: Layers) -> Tensor:
    """Apply each member's convolutions, ReLU after each: M x B x C x H x W to M x B x O x h x w.

    Under autocast the images between layers have the type of autocast.
    """
    (weight, bias), *others = layers
    spare = _spare_channels(weight.shape[2])
    x = F.pad(x.permute(0, 1, 3, 4, 2).to(_image_dtype(x)), (0, spare))
    layers = [(F.pad(weight, (0, 0, 0, 0, 0, spare)), bias), *others]
    return _Downwards.apply(x.contiguous(), *_flat(layers)).permute(0, 1, 4, 2, 3)


def upwards(h: Tensor, layers: Layers) -> Tensor:
    """Apply each member's transposed convolutions, ReLU between them: M x B x C x h x w to M x B x O x H x W.

    Under autocast the images between layers have the type of autocast; the result has the type of the weights.
    """
    *others, (weight, bias) = layers
    channels, spare = bias.shape[1], _spare_channels(bias.shape[1])
    layers = [*others, (F.pad(weight, (0, 0, 0, 0, 0, spare)), F.pad(bias, (0, spare)))]
    h = h.permute(0, 1, 3, 4, 2).to(_image_dtype(h))
    return _Upwards.apply(h.contiguous(), *_flat(layers))[..., :channels].permute(0, 1, 4, 2, 3)


def _spare_channels(channels: int) -> int:
    """Return how many zero channels to add to images: the sides of a tile are powers of two."""
    return int(triton.next_power_of_2(channels)) - channels


def _flat(layers: Layers) -> list[Tensor]:
    return [tensor.contiguous() for layer in layers for tensor in layer]


def _image_dtype(x: Tensor) -> torch.dtype:
    device = x.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else x.dtype
