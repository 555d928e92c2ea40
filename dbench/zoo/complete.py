"""Make the evidence of a profile: train and score missing runs, build the runs table, and write it."""

import hashlib
import io
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.files import atomic_write, same_file
from dbench.zoo.arrays import AGREEMENTS, ARRAYS, RunArrays, compared_apart
from dbench.zoo.extend import SCORE_VERSIONS, Earlier, Records, load_earlier
from dbench.zoo.keys import KEY_SCHEMA, PILOT_SEEDS, RunKey
from dbench.zoo.population import score_population
from dbench.zoo.profiles import Profile
from dbench.zoo.score import score_runs
from dbench.zoo.scorers import SCORING
from dbench.zoo.store import Store
from dbench.zoo.survey import outdated, stored_scores
from dbench.zoo.table import AXES, COLUMNS, MANIFEST, NUMBERS, PROVENANCE, TABLE, TABLE_SCHEMA, check_provenance
from dbench.zoo.train import train_runs


def write_population_table(profile: Profile, store: str | Path) -> Path:
    """Train and score what a store lacks of a profile on its first data set, write its runs table, return the folder.

    The folder is ``table`` in the store; for a store in a bucket, ``store/<profile>/table`` on this machine.

    Raises:
        DbenchError: a worker died, or the work was stopped before its end.
    """
    run_store, keys = Store(store), profile.runs()
    for step in (train_runs, score_runs):
        if step(run_store, keys).cancelled:
            raise DbenchError(f"stopped before the runs of profile {profile.name} were complete; the store keeps them")
    folder = Path(run_store.root if run_store.local else f"store/{profile.name}") / "table"
    return write_evidence(run_store, keys, profile, folder).parent


def write_evidence(
    store: Store,
    keys: Sequence[RunKey],
    profile: Profile,
    folder: str | Path,
    *,
    workers: int | None = None,
    rules: Mapping[str, str] | None = None,
    extend: str | Path | None = None,
) -> Path:
    """Compare trained and scored runs with each other (UDR), and write their table; return the path of the table.

    With ``extend``, the folder of an earlier table, the new table holds the runs of both and keeps the rules of the
    earlier one. The added runs are compared among themselves only.

    Raises:
        InvalidInput: as :func:`build_table` and :func:`load_earlier` do; or ``rules`` are given with ``extend``; or
            ``extend`` is the folder to write.
    """
    if extend is not None and rules:
        raise InvalidInput(f"rules must not be given beside extend, whose own hold for all runs, got {len(rules)}")
    if extend is not None and same_file(Path(extend), Path(folder)):
        raise InvalidInput(
            f"out must be another folder than extend, which may be all there is of its runs, got {folder}"
        )
    earlier = None if extend is None else load_earlier(extend, keys, profile)
    _collected(store, keys, {}, None)  # raises for missing runs or scores before the comparisons, which take long
    population = score_population(store, keys, workers=workers)
    table, arrays = build_table(store, keys, profile, population, earlier=earlier)
    run_records = [store.record(key) or {} for key in keys]
    encoded_on = {str(record["encoded"]["device"]) for record in run_records if "encoded" in record}
    if earlier is not None:
        encoded_on, rules = encoded_on.union(earlier.encoded_on), earlier.rules
    return write_table(folder, table, profile, arrays=arrays, rules=rules, encoded_on=encoded_on)


