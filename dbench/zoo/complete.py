"""From a profile to its evidence in one call: train and score what is missing, then write the runs table."""

from collections.abc import Mapping, Sequence
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


def write_population_table(profile: Profile, store: str | Path) -> Path:
    """Train and score what a store lacks of a profile on its first data set, and write its runs table.

    The table lies in the folder ``table`` of the store; of a store in a bucket, in ``store/<profile>/table`` here.

    Returns:
        The folder of the table.

    Raises:
        DbenchError: a worker died, or the work was stopped before its end.
    """
    place, keys = Store(store), profile.runs()
    for step in (train_runs, score_runs):
        if step(place, keys).cancelled:
            raise DbenchError(f"stopped before the runs of profile {profile.name} were complete; the store keeps them")
    folder = Path(place.root if place.local else f"store/{profile.name}") / "table"
    return write_evidence(place, keys, profile, folder).parent


def write_evidence(
    store: Store,
    keys: Sequence[RunKey],
    profile: Profile,
    folder: str | Path,
    *,
    workers: int | None = None,
    rules: Mapping[str, str] | None = None,
) -> Path:
    """Compare runs that are trained and scored with each other, and write their table with its arrays.

    Takes ``workers`` as :func:`score_population` and ``rules`` as :func:`write_table`, and returns as this.
    """
    population = score_population(store, keys, workers=workers)
    table, arrays = build_table(store, keys, profile, population), build_arrays(store, keys, population)
    return write_table(folder, table, profile, EARLY_SHARE, arrays=arrays, scoring=SCORING, rules=rules)
