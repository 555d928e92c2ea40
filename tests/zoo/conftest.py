import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dbench.data import load
from dbench.zoo.complete import build_table, write_table
from dbench.zoo.profiles import Profile, Sweep
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

RECORD: dict[str, Any] = {
    "commit": "0123abc",
    "versions": "python 3, torch 2",
    "device": "cpu",
    "precision": "float32",
    "trained_seconds": 1.5,
    "trained_utc": "2026-01-01T00:00:00Z",
    "scores": {"elbo": -20.0},
}


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
def fingerprint():
    """Fingerprint of the installed data set of the tiny profile."""
    return load(TINY.data[0]).fingerprint


@pytest.fixture
def finish(fingerprint):
    """Write a run with made-up weights, codes and scores into a store."""

    def write(store, key, *, status="done", scores=None):
        codes = {"mean": np.full((6, 2), key.seed, np.float32), "logvar": np.zeros((6, 2), np.float32)}
        tensors = {"weights": {"encoder.0.bias": np.zeros(3, np.float32)}, "codes": codes}
        store.save(key, status=status, tensors=tensors, record={**RECORD, "data_sha256": fingerprint})
        if scores is not None:
            record = store.record(key)
            assert record is not None
            store.write_document(
                "scores", {"codes": record["files"]["codes.safetensors"], "scores": scores, "seconds": {}}, key=key
            )

    return write


@pytest.fixture
def tiny_keys():
    return TINY.runs()


@pytest.fixture
def short(tiny):
    """A profile of one objective whose runs have one block of steps."""
    return replace(tiny, steps=100, batch_size=16, sweeps=tiny.sweeps[:1])


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """Train a profile into a store, in this process and only once."""
    from dbench.zoo.engine import Group, train_group

    known: dict[Profile, Store] = {}

    class Wire:
        stopping = False

        def report(self, **_):
            pass

    def train(store, profile):
        if profile not in known:
            known[profile] = Store(tmp_path_factory.mktemp("trained"))
            train_group(Wire(), Group(known[profile].url, tuple(profile.runs())))
        shutil.copytree(known[profile].url, store.url, dirs_exist_ok=True)

    return train


@pytest.fixture
def evidence(store, tiny, tiny_keys, finish, tmp_path):
    """A small written table: eight runs, one of them diverged."""
    for number, key in enumerate(tiny_keys):
        finish(
            store,
            key,
            status="diverged" if number == 3 else "done",
            scores={"mig": number / 10, "dci": 0.5, "kl.code": [0.0, number]},
        )
    folder = tmp_path / "evidence"
    table, arrays = build_table(store, tiny_keys, tiny)
    write_table(folder, table, tiny, {"mig": 0.1}, arrays=arrays)
    return folder
