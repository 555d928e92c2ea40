"""A runs table and further runs of its profile: the table grows part by part, without the stores of earlier parts."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dbench.errors import DamagedData, InvalidInput
from dbench.zoo.arrays import RunArrays, check_whole_seeds, load_arrays
from dbench.zoo.keys import RunKey
from dbench.zoo.population import UDR_VERSION
from dbench.zoo.profiles import Profile
from dbench.zoo.scorers import SCORING_SCHEMA, VERSIONS
from dbench.zoo.survey import strangers
from dbench.zoo.table import AXES, COLUMNS, NUMBERS, load_manifest, load_runs, run_keys

SCORE_VERSIONS = {"all": SCORING_SCHEMA, "udr": UDR_VERSION, **VERSIONS}
"""Groups of scores -> version of what they compute; 1 where a group is not named."""

LEAST_SEEDS = 5
"""Seeds of a part. A median over fewer partners ranks models worse: on the ten seeds of ``micro`` UDR correlates with
the supervised metrics at 0.30 in one part and in two of five seeds, at 0.23 in five of two."""


class Earlier(NamedTuple):
    """A table to be extended, its arrays, and of its manifest ``rules`` and ``encoded_on``."""

    table: pd.DataFrame
    arrays: RunArrays
    rules: dict[str, str]
    encoded_on: tuple[str, ...] = ()


def load_earlier(folder: str | Path, keys: Collection[RunKey], profile: Profile) -> Earlier:
    """Read the table of a folder, to which runs of a profile are to be added.

    Raises:
        InvalidInput: there is none, or one of another profile or data set, or of other scores; or it has seeds that are
            to be added; or these are too few for UDR.
        DamagedData: a file of the folder is damaged.
    """
    manifest, table = load_manifest(folder), load_runs(folder)
    for what, has, given in (
        ("profile", set(table["profile"]), {profile.name}),
        ("data set", set(table["data"]), {key.data for key in keys}),
    ):
        if has != given:
            raise InvalidInput(f"onto must be a table of {what} {', '.join(given)}, got one of {', '.join(has)}")
    before = {"all": 2, "udr": 3}  # of tables that do not say it
    if (had := before | manifest.get("score_versions", {})) != SCORE_VERSIONS:
        raise InvalidInput(f"onto must have scores of the versions {SCORE_VERSIONS}, got {had}")
    if others := strangers(run_keys(table, manifest).values(), profile):
        raise InvalidInput(
            f"onto must hold runs of today's profile {profile.name}, got {len(others)} others: {others[0]}"
        )
    there = set(zip(table["objective"], table["seed"], strict=True))
    for objective in sorted({key.objective for key in keys}):
        seeds = {key.seed for key in keys if key.objective == objective}
        if twice := sorted(seed for seed in seeds if (objective, seed) in there):
            raise InvalidInput(f"seeds must not be those that onto has of {objective}, got {twice}")
        if len(seeds) < LEAST_SEEDS:
            raise InvalidInput(
                f"seeds must be {LEAST_SEEDS} or more to be added, as UDR compares them alone, "
                f"got {len(seeds)} of {objective}"
            )
    arrays, encoded_on = load_arrays(folder, table, manifest), tuple(manifest.get("encoded_on", ()))
    return Earlier(table, arrays, manifest.get("rules", {}), encoded_on)


def extended(earlier: Earlier, table: pd.DataFrame, arrays: RunArrays) -> tuple[pd.DataFrame, RunArrays]:
    """Return the table and the arrays of earlier and of added runs, as :func:`~dbench.zoo.complete.build_table` does.

    Agreements of runs of one part with those of the other are missing (NaN); scores ``udr.*`` are of comparisons within
    a part.

    Raises:
        InvalidInput: the parts were trained on two versions of the data; or a score, an array or agreements would be
            there for a part of a seed's runs.
    """
    rows = _rows(pd.concat([earlier.table, table], ignore_index=True))
    if len(versions := sorted(set(rows["data_sha256"]))) > 1:
        raise InvalidInput(f"onto must hold runs of the same version of the data, got {' and '.join(versions)}")
    whole = _arrays(rows, earlier.arrays, arrays)
    done = rows[rows["status"] == "done"]
    one = done.drop_duplicates("run")
    missing = {str(name): (of["value"].isna(), of["seed"]) for name, of in done.groupby("score")} | {
        name: (pd.Series(np.isnan(values).mean(axis=tuple(range(1, values.ndim))), one.index), one["seed"])
        for name, values in whole.of_runs.items()
    }
    try:
        for name, (share, seeds) in missing.items():
            check_whole_seeds(name, share, seeds)
    except DamagedData as error:
        raise InvalidInput(f"onto must have the scores that other runs of its seeds are given: {error}") from None
    for objective, compared in sorted(whole.agreements.items()):
        if np.isnan(compared.diagonal()).any():
            raise InvalidInput(f"onto must have UDR of {objective} where the added runs do, and not elsewhere")
    return rows, whole


def _rows(rows: pd.DataFrame) -> pd.DataFrame:
    of_run = rows.drop_duplicates("run").sort_values([*AXES]).set_index("run")
    index = pd.MultiIndex.from_product([of_run.index, sorted(rows["score"].unique())], names=["run", "score"])
    found = of_run.loc[index.get_level_values("run")].reset_index()
    values = rows.set_index(["run", "score"])["value"].reindex(index).to_numpy()
    return found.assign(score=index.get_level_values("score"), value=values)[list(COLUMNS)].astype(NUMBERS)


def _arrays(rows: pd.DataFrame, *parts: RunArrays) -> RunArrays:
    runs = rows.loc[rows["status"] == "done", ["run", "objective"]].drop_duplicates("run")
    place = {run: n for n, run in enumerate(runs["run"])}
    of_runs = dict[str, NDArray[np.float64]]()
    agreements = dict[str, NDArray[np.float32]]()
    for part in parts:
        for name, values in part.of_runs.items():
            whole = of_runs.setdefault(name, np.full((len(runs), *values.shape[1:]), np.nan, dtype=np.float64))
            if whole.shape[1:] != values.shape[1:]:
                raise InvalidInput(f"onto must have {name} of shape {values.shape[1:]} a run, got {whole.shape[1:]}")
            whole[[place[run] for run in part.runs]] = values
        for objective, compared in part.agreements.items():
            members = runs.loc[runs["objective"] == objective, "run"].tolist()
            every = agreements.setdefault(objective, np.full((len(members), len(members)), np.nan, dtype=np.float32))
            own = set(part.runs)
            places = [n for n, run in enumerate(members) if run in own]
            every[np.ix_(places, places)] = compared
    return RunArrays(tuple(runs["run"]), of_runs, agreements)
