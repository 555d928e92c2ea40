"""From a profile to its evidence in one call: train and score what is missing, then write the runs table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dbench.errors import DbenchError
from dbench.zoo.keys import RunKey
from dbench.zoo.population import score_population
from dbench.zoo.profiles import Profile
from dbench.zoo.score import score_runs
from dbench.zoo.scorers import SCORING
from dbench.zoo.store import Store
from dbench.zoo.table import build_arrays, build_table, write_table
from dbench.zoo.tolerance import EARLY_SHARE
from dbench.zoo.train import train_runs

__all__ = ["write_population_table"]


def write_population_table(
    profile: Profile, store: str | Path, *, keys: Sequence[RunKey] | None = None, workers: int | None = None
) -> Path:
    """Train and score what a store lacks of a profile, and write its runs table.

    The table lies in the folder ``table`` of the store; of a store in a bucket, in ``store/<profile>/table`` here.

    Args:
        profile: the grid of runs.
        store: folder or URL of the store.
        keys: the part of the grid to take; the whole of its first data set when not given.
        workers: processes, one a core when not given.

    Returns:
        The folder of the table.

    Raises:
        DbenchError: a worker died, or the work was stopped before its end.
    """
    place, wanted = Store(store), list(profile.runs() if keys is None else keys)
    for step in (train_runs, score_runs):
        if step(place, wanted, workers=workers).cancelled:
            raise DbenchError(f"stopped before the runs of profile {profile.name} were complete; the store keeps them")
    population = score_population(place, wanted, workers=workers)
    table, arrays = build_table(place, wanted, profile, population), build_arrays(place, wanted, population)
    folder = Path(place.root if place.local else f"store/{profile.name}") / "table"
    return write_table(folder, table, profile, EARLY_SHARE, arrays=arrays, scoring=SCORING).parent
