"""Time the metrics against a plain loop over scikit-learn that follows the protocol of A Sober Look.

    python benchmarks/metrics.py           # the suite without its slowest members
    python benchmarks/metrics.py --full    # all of it; the other side needs several minutes a repeat
    python benchmarks/metrics.py --udr     # 1,800 models in groups of 50, two processes
    python benchmarks/metrics.py --irs     # time and memory from 10,000 to 737,280 observations
    python benchmarks/metrics.py --score   # what 'dbench score' takes of 15,000 observations, step by step

One core, every library held to one thread. Both sides score the same arrays in the same run, in turns: 10,000
observations (10,000 + 5,000 where something is fitted) of 10 codes, noisy copies of factors of 3, 6, 40, 32 and 32
values, every factor twice. Interventional metrics look codes up in the table of all 737,280 combinations, on both
sides. Printed are medians of processor time. What the fast side computes besides (ceiling and chance
level) is in its time.
"""

import argparse
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import sklearn
import torch
from threadpoolctl import threadpool_limits

from dbench import metrics
from dbench.codes import GridSource, Sample

sys.path.insert(0, str(Path(__file__).parent))
import reference_metrics as reference

SIZES = (3, 6, 40, 32, 32)
TRAIN, TEST = 10_000, 5_000


@dataclass(frozen=True, eq=False)
class World:
    """What both sides are given."""

    source: GridSource
    train: Sample
    test: Sample

    @property
    def both(self) -> Sample:
        return Sample(*(np.concatenate(pair) for pair in zip(self.parts[:2], self.parts[2:], strict=True)))

    @property
    def parts(self) -> tuple[np.ndarray, ...]:
        return self.train.codes, self.train.factors, self.test.codes, self.test.factors

    @property
    def halves(self) -> np.ndarray:
        """Two models: the first and the second copy of every factor."""
        return np.stack(np.split(self.train.codes, 2, axis=1))


