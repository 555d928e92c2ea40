"""Train, score, write a table and judge claims on it, in a loop in which processes are killed and the disk is full.

    python tools/soak.py --minutes 60 [--seed 0] [--workers 2] [--folder EMPTY]

Every round has three parts. A sweep is killed at random moments (``torture.py``) and started again until it is
done. Another one meets a disk that takes no more: no file may grow beyond a size drawn at random, which fails writes as
a full disk does, wherever they stand. Claims are then judged on the table. Both tables must be that of a sweep nobody
disturbed, claims must come to the same verdicts in every round, and no file that was being written may be left over.
Exit code 1: something was lost, changed or left.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from torture import differences, small_plan, sweep_command, torture

from dbench import seeds
from dbench.zoo.keys import RunKey
from dbench.zoo.table import load_runs

ROOT = Path(__file__).parents[1]
CLAIMS = ["claims/sober/test_5_1_reconstruction.py", "claims/sober/test_5_2_mean_codes.py"]
KILLS, REFUSALS = 4, 3
# Bytes: below the smallest record, above the largest file of the plan.
SIZES = (1_000, 400_000)


def sweep(folder: Path, keys: Sequence[RunKey], workers: int, largest: int | None = None) -> int:
    """Train, score and write the table in a process whose files may not grow beyond a size; return its exit code."""

    def limit() -> None:
        if largest:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    command = sweep_command(folder, keys, workers, score=True)
    return subprocess.run(command, preexec_fn=limit, stderr=subprocess.DEVNULL, check=False).returncode


def verdicts(table: Path, out: Path, workers: int) -> list[tuple[str, ...]]:
    """Judge some claims on a table; return test, verdict and estimate of each record."""
    options = [f"--dbench-evidence={table}", f"--dbench-report={out}", "-q", "-n", str(workers)]
    subprocess.run([sys.executable, "-m", "pytest", *CLAIMS, *options], cwd=ROOT, capture_output=True, check=False)
    part = out.with_name(f"{out.name}-partial")  # where a session that judges only some claims writes
    report = json.loads((part / "report.json").read_text(encoding="utf-8"))
    return [(record["nodeid"], record["verdict"], repr(record["estimate"])) for record in report["records"]]


def soak(folder: Path, minutes: float, generator: np.random.Generator, workers: int) -> Counter[str]:
    """Run rounds until the time is up, at least one; return counts of what happened and of what went wrong."""
    keys, counts, begin = small_plan(), Counter[str](), time.monotonic()
    judged: set[str] = set()
    while not counts["rounds"] or time.monotonic() - begin < 60 * minutes:
        place = folder / f"round-{counts['rounds']}"
        counts["rounds"] += 1
        killed = torture(place / "killed", keys, kills=KILLS, generator=generator, workers=workers, score=True)
        counts += Counter({name: killed[name] for name in ("sweeps", "starts", "differences")})
        counts["kills"] += KILLS

        full = place / "full"
        for _ in range(REFUSALS):
            size = int(np.exp(generator.uniform(*np.log(SIZES))))
            counts["refusals"] += sweep(full, keys, workers, size) != 0
        if sweep(full, keys, workers):
            counts["not finished"] += 1
            continue
        table = place / "killed" / "undisturbed" / "table"
        counts["differences"] += differences(load_runs(full / "table"), load_runs(table))

        judged.add(json.dumps(verdicts(table, place / "report", workers)))
        counts["changed verdicts"] = len(judged) - 1
        counts["left over"] += sum(1 for path in place.rglob("*.partial"))
        print(f"{time.monotonic() - begin:.0f} s: {dict(counts)}", flush=True)
    return counts


def main() -> int:
    """Soak, and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="start no round after so many")
    parser.add_argument("--seed", type=int, default=0, help="of moments, targets and sizes")
    parser.add_argument("--workers", type=int, default=2, help="processes of a sweep")
    parser.add_argument("--folder", type=Path, help="empty folder that stays; else a temporary one")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    generator = seeds.generator(purpose="soak", seed=options.seed)
    with tempfile.TemporaryDirectory(prefix="dbench-soak-", ignore_cleanup_errors=True) as temporary:
        counts = soak(options.folder or Path(temporary), options.minutes, generator, options.workers)
    wrong = [name for name in ("differences", "not finished", "changed verdicts", "left over") if counts[name]]
    print("wrong: " + ", ".join(f"{counts[name]} {name}" for name in wrong) if wrong else "nothing lost, nothing left")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
