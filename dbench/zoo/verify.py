"""Show that evidence is real: retrain a few of its runs from their keys alone and compare every score."""

from __future__ import annotations

import tempfile
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table

from dbench import seeds
from dbench.errors import DamagedData, InvalidInput
from dbench.zoo.keys import RunKey
from dbench.zoo.score import score_runs
from dbench.zoo.store import Store
from dbench.zoo.table import load_manifest, load_runs, run_keys
from dbench.zoo.tolerance import OF_A_POPULATION, tolerances
from dbench.zoo.train import train_runs

__all__ = ["choose_runs", "comparison_table", "verify_runs"]


def choose_runs(table: pd.DataFrame, *, number: int, seed: int) -> list[str]:
    """Draw runs of a table without replacement, by a generator of that seed.

    Raises:
        InvalidInput: more runs than the table has.
    """
    runs = sorted(table["run"].unique())
    if not 1 <= number <= len(runs):
        raise InvalidInput(f"number must lie between 1 and the {len(runs)} runs of the table, got {number}")
    chosen = seeds.generator(purpose="verify", seed=seed).choice(len(runs), size=number, replace=False)
    return [runs[i] for i in sorted(chosen)]


def verify_runs(folder: str | Path, *, number: int = 2, seed: int = 0, workers: int | None = None) -> pd.DataFrame:
    """Retrain runs of a table in an empty store, score them, and compare.

    Args:
        folder: holds ``runs.parquet`` and ``manifest.json``.
        number: how many runs.
        seed: decides which.
        workers: processes, one a core when not given.

    Returns:
        One row for each run and score, those of a population left out: ``run``, ``name`` (objective, strength and
        seed), ``score``, ``table``, ``retrained``, ``difference``, ``tolerance``, ``exact``, ``agrees``. A run that
        came out with another status has a row ``status`` that does not agree.

    Raises:
        InvalidInput: no such table, or too many runs asked for.
        DamagedData: the table is damaged, or was made from other data than is installed.
    """
    table, manifest = load_runs(folder), load_manifest(folder)
    keys = run_keys(table, manifest)
    chosen = [keys[digest] for digest in choose_runs(table, number=number, seed=seed)]
    with tempfile.TemporaryDirectory(prefix="dbench-verify-") as place:
        store = Store(place)
        for step in (train_runs, score_runs):
            # Half-trained runs compare with nothing: a Ctrl-C must not pass for evidence that differs.
            if step(store, chosen, workers=workers).cancelled:
                raise KeyboardInterrupt
        parts = [_compare(store, key, table[table["run"] == key.digest]) for key in chosen]
    return pd.concat(parts, ignore_index=True)


def _compare(store: Store, key: RunKey, rows: pd.DataFrame) -> pd.DataFrame:
    record = store.record(key)
    assert record is not None
    if record["data_sha256"] != rows["data_sha256"].iloc[0]:
        raise DamagedData(f"run {key} was trained on another version of {key.data} than is installed")
    document = store.read_document("scores", key=key)
    found = {"status": float(record["status"] == rows["status"].iloc[0]), **(document or {"scores": {}})["scores"]}
    told = {"status": 1.0, **dict(zip(rows["score"], rows["value"], strict=True))}
    names = [name for name in told if not name.startswith(OF_A_POPULATION) and not np.isnan(told[name])]
    # Those of this version, not those of the manifest: the evidence must not set the measure it is held to.
    tolerance = tolerances(names, key.objective)
    frame = pd.DataFrame(
        {
            "run": key.digest,
            "name": f"{key.objective} {key.strength:g} seed {key.seed}",
            "score": names,
            "table": [told[name] for name in names],
            "retrained": [found.get(name, np.nan) for name in names],
            "tolerance": [tolerance.get(name, 0.0) for name in names],
        }
    )
    frame["difference"] = (frame["retrained"] - frame["table"]).abs()
    frame["exact"] = frame["difference"] == 0
    # A score that could not be computed has no difference, and does not agree.
    frame["agrees"] = frame["difference"] <= frame["tolerance"]
    return frame


_NUMBERS = ["table", "retrained", "difference", "tolerance"]


def comparison_table(comparison: pd.DataFrame) -> Table:
    """Lay out a comparison for the terminal: what differs score by score, and of each run one line for the rest.

    Scores that are the same to the last bit are counted; so are those that agree within their tolerance, beside the
    one of them that comes nearest to its own.
    """
    shown = Table(box=None, header_style="bold")
    for column in ("run", "score"):
        shown.add_column(column)
    for column in _NUMBERS:
        shown.add_column(column, justify="right")
    shown.add_column("")
    for _, rows in comparison.groupby("run", sort=False):
        name = rows["name"].iloc[0]
        exact, near = rows[rows["exact"]], rows[rows["agrees"] & ~rows["exact"]]
        if len(exact):
            shown.add_row(name, _counted(exact), *("" for _ in _NUMBERS), "same")
        if len(near):
            furthest = near.iloc[(near["difference"] / near["tolerance"]).argmax()].to_dict()
            shown.add_row(name, f"{_counted(near)}, furthest {furthest['score']}", *_numbers(furthest), "agrees")
        for row in rows[~rows["agrees"]].to_dict("records"):
            shown.add_row(name, row["score"], *_numbers(row), "[red]differs[/red]")
    return shown


def _counted(rows: pd.DataFrame) -> str:
    return f"{len(rows)} score{'s' if len(rows) > 1 else ''}"


def _numbers(row: Mapping[Hashable, Any]) -> list[str]:
    return [f"{row[column]:.6g}" for column in _NUMBERS]
