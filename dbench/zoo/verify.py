"""Verify evidence: retrain a few of its runs from their keys alone and compare every score."""

import tempfile
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.table import Table

from dbench import seeds
from dbench.errors import DamagedData, EvidenceLacking, InvalidInput
from dbench.training import State
from dbench.zoo.arrays import cells, load_arrays
from dbench.zoo.early import FIRST_LOSS, early_tolerance
from dbench.zoo.engine import EARLY, images_of, train_keys
from dbench.zoo.keys import RunKey
from dbench.zoo.score import score_runs
from dbench.zoo.store import Store
from dbench.zoo.table import load_manifest, load_runs, run_keys
from dbench.zoo.tolerance import OF_A_POPULATION, STRAYS, accepted, in_order_of_size
from dbench.zoo.train import train_runs


def choose_runs(table: pd.DataFrame, *, number: int, seed: int) -> list[str]:
    """Draw runs of a table without replacement, by a generator of that seed."""
    runs = sorted(table["run"].unique())
    if not 1 <= number <= len(runs):
        raise InvalidInput(f"number must lie between 1 and the {len(runs)} runs of the table, got {number}")
    chosen = seeds.generator(purpose="verify", seed=seed).choice(len(runs), size=number, replace=False)
    return [runs[i] for i in sorted(chosen)]


def verify_runs(folder: str | Path, *, number: int = 2, seed: int = 0, workers: int | None = None) -> pd.DataFrame:
    """Retrain some runs of a table, drawn by ``seed``, in an empty store, score them, and compare.

    Returns:
        One row for each run and score, those of a population left out: ``run``, ``name`` (objective, strength and
        seed), ``score``, ``table``, ``retrained``, ``difference``, ``tolerance`` (``dbench.zoo.tolerance``; of the
        first loss ``dbench.zoo.early``), ``exact``, ``agrees``, ``stray``: beyond its tolerance, as a few scores of
        another draw are; and ``tested``: false where the tolerance tests nothing. A score that neither agrees nor is
        a stray differs. A run that diverged in the table or when retrained has the row ``status`` alone.

    Raises:
        InvalidInput: no such table, too many runs asked for, scores that this version does not compute, or no two
            seeds of any setting.
        DamagedData: the table is damaged, or was made from other data than is installed.
    """
    table, manifest = load_runs(folder), load_manifest(folder)
    keys = run_keys(table, manifest)
    table = load_arrays(folder, table, manifest).with_rows(table)
    chosen = [keys[digest] for digest in choose_runs(table, number=number, seed=seed)]
    of_run = {key: table[table["run"] == key.digest] for key in chosen}
    for key, rows in of_run.items():  # what can be told beforehand is told before hours of training
        _check_data(key, images_of(key.data)[0].fingerprint, rows)
    for key, rows in of_run.items():
        if names := _names(rows):
            accepted(table, key.digest, names)  # refuses a table that says nothing of reruns
            break
    with tempfile.TemporaryDirectory(prefix="dbench-verify-") as place:
        store = Store(place)
        for step in (train_runs, score_runs):
            # Half-trained runs compare with nothing: a Ctrl-C must not pass for evidence that differs.
            if step(store, chosen, workers=workers).cancelled:
                raise KeyboardInterrupt
        parts = [_compare(store, key, table) for key in chosen]
    return pd.concat(parts, ignore_index=True)


def verify_start(folder: str | Path, *, seed: int = 0) -> pd.DataFrame:
    """Retrain one run of a table, drawn by ``seed``, for as many steps as its early losses are known; compare these.

    A cheap part of :func:`verify_runs`: a changed engine, network, key or data set shows within a hundred steps.

    Raises:
        InvalidInput: no such table, or no two seeds of any setting.
        EvidenceLacking: none of its runs is done and has an early loss.
        DamagedData: the table is damaged, or was made from other data than is installed.
    """
    table, manifest = load_runs(folder), load_manifest(folder)
    early = [f"loss.{step}" for step in EARLY]
    known = table[(table["status"] == "done") & table["score"].isin(early)]
    if known.empty:
        raise EvidenceLacking(f"{folder} must hold a run that is done and has {' or '.join(early)}, got none")
    (digest,) = choose_runs(known, number=1, seed=seed)
    key, rows = run_keys(table, manifest)[digest], table[table["run"] == digest]
    _check_data(key, images_of(key.data)[0].fingerprint, rows)
    names = [name for name in early if name in set(rows["score"])]
    found: dict[str, float] = {}

    def keep(state: State) -> bool:
        if state.step in EARLY:
            found[f"loss.{state.step}"] = float(state.loss[0])
        return state.step >= max(EARLY)

    train_keys([key], each_block=keep)
    return _compared(table, key, found, names)


