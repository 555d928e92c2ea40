"""A runs table and further runs of its profile: the table grows part by part, without the stores of earlier parts."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dbench.errors import DamagedData, InvalidInput
from dbench.zoo.arrays import RunArrays, check_whole_seeds, load_arrays
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import Profile
from dbench.zoo.scorers import SCORING
from dbench.zoo.table import COLUMNS, NUMBERS, load_manifest, load_runs, run_keys


def extended(
    folder: str | Path,
    table: pd.DataFrame,
    arrays: RunArrays,
    *,
    keys: Iterable[RunKey],
    profile: Profile,
) -> tuple[pd.DataFrame, RunArrays, dict[str, str]]:
    """Add runs to the table of a folder, which stays as it is.

    Agreements of runs of one part with those of the other are missing (NaN); scores ``udr.*`` are of comparisons within
    a part.

    Args:
        folder: holds the earlier table, its manifest and its arrays.
        table: the runs to add, as :func:`~dbench.zoo.complete.build_table` returns them.
        arrays: theirs.
        keys: theirs.
        profile: theirs, and that of the earlier runs.

    Returns:
        Table and arrays of all runs, and the rules of the earlier table: a card that was changed since is exploratory
        for a part of the runs, so for the whole.

    Raises:
        InvalidInput: the folder has no table, or one of another profile, data set or way of scoring, or of runs that
            are to be added; or a score would be there for a part of a seed's runs.
        DamagedData: a file of the folder is damaged.
    """
    manifest, old, keys = load_manifest(folder), load_runs(folder), list(keys)
    old_arrays = load_arrays(folder, old, manifest)
    for column in ("profile", "data"):
        if (has := set(old[column])) != (given := set(table[column])):
            raise InvalidInput(f"onto must be a table of the {column} {', '.join(given)}, got {', '.join(has)}")
    if manifest.get("scoring") != SCORING:
        raise InvalidInput(f"onto must be a table that was scored as this version scores, got another one in {folder}")
    known = run_keys(old, manifest)
    cells = {replace(key, seed=0) for key in profile.runs(data=set(old["data"]))}
    if others := [key for key in known.values() if replace(key, seed=0) not in cells]:
        raise InvalidInput(
            f"onto must hold runs of today's profile {profile.name}, got {len(others)} others: {others[0]}"
        )
    if twice := sorted(str(key) for key in keys if key.digest in known):
        raise InvalidInput(f"onto must not hold runs that are added to it, got {len(twice)}, among them {twice[0]}")
    order = [key.digest for key in sorted([*known.values(), *keys])]
    rows = _rows(pd.concat([old, table], ignore_index=True), order)
    for score, of_score in rows[rows["status"] == "done"].groupby("score"):
        try:
            check_whole_seeds(str(score), of_score["value"].isna(), of_score["seed"])
        except DamagedData as error:
            raise InvalidInput(f"onto must have the scores that other runs of its seeds are given: {error}") from None
    return rows, _arrays(rows, old_arrays, arrays), dict(manifest.get("rules", {}))


def _rows(rows: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    index = pd.MultiIndex.from_product([order, sorted(rows["score"].unique())], names=["run", "score"])
    found = rows.drop_duplicates("run").set_index("run").loc[index.get_level_values("run")].reset_index()
    values = rows.set_index(["run", "score"])["value"].reindex(index).to_numpy()
    return found.assign(score=index.get_level_values("score"), value=values)[list(COLUMNS)].astype(NUMBERS)


def _arrays(rows: pd.DataFrame, *parts: RunArrays) -> RunArrays:
    runs = rows.loc[rows["status"] == "done", ["run", "objective"]].drop_duplicates("run")
    place = {run: n for n, run in enumerate(runs["run"])}
    of_runs = dict[str, NDArray[np.float64]]()
    for part in parts:
        for name, values in part.of_runs.items():
            whole = of_runs.setdefault(name, np.full((len(runs), *values.shape[1:]), np.nan, dtype=np.float64))
            if whole.shape[1:] != values.shape[1:]:
                raise InvalidInput(f"onto must have {name} of shape {values.shape[1:]} a run, got {whole.shape[1:]}")
            whole[[place[run] for run in part.runs]] = values
    agreements = dict[str, NDArray[np.float32]]()
    for part in parts:
        for objective, compared in part.agreements.items():
            among = {run: n for n, run in enumerate(runs.loc[runs["objective"] == objective, "run"])}
            every = agreements.setdefault(objective, np.full((len(among), len(among)), np.nan, dtype=np.float32))
            places = [among[run] for run in part.runs if run in among]
            every[np.ix_(places, places)] = compared
    return RunArrays(tuple(runs["run"]), of_runs, agreements)
