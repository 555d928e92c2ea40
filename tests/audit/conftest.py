"""A module of metrics outside the repository, good and bad, and the command run on them."""

import json

import pytest
from click.testing import CliRunner

from dbench.cli import main

BAD = """
import numpy as np

def mean_correlation(codes, factors):
    "Deliberately bad: however codes and factors are related, strong relations score high."
    both = np.corrcoef(codes.T, factors.T)[: codes.shape[1], codes.shape[1]:]
    return float(np.abs(np.nan_to_num(both)).max(axis=0).mean())

class Constant:
    def __call__(self, codes, factors):
        return 0.7

constant = Constant()

def loss(codes, factors):
    return 1.0 - copy_of_mig(codes, factors)

def _cut(code):
    low, high = code.min(), code.max()
    return np.minimum(((code - low) / (high - low or 1.0) * 20).astype(int), 19)

def _entropy(*labels):
    counts = np.unique(np.stack(labels), axis=1, return_counts=True)[1] / len(labels[0])
    return -(counts * np.log(counts)).sum()

def copy_of_mig(codes, factors):
    gaps = []
    for factor in factors.T:
        own = _entropy(factor)
        known = sorted(own + _entropy(c) - _entropy(c, factor) for c in map(_cut, codes.T))
        gaps.append((known[-1] - (known[-2] if len(known) > 1 else 0.0)) / own)
    return float(np.mean(gaps))

def nan(codes, factors):
    return float("nan")

def nothing(codes, factors):
    return None

def many(codes, factors):
    return codes.mean(axis=0)

def picky(codes, factors):
    if codes.shape[1] < 3:
        raise ValueError("at least 3 codes, please")
    return copy_of_mig(codes, factors)

def chatty(codes, factors):
    print("hello from the metric")
    return copy_of_mig(codes, factors)

number = 3
print("hello from the module")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("outside")
    (place / "mine.py").write_text(BAD)
    (place / "broken.py").write_text("import nothing_of_that_name\n")
    (place / "exits.py").write_text("raise SystemExit(0)\n")
    return place


@pytest.fixture
def command(folder, monkeypatch):
    """In this process, where importing is paid for once; a process of its own is tried below."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments):
        return CliRunner().invoke(main, ["audit", "--observations", "1000", *arguments], catch_exceptions=False)

    return run


@pytest.fixture
def statuses(command):
    def ask(name, *arguments):
        done = command(f"mine:{name}", "--json", *arguments)
        assert done.exit_code == 0, done.stderr
        return {record["check"]: record for record in json.loads(done.stdout)}

    return ask