def build_table(
    store: Store,
    keys: Iterable[RunKey],
    profile: Profile,
    population: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    earlier: Earlier | None = None,
) -> tuple[pd.DataFrame, RunArrays]:
    """Collect runs and their scores from a store; ``population`` holds further scores by digest (UDR).

    A score that was computed for some seeds only is NaN for all runs of the other seeds. Agreements between runs of the
    store and ``earlier`` runs are NaN, too.

    Returns:
        A frame with the columns of :data:`COLUMNS`, sorted by run key and score; and the array-valued scores.

    Raises:
        InvalidInput: a run is not trained or not scored yet, lacks a score that other runs of its seed have, or has a
            pilot seed; runs were trained on different versions of the data, or have arrays of different shapes; or
            only some runs of an objective have UDR.
        DamagedData: a file of the store is damaged.
    """
    records, scores = _collected(store, keys, population or {}, earlier)
    all_names = sorted(set().union(*scores.values()))
    of_run = scores.values()
    arrays = {name for values in of_run for name, value in values.items() if isinstance(value, list | dict)}
    names = [name for name in all_names if name not in arrays]
    if scores and not names:
        raise DamagedData(f"the scores of run {min(scores)} must hold at least one number, got {all_names}")
    # Where every run diverged, no score has a name; rows of these scores keep the runs in the table.
    names = names or ["elbo", "kl", "reconstruction"]
    rows = [
        {
            "run": key.digest,
            "profile": profile.name,
            **{axis: getattr(key, axis) for axis in AXES},
            "status": record["status"],
            "score": name,
            "value": scores.get(key, {}).get(name, np.nan),
            **{column: record[column] for column in PROVENANCE},
        }
        for key, record in records.items()
        for name in names
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(NUMBERS), _arrays(scores, arrays)


def _arrays(scores: Records, names: set[str]) -> RunArrays:
    """Stack the array-valued scores of these names over the runs; NaN where a run has none."""
    of_runs, agreements = {}, {}
    runs = {key: key.digest for key in scores}
    try:
        for name in sorted(names - {AGREEMENTS}):
            shape = np.shape(next(values[name] for values in scores.values() if name in values))
            rows = [values.get(name, np.full(shape, np.nan)) for values in scores.values()]
            of_runs[name] = np.array(rows, dtype=np.float64)
    except ValueError as error:
        raise InvalidInput(f"runs of a table must have arrays of one shape, got others: {error}") from None
    for objective in sorted({key.objective for key in scores} if AGREEMENTS in names else ()):
        keys = [key for key in scores if key.objective == objective]
        agreements_of = {runs[key]: scores[key].get(AGREEMENTS, {}) for key in keys}
        if not any(agreements_of.values()):
            continue
        if not all(agreements_of.values()):
            raise InvalidInput(f"runs of {objective} must all have UDR or none, got it of some alone")
        rows = [[row.get(run, np.nan) for run in agreements_of] for row in agreements_of.values()]
        agreements[objective] = np.array(rows, dtype=np.float32)
    return RunArrays(tuple(runs.values()), of_runs, agreements)


def _is_numeric(value: object) -> bool:
    return all(map(_is_numeric, value)) if isinstance(value, list) else isinstance(value, (int, float))


def _collected(
    store: Store, keys: Iterable[RunKey], population: Mapping[str, Mapping[str, Any]], earlier: Earlier | None
) -> tuple[Records, Records]:
    """Return the records of all runs and the scores of the done ones, checked as :func:`build_table` says."""
    records, scores, keys = Records(), Records(), sorted(keys)
    if pilots := sorted({key.seed for key in keys} & set(PILOT_SEEDS)):
        raise InvalidInput(
            f"seeds of a table must not lie in {PILOT_SEEDS[0]}-{PILOT_SEEDS[-1]}, by which choices were made, "
            f"got {', '.join(map(str, pilots))}"
        )
    for key in keys:
        record = store.record(key)
        if record is None or record["status"] == "interrupted":
            raise InvalidInput(f"run {key} is not trained to its end; run dbench zoo train first")
        check_provenance(f"the record of run {key}", record)
        records[key] = record
        if record["status"] == "done":
            document = stored_scores(store, key)
            if document is None:
                raise InvalidInput(f"run {key} is not scored yet; run dbench zoo score first")
            if old := sorted(outdated(document)):
                raise InvalidInput(
                    f"run {key} has scores of another version ({', '.join(old)}); run dbench zoo score first"
                )
            values = document.get("scores")
            if not isinstance(values, dict) or not all(map(_is_numeric, values.values())):
                raise DamagedData(f"the scores of run {key} must be numbers or arrays by name, got {values!r:.80}")
            scores[key] = {**values, **population.get(key.digest, {})}
    for key, values in scores.items():
        if AGREEMENTS in values:
            others = [other.digest for other in scores if other.objective == key.objective]
            values[AGREEMENTS] = dict(zip(others, values[AGREEMENTS], strict=True))
    if earlier is not None:
        records = Records(sorted((records | earlier.records).items()))
        scores = Records(sorted((scores | earlier.scores).items()))
    if len(versions := sorted({record["data_sha256"] for record in records.values()})) > 1:
        raise InvalidInput(f"runs of a table must be of one version of the data, got {' and '.join(versions)}")
    names_of_seed = dict[int, set[str]]()
    for key, values in scores.items():
        names_of_seed.setdefault(key.seed, set()).update(values)
    for key, values in scores.items():
        if missing := sorted(names_of_seed[key.seed] - set(values)):
            raise InvalidInput(
                f"run {key} lacks the scores {', '.join(missing)}, which others of its seed have; "
                "run dbench zoo score first"
            )
    return records, scores


def write_table(
    folder: str | Path,
    table: pd.DataFrame,
    profile: Profile,
    *,
    arrays: RunArrays | None = None,
    rules: Mapping[str, str] | None = None,
    encoded_on: Collection[str] = (),
) -> Path:
    """Write table and arrays as :func:`build_table` returns them, then the manifest; return the path of the table.

    ``rules`` are the hashes of claim cards as frozen when the runs were scored (:func:`read_rules`): a card that has
    another hash now, or had none then, is unconfirmed on this table. ``encoded_on`` names the devices that encoded runs
    trained elsewhere (``dbench zoo unpack``).
    """
    folder = Path(folder)
    arrays = arrays or RunArrays(tuple(table.loc[table["status"] == "done", "run"].unique()))
    array_bytes, arrays_entry = arrays.encoded()
    buffer = io.BytesIO()
    kinds = {"text": pa.string(), "int64": pa.int64(), "float64": pa.float64()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    pq.write_table(pa.Table.from_pandas(table, schema=schema, preserve_index=False), buffer, compression="zstd")
    manifest = {
        "schema": TABLE_SCHEMA,
        "key_schema": KEY_SCHEMA,
        "table": TABLE,
        "sha256": hashlib.sha256(buffer.getvalue()).hexdigest(),
        "runs": int(table["run"].nunique()),
        "rows": len(table),
        "arrays": arrays_entry,
        "scores": sorted(table["score"].unique().tolist()),
        "profile": {**asdict(profile), "deviations": _deviations(table, arrays, profile)},
        "scoring": SCORING,
        "score_versions": SCORE_VERSIONS,
        "rules": dict(sorted((rules or {}).items())),
        **({"encoded_on": sorted(encoded_on)} if encoded_on else {}),
    }
    manifest_bytes = json.dumps(manifest, indent=1).encode() + b"\n"
    contents = {TABLE: buffer.getvalue(), ARRAYS: array_bytes, MANIFEST: manifest_bytes}
    try:
        # All files are written before the first is renamed, so an earlier table stays whole until then.
        with ExitStack() as renames:  # run in the opposite order of entry, so the manifest last
            for name, content in reversed(contents.items()):
                renames.enter_context(atomic_write(folder / name)).write_bytes(content)
    except OSError as error:
        raise DbenchError(f"out must be a folder that can be written, got {str(folder)!r}: {error}") from None
    return folder / TABLE


def _deviations(table: pd.DataFrame, arrays: RunArrays, profile: Profile) -> list[str]:
    """Return the profile's deviations, and those of this table: fewer seeds, and UDR within parts of the seeds."""
    data, seeds = set(table["data"]) & set(profile.data), table["seed"].nunique()
    planned = len({key.seed for key in profile.runs(data=data)})
    fewer = [f"{seeds} instead of the {planned} seeds that the profile has"] if seeds < planned else []
    done = table[table["status"] == "done"].drop_duplicates("run").groupby("objective")["seed"]
    objectives_by_sizes = dict[str, list[str]]()
    for objective, matrix in sorted(arrays.agreements.items()):
        sizes = compared_apart(matrix, done.get_group(objective)).value_counts()
        if len(sizes) > 1:
            objectives_by_sizes.setdefault(" and ".join(map(str, sizes)), []).append(objective)
    deviations = [*profile.deviations_on(data), *fewer]
    for sizes_text, objectives in objectives_by_sizes.items():
        deviations.append(f"UDR compares runs of {', '.join(objectives)} within parts of {sizes_text} seeds")
    return deviations


def read_rules(path: str | Path) -> dict[str, str]:
    """Return card -> hash from a file that ``dbench claims freeze`` wrote."""
    try:
        cards = json.loads(Path(path).read_bytes())["cards"]
        hashes = {name: card["hash"] for name, card in cards.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"rules must be what dbench claims freeze wrote, got {str(path)!r}: {error}") from None
    if not all(isinstance(value, str) for value in hashes.values()):
        raise InvalidInput(f"rules must hold a hash for each card, got another value in {str(path)!r}")
    return hashes
