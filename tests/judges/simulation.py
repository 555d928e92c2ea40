"""Tables of simulated runs; the simulated populations are the library's."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from dbench.estimates.simulated import OBJECTIVES, Law, SimulatedPopulation, simulated_zoo
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import Profile, Sweep

__all__ = ["OBJECTIVES", "TINY", "Law", "SimulatedPopulation", "simulated_zoo", "table_of", "tiny_rows"]


def table_of(profile: Profile, scores: Callable[[RunKey], Mapping[str, float]], diverged=lambda key: False):
    """Write a table as it is shipped, of all runs of a profile, from the scores of each; those diverged have none."""
    axes = ("data", "objective", "strength", "network", "steps", "seed")
    fixed = {"profile": profile.name, "commit": "0", "versions": "python 3", "device": "cpu", "precision": "float32"}
    fixed |= {"data_sha256": "ab" * 32, "trained_seconds": 1.0, "trained_utc": "2026-01-01T00:00:00Z"}
    rows = []
    for key in profile.runs():
        run = {"run": key.digest, **{axis: getattr(key, axis) for axis in axes}, **fixed}
        run["status"] = "diverged" if diverged(key) else "done"
        for score, value in scores(key).items():
            rows.append({**run, "score": score, "value": np.nan if diverged(key) else value})
    return pd.DataFrame(rows)


TINY = Profile(
    name="tiny",
    data=("dsprites_grid",),
    network="mlp",
    sweeps=(Sweep("beta_tcvae", (1.0, 4.0)), Sweep("beta_vae", (1.0, 2.0, 4.0))),
    steps=10,
    batch_size=8,
    learning_rate=1e-3,
    seeds=3,
    deviations=("tiny",),
)


def tiny_rows(diverged=lambda key: False) -> pd.DataFrame:
    """Two scores that spell strength and seed out."""
    return table_of(TINY, lambda key: {"mig": 100 * key.strength + key.seed, "sap": key.seed}, diverged)
