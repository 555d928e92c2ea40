from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dbench.zoo.keys import RunKey
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
    "data_sha256": "ab" * 32,
    "trained_seconds": 1.5,
    "trained_utc": "2026-01-01T00:00:00Z",
    "scores": {"elbo": -20.0},
}


@pytest.fixture(scope="session")
def tiny() -> Profile:
    return TINY


@pytest.fixture
def key() -> RunKey:
    return TINY.runs()[0]


@pytest.fixture
def store(tmp_path: Any) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def finish() -> Callable[..., None]:
    """Write a run with made-up weights, codes and scores into a store."""

    def write(store: Store, key: RunKey, *, status: str = "done", scores: dict[str, float] | None = None) -> None:
        codes = {"mean": np.full((6, 2), key.seed, np.float32), "logvar": np.zeros((6, 2), np.float32)}
        store.save(key, status=status, tensors={"codes": codes}, record=RECORD)  # type: ignore[arg-type]
        if scores is not None:
            record = store.record(key)
            assert record is not None
            store.write_document(
                "scores", {"codes": record["files"]["codes.safetensors"], "scores": scores, "seconds": {}}, key=key
            )

    return write


@pytest.fixture
def tiny_keys() -> list[RunKey]:
    return TINY.runs()
