"""Time the forms in which many convolutional networks are trained at once on a GPU, against what the card could do.

    python benchmarks/ensemble.py --device cuda --network conv

Each row is one ensemble in one form and precision: model-steps a second in steady state, the seconds until its first
hundred steps were done (compiling, choosing algorithms, capturing), and its shares of two limits, both measured on the
card in the same run: the traffic that a step cannot avoid over the rate of a copy, and its products over the rate of a
large matrix product.
"""

import math
import time
import warnings

import torch
from images import random_images

from dbench.models.conv import Conv
from dbench.models.objectives import find_card
from dbench.training import Member, train
from dbench.training.state import BLOCK

BATCH = 64
ROWS = (
    ("grouped", "float32", "beta_vae"),
    ("kernels", "float32", "beta_vae"),
    ("kernels", "tf32", "beta_vae"),
    ("kernels", "bfloat16", "beta_vae"),
    ("grouped", "bfloat16", "factor_vae"),
    ("kernels", "bfloat16", "factor_vae"),
)


def numbers_of_an_image(network: Conv) -> int:
    """Count the numbers that the convolutions of a pass make of an image, the image itself among them."""
    sides = (64, 32, 16, 8, 4)
    inwards = [network.image_shape[0], *(network.shapes[f"convolution.{i}.weight"][0] for i in range(4))]
    return 2 * sum(channels * side**2 for channels, side in zip(inwards, sides, strict=True))


def products_of_an_image(network: Conv) -> int:
    """Count the multiplications of a pass of an image."""
    inwards = sum(
        math.prod(network.shapes[f"convolution.{i}.weight"]) * side**2 for i, side in enumerate((32, 16, 8, 4))
    )
    dense = sum(math.prod(shape) for name, shape in network.shapes.items() if name.startswith(("encoder", "decoder")))
    return 2 * inwards + dense


def limits(network: Conv, precision: str, objective: str) -> tuple[float, float]:
    """Return model-steps a second by traffic and by products, for rates measured now.

    Traffic: every number between the layers is written and read twice forwards and backwards (as value and as gradient)
    and read once more for the weights, six passes in all; Adam reads four and writes three numbers of each parameter,
    whose gradient was written before. An adversary's parameters count; what it makes of codes, and a second
    batch, do not.
    """
    size = 2 if precision == "bfloat16" else 4
    shapes = network.shapes | find_card(objective).extra_shapes(network, ())
    parameters = sum(math.prod(shape) for shape in shapes.values())
    moved = 6 * size * BATCH * numbers_of_an_image(network) + 8 * 4 * parameters
    return copy_rate() / moved, product_rate(precision) / (6 * BATCH * products_of_an_image(network))


def copy_rate() -> float:
    """Return bytes read and written a second by a copy of four gigabytes."""
    source = torch.empty(2**30, device="cuda").normal_()
    target = torch.empty_like(source)
    return 2 * source.nbytes / _seconds(lambda: target.copy_(source))


def product_rate(precision: str) -> float:
    """Return operations a second of a product of two random matrices of 8,192 x 8,192."""
    kind = torch.bfloat16 if precision == "bfloat16" else torch.float32
    torch.backends.cuda.matmul.fp32_precision = "tf32" if precision == "tf32" else "ieee"
    left, right = (torch.randn(8192, 8192, device="cuda", dtype=kind) for _ in range(2))
    seconds = _seconds(lambda: left @ right)
    torch.backends.cuda.matmul.fp32_precision = "ieee"
    return 2 * 8192**3 / seconds


def _seconds(function) -> float:
    times = []
    for _ in range(7):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        function()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1000)
    return sorted(times[2:])[2]


def steady_rate(network: Conv, objective: str, members: int, precision: str, seconds: float) -> tuple[float, float]:
    """Train an ensemble for some seconds; return model-steps a second after the first block, and its seconds."""
    images = random_images(network.image_shape)
    group = [Member(objective, 1.0 + i % 4, {"seed": i}) for i in range(members)]
    times = [time.perf_counter()]

    def late(_) -> bool:
        torch.cuda.synchronize()
        times.append(time.perf_counter())
        return len(times) > 2 and times[-1] - times[1] > seconds

    settings = {"batch_size": BATCH, "learning_rate": 1e-3, "device": "cuda", "precision": precision}
    train(group, images, network, steps=10**9, each_block=late, **settings)
    return BLOCK * members * (len(times) - 2) / (times[-1] - times[1]), times[1] - times[0]


def print_table(members: int, seconds: float) -> None:
    """Print the table of all rows; one that fails says why, and the others go on."""
    print(
        f"{'form':8} {'precision':9} {'objective':11} {'members':>7} {'steps/s':>8} "
        f"{'traffic':>8} {'products':>8} {'begin':>7}"
    )
    warnings.simplefilter("ignore")
    for form, precision, objective in ROWS:
        network = Conv(form=form)
        row = f"{form:8} {precision:9} {objective:11} {members:7}"
        try:
            rate, begin = steady_rate(network, objective, members, precision, seconds)
            by_traffic, by_products = limits(network, precision, objective)
        except Exception as error:  # a compiler has errors of its own
            print(f"{row} fails: {type(error).__name__}: {str(error).partition(chr(10))[0]}", flush=True)
            continue
        finally:
            torch.cuda.empty_cache()
        shares = f"{rate / by_traffic:8.0%} {rate / by_products:8.0%}"
        print(f"{row} {rate:8,.0f} {shares} {begin:5.1f} s", flush=True)
