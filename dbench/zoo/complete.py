"""From a profile to its evidence: train and score what is missing, build the runs table, and write it."""

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

    That is ``table`` in the store; of a store in a bucket, ``store/<profile>/table`` here.

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
    extend: str | Path | None = None,
) -> Path:
    """Compare runs that are trained and scored with each other, and write their table as :func:`write_table` does.

    With ``extend``, the folder of an earlier table, it is the table of the runs of both, under the rules of the earlier
    one. Runs are compared within their part.

    Raises:
        InvalidInput: as :func:`build_table` and :func:`load_earlier` do; or there are rules beside ``extend``, or it is
            the folder to write.
    """
    if extend is not None and rules:
        raise InvalidInput(f"rules must not be given beside extend, whose own hold for all runs, got {len(rules)}")
    if extend is not None and same_file(Path(extend), Path(folder)):
        raise InvalidInput(
            f"out must be another folder than extend, which may be all there is of its runs, got {folder}"
        )
    earlier = None if extend is None else load_earlier(extend, keys, profile)
    _collected(store, keys, {}, None)  # what is missing is told before the comparisons, which take long
    population = score_population(store, keys, workers=workers)
    table, arrays = build_table(store, keys, profile, population, earlier=earlier)
    encoded = {str(record["encoded"]["device"]) for key in keys if "encoded" in (record := store.record(key) or {})}
    if earlier is not None:
        encoded, rules = encoded.union(earlier.encoded_on), earlier.rules
    return write_table(folder, table, profile, arrays=arrays, rules=rules, encoded_on=encoded)


def build_table(
    store: Store,
    keys: Iterable[RunKey],
    profile: Profile,
    population: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    earlier: Earlier | None = None,
) -> tuple[pd.DataFrame, RunArrays]:
    """Collect runs and their scores from a store; ``population`` holds further scores by digest (UDR).

    A score may have been computed for some seeds alone, and is missing (NaN) for all runs of the others; so are the
    agreements of runs of the store with ``earlier`` ones.

    Returns:
        A frame with the columns of :data:`COLUMNS`, sorted by run key and score; and the scores that are no single
        numbers.

    Raises:
        InvalidInput: a run is not trained or not scored yet, or lacks a score that others of its seed have, or has a
            pilot's seed, or was trained on another version of the data than others, or the shape of an array differs
            from run to run, or some runs of an objective alone have UDR.
        DamagedData: a file of the store is damaged.
    """
    records, scores = _collected(store, keys, population or {}, earlier)
    every = sorted(set().union(*scores.values()))
    arrays = {name for have in scores.values() for name, value in have.items() if isinstance(value, list | dict)}
    names = [name for name in every if name not in arrays]
    if scores and not names:
        raise DamagedData(f"the scores of run {min(scores)} must hold at least one number, got {every}")
    # Where every run diverged no score is known by name, yet the runs stay in.
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
    of_runs, agreements = {}, {}
    runs = {key: key.digest for key in scores}
    try:
        for name in sorted(names - {AGREEMENTS}):
            shape = np.shape(next(have[name] for have in scores.values() if name in have))
            rows = [have.get(name, np.full(shape, np.nan)) for have in scores.values()]
            of_runs[name] = np.array(rows, dtype=np.float64)
    except ValueError as error:
        raise InvalidInput(f"runs of a table must have arrays of one shape, got others: {error}") from None
    for objective in sorted({key.objective for key in scores} if AGREEMENTS in names else ()):
        compared = {runs[key]: have.get(AGREEMENTS, {}) for key, have in scores.items() if key.objective == objective}
        if not any(compared.values()):
            continue
        if not all(compared.values()):
            raise InvalidInput(f"runs of {objective} must all have UDR or none, got it of some alone")
        rows = [[row.get(run, np.nan) for run in compared] for row in compared.values()]
        agreements[objective] = np.array(rows, dtype=np.float32)
    return RunArrays(tuple(runs.values()), of_runs, agreements)


def _is_numeric(value: object) -> bool:
    return all(map(_is_numeric, value)) if isinstance(value, list) else isinstance(value, (int, float))