def noisy_copies(sizes=SIZES, train=TRAIN, test=TEST, seed=0, noise=0.3) -> World:
    """Every factor twice, the second copy with twice the noise; standardised."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*[np.arange(size) for size in sizes], indexing="ij"), axis=-1).reshape(-1, len(sizes))
    exact = (grid - grid.mean(axis=0)) / grid.std(axis=0)
    codes = np.concatenate([exact, exact], axis=1) + rng.normal(size=(len(grid), 2 * len(sizes))) * np.repeat(
        [noise, 2 * noise], len(sizes)
    )
    rows = rng.integers(len(grid), size=train + test)
    return World(
        GridSource(codes, sizes),
        Sample(codes[rows[:train]], grid[rows[:train]]),
        Sample(codes[rows[train:]], grid[rows[train:]]),
    )


@dataclass(frozen=True)
class Pair:
    """A metric on both sides.

    ``apart`` is how far two draws of its protocol may lie from each other; ``faster`` the estimator that dbench offers
    beside the protocol's, as the zoo is scored.
    """

    name: str
    ours: Callable[[World], metrics.Score]
    reference: Callable[[World], float]
    apart: float
    faster: Callable[[World], metrics.Score] | None = None


def _stream() -> np.random.Generator:
    return np.random.default_rng(1)


PAIRS = (
    Pair(
        "beta_vae_metric",
        lambda w: metrics.beta_vae_metric(w.source),
        lambda w: reference.beta_vae_metric(w.source, _stream()),
        0.02,
    ),
    Pair(
        "factor_vae", lambda w: metrics.factor_vae(w.source), lambda w: reference.factor_vae(w.source, _stream()), 0.02
    ),
    Pair("mig", lambda w: metrics.mig(w.train), lambda w: reference.mig(*w.parts[:2]), 1e-6),
    Pair("modularity", lambda w: metrics.modularity(w.train), lambda w: reference.modularity(*w.parts[:2]), 1e-6),
    Pair("explicitness", lambda w: metrics.explicitness(w.both), lambda w: reference.explicitness(*w.parts), 0.02),
    Pair("sap[svm]", lambda w: metrics.sap(w.both), lambda w: reference.sap(*w.parts), 0.02),
    Pair(
        "irs (20 bins, 0.99)",
        lambda w: metrics.irs(w.train, bins=20, quantile=0.99, crossed=True),
        lambda w: reference.irs(*w.parts[:2]),
        1e-6,
    ),
    Pair(
        "gaussian_total_correlation",
        lambda w: metrics.gaussian_total_correlation(w.train),
        lambda w: reference.gaussian_total_correlation(w.train.codes),
        1e-6,
    ),
    Pair(
        "code_mutual_information",
        lambda w: metrics.code_mutual_information(w.train),
        lambda w: reference.code_mutual_information(w.train.codes),
        1e-6,
    ),
    Pair(
        "udr",
        lambda w: metrics.udr(w.halves, np.ones(w.halves.shape[::2], dtype=bool)),
        lambda w: reference.udr(*w.halves),
        1e-3,
    ),
)
SLOW = (
    Pair(
        "dci",
        lambda w: metrics.dci(w.both),
        lambda w: reference.dci(*w.parts),
        0.03,
        faster=lambda w: metrics.dci(w.both, estimator="forest"),
    ),
    Pair(
        "downstream[logistic]",
        lambda w: metrics.downstream(w.both, sizes=(len(w.train),), test=len(w.test)),
        lambda w: reference.downstream_logistic(*w.parts),
        0.02,
        faster=lambda w: metrics.downstream(w.both, sizes=(len(w.train),), test=len(w.test), tuning=1000),
    ),
    Pair(
        "downstream[gbt], 1,000",
        lambda w: metrics.downstream(w.both, sizes=(1000,), model="gbt", test=len(w.test)),
        lambda w: reference.downstream_boosted(*(part[:1000] for part in w.parts[:2]), *w.parts[2:]),
        0.03,
    ),
)


def timed(run: Callable[[World], object], world: World) -> tuple[float, float]:
    start = time.process_time()  # one thread: what else the machine does is not counted
    value = float(run(world))  # type: ignore[arg-type]
    return time.process_time() - start, value


def suite(pairs: tuple[Pair, ...], repeats: int) -> None:
    world = noisy_copies()
    print(f"{'metric':<28}{'ours s':>10}{'reference s':>13}{'ratio':>9}{'ours':>9}{'reference':>11}  agree")
    total = np.zeros(3)  # ours, theirs, ours with the faster estimators
    for pair in pairs:
        turns = 1 if pair in SLOW else repeats
        found = []
        for turn in range(turns + (pair not in SLOW)):  # the first turn of the quick ones warms up
            found.append((timed(pair.ours, world), timed(pair.reference, world)))
            if turn == 0 and pair not in SLOW:
                found.clear()
        ours, theirs = (statistics.median(turn[side][0] for turn in found) for side in (0, 1))
        values = found[0][0][1], found[0][1][1]
        agree = "yes" if abs(values[0] - values[1]) <= pair.apart else "NO"
        faster = None if pair.faster is None else timed(pair.faster, world)
        total += ours, theirs, ours if faster is None else faster[0]
        figures = f"{ours:>10.4f}{theirs:>13.4f}{theirs / ours:>9.1f}{values[0]:>9.4f}{values[1]:>11.4f}"
        print(f"{pair.name:<28}{figures}  {agree}", flush=True)
        if faster is not None:
            print(f"{'  faster estimator':<28}{faster[0]:>10.4f}{'':>13}{theirs / faster[0]:>9.1f}{faster[1]:>9.4f}")
    print(f"{'all of these':<28}{total[0]:>10.2f}{total[1]:>13.2f}{total[1] / total[0]:>9.1f}")
    if any(pair.faster for pair in pairs):
        print(f"{'  with the faster estimators':<28}{total[2]:>10.2f}{'':>13}{total[1] / total[2]:>9.1f}")


def correlated_models(models: int, n: int, d: int, seed: int) -> np.ndarray:
    """Codes of models that share some axes and mix others."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, d))
    codes = np.empty((models, n, d))
    for model in codes:
        turn = np.eye(d) + rng.uniform(0, 0.5) * rng.normal(size=(d, d))
        model[:] = truth @ turn[rng.permutation(d)].T + 0.3 * rng.normal(size=(n, d))
    return codes


def udr_group(group: int) -> float:
    with threadpool_limits(1):
        codes = correlated_models(50, 10_000, 10, group)
        start = time.perf_counter()
        scores = metrics.udr_scores(codes, np.ones((50, 10), dtype=bool))
        assert np.isfinite(scores).all()
        return time.perf_counter() - start


