import errno
import hashlib
import io
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from dbench.data import load
from dbench.zoo.arrays import AGREEMENTS
from dbench.zoo.complete import build_table, write_table
from dbench.zoo.engine import Group, train_group
from dbench.zoo.executor import Pool, outcome_of
from dbench.zoo.profiles import Profile, Sweep
from dbench.zoo.scorers import SCORING_SCHEMA, protocol
from dbench.zoo.store import Store

TINY = Profile(
    name="tiny",
    data=("dsprites_grid_16",),
    network="mlp",
    sweeps=(Sweep("beta_vae", (1, 4)), Sweep("beta_tcvae", (1, 4))),
    steps=12,
    batch_size=8,
    learning_rate=1e-3,
    seeds=2,
)

RECORD = {
    "commit": "0123abc",
    "versions": "python 3, torch 2",
    "device": "cpu",
    "precision": "float32",
    "trained_seconds": 1.5,
    "trained_utc": "2026-01-01T00:00:00Z",
    "scores": {"elbo": -20.0},
}


class LoneChannel:
    """A worker's channel without a controller: asks to stop after some reports."""

    def __init__(self, stop_after=10**9):
        self.reports = []
        self._stop_after = stop_after

    def report(self, **progress):
        self.reports.append(progress)

    def total(self, name):
        return sum(progress.get(name, 0) for progress in self.reports)

    @property
    def stopping(self):
        return len(self.reports) >= self._stop_after


class Here(Pool):
    """Runs tasks in this process, one after the other, as a worker does."""

    room = 1

    def __init__(self, function, workers=None):
        self.function, self.busy = function, set()

    def start(self, waiting):
        self.busy = {0} if waiting else set()
        self.task = waiting.pop() if waiting else None

    def receive(self, timeout):
        channel = LoneChannel()
        self.busy.clear()
        outcome = outcome_of(self.function, channel, self.task)
        yield from (("progress", progress) for progress in channel.reports)
        yield outcome

    def ask_to_stop(self):
        """Nothing runs beside this."""

    def __exit__(self, *_):
        pass


@pytest.fixture
def in_process(monkeypatch):
    """Work in this process: to start another one takes longer than all else."""
    for module in ("train", "score", "unpack", "population"):
        monkeypatch.setattr(f"dbench.zoo.{module}.Processes", Here)


@pytest.fixture(scope="session")
def channel():
    return LoneChannel


@pytest.fixture
def console():
    """Keeps what is told; a line is as long as it likes."""
    return Console(file=io.StringIO(), width=500)


@pytest.fixture(scope="session")
def tiny():
    return TINY


@pytest.fixture
def key():
    return TINY.runs()[0]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture(scope="session")
def finish():
    """Write runs with made-up weights, codes and scores into a store."""
    fingerprint = load(TINY.data[0]).fingerprint

    def write(store, *keys, status="done", scores=None, data_sha256=fingerprint):
        for key in keys:
            codes = {"mean": np.full((6, 2), key.seed, np.float32), "logvar": np.zeros((6, 2), np.float32)}
            tensors = {"weights": {"encoder.0.bias": np.zeros(3, np.float32)}, "codes": codes}
            store.save(key, status=status, tensors=tensors, record={**RECORD, "data_sha256": data_sha256})
            if scores is not None:
                checksum = store.record(key)["files"]["codes.safetensors"]
                document = {"schema": SCORING_SCHEMA, "codes": checksum, "groups": {}, "scores": scores, "seconds": {}}
                store.write_document("scores", document, key=key)

    return write


@pytest.fixture
def refuse(monkeypatch):
    """Let the system refuse to do something, to show it unless told otherwise, with the files of a run, or one."""

    def of(store, key, what="cat_file", number=errno.EACCES, *, file=""):
        system = type(store._fs)
        do = getattr(system, what)

        def refused(self, path, *arguments, **options):
            if key.digest in path and path.endswith(file):
                raise OSError(number, os.strerror(number), path)
            return do(self, path, *arguments, **options)

        monkeypatch.setattr(system, what, refused)

    return of


@pytest.fixture
def tiny_keys():
    return TINY.runs()


@pytest.fixture(scope="session")
def short(tiny):
    """A profile of one objective whose runs have one block of steps."""
    return replace(tiny, steps=100, batch_size=16, sweeps=tiny.sweeps[:1])


@pytest.fixture(scope="session")
def spell():
    """Write a profile as a file of one's own; return its path."""

    def write(profile, path):
        fields = ("data", "network", "steps", "batch_size", "learning_rate", "seeds")
        lines = [f"{name} = {json.dumps(getattr(profile, name))}" for name in fields]
        for sweep in profile.sweeps:
            lines += ["[[sweep]]", f'objective = "{sweep.objective}"', f"strengths = {list(sweep.strengths)}"]
        path.write_text("\n".join(lines))
        return str(path)

    return write


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """Train a profile into a store, in this process and only once."""
    known = {}

    def train(store, profile):
        if profile not in known:
            known[profile] = Store(tmp_path_factory.mktemp("trained"))
            train_group(LoneChannel(), Group(known[profile].url, tuple(profile.runs())))
        shutil.copytree(known[profile].url, store.url, dirs_exist_ok=True)

    return train


@pytest.fixture
def small_samples(monkeypatch):
    sizes = {"TRAIN": 600, "TEST": 300, "FEW": 60, "FEW_TEST": 30, "NOVEL": 600, "TUNING": 60}
    passes = {"EPOCHS": 1, "KNOCKOUT_EPOCHS": 1, "DOWNSTREAM": (10, 100, 200), "TREES": (3, 6)}
    for name, value in {**sizes, **passes}.items():
        monkeypatch.setattr(protocol, name, value)


@pytest.fixture(scope="session")
def eight_runs(tiny, finish, tmp_path_factory):
    """The store and the table of eight runs, one of them diverged; runs agree by how far apart their numbers are."""
    store, folder = Store(tmp_path_factory.mktemp("eight-runs")), tmp_path_factory.mktemp("evidence")
    agreements, keys = {}, tiny.runs()
    for number, key in enumerate(keys):
        scores = {"mig": number / 10, "dci": 0.5, "kl.code": [0.0, number]}
        finish(store, key, status="diverged" if number == 3 else "done", scores=scores)
        among = [i for i, other in enumerate(keys) if other.objective == key.objective and i != 3]
        agreements[key.digest] = {AGREEMENTS: [float(number - i) for i in among]}
    table, arrays = build_table(store, keys, tiny, agreements)
    write_table(folder, table, tiny, arrays=arrays)
    return store, folder


@pytest.fixture
def evidence(eight_runs, tmp_path):
    """The table of eight runs, which a test may spoil."""
    return Path(shutil.copytree(eight_runs[1], tmp_path / "evidence"))


@pytest.fixture
def forge():
    """Bring the manifest of a table up to date with what was done to it, as a careful forger would."""

    def write(folder, **promised):
        path = folder / "manifest.json"
        manifest, arrays = json.loads(path.read_text()), folder / "arrays.safetensors"
        manifest["sha256"] = hashlib.sha256((folder / "runs.parquet").read_bytes()).hexdigest()
        manifest["arrays"]["sha256"] = hashlib.sha256(arrays.read_bytes()).hexdigest()
        path.write_text(json.dumps(manifest | promised))

    return write
