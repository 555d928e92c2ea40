"""Measurements of benchmarks/gpu.py: each returns rows for its tables, and a device's refusal becomes a row too."""

from __future__ import annotations

import gc
import time
import warnings
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import torch
from ensemble import one_after_the_other
from gpu_tables import kernel_class
from torch import Tensor
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from dbench.errors import DbenchError
from dbench.models import Network, find_network
from dbench.models.reference import reference
from dbench.seeds import generator
from dbench.training import Execution, Member, evaluate, train
from dbench.training.draws import Drawing
from dbench.training.execution import arithmetic, autocast
from dbench.training.losses import Losses
from dbench.training.state import initial_state
from dbench.training.step import Stepper
from dbench.training.streams import BLOCK

BOUNDS = {"float32": 1e-4, "tf32": 2e-3, "bfloat16": 2e-2}
"""Largest relative difference of a loss from the processor's after the first steps, fixed before any was seen."""

STRENGTHS = (1, 2, 4, 6, 8, 16)
Row = dict[str, Any]


def members_of(count: int, objective: str = "beta_vae") -> list[Member]:
    return [Member(objective, STRENGTHS[i % 6], {"objective": objective, "seed": i}) for i in range(count)]


def network_with(algorithm: str) -> Network:
    return find_network("conv")(algorithm=algorithm)


def synchronise(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


@contextmanager
def refusals(row: Row):
    """Note an error of the device, or a capture that failed, in the row, so that other measurements go on."""
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always", RuntimeWarning)
        try:
            yield
        except (RuntimeError, DbenchError) as error:
            row["error"] = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:160]}"
    if failed := [str(warning.message) for warning in noticed if "captured" in str(warning.message)]:
        row.setdefault("error", failed[0][:160])
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def check(images: Tensor, device: torch.device, batch: int, steps: int, settings: list[tuple[str, str]]) -> list[Row]:
    """Compare losses with those of float32 on the processor: of the first step, and the mean over some steps.

    The learning rate is ten times that of the papers, so that within a few steps the losses fall well below their start
    at 4096 log 2, where every arithmetic gives the same.
    """
    members = [*members_of(2), *members_of(1, "beta_tcvae")]

    def losses(where: torch.device, precision: str, algorithm: str) -> Tensor:
        network = network_with(algorithm)
        states = [
            train(
                members,
                images,
                network,
                steps=n,
                batch_size=batch,
                learning_rate=1e-3,
                device=where,
                precision=precision,
            )
            for n in (1, steps)
        ]
        return torch.stack([state.loss.cpu() for state in states])

    expected, rows = losses(torch.device("cpu"), "float32", "grouped"), []
    fallen = float((1 - expected[1] / expected[0]).min())
    for precision, algorithm in settings:
        row: Row = {"precision": precision, "algorithm": algorithm, "steps": steps, "bound": BOUNDS[precision]}
        row["fallen"] = fallen
        with refusals(row):
            row["difference"] = float(((losses(device, precision, algorithm) - expected) / expected).abs().max())
            row["ok"] = row["difference"] <= row["bound"]
        rows.append(row)
    return rows


def build(images: Tensor, device: torch.device, batch: int, count: int, row: Row, execution: Execution) -> Any:
    """Return a stepper of an ensemble and a block of draws for it; the draws are on the processor."""
    members, network = members_of(count), network_with(row["algorithm"])
    losses = Losses(members, network, images, None, factor_sizes=(), extra={}, precision=row["precision"], steps=10**6)
    card = losses.parts[0].card
    state = initial_state(members, network).to(device)
    stepper = Stepper(state, losses, card, learning_rate=1e-4, execution=execution)
    return stepper, drawing_of(members, len(images), batch).take(0)


def drawing_of(members: list[Member], data_size: int, batch: int, threads: int = 0) -> Drawing:
    settings = {"data_size": data_size, "batch_size": batch, "latents": 10, "threads": threads}
    return Drawing([(members, False)], **settings, pinned=torch.cuda.is_available())