def _collected(
    store: Store, keys: Iterable[RunKey], population: Mapping[str, Mapping[str, Any]], earlier: Earlier | None
) -> tuple[Records, Records]:
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
            found = document.get("scores")
            if not isinstance(found, dict) or not all(map(_is_numeric, found.values())):
                raise DamagedData(f"the scores of run {key} must be numbers or arrays by name, got {found!r:.80}")
            scores[key] = {**found, **population.get(key.digest, {})}
    for key, have in scores.items():
        if AGREEMENTS in have:
            others = [other.digest for other in scores if other.objective == key.objective]
            have[AGREEMENTS] = dict(zip(others, have[AGREEMENTS], strict=True))
    if earlier is not None:
        records = Records(sorted((records | earlier.records).items()))
        scores = Records(sorted((scores | earlier.scores).items()))
    if len(versions := sorted({record["data_sha256"] for record in records.values()})) > 1:
        raise InvalidInput(f"runs of a table must be of one version of the data, got {' and '.join(versions)}")
    of_seeds = dict[int, set[str]]()
    for key, have in scores.items():
        of_seeds.setdefault(key.seed, set()).update(have)
    for key, have in scores.items():
        if missing := sorted(of_seeds[key.seed] - set(have)):
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

    ``rules`` are hashes of claims' cards as they were frozen when the runs were scored (:func:`read_rules`): a card
    with another hash, or none, is unconfirmed on this table. ``encoded_on`` are devices on which runs were encoded that
    had been trained elsewhere (``dbench zoo unpack``).
    """
    folder = Path(folder)
    arrays = arrays or RunArrays(tuple(table.loc[table["status"] == "done", "run"].unique()))
    data, described = arrays.encoded()
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
        "arrays": described,
        "scores": sorted(table["score"].unique().tolist()),
        "profile": {**asdict(profile), "deviations": _deviations(table, arrays, profile)},
        "scoring": SCORING,
        "score_versions": SCORE_VERSIONS,
        "rules": dict(sorted((rules or {}).items())),
        **({"encoded_on": sorted(encoded_on)} if encoded_on else {}),
    }
    contents = {TABLE: buffer.getvalue(), ARRAYS: data, MANIFEST: json.dumps(manifest, indent=1).encode() + b"\n"}
    try:
        # All are written before the first is renamed: an earlier table stays whole until then.
        with ExitStack() as all_written:  # which is left in the opposite order, the manifest last
            for name, content in reversed(contents.items()):
                all_written.enter_context(atomic_write(folder / name)).write_bytes(content)
    except OSError as error:
        raise DbenchError(f"out must be a folder that can be written, got {str(folder)!r}: {error}") from None
    return folder / TABLE


def _deviations(table: pd.DataFrame, arrays: RunArrays, profile: Profile) -> list[str]:
    data, seeds = set(table["data"]) & set(profile.data), table["seed"].nunique()
    planned = len({key.seed for key in profile.runs(data=data)})
    fewer = [f"{seeds} instead of the {planned} seeds that the profile has"] if seeds < planned else []
    done = table[table["status"] == "done"].drop_duplicates("run").groupby("objective")["seed"]
    of_parts = dict[str, list[str]]()
    for objective, matrix in sorted(arrays.agreements.items()):
        sizes = compared_apart(matrix, done.get_group(objective)).value_counts()
        if len(sizes) > 1:
            of_parts.setdefault(" and ".join(map(str, sizes)), []).append(objective)
    within = [f"UDR compares runs of {', '.join(of)} within parts of {sizes} seeds" for sizes, of in of_parts.items()]
    return [*profile.deviations_on(data), *fewer, *within]


def read_rules(path: str | Path) -> dict[str, str]:
    """Read the hashes of the cards in force from what ``dbench claims freeze`` wrote."""
    try:
        cards = json.loads(Path(path).read_bytes())["cards"]
        found = {name: card["hash"] for name, card in cards.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"rules must be what dbench claims freeze wrote, got {str(path)!r}: {error}") from None
    if not all(isinstance(value, str) for value in found.values()):
        raise InvalidInput(f"rules must hold a hash for each card, got another value in {str(path)!r}")
    return found
