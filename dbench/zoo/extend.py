"""Read an earlier table of a profile to add runs to it; the store that it was made from is not needed."""

from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dbench.errors import InvalidInput
from dbench.zoo.arrays import AGREEMENTS, load_arrays
from dbench.zoo.keys import RunKey
from dbench.zoo.population import UDR_VERSION
from dbench.zoo.profiles import Profile
from dbench.zoo.scorers import SCORING_SCHEMA, VERSIONS
from dbench.zoo.survey import unplanned
from dbench.zoo.table import PROVENANCE, load_manifest, load_runs, run_keys

SCORE_VERSIONS = {"all": SCORING_SCHEMA, "udr": UDR_VERSION, **VERSIONS}
"""Group of scores -> version of what it computes; 1 for a group that is not named."""

LEAST_SEEDS = 5
"""Seeds that may be added at least. UDR compares them among themselves and takes the median over these partners; with
fewer it ranks models worse. On ten seeds of ``micro``, UDR correlates with the supervised metrics at 0.30 when compared
as one part or as two parts of five seeds, and at 0.23 as five parts of two."""

Records = dict[RunKey, dict[str, Any]]


class Earlier(NamedTuple):
    """The runs of an earlier table in the form of a store, and ``rules`` and ``encoded_on`` of its manifest.

    The agreements of a run are by the digest of the other run; those across parts are missing.
    """

    records: Records
    scores: Records
    rules: dict[str, str]
    encoded_on: tuple[str, ...] = ()


def load_earlier(folder: str | Path, keys: Collection[RunKey], profile: Profile) -> Earlier:
    """Read the table of a folder, to which the runs ``keys`` of a profile are to be added.

    Raises:
        InvalidInput: the folder has no table; the table is of another profile, data set or version of the scores; it
            has a seed that is to be added; or fewer than :data:`LEAST_SEEDS` seeds are to be added.
        DamagedData: a file of the folder is damaged.
    """
    manifest, table = load_manifest(folder), load_runs(folder)
    for what, names, required in (
        ("profile", set(table["profile"]), {profile.name}),
        ("data set", set(table["data"]), {key.data for key in keys}),
    ):
        if names != required:
            raise InvalidInput(f"extend must be a table of {what} {', '.join(required)}, got one of {', '.join(names)}")
    unrecorded = {"all": 2, "udr": 3}  # versions of the scores of tables that record none
    if (versions := unrecorded | manifest.get("score_versions", {})) != SCORE_VERSIONS:
        raise InvalidInput(f"extend must have scores of the versions {SCORE_VERSIONS}, got {versions}")
    key_of = run_keys(table, manifest)
    if others := unplanned(key_of.values(), profile):
        raise InvalidInput(
            f"extend must hold runs of today's profile {profile.name}, got {len(others)} others: {others[0]}"
        )
    present = {(key.objective, key.seed) for key in key_of.values()}
    for objective in sorted({key.objective for key in keys}):
        seeds = {key.seed for key in keys if key.objective == objective}
        if repeated := sorted(seed for seed in seeds if (objective, seed) in present):
            raise InvalidInput(f"seeds must not be those that extend has of {objective}, got {repeated}")
        if len(seeds) < LEAST_SEEDS:
            raise InvalidInput(
                f"seeds must be {LEAST_SEEDS} or more to be added, as UDR compares them alone, "
                f"got {len(seeds)} of {objective}"
            )
    arrays = load_arrays(folder, table, manifest)
    records, scores = Records(), Records({key_of[run]: {} for run in arrays.runs})
    for row in table.drop_duplicates("run").to_dict("records"):
        records[key_of[row["run"]]] = {name: row[name] for name in ("status", *PROVENANCE)}
    for digest, rows in table[table["value"].notna()].groupby("run"):
        scores[key_of[str(digest)]] |= zip(rows["score"], rows["value"].tolist(), strict=True)
    for name, values in arrays.of_runs.items():
        for run, value in zip(arrays.runs, values, strict=True):
            if not np.isnan(value).any():
                scores[key_of[run]][name] = value.tolist()
    for objective, matrix in arrays.agreements.items():
        members = [run for run in arrays.runs if key_of[run].objective == objective]
        for run, agreements in zip(members, matrix, strict=True):
            scores[key_of[run]][AGREEMENTS] = pd.Series(agreements, members).dropna().to_dict()
    return Earlier(records, scores, manifest.get("rules", {}), tuple(manifest.get("encoded_on", ())))
