"""The runs table: one row for each run and score, with provenance, and the manifest that vouches for it."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.files import aside
from dbench.zoo.arrays import AGREEMENTS, ARRAYS, RunArrays, read_promised
from dbench.zoo.keys import KEY_SCHEMA, PILOT_SEEDS, RunKey

if TYPE_CHECKING:
    from dbench.zoo.profiles import Profile
    from dbench.zoo.store import Store

__all__ = [
    "COLUMNS",
    "MANIFEST",
    "TABLE",
    "build_arrays",
    "build_table",
    "load_manifest",
    "load_runs",
    "read_rules",
    "run_keys",
    "write_table",
]

TABLE, MANIFEST = "runs.parquet", "manifest.json"
TABLE_SCHEMA = 2

_TEXT, _WHOLE, _REAL = "text", "int64", "float64"
COLUMNS: dict[str, str] = {
    "run": _TEXT,
    "profile": _TEXT,
    "data": _TEXT,
    "objective": _TEXT,
    "strength": _REAL,
    "network": _TEXT,
    "steps": _WHOLE,
    "seed": _WHOLE,
    "status": _TEXT,
    "score": _TEXT,
    "value": _REAL,
    "commit": _TEXT,
    "versions": _TEXT,
    "device": _TEXT,
    "precision": _TEXT,
    "data_sha256": _TEXT,
    "trained_seconds": _REAL,
    "trained_utc": _TEXT,
}
"""Columns of the table and the kind of value each holds."""

_OF_TRAINING = ("elbo", "kl", "reconstruction")
"""Scores that training itself gives; a table of diverged runs alone has rows for these."""

_AXES = ("data", "objective", "strength", "network", "steps", "seed")
_PROVENANCE = ("commit", "versions", "device", "precision", "data_sha256", "trained_seconds", "trained_utc")


def build_table(
    store: Store, keys: Iterable[RunKey], profile: Profile, population: Mapping[str, Mapping[str, Any]] | None = None
) -> pd.DataFrame:
    """Collect runs and their scores from a store.

    Each run must be done and scored, or diverged; ``population`` holds further scores by digest, those that a run has
    only among others (UDR).

    Returns:
        A frame with the columns of :data:`COLUMNS`, sorted by run key and score. Arrays are left
        to :func:`build_arrays`.

    Raises:
        InvalidInput: a run is not trained or not scored yet, or has a pilot's seed, or the runs are of several data
            sets.
        DamagedData: a file of the store is damaged.
    """
    records, scores = _collected(store, keys, population)
    every = sorted(set().union(*scores.values()))
    for key, have in scores.items():
        if missing := sorted(set(every) - set(have)):
            raise InvalidInput(f"run {key} lacks the scores {', '.join(missing)}; run dbench zoo score first")
    # Where every run diverged no score is known by name, yet the runs stay in.
    arrays = _names_of_arrays(scores)
    names = [name for name in every if name not in arrays]
    if scores and not names:
        raise DamagedData(f"the scores of run {min(scores)} must hold at least one number, got {every}")
    names = names or [*_OF_TRAINING]
    rows = [
        {
            "run": key.digest,
            "profile": profile.name,
            **{axis: getattr(key, axis) for axis in _AXES},
            "status": record["status"],
            "score": name,
            "value": scores[key][name] if key in scores else np.nan,
            **{column: record[column] for column in _PROVENANCE},
        }
        for key, record in records.items()
        for name in names
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.astype({name: kind for name, kind in COLUMNS.items() if kind != _TEXT})


def build_arrays(
    store: Store, keys: Iterable[RunKey], population: Mapping[str, Mapping[str, Any]] | None = None
) -> RunArrays:
    """Collect the scores that are no single numbers of the runs of :func:`build_table`, given the same.

    Raises:
        InvalidInput: as :func:`build_table`, or arrays whose shape differs from run to run.
        DamagedData: a file of the store is damaged.
    """
    _, scores = _collected(store, keys, population)
    names, of_runs, agreements = _names_of_arrays(scores), {}, {}
    try:
        for name in sorted(names - {AGREEMENTS}):
            of_runs[name] = np.array([have[name] for have in scores.values()], dtype=np.float64)
        for objective in sorted({key.objective for key in scores} if AGREEMENTS in names else ()):
            rows = [have[AGREEMENTS] for key, have in scores.items() if key.objective == objective]
            agreements[objective] = np.array(rows, dtype=np.float32).reshape(len(rows), len(rows))
    except ValueError as error:
        raise InvalidInput(f"runs of a table must have arrays of one shape, got others: {error}") from None
    return RunArrays(tuple(key.digest for key in scores), of_runs, agreements)


def _names_of_arrays(scores: Mapping[RunKey, Mapping[str, Any]]) -> set[str]:
    return {name for have in scores.values() for name, value in have.items() if isinstance(value, list)}


def _is_numeric(value: object) -> bool:
    """Whether a score is a number, or nested lists of numbers."""
    return all(map(_is_numeric, value)) if isinstance(value, list) else isinstance(value, (int, float))


def _collected(
    store: Store, keys: Iterable[RunKey], population: Mapping[str, Mapping[str, Any]] | None
) -> tuple[dict[RunKey, dict[str, Any]], dict[RunKey, dict[str, Any]]]:
    """Return the records of runs, sorted, and the scores of those that are done."""
    records, scores, keys = dict[RunKey, dict[str, Any]](), dict[RunKey, dict[str, Any]](), sorted(keys)
    if len(data := sorted({key.data for key in keys})) > 1:
        raise InvalidInput(f"a table holds the runs of one data set, got {', '.join(data)}")
    if pilots := sorted({key.seed for key in keys} & set(PILOT_SEEDS)):
        raise InvalidInput(
            f"seeds of a table must not lie in {PILOT_SEEDS[0]}-{PILOT_SEEDS[-1]}, by which choices were made, "
            f"got {', '.join(map(str, pilots))}"
        )
    for key in keys:
        record = store.record(key)
        if record is None or record["status"] == "interrupted":
            raise InvalidInput(f"run {key} is not trained to its end; run dbench zoo train first")
        for column in _PROVENANCE:
            if not isinstance(record.get(column), (int, float) if COLUMNS[column] == _REAL else str):
                raise DamagedData(f"the record of run {key} must say its {column}, got {record.get(column)!r:.80}")
        records[key] = record
        if record["status"] == "done":
            document = store.read_document("scores", key=key)
            if document is None or document.get("codes") != record["files"].get("codes.safetensors"):
                raise InvalidInput(f"run {key} is not scored yet; run dbench zoo score first")
            found = document.get("scores")
            if not isinstance(found, dict) or not all(map(_is_numeric, found.values())):
                raise DamagedData(f"the scores of run {key} must be numbers or arrays by name, got {found!r:.80}")
            scores[key] = {**found, **(population or {}).get(key.digest, {})}
    if not records:
        raise InvalidInput("a table needs at least one run, got none")
    return records, scores


def write_table(
    folder: str | Path,
    table: pd.DataFrame,
    profile: Profile,
    tolerance: Mapping[str, float],
    *,
    arrays: RunArrays | None = None,
    scoring: Mapping[str, str] | None = None,
    rules: Mapping[str, str] | None = None,
) -> Path:
    """Write the table, the arrays and the manifest, each aside and then renamed; the manifest last.

    Args:
        folder: made when it is missing.
        table: as :func:`build_table` returns it.
        profile: as trained.
        tolerance: early score -> largest difference ``dbench zoo verify`` accepts, as a share of the value.
        arrays: as :func:`build_arrays` returns them; without any, the manifest says so.
        scoring: choices behind the scores, as text; the deviations of scoring from the papers.
        rules: name of a claim's card -> hash of it as it was frozen when the runs were scored (:func:`read_rules`); a
            card with another hash, or none, is exploratory on this table.

    Returns:
        Path of the table.
    """
    folder = Path(folder)
    arrays = arrays or RunArrays(tuple(table.loc[table["status"] == "done", "run"].unique()))
    data, described = arrays.encoded()
    buffer = io.BytesIO()
    schema = pa.schema(
        [(name, {_TEXT: pa.string(), _WHOLE: pa.int64(), _REAL: pa.float64()}[kind]) for name, kind in COLUMNS.items()]
    )
    pq.write_table(pa.Table.from_pandas(table, schema=schema, preserve_index=False), buffer, compression="zstd")
    manifest = {
        "schema": TABLE_SCHEMA,
        "key_schema": KEY_SCHEMA,
        "table": TABLE,
        "sha256": hashlib.sha256(buffer.getvalue()).hexdigest(),
        "runs": int(table["run"].nunique()),
        "rows": len(table),
        "arrays": described,
        "scores": sorted(table["score"].unique().tolist()),
        "profile": {**asdict(profile), "deviations": _deviations(table, profile)},
        "scoring": dict(scoring or {}),
        "tolerance": dict(sorted(tolerance.items())),
        "rules": dict(sorted((rules or {}).items())),
    }
    contents = {TABLE: buffer.getvalue(), ARRAYS: data, MANIFEST: json.dumps(manifest, indent=1).encode() + b"\n"}
    try:
        for name, content in contents.items():
            with aside(folder / name) as place:
                place.write_bytes(content)
    except OSError as error:
        raise DbenchError(f"out must be a folder that can be written, got {str(folder)!r}: {error}") from None
    return folder / TABLE


def _deviations(table: pd.DataFrame, profile: Profile) -> list[str]:
    """What differs from the papers' study on the data of a table, and how many of the profile's seeds it has."""
    data, seeds = set(table["data"]) & set(profile.data), table["seed"].nunique()
    planned = len({key.seed for key in profile.runs(data=data)})
    fewer = [f"{seeds} of the {planned} seeds that the profile has"] if seeds < planned else []
    return [*profile.deviations_on(data), *fewer]


def read_rules(path: str | Path) -> dict[str, str]:
    """Read the hashes of the cards in force from what ``dbench claims freeze`` wrote.

    Raises:
        InvalidInput: the file cannot be read or holds no cards with hashes.
    """
    try:
        cards = json.loads(Path(path).read_bytes())["cards"]
        found = {name: card["hash"] for name, card in cards.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"rules must be what dbench claims freeze wrote, got {str(path)!r}: {error}") from None
    if not all(isinstance(value, str) for value in found.values()):
        raise InvalidInput(f"rules must hold a hash for each card, got another value in {str(path)!r}")
    return found


def load_manifest(folder: str | Path) -> dict[str, Any]:
    """Read the manifest beside a runs table.

    Raises:
        InvalidInput: there is none.
        DamagedData: it is not a manifest of this version.
    """
    path = Path(folder) / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
    except OSError as error:
        raise InvalidInput(f"runs must be a folder with {TABLE} and {MANIFEST}, got {str(folder)!r}: {error}") from None
    except ValueError as error:
        raise DamagedData(f"{path} is not JSON: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("schema") != TABLE_SCHEMA:
        raise DamagedData(f"{path} is not a manifest of schema {TABLE_SCHEMA}")
    fields = {"sha256": str, "runs": int, "scores": list, "profile": dict, "tolerance": dict, "key_schema": int}
    for name, kind in {**fields, "arrays": dict}.items():
        if not isinstance(manifest.get(name), kind):
            raise DamagedData(f"{path} must hold {name} ({kind.__name__}), got {manifest.get(name)!r:.80}")
    if not all(isinstance(score, str) for score in manifest["scores"]):
        raise DamagedData(f"{path} must name scores, got {manifest['scores']!r:.80}")
    return manifest


def load_runs(folder: str | Path) -> pd.DataFrame:
    """Read a runs table, believing nothing.

    Checked: the checksum in the manifest, columns and their types, known statuses, one row for each run and score,
    the same scores for every run, finite values for runs that are done and none for those that diverged, that the key
    of each run is the one its axes give, and that all runs are of one profile and one data set.

    Raises:
        InvalidInput: the files are not there.
        DamagedData: any check fails.
    """
    manifest = load_manifest(folder)
    path = Path(folder) / TABLE
    data = read_promised(path, manifest["sha256"])
    try:
        # What pandas noted beside the columns is not needed, and not believed.
        columns = pq.read_table(io.BytesIO(data)).replace_schema_metadata(None)
        columns.validate(full=True)  # text that is not UTF-8 would be noticed by whoever reads it first
        table: pd.DataFrame = columns.to_pandas()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamagedData(f"{path} is not a Parquet table: {error}") from None
    _check_columns(table, path)
    _check_rows(table, manifest, path)
    run_keys(table, manifest)
    for name, meaning in (("profile", "profile"), ("data", "data set")):
        if table[name].nunique() > 1:
            found = ", ".join(sorted(table[name].unique()))
            raise DamagedData(f"{path} must hold the runs of one {meaning}, got {found}")
    return table


def _check_columns(table: pd.DataFrame, path: Path) -> None:
    if missing := [name for name in COLUMNS if name not in table]:
        raise DamagedData(f"{path} lacks the columns {', '.join(missing)}")
    if unknown := sorted(str(name) for name in set(table) - set(COLUMNS)):
        raise DamagedData(f"{path} has columns that no runs table has: {', '.join(unknown)}")
    for name, kind in COLUMNS.items():
        column = table[name]
        right = pd.api.types.is_string_dtype(column) if kind == _TEXT else column.dtype == kind
        if not right:
            raise DamagedData(f"{path}: column {name} must hold {kind}, got {column.dtype}")
        if name != "value" and column.isna().any():
            raise DamagedData(f"{path}: column {name} must be filled, got {int(column.isna().sum())} missing entries")


def _check_rows(table: pd.DataFrame, manifest: Mapping[str, Any], path: Path) -> None:
    if unknown := sorted(set(table["status"]) - {"done", "diverged"}):
        raise DamagedData(f"{path}: status must be done or diverged, got {', '.join(unknown)}")
    if twice := int(table.duplicated(["run", "score"]).sum()):
        raise DamagedData(f"{path} must have one row for each run and score, got {twice} repeated")
    fixed = [name for name in COLUMNS if name not in ("score", "value")]
    if (table.groupby("run")[fixed].nunique() > 1).any(axis=None):
        raise DamagedData(f"{path}: the rows of one run must agree in everything but score and value")
    n_runs, names = table["run"].nunique(), set(table["score"])
    if n_runs != manifest["runs"] or names != set(manifest["scores"]) or len(table) != n_runs * len(names):
        raise DamagedData(
            f"{path} must have each of {len(manifest['scores'])} scores for each of {manifest['runs']} runs, "
            f"got {n_runs} runs, {len(names)} scores and {len(table)} rows"
        )
    finite = np.isfinite(table["value"].to_numpy())
    wrong = table[finite != (table["status"] == "done").to_numpy()]
    if len(wrong):
        raise DamagedData(
            f"{path}: values must be finite where the run is done and missing where it diverged, "
            f"got {wrong['value'].iloc[0]} for {wrong['score'].iloc[0]} of run {wrong['run'].iloc[0]}"
        )


def run_keys(table: pd.DataFrame, manifest: Mapping[str, Any]) -> dict[str, RunKey]:
    """Return digest -> key of the runs of a table, rebuilt from the axes and from what the profile fixes.

    Raises:
        DamagedData: a digest is not the one that the axes of its row give.
    """
    keys: dict[str, RunKey] = {}
    if manifest["key_schema"] != KEY_SCHEMA:
        raise DamagedData(f"the table holds keys of schema {manifest['key_schema']}, this version reads {KEY_SCHEMA}")
    for row in table.drop_duplicates("run").to_dict("records"):
        try:
            key = RunKey(
                **{axis: row[axis] for axis in _AXES},
                batch_size=manifest["profile"]["batch_size"],
                learning_rate=manifest["profile"]["learning_rate"],
                constants=_constants(manifest["profile"]["sweeps"], row["objective"], row["data"]),
                likelihood_factor=manifest["profile"].get("likelihood_factor", 1.0),
                cooldown=manifest["profile"].get("cooldown", 0.0),
            )
        except (InvalidInput, KeyError, TypeError, ValueError) as error:
            raise DamagedData(f"run {row['run']} has axes that are no run key: {error}") from None
        if key.digest != row["run"]:
            raise DamagedData(f"run {row['run']} does not match its axes, which give {key}: the table was edited")
        keys[key.digest] = key
    return keys


def _constants(sweeps: Iterable[Mapping[str, Any]], objective: str, data: str) -> tuple[tuple[str, float], ...]:
    """Return the constants that a manifest's profile fixes for an objective on a data set."""
    for sweep in sweeps:
        if sweep["objective"] == objective and (not sweep["data"] or data in sweep["data"]):
            # Tables from before there were constants hold none.
            return tuple((name, value) for name, value in sweep.get("constants", ()))
    return ()
