"""Time a step of each objective of a profile beside a step of beta-VAE, and add up what the profile takes.

    python benchmarks/objectives.py
    python benchmarks/objectives.py --profile micro --data dsprites_grid_16 --rounds 5

Each objective trains a group of runs of the profile as ``dbench zoo train`` does, one process with one thread, for a
few blocks of a hundred steps; the objectives take turns, and the first block of a turn does not count. Taken is the
time the processor spent on this process, not that of the clock, so other work on the machine disturbs it less. Printed
are the medians of milliseconds for a step of one model, their ratio to beta-VAE's on the same data set, and the
processor time of all runs of the objective in the profile.
"""

import argparse
import statistics
import time
from itertools import pairwise

import torch

from dbench.training import train
from dbench.zoo.engine import images_of, member_of, network_of, settings_of, training_images
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import find_profile

BASE = "beta_vae"
BLOCK = 100


def milliseconds(keys: list[RunKey], blocks: int) -> list[float]:
    """Train the runs for one block that does not count and some that do; return each one's time for a model-step."""
    data, images = images_of(keys[0].data)
    times: list[float] = []

    def clock(_) -> bool:
        times.append(time.process_time())
        return len(times) > blocks

    train(
        [member_of(key) for key in keys],
        training_images(data, images),
        network_of(keys[0], data),
        steps=keys[0].steps,
        each_block=clock,
        **settings_of(keys, data),
    )
    return [1e3 * (end - start) / (BLOCK * len(keys)) for start, end in pairwise(times)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time a step of each objective of a profile.")
    parser.add_argument("--profile", default="micro")
    parser.add_argument("--data", nargs="+", help="data sets of the profile; all when not given")
    parser.add_argument("--members", type=int, default=15, help="runs trained together, at most")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each objective")
    parser.add_argument("--blocks", type=int, default=2, help="counted blocks of a hundred steps in a turn")
    options = parser.parse_args()
    torch.set_num_threads(1)

    profile = find_profile(options.profile)
    groups: dict[tuple[str, str], list[RunKey]] = {}
    for key in profile.runs(data=options.data or profile.data):
        groups.setdefault((key.data, key.objective), []).append(key)
    took: dict[tuple[str, str], list[float]] = {cell: [] for cell in groups}
    for _ in range(options.rounds):
        for cell, keys in groups.items():
            took[cell] += milliseconds(keys[:: -(-len(keys) // options.members)], options.blocks)

    print(f"{profile.name}: {profile.steps:,} steps, batch {profile.batch_size}; torch {torch.__version__}")
    print(f"{'data set':24} {'objective':18} {'ms a step':>10} {'ratio':>6} {'runs':>6} {'s a run':>8} {'minutes':>8}")
    total = 0.0
    for cell, keys in groups.items():
        step, base = (statistics.median(took.get(each, [float("nan")])) for each in (cell, (cell[0], BASE)))
        run = step * profile.steps / 1e3
        total += run * len(keys)
        line = f"{cell[0]:24} {cell[1]:18} {step:10.3f} {step / base:6.2f} {len(keys):6d} {run:8.1f} "
        print(line + f"{run * len(keys) / 60:8.1f}")
    print(f"all {sum(map(len, groups.values()))} runs: {total / 3600:.2f} hours of one core")


if __name__ == "__main__":
    main()
