"""Time the batched ensemble against training one model after the other.

    python benchmarks/ensemble.py
    python benchmarks/ensemble.py --device cuda --network conv --members 64 --precision tf32

Both sides train beta-VAEs with the same network, batch size, optimiser and images, on the same machine in the same run,
in turns of equal time. The ensemble runs as it is really used: on processors as one process with one thread for each
core, on a GPU as one process. The other side is an ordinary module trained by ``torch.optim.Adam`` with torch's default
threads (``--threads``), and with ``--fused`` by Adam's fused form, which is not the default on processors. The first
turn of each side warms up and does not count. Printed are the medians of model-steps a second and their ratio. On a
machine that others use, two threads wait for each other and the other side looks slower than it is: measure on an idle
one, or with one thread. Of convolutional networks on a GPU a table of their forms comes first (``conv_forms.py``).
"""

import argparse
import multiprocessing
import os
import platform
import statistics
import time

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from conv_forms import print_table
from images import random_images
from reference_network import reference

from dbench.models import find_network
from dbench.models.stacked import glorot_uniform
from dbench.training import Member, train

BATCH = 64
LEARNING_RATE = 1e-3
STEPS_OF_A_MODEL = 1000
BETWEEN_LOOKS_AT_THE_CLOCK = 10


def ensemble_turns(connection, options, first: int) -> None:
    """Train a group of members for a turn, again and again, until told to stop; answer with the rate of each turn."""
    network = find_network(options.network)()
    images = random_images(network.image_shape).to(options.device)
    members = [Member("beta_vae", 1.0 + i % 4, {"seed": first + i}) for i in range(options.members)]
    while connection.recv():
        start = time.perf_counter()

        def late(state, end=start + options.seconds) -> bool:
            synchronise(options.device)
            return time.perf_counter() > end

        state = train(
            members,
            images,
            network,
            steps=10**9,
            batch_size=BATCH,
            learning_rate=LEARNING_RATE,
            device=options.device,
            precision=options.precision,
            each_block=late,
        )
        connection.send(state.step * len(members) / (time.perf_counter() - start))


def one_after_the_other(options, images: torch.Tensor) -> float:
    """Train models one by one for a turn and return the rate."""
    network, start, steps = find_network(options.network)(), time.perf_counter(), 0
    while time.perf_counter() < start + options.seconds:
        if steps % STEPS_OF_A_MODEL == 0:
            start_at = glorot_uniform(network.shapes, np.random.default_rng(steps))
            module = reference(network, start_at).to(options.device)
            optimiser = torch.optim.Adam(module.parameters(), lr=LEARNING_RATE, fused=options.fused or None)
            generator = torch.Generator(options.device).manual_seed(steps)
        for _ in range(BETWEEN_LOOKS_AT_THE_CLOCK):
            rows = torch.randint(len(images), (BATCH,), generator=generator, device=options.device)
            x = images[rows].float() / 255
            mean, logvar = module.encode(x)
            noise = torch.randn(mean.shape, generator=generator, device=options.device)
            logits = module.decode(mean + (0.5 * logvar).exp() * noise)
            nll = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / BATCH
            kl = 0.5 * (mean.square() + logvar.exp() - logvar - 1).sum() / BATCH
            optimiser.zero_grad()
            (nll + 2.0 * kl).backward()
            optimiser.step()
        synchronise(options.device)
        steps += BETWEEN_LOOKS_AT_THE_CLOCK
    return steps / (time.perf_counter() - start)


def synchronise(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the batched ensemble against one model after the other.")
    parser.add_argument("--network", default="mlp", choices=("mlp", "conv"))
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--members", type=int, default=15, help="members of a group")
    parser.add_argument("--seconds", type=float, default=5.0, help="length of a turn")
    parser.add_argument("--repeats", type=int, default=7, help="counted turns of each side")
    parser.add_argument("--precision", default="float32", choices=("float32", "tf32", "bfloat16"))
    parser.add_argument("--fused", action="store_true", help="fused Adam for the other side as well")
    parser.add_argument("--threads", type=int, help="threads of the other side; torch's default when not given")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)

    if options.device == "cuda" and options.network == "conv":
        print_table(options.members, options.seconds)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    processes = cores if options.device == "cpu" else 1
    context = multiprocessing.get_context("spawn")
    pipes, workers = [], []
    for i in range(processes):
        ours, theirs = context.Pipe()
        worker = context.Process(target=ensemble_turns, args=(theirs, options, i * options.members), daemon=True)
        worker.start()
        pipes.append(ours)
        workers.append(worker)

    images = random_images(find_network(options.network)().image_shape).to(options.device)
    together, alone = [], []
    for turn in range(options.repeats + 1):
        for pipe in pipes:
            pipe.send(True)
        rates = sum(pipe.recv() for pipe in pipes), one_after_the_other(options, images)
        print(f"turn {turn}{'' if turn else ' (not counted)'}: ensemble {rates[0]:,.0f}, one by one {rates[1]:,.0f}")
        if turn:
            together.append(rates[0])
            alone.append(rates[1])
    for pipe, worker in zip(pipes, workers, strict=True):
        pipe.send(False)
        worker.join()

    place = torch.cuda.get_device_name() if options.device == "cuda" else f"{cores} cores, {platform.machine()}"
    print(f"\n{place}; torch {torch.__version__}; {options.network}, batch {BATCH}, {options.precision}")
    print(f"ensemble, {processes} x {options.members} models: {statistics.median(together):,.0f} model-steps a second")
    print(f"one by one, {torch.get_num_threads()} threads: {statistics.median(alone):,.0f} model-steps a second")
    print(f"ratio of the medians: {statistics.median(together) / statistics.median(alone):.1f}")


if __name__ == "__main__":
    main()
