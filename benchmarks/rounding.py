"""How far rounding moves the first loss of runs, and how often ``dbench zoo verify`` would refuse true reruns.

    python benchmarks/rounding.py losses --data noisy_dsprites_grid_16 --seeds 4
    python benchmarks/rounding.py pairs fixtures/evidence/micro-dsprites_grid_16

``losses`` trains the first hundred steps of every setting of a data set of ``micro`` with pilot seeds: as they are;
with the plainest instructions torch can be told to use, in a process of its own; and three times from weights a
rounding away. Printed are quantiles of how far the loss moved, as a share of itself, and how many runs moved further by
plain instructions than ``dbench.zoo.tolerance`` allows.

``pairs`` takes two seeds of a setting, drawn at random, for a run and its rerun, the second being left out of the
table; and a run of another strength, or of another objective, for the rerun. Printed is how often these are refused
for having scores beyond their tolerance, if none may be beyond and if the share may that ``dbench.zoo.tolerance`` says.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from dbench import seeds
from dbench.zoo.arrays import load_arrays
from dbench.zoo.engine import train_keys
from dbench.zoo.keys import PILOT_SEEDS, RunKey
from dbench.zoo.profiles import PROFILES
from dbench.zoo.table import load_manifest, load_runs
from dbench.zoo.tolerance import (
    FIRST_LOSS,
    OF_A_POPULATION,
    OUTLIERS,
    accepted,
    in_order_of_size,
    moved_losses,
    rounding_tolerance,
)

# What tells torch and the libraries under it to use the plainest instructions.
PLAINEST = {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41", "MKL_ENABLE_INSTRUCTIONS": "SSE4_2"}
PLAINEST |= {"MKL_CBWR": "COMPATIBLE"}


def pilots(data: str, number: int) -> list[RunKey]:
    """Return the settings of a data set of micro with the first of the pilots' seeds."""
    keys = PROFILES["micro"].runs(data=[data])
    return sorted({replace(key, seed=seed) for key in keys for seed in PILOT_SEEDS[:number]})


def first_losses(keys: Sequence[RunKey]) -> list[float]:
    """Train groups of one objective for a hundred steps, and return the loss of each run."""
    losses = dict[RunKey, float]()
    for objective in sorted({key.objective for key in keys}):
        group = [key for key in keys if key.objective == objective]
        losses |= dict(zip(group, train_keys(group, each_block=lambda _: True).loss.tolist(), strict=True))
    return [losses[key] for key in keys]


def print_losses(data: str, number: int) -> None:
    keys = pilots(data, number)
    usual = np.array(first_losses(keys))
    command = [sys.executable, __file__, "losses", "--data", data, "--seeds", str(number), "--json"]
    found = subprocess.run(command, env=os.environ | PLAINEST, check=True, capture_output=True, text=True).stdout
    plain = np.array(json.loads(found))
    generator = seeds.generator(purpose="rounding", data=data)
    moved = np.array([moved_losses(key, 3, generator).tolist() for key in keys])
    print(f"{data}: {len(keys)} runs; median, nine in ten, most")
    for what, shares in (
        ("plainest instructions", np.abs(plain / usual - 1)),
        ("a rounding away", np.abs(moved / usual[:, None] - 1)),
    ):
        print(f"  {what:22}", *(f"{value:8.0e}" for value in np.quantile(shares, [0.5, 0.9, 1])))
    beyond = [
        abs(there - here) > rounding_tolerance(key, here, there)
        for key, here, there in zip(keys, usual.tolist(), plain.tolist(), strict=True)
    ]
    print(f"  moved further than is allowed: {sum(beyond)}")


def print_pairs(folder: str, number: int) -> None:
    manifest, table = load_manifest(folder), load_runs(folder)
    table = load_arrays(folder, table, manifest).with_rows(table)
    known = table["value"].notna() & ~table["score"].str.startswith(OF_A_POPULATION) & (table["score"] != FIRST_LOSS)
    table = table[known & (table["status"] == "done")]
    values = table.pivot(index="run", columns="score", values="value")
    ordered, runs = in_order_of_size(values), table.drop_duplicates("run").set_index("run")
    generator = seeds.generator(purpose="pairs", table=manifest["sha256"])
    print(f"{folder}: refused of {number} pairs if no score may be beyond, and if {OUTLIERS:.0%} may")
    for kind in ("seed", "strength", "objective"):
        shares = []
        for first in generator.choice(values.index, number):
            own = runs.loc[first]
            same = (runs["objective"] == own["objective"], runs["strength"] == own["strength"])
            fits = {"seed": same[0] & same[1], "strength": same[0] & ~same[1], "objective": ~same[0]}[kind]
            others = runs.index[fits & (runs.index != first)]
            if len(others) == 0:
                break
            second = generator.choice(others)
            names = values.columns[values.loc[[first, second]].notna().all()]
            limits = accepted(table[table["run"] != second], first, names)["tolerance"]
            shares.append(((ordered.loc[first, names] - ordered.loc[second, names]).abs() > limits).mean())
        if shares:
            print(f"  another {kind:10}", *(f"{np.mean(np.array(shares) > allowed):7.1%}" for allowed in (0, OUTLIERS)))


def main() -> None:
    parser = argparse.ArgumentParser(description="How far rounding moves runs, and how often true reruns are refused.")
    parts = parser.add_subparsers(dest="part", required=True)
    losses = parts.add_parser("losses")
    losses.add_argument("--data", default="dsprites_grid_16", help="data set of micro")
    losses.add_argument("--seeds", type=int, default=4, help="pilot seeds of each setting")
    losses.add_argument("--json", action="store_true", help="print the losses alone")
    pairs = parts.add_parser("pairs")
    pairs.add_argument("folder", help="a table")
    pairs.add_argument("--number", type=int, default=500, help="pairs of each kind")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.part == "pairs":
        print_pairs(options.folder, options.number)
    elif options.json:
        print(json.dumps(first_losses(pilots(options.data, options.seeds))))
    else:
        print_losses(options.data, options.seeds)


if __name__ == "__main__":
    main()
