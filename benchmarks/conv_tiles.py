"""Find the tiles in which the kernels of convolutions are quickest on this GPU (``dbench/models/conv_kernels.py``).

    python benchmarks/conv_tiles.py --members 64

First the kernels are held against grouped convolutions in every precision. Then every product and layer is timed with
every tile, in bfloat16, after several processes have compiled them all. Printed are the three quickest tiles of each in
microseconds, the rate of the best by what it reads and writes once, and the entries for ``TILES``.
"""

import argparse
import itertools
import multiprocessing
import os
import statistics

import numpy as np
import torch

from dbench.models import conv_kernels
from dbench.models.conv import Conv
from dbench.models.stacked import glorot_uniform
from dbench.training.execution import PRECISIONS, autocast, products

BATCH = 64
LAYERS = ((1, 32, 32), (32, 32, 16), (32, 64, 8), (64, 64, 4))
"""Channels of the large side and of the small one, and the small one's side in pixels."""

PRODUCTS = ("shrink", "grow", "correlate")


def tiles(product: str, large: int, small: int) -> list[tuple[int, int, int, int]]:
    """List pixels, depth, warps and stages to try."""
    deepest = 4 * small if product == "grow" else 16 * large
    depths = sorted({min(depth, deepest) for depth in (32, 64, 128)})
    pixels = (64, 128, 256) if large > 1 or product == "grow" else (64, 128, 256, 512)
    every = itertools.product(pixels, depths, (4, 8), (2, 3))
    return [tile for tile in every if tile[0] * tile[1] <= 128 * 128 and tile[0] >= 16 * tile[2]]


def operands(large: int, small: int, side: int, members: int) -> tuple[torch.Tensor, ...]:
    """Draw images of both sides, weights and the biases of both."""
    shapes = [(BATCH, 2 * side, 2 * side, large), (BATCH, side, side, small), (small, large, 4, 4), (small,), (large,)]
    generator = torch.Generator("cuda").manual_seed(0)
    drawn = [torch.randn(members, *shape, device="cuda", generator=generator) for shape in shapes]
    return drawn[0].bfloat16(), drawn[1].bfloat16(), *drawn[2:]


def call(product: str, tile: tuple[int, int, int, int], given: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """Take one product with a tile."""
    large, small, weight, small_bias, large_bias = given
    conv_kernels.TILES[product, large.shape[4], small.shape[4]] = tile
    if product == "shrink":
        return conv_kernels.shrink(large, weight, bias=small_bias, relu=True)
    if product == "grow":
        return conv_kernels.grow(small, weight, bias=large_bias, relu=True)
    return conv_kernels.correlate(large, small)


def compile_part(jobs) -> list[tuple[object, str]]:
    """Compile some kernels; return those that cannot be, and why."""
    failed = []
    for product, layer, tile in jobs:
        try:
            call(product, tile, operands(*layer, members=2))
            torch.cuda.synchronize()
        except Exception as error:  # a compiler has errors of its own
            failed.append(((product, layer, tile), f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"))
    return failed


def milliseconds(product: str, tile, given) -> float:
    times = []
    for _ in range(8):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call(product, tile, given)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times[3:])


def hold_against_grouped() -> None:
    """Print how far logits and gradients are from those of grouped convolutions in float32."""
    drawn = [glorot_uniform(Conv().shapes, np.random.default_rng(i)) for i in range(3)]
    weights = {name: torch.stack([one[name] for one in drawn]).cuda().requires_grad_() for name in drawn[0]}
    x, device = torch.rand(3, BATCH, 1, 64, 64, device="cuda"), torch.device("cuda")

    def passed(form: str, precision: str):
        network = Conv(form=form)
        with products(device, precision), autocast(device, precision):
            logits = network.decode(weights, network.encode(weights, x)[0].float()).float()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, x, reduction="sum")
        return [logits.detach(), *torch.autograd.grad(loss, list(weights.values()))]

    expected = passed("grouped", "float32")
    for form, precision in itertools.product(("grouped", "kernels"), PRECISIONS):
        off = [float((a - b).norm() / b.norm()) for a, b in zip(passed(form, precision), expected, strict=True)]
        print(f"{form} {precision}: logits off by {off[0]:.1e}, gradients by at most {max(off[1:]):.1e}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Find the quickest tiles of the kernels of convolutions.")
    parser.add_argument("--members", type=int, default=64)
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 1) - 2))
    options = parser.parse_args()
    hold_against_grouped()
    jobs = [(product, layer, tile) for layer in LAYERS for product in PRODUCTS for tile in tiles(product, *layer[:2])]
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        parts = pool.map(compile_part, [jobs[i :: options.processes] for i in range(options.processes)])
    failed = dict(itertools.chain.from_iterable(parts))
    print(
        f"{torch.cuda.get_device_name()}: {len(jobs)} kernels, of which {len(failed)} fail",
        *set(failed.values()),
        sep="\n  ",
    )
    best = {}
    for layer in LAYERS:
        given = operands(*layer, members=options.members)
        for product in PRODUCTS:
            tried = [tile for tile in tiles(product, *layer[:2]) if (product, layer, tile) not in failed]
            times = {tile: milliseconds(product, tile, given) for tile in tried}
            quickest = sorted(times, key=times.__getitem__)
            best[product, *layer[:2]] = quickest[0]
            rate = (given[0].nbytes + given[1].nbytes) / times[quickest[0]] / 1e9
            shown = ", ".join(f"{tile} {times[tile] * 1000:.0f}" for tile in quickest[:3])
            print(
                f"{product:9} {layer[:2]}: {shown}; {times[quickest[-1]] * 1000:.0f} us at worst; {rate:.2f} TB/s",
                flush=True,
            )
    print("\n".join(f"    {key}: {tile}," for key, tile in best.items()))


if __name__ == "__main__":
    main()
