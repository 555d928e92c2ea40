"""Tables of simulated runs; the simulated populations are the library's."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from dbench.estimates.simulated import OBJECTIVES, Law, SimulatedPopulation, simulated_zoo
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import Profile

__all__ = ["OBJECTIVES", "Law", "SimulatedPopulation", "simulated_zoo", "table_of"]


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
