"""The way of data through ``dbench score``: few files of code, one container, one read."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

MOST_FILES = 15
RNG = np.random.default_rng(0)
FACTORS = RNG.integers(0, [3, 6, 4, 8, 8], size=(15_000, 5))
CODES = np.hstack([FACTORS + 0.3 * RNG.normal(size=FACTORS.shape), RNG.normal(size=(15_000, 5))])

# Metrics are left out: each is a file. Everything is imported before it is counted, by first commands on few rows.
PROGRAM = """
import sys, threading
from pathlib import Path
import dbench
from dbench.scoring.commands import score

files = sys.argv[1:]
package, visited, opened = str(Path(dbench.__file__).parent), set(), []

def visit(frame, event, argument):
    code = frame.f_code
    name = code.co_filename.removeprefix(package + "/")
    if event == "call" and name != code.co_filename and not name.startswith("metrics/") and code.co_name != "<module>":
        visited.add(name)

def read():
    with open("/proc/self/io") as numbers:
        return int(numbers.readline().split()[1])

def run(path):
    score([path, "--metric", "mig"], standalone_mode=False)

sys.addaudithook(lambda event, what: opened.append(str(what[0])) if event == "open" else None)
for few, file in zip(files[::2], files[1::2]):
    run(few)
    visited.clear()
    sys.setprofile(visit)
    threading.setprofile(visit)
    before = read()
    run(file)
    after = read()
    sys.setprofile(None)
    threading.setprofile(None)
    print("COUNTED", after - before, opened.count(file), *sorted(visited))
"""


def written(path: Path, rows: int) -> Path:
    codes, factors = CODES[:rows], FACTORS[:rows]
    if path.suffix == ".npz":
        np.savez(path, codes=codes, factors=factors)
        return path
    columns = {f"code_{i}": column for i, column in enumerate(codes.T)}
    frame = pd.DataFrame(columns | {f"factor_{j}": column for j, column in enumerate(factors.T)})
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)
    return path


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="only Linux says how many bytes a process has read")
def test_a_score_reads_its_file_once_and_visits_few_files_of_code(tmp_path: Path) -> None:
    files = [written(tmp_path / f"{rows}.{form}", rows) for form in ("npz", "csv", "parquet") for rows in (600, 15_000)]
    given = [sys.executable, "-c", PROGRAM, *map(str, files)]
    done = subprocess.run(given, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "100"})
    counted = [line.split() for line in done.stdout.splitlines() if line.startswith("COUNTED")]
    assert len(counted) == 3
    for file, (_, read, opens, *visited) in zip(files[1::2], counted, strict=True):
        assert int(read) < 1.2 * file.stat().st_size
        assert opens == "1"
        assert len(visited) <= MOST_FILES, visited
        assert {"codes/reading.py", "scoring/compute.py", "scoring/terminal.py"} <= set(visited)
