"""Read and check a runs table, which has one row for each run and score, and the manifest with its checksum."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from dbench.errors import DamagedData, InvalidInput
from dbench.files import readable
from dbench.zoo.arrays import check_whole_seeds, read_promised
from dbench.zoo.keys import KEY_SCHEMA, RunKey

TABLE, MANIFEST = "runs.parquet", "manifest.json"
TABLE_SCHEMA = 2

AXES = ("data", "objective", "strength", "network", "steps", "seed")
PROVENANCE = ("commit", "versions", "device", "precision", "data_sha256", "trained_seconds", "trained_utc")
NUMBERS = {"strength": "float64", "steps": "int64", "seed": "int64", "value": "float64", "trained_seconds": "float64"}
COLUMNS = dict.fromkeys(("run", "profile", *AXES, "status", "score", "value", *PROVENANCE), "text") | NUMBERS
"""Columns of the table and the kind of value each holds."""


_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_MANIFEST = {
    "type": "object",
    "required": ["schema", "sha256", "runs", "scores", "profile", "key_schema", "arrays"],
    "properties": {
        "schema": {"const": TABLE_SCHEMA},
        "sha256": _TEXT,
        "runs": {"type": "integer", "minimum": 1},
        "key_schema": {"type": "integer"},
        "scores": _TEXTS,
        "profile": {
            "type": "object",
            "properties": {"sweeps": {"type": "array", "items": {"type": "object"}}, "deviations": _TEXTS},
        },
        "arrays": {
            "type": "object",
            "required": ["sha256", "shapes"],
            "properties": {"sha256": _TEXT, "shapes": {"type": "object"}},
        },
        "score_versions": {"type": "object"},
        "rules": {"type": "object", "additionalProperties": _TEXT},
        "encoded_on": _TEXTS,
    },
}


def check_provenance(what: str, record: Mapping[str, Any]) -> None:
    """Check that the record of a run has every column of :data:`PROVENANCE`, with a value of the right type.

    Raises:
        DamagedData: a column is missing or of another type.
    """
    for column in PROVENANCE:
        if not isinstance(record.get(column), (int, float) if column in NUMBERS else str):
            raise DamagedData(f"{what} must say its {column}, got {record.get(column)!r:.80}")


def load_manifest(folder: str | Path) -> dict[str, Any]:
    """Read the manifest beside a runs table.

    Raises:
        InvalidInput: the folder has no manifest.
        DamagedData: the file is not a manifest of this version.
    """
    from jsonschema import Draft202012Validator  # here, because training and packing work without it
    from jsonschema.exceptions import best_match

    path = Path(folder) / MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(path.read_bytes())
    except OSError as error:
        raise InvalidInput(f"runs must be a folder with {TABLE} and {MANIFEST}, got {str(folder)!r}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise DamagedData(f"{path} is not JSON: {error}") from None
    if (wrong := best_match(Draft202012Validator(_MANIFEST).iter_errors(manifest))) is not None:
        raise DamagedData(f"{path} is not a manifest of this version: {wrong.json_path} {wrong.message:.200}")
    return manifest


def load_runs(folder: str | Path) -> pd.DataFrame:
    """Read a runs table, and check its checksum, columns, rows, values and keys.

    Raises:
        InvalidInput: a file does not exist.
        DamagedData: a check fails.
    """
    manifest = load_manifest(folder)
    path = Path(folder) / TABLE
    data = read_promised(path, manifest["sha256"])
    with readable(str(path), " as a Parquet table"):
        rows, expected = pq.read_metadata(io.BytesIO(data)).num_rows, manifest["runs"] * len(manifest["scores"])
        if rows != expected:  # before all rows are read into memory
            raise DamagedData(
                f"{path} must have each of {len(manifest['scores'])} scores for each of {manifest['runs']} runs, "
                f"{expected} rows, got {rows}"
            )
        # Drop the metadata of pandas, which is neither needed nor checked.
        columns = pq.read_table(io.BytesIO(data)).replace_schema_metadata(None)
        columns.validate(full=True)  # finds text that is not UTF-8 here, and not at its first use
        table: pd.DataFrame = columns.to_pandas()
    _check_columns(table, path)
    _check_rows(table, manifest, path)
    run_keys(table, manifest)
    for name, meaning in (("profile", "profile"), ("data", "data set")):
        if table[name].nunique() > 1:
            names = ", ".join(sorted(table[name].unique()))
            raise DamagedData(f"{path} must hold the runs of one {meaning}, got {names}")
    return table


def _check_columns(table: pd.DataFrame, path: Path) -> None:
    if missing := [name for name in COLUMNS if name not in table]:
        raise DamagedData(f"{path} lacks the columns {', '.join(missing)}")
    if unknown := sorted(str(name) for name in set(table) - set(COLUMNS)):
        raise DamagedData(f"{path} has columns that no runs table has: {', '.join(unknown)}")
    for name, kind in COLUMNS.items():
        column = table[name]
        fits = pd.api.types.is_string_dtype(column) if kind == "text" else column.dtype == kind
        if not fits:
            raise DamagedData(f"{path}: column {name} must hold {kind}, got {column.dtype}")
        if name != "value" and column.isna().any():
            raise DamagedData(f"{path}: column {name} must be filled, got {int(column.isna().sum())} missing entries")


def _check_rows(table: pd.DataFrame, manifest: Mapping[str, Any], path: Path) -> None:
    if unknown := sorted(set(table["status"].unique()) - {"done", "diverged"}):
        raise DamagedData(f"{path}: status must be done or diverged, got {', '.join(unknown)}")
    if repeated := int(table.duplicated(["run", "score"]).sum()):
        raise DamagedData(f"{path} must have one row for each run and score, got {repeated} repeated")
    run_columns = [name for name in COLUMNS if name not in ("score", "value")]
    if (table.groupby("run")[run_columns].nunique() > 1).any(axis=None):
        raise DamagedData(f"{path}: the rows of one run must agree in everything but score and value")
    n_runs, names = table["run"].nunique(), set(table["score"].unique())
    if n_runs != manifest["runs"] or names != set(manifest["scores"]) or len(table) != n_runs * len(names):
        raise DamagedData(
            f"{path} must have each of {len(manifest['scores'])} scores for each of {manifest['runs']} runs, "
            f"got {n_runs} runs, {len(names)} scores and {len(table)} rows"
        )
    done = (table["status"] == "done").to_numpy()
    wrong = table[np.isinf(table["value"]) | (table["value"].notna() & ~done)]
    if len(wrong):
        raise DamagedData(
            f"{path}: values must be finite where the run is done and missing where it diverged, "
            f"got {wrong['value'].iloc[0]} for {wrong['score'].iloc[0]} of run {wrong['run'].iloc[0]}"
        )
    for score, rows in table.loc[done, ["value", "seed"]].groupby(table.loc[done, "score"]):
        check_whole_seeds(f"{path}: {score}", rows["value"].isna(), rows["seed"])


def run_keys(table: pd.DataFrame, manifest: Mapping[str, Any]) -> dict[str, RunKey]:
    """Return digest -> key of each run of a table, rebuilt from the table's axes and the manifest's profile.

    Raises:
        DamagedData: keys of another schema, or a run whose digest does not follow from its axes.
    """
    keys: dict[str, RunKey] = {}
    if manifest["key_schema"] != KEY_SCHEMA:
        raise DamagedData(f"the table holds keys of schema {manifest['key_schema']}, this version reads {KEY_SCHEMA}")
    for row in table.drop_duplicates("run").to_dict("records"):
        try:
            profile = manifest["profile"]
            sweeps = [sweep for sweep in profile["sweeps"] if sweep["objective"] == row["objective"]]
            fitting = [sweep for sweep in sweeps if not sweep["data"] or row["data"] in sweep["data"]]
            sweep = fitting[0] if fitting else {}
            key = RunKey(
                **{axis: row[axis] for axis in AXES},
                batch_size=profile["batch_size"],
                learning_rate=sweep.get("learning_rate") or profile["learning_rate"],
                # Older tables have no constants.
                constants=tuple((name, value) for name, value in sweep.get("constants", ())),
                likelihood_factor=profile.get("likelihood_factor", 1.0),
                cooldown=profile.get("cooldown", 0.0),
            )
            digest = key.digest
        except (InvalidInput, KeyError, TypeError, ValueError) as error:
            raise DamagedData(f"run {row['run']} has axes that are no run key: {error}") from None
        if digest != row["run"]:
            raise DamagedData(f"run {row['run']} does not match its axes, which give {key}: the table was edited")
        keys[digest] = key
    return keys
