"""An earlier table of a profile, to which further runs are added, without the store that it was made from."""

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
"""Groups of scores -> version of what they compute; 1 where a group is not named."""

LEAST_SEEDS = 5
"""Seeds of a part. A median over fewer partners ranks models worse: on the ten seeds of ``micro`` UDR correlates with
the supervised metrics at 0.30 in one part and in two of five seeds, at 0.23 in five of two."""

Records = dict[RunKey, dict[str, Any]]


class Earlier(NamedTuple):
    """Runs of an earlier table as a store has them, and of its manifest ``rules`` and ``encoded_on``.

    Agreements with other runs are by the digest of the other; they are missing across parts.
    """

    records: Records
    scores: Records
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
            raise InvalidInput(f"extend must be a table of {what} {', '.join(given)}, got one of {', '.join(has)}")
    before = {"all": 2, "udr": 3}  # of tables that do not say it
    if (had := before | manifest.get("score_versions", {})) != SCORE_VERSIONS:
        raise InvalidInput(f"extend must have scores of the versions {SCORE_VERSIONS}, got {had}")
    key_of = run_keys(table, manifest)
    if others := unplanned(key_of.values(), profile):
        raise InvalidInput(
            f"extend must hold runs of today's profile {profile.name}, got {len(others)} others: {others[0]}"
        )
    there = {(key.objective, key.seed) for key in key_of.values()}
    for objective in sorted({key.objective for key in keys}):
        seeds = {key.seed for key in keys if key.objective == objective}
        if twice := sorted(seed for seed in seeds if (objective, seed) in there):
            raise InvalidInput(f"seeds must not be those that extend has of {objective}, got {twice}")
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
        for run, compared in zip(members, matrix, strict=True):
            scores[key_of[run]][AGREEMENTS] = pd.Series(compared, members).dropna().to_dict()
    return Earlier(records, scores, manifest.get("rules", {}), tuple(manifest.get("encoded_on", ())))