def rate(images: Tensor, device: torch.device, batch: int, row: Row, seconds: float) -> Row:
    """Time steps of an ensemble of ``members``; fills in rate and memory. Draws are made beforehand."""
    # Without a word about it, the engine captures where it can, and goes on with a warning where it cannot.
    execution = Execution(capture=None if row["captured"] else False, compile=row["compiled"])
    with refusals(row), arithmetic(device, row["precision"]):
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device) if device.type == "cuda" else 0
        stepper, draws = build(images, device, batch, row["members"], row, execution)
        stepper.block(draws, 1)
        row["captured"] = stepper.captured
        start = time.perf_counter()
        stepper.block(draws, 1)
        synchronise(device)
        steps = max(1, min(BLOCK, int(seconds / 3 / (time.perf_counter() - start))))
        took = []
        for _ in range(3):
            start = time.perf_counter()
            stepper.block(draws, steps)
            synchronise(device)
            took.append((time.perf_counter() - start) / steps)
        row["ms_a_step"] = 1e3 * sorted(took)[1]
        row["model_steps_a_second"] = row["members"] / sorted(took)[1]
        if device.type == "cuda":
            peak = torch.cuda.max_memory_allocated(device) - before
            row["mib_a_model"] = peak / row["members"] / 2**20
    return row


def alone(images: Tensor, device: torch.device, precision: str, seconds: float) -> Row:
    """Time one plain PyTorch model at a time, as benchmarks/ensemble.py does, with torch's fused Adam."""
    row: Row = {"precision": precision}
    options = SimpleNamespace(network="conv", device=device.type, fused=True, seconds=seconds)
    threads = torch.get_num_threads()
    with refusals(row), arithmetic(device, precision), autocast(device, precision):
        torch.set_num_threads(threads)  # unlike a member of an ensemble, a plain model may use them all
        one_after_the_other(options, images)
        row["model_steps_a_second"] = one_after_the_other(options, images)
    return row


def take_profile(images: Tensor, device: torch.device, batch: int, row: Row, steps: int) -> tuple[list[Row], str]:
    """Add up kernels of some steps by class. Steps are not captured: a graph launches the same kernels more closely."""
    cuda = device.type == "cuda"
    with arithmetic(device, row["precision"]):
        stepper, draws = build(images, device, batch, row["members"], row, Execution(capture=False))
        stepper.block(draws, 1)
        synchronise(device)
        activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * cuda
        with profile(activities=activities) as profiler:
            stepper.block(draws, steps)
            synchronise(device)
    found: dict[str, list[float]] = {}
    for event in profiler.key_averages():
        if cuda and event.device_type != torch.autograd.DeviceType.CUDA:
            continue
        busy = event.self_device_time_total if cuda else event.self_cpu_time_total
        if cuda or event.key.startswith(("aten::", "Fused", "mkldnn")):
            kind = found.setdefault(kernel_class(event.key), [0.0, 0.0])
            kind[0] += busy / 1e3 / steps
            kind[1] += event.count / steps
    total = sum(ms for ms, _ in found.values()) or 1.0
    rows = [
        {"kind": kind, "ms_a_step": ms, "share": ms / total, "launches_a_step": count}
        for kind, (ms, count) in sorted(found.items(), key=lambda item: -item[1][0])
    ]
    note = (
        f"A step of {row['members']} members, {row['precision']}, {row['algorithm']}: {total:.1f} ms of kernels in "
        f"{sum(count for _, count in found.values()):.0f} launches"
    )
    timed = row.get("ms_a_step")
    gap = f", beside {timed:.1f} ms by the clock: {max(0.0, 1 - total / timed):.0%} idle." if timed else "."
    return rows, note + gap + (" A block's end counts in." if steps < BLOCK else "")