def _compare(store: Store, key: RunKey, table: pd.DataFrame) -> pd.DataFrame:
    record, rows = store.record(key), table[table["run"] == key.digest]
    assert record is not None
    document = store.read_document("scores", key=key)
    found = cells((document or {"scores": {}})["scores"])
    names = _names(rows)
    if (trained := record["status"]) != (said := rows["status"].iloc[0]) or trained == "diverged":
        frame = _frame(key, {"status": 1.0}, {"status": float(trained == said)})
        return frame.assign(tolerance=0.0, tested=True, agrees=frame["exact"])
    if unknown := sorted(set(names) - set(found)):
        raise InvalidInput(
            f"scores of the table must be ones that this version computes, got {', '.join(unknown)}; verify it with "
            "the version that made it"
        )
    frame = _compared(table, key, found, names)
    beyond = ~frame["agrees"] & (frame["score"] != FIRST_LOSS)
    another_draw = frame["exact"].mean() < _SAME_RUN
    frame["stray"] = beyond & another_draw & (beyond.sum() <= STRAYS * len(frame))
    return frame


_SAME_RUN = 0.5
"""Share of scores equal to the last bit from which on a run is the same one: another draw has a few by chance."""


def _names(rows: pd.DataFrame) -> list[str]:
    """Scores of a run that a rerun has, too; none of one that diverged."""
    scored = rows.loc[rows["value"].notna(), "score"]
    return [name for name in scored if not name.startswith(OF_A_POPULATION)]


def _check_data(key: RunKey, fingerprint: str, rows: pd.DataFrame) -> None:
    if fingerprint != rows["data_sha256"].iloc[0]:
        raise DamagedData(f"run {key} was trained on another version of {key.data} than is installed")


def _compared(table: pd.DataFrame, key: RunKey, found: Mapping[str, float], names: Sequence[str]) -> pd.DataFrame:
    rows = table[table["run"] == key.digest].set_index("score")["value"]
    both = pd.DataFrame([{name: rows[name] for name in names}, {name: found[name] for name in names}])
    if (both.iloc[0] != both.iloc[1]).any():  # another draw
        both = in_order_of_size(both)
    expected, retrained = (dict(zip(names, map(float, row), strict=True)) for row in both.to_numpy())
    frame = _frame(key, expected, retrained)
    limits = accepted(table, key.digest, names)
    frame["tolerance"] = limits["tolerance"].to_numpy()
    first = frame["score"] == FIRST_LOSS
    if not frame.loc[first, "exact"].all():
        frame.loc[first, "tolerance"] = early_tolerance(key, found[FIRST_LOSS], rows[FIRST_LOSS])
    # Those of this version, not those of the manifest: the evidence must not set the measure it is held to.
    frame["tested"] = frame["exact"] | (frame["tolerance"] < limits["range"].to_numpy()) | (frame["tolerance"] == 0)
    frame["agrees"] = frame["difference"] <= frame["tolerance"]
    return frame


def _frame(key: RunKey, expected: Mapping[str, float], found: Mapping[str, float]) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "run": key.digest,
            "name": f"{key.objective} {key.strength:g} seed {key.seed}",
            "score": list(expected),
            "table": list(expected.values()),
            "retrained": [found[name] for name in expected],
        }
    )
    frame["difference"] = (frame["retrained"] - frame["table"]).abs()
    frame["exact"] = frame["difference"] == 0
    return frame.assign(stray=False)


_UNTESTED = "not tested: seeds differ as much as the table"
_NUMBERS = ["table", "retrained", "difference", "tolerance"]


def comparison_table(comparison: pd.DataFrame) -> Table:
    """Lay out a comparison for the terminal: what differs score by score, and of each run one line for the rest."""
    shown = Table(box=None, header_style="bold")
    for column in ("run", "score"):
        shown.add_column(column)
    for column in _NUMBERS:
        shown.add_column(column, justify="right")
    shown.add_column("")
    for _, rows in comparison.groupby("run", sort=False):
        name = rows["name"].iloc[0]
        exact, near = rows[rows["exact"]], rows[rows["agrees"] & rows["tested"] & ~rows["exact"]]
        untested = rows[rows["agrees"] & ~rows["tested"]]
        if len(exact):
            shown.add_row(name, _counted(exact), *("" for _ in _NUMBERS), "same")
        if len(near):
            furthest = near.iloc[(near["difference"] / near["tolerance"]).argmax()].to_dict()
            shown.add_row(name, f"{_counted(near)}, furthest {furthest['score']}", *_numbers(furthest), "agrees")
        if len(untested):
            shown.add_row(name, _counted(untested), *("" for _ in _NUMBERS), _UNTESTED)
        for row in rows[~rows["agrees"]].to_dict("records"):
            said = "beyond, as a few of a true rerun" if row["stray"] else "[red]differs[/red]"
            shown.add_row(name, row["score"], *_numbers(row), said)
    return shown


def _counted(rows: pd.DataFrame) -> str:
    return f"{len(rows)} score{'s' if len(rows) > 1 else ''}"


def _numbers(row: Mapping[Hashable, Any]) -> list[str]:
    return [f"{row[column]:.6g}" for column in _NUMBERS]