def udr(models: int, processes: int) -> None:
    start = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        spent = pool.map(udr_group, range(models // 50), chunksize=1)
    wall = time.perf_counter() - start
    print(f"UDR (Lasso, 10,000 x 10, all to all within groups of 50), {models} models, {processes} processes:")
    print(f"  scoring alone {sum(spent) / processes:.1f} s ({statistics.median(spent):.2f} s a group);")
    print(f"  wall clock with starting processes and drawing codes {wall:.1f} s")


IRS_SIZES = (10_000, 30_000, 100_000, 300_000, 737_280)
IRS_RUN = """
import sys, time
from pathlib import Path
import numpy as np
from threadpoolctl import threadpool_limits
from dbench.codes import Sample
from dbench.metrics import irs
n, rng = int(sys.argv[1]), np.random.default_rng(0)
sizes = (3, 6, 40, 32, 32)
factors = np.stack(np.unravel_index(rng.permutation(np.prod(sizes))[:n], sizes), axis=1)
sample = Sample(np.concatenate([factors, factors], axis=1) + rng.normal(size=(n, 10)), factors)
def peak():  # Linux only; getrusage would carry over what the parent process had
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024
before, seconds = peak(), []
with threadpool_limits(1):
    for _ in range(5):
        start = time.perf_counter()
        irs(sample)
        seconds.append(time.perf_counter() - start)
print(sorted(seconds)[2], before, peak())
"""


def irs() -> None:
    """Each size in a process of its own, so that its peak memory is its own."""
    print(f"{'IRS observations':>18}{'s':>9}{'peak MiB':>11}{'before':>9}")
    seconds = []
    for n in IRS_SIZES:
        done = subprocess.run([sys.executable, "-c", IRS_RUN, str(n)], check=True, capture_output=True, text=True)
        second, before, peak = map(float, done.stdout.split())
        seconds.append(second)
        print(f"{n:>18,}{second:>9.3f}{peak:>11,.0f}{before:>9,.0f}", flush=True)
    slope = np.polyfit(np.log(IRS_SIZES), np.log(seconds), 1)[0]
    print(f"exponent of the time: {slope:.2f}")


SCORE_RUN = """
import sys, time
import numpy as np
from dbench.scoring import score
marks = {}
def progress(item, number, total, found):
    name = "slow" if item.speed != "fast" else "intervals" if item.name in found else "scores"
    marks.setdefault(name, time.process_time())
scores = score(*np.load(sys.argv[1]).values(), progress=progress)
str(scores)
print(marks["scores"], marks["intervals"], marks["slow"], time.process_time())
"""


def score_steps() -> None:
    """A process of its own and one thread, from the start of Python to the table."""
    world = noisy_copies()
    with tempfile.TemporaryDirectory() as folder:
        np.savez(f"{folder}/codes.npz", world.both.codes, world.both.factors)
        threads = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        command = [sys.executable, "-c", SCORE_RUN, f"{folder}/codes.npz"]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=threads)
    said = ("imports", "quick metrics", "their intervals, chance and copies", "slow metrics and the table")
    for what, seconds in zip(said, map(float, done.stdout.split()), strict=True):
        print(f"{what:<36}{seconds:>8.2f} s of processor time since the start")


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the metrics against a plain loop over scikit-learn.")
    parser.add_argument("--full", action="store_true", help="with boosted-tree DCI and downstream (minutes)")
    parser.add_argument("--repeats", type=int, default=5, help="counted turns of the quick metrics")
    parser.add_argument("--udr", action="store_true", help="UDR over 1,800 models instead")
    parser.add_argument("--models", type=int, default=1800, help="models of --udr")
    parser.add_argument("--processes", type=int, default=2, help="processes of --udr")
    parser.add_argument("--irs", action="store_true", help="how IRS grows with observations instead")
    parser.add_argument("--score", action="store_true", help="the steps of 'dbench score' instead")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = f"numpy {np.__version__}, scikit-learn {sklearn.__version__}, torch {torch.__version__}"
    print(f"{datetime.now(UTC):%Y-%m-%d}; {cores} cores, {platform.machine()}; {versions}")
    if options.udr:
        udr(options.models, options.processes)
    elif options.irs:
        irs()
    elif options.score:
        score_steps()
    else:
        torch.set_num_threads(1)
        with threadpool_limits(1):
            suite(PAIRS + (SLOW if options.full else ()), options.repeats)
        if not options.full:
            print("left out (--full): DCI with boosted trees, downstream accuracy (logistic, boosted trees)")


if __name__ == "__main__":
    main()