def floors(device: torch.device, batch: int, precisions: list[str], *, quick: bool) -> tuple[dict[str, Row], str]:
    """Bound the rate by arithmetic and by memory: work of a model-step over what this device measurably does."""
    network = find_network("conv")()
    shapes, width = network.shapes, []
    module = reference(network, {name: torch.zeros(shape) for name, shape in shapes.items()})
    for layer in module.modules():
        if layer.__class__.__name__ in ("Conv2d", "ConvTranspose2d", "Linear"):
            layer.register_forward_hook(lambda _, __, out: width.append(out.numel()))
    x = torch.rand(batch, *network.image_shape)
    with FlopCounterMode(display=False) as counter:
        mean, logvar = module.encode(x)
        (module.decode(mean).sum() + logvar.sum()).backward()
    flops, activations = counter.get_total_flops(), sum(width) + x.numel()
    parameters = sum(parameter.numel() for parameter in module.parameters())
    bandwidth, found = _bandwidth(device, quick), {}
    for precision in precisions:
        speed, size = _products(device, precision, quick), 2 if precision == "bfloat16" else 4
        # An activation is written, read by the next layer and again for gradients; its gradient is written and read.
        traffic = 5 * activations * size + 8 * 4 * parameters  # Adam reads and writes values, gradient, two moments
        found[precision] = {
            "by_arithmetic": speed / flops,
            "by_memory": bandwidth / traffic,
            "tflops": speed / 1e12,
            "tb_a_second": bandwidth / 1e12,
            "gflop_a_model_step": flops / 1e9,
            "mb_a_model_step": traffic / 1e6,
        }
    note = (
        f"Floors: {flops / 1e9:.2f} GFLOP a model-step (counted, batch {batch}), over the device's measured rate of "
        f"large matrix products; and the traffic of its parameters ({parameters:,}) and activations ({activations:,}) "
        "with every operation between layers fused into them, over its measured rate of copying."
    )
    return found, note


def _products(device: torch.device, precision: str, quick: bool) -> float:
    size, repeats = (512, 2) if quick else (8192, 10)
    dtype = torch.bfloat16 if precision == "bfloat16" else torch.float32
    with arithmetic(device, precision):
        a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
        return 2 * size**3 / _seconds(lambda: a @ b, device, repeats)


def _bandwidth(device: torch.device, quick: bool) -> float:
    source = torch.zeros(2**22 if quick else 2**29, device=device)
    target = torch.empty_like(source)
    return 2 * 4 * source.numel() / _seconds(lambda: target.copy_(source), device, 10)


def _seconds(work: Any, device: torch.device, repeats: int) -> float:
    for _ in range(2):
        work()
    synchronise(device)
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    synchronise(device)
    return (time.perf_counter() - start) / repeats


def time_drawing(count: int, batch: int, threads: int) -> Row:
    """Time a block's draws of an ensemble, by threads (0: by none but the caller)."""
    with drawing_of(members_of(count), 737_280, batch, threads) as drawing:
        drawing.take(0)
        start = time.perf_counter()
        drawing.take(1)
        seconds = time.perf_counter() - start
    normals = BLOCK * count * batch * 10
    return {"members": count, "threads": threads, "seconds": seconds, "normals_a_second": normals / seconds}


def time_evaluation(images: Tensor, device: torch.device, count: int, precision: str, algorithm: str) -> Row:
    """Time the pass over images that averages the evidence lower bound."""
    row: Row = {"members": count, "precision": precision, "images": len(images)}
    members, network = members_of(count), network_with(algorithm)
    with refusals(row):
        parameters = initial_state(members, network).to(device).parameters
        for _ in range(2):  # the first one warms up
            start = time.perf_counter()
            generators = [generator(benchmark="gpu", member=i) for i in range(count)]
            evaluate(parameters, images, network, generators=generators, precision=precision)
            synchronise(device)
        row["images_a_second"] = len(images) * count / (time.perf_counter() - start)
    return row
