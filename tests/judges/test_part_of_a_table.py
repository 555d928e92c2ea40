"""A population of some of a table's objectives: what else the table holds costs it no seed."""

import pandas as pd
import pytest

from dbench.claims.evidence import load_population
from dbench.errors import InvalidInput
from dbench.zoo.profiles import Profile, Sweep
from dbench.zoo.table import write_table

# The second objective has fewer seeds.
PROFILE = Profile(
    name="part",
    data=("dsprites_grid",),
    network="mlp",
    sweeps=(Sweep("beta_vae", (1.0, 2.0)), Sweep("mtd", (1.0,), seeds=2)),
    steps=10,
    batch_size=8,
    learning_rate=1e-3,
    seeds=4,
    deviations=("few",),
)


@pytest.fixture
def folder(tmp_path):
    axes = ("data", "objective", "strength", "network", "steps", "seed")
    fixed = {"profile": "part", "status": "done", "score": "mig", "commit": "0", "versions": "1", "device": "cpu"}
    fixed |= {"precision": "float32", "data_sha256": "ab" * 32, "trained_seconds": 1.0, "trained_utc": "2026-01-01"}
    rows = [
        {"run": key.digest, **{axis: getattr(key, axis) for axis in axes}, **fixed, "value": float(key.seed)}
        for key in PROFILE.runs()
    ]
    write_table(tmp_path / "part", pd.DataFrame(rows), PROFILE, {"mig": 0.0})
    return tmp_path / "part"


def test_fewer_seeds_of_another_objective_cost_no_seed_and_are_no_deviation(folder):
    assert load_population(folder).seeds().tolist() == [0, 1]
    part = load_population(folder, objectives=("annealed_vae", "beta_vae"))
    assert (part.name, part.objectives, part.deviations) == ("part", ["beta_vae"], ("few",))
    assert part.seeds().tolist() == [0, 1, 2, 3]


def test_objectives_that_a_table_has_none_of_are_refused(folder):
    with pytest.raises(InvalidInput, match=r"objectives must name one of part, \['beta_vae', 'mtd'\], got \['vae'\]"):
        load_population(folder, objectives=["vae"])
