"""Verify evidence: retrain a few runs of a table from their keys alone and compare every score."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from rich.table import Column, Table

from dbench import seeds
from dbench.errors import EvidenceLacking, InvalidInput
from dbench.training import State
from dbench.zoo.arrays import cells, load_arrays
from dbench.zoo.engine import EARLY, train_keys
from dbench.zoo.keys import RunKey
from dbench.zoo.score import score_runs
from dbench.zoo.store import Store
from dbench.zoo.survey import check_data
from dbench.zoo.table import load_manifest, load_runs, run_keys
from dbench.zoo.tolerance import FIRST_LOSS, OF_A_POPULATION, OUTLIERS, accepted, in_order_of_size, rounding_tolerance
from dbench.zoo.train import train_runs

RESULTS = {
    "same": "same",
    "agrees": "agrees",
    "not tested": "not tested: seeds differ as much as the table",
    "outlier": "beyond, as a few of a true rerun",
    "differs": "[red]differs[/red]",
}
"""Result of comparing a score -> how the terminal shows it; docs/zoo.md defines the results."""

_SAME_RUN = 0.5
"""Least share of scores equal to the last bit for a rerun to be no other draw, which has a few such by chance."""


def choose_runs(table: pd.DataFrame, *, number: int, seed: int) -> list[str]:
    """Draw ``number`` runs of a table without replacement, by a generator of this seed."""
    runs = sorted(table["run"].unique())
    if not 1 <= number <= len(runs):
        raise InvalidInput(f"number must lie between 1 and the {len(runs)} runs of the table, got {number}")
    chosen = seeds.generator(purpose="verify", seed=seed).choice(len(runs), size=number, replace=False)
    return [runs[i] for i in sorted(chosen)]


def verify_runs(folder: str | Path, *, number: int = 2, seed: int = 0, workers: int | None = None) -> pd.DataFrame:
    """Draw some runs of a table by ``seed``, retrain and score them in an empty store, and compare their scores.

    Returns:
        One row for each run and score, but scores that need a population: ``run``, ``name`` (objective, strength and
        seed), ``score``, ``table``, ``retrained``, ``difference``, ``tolerance`` (:mod:`dbench.zoo.tolerance`) and
        ``result``, one of :data:`RESULTS`. A run that diverged in the table or when retrained has a single row,
        ``status``.

    Raises:
        InvalidInput: the table does not exist, has fewer runs than ``number``, has scores that this version does not
            compute, or has no setting with two seeds.
        DamagedData: the table is damaged, or was made from another version of the data than is installed.
    """
    table, manifest = load_runs(folder), load_manifest(folder)
    keys = run_keys(table, manifest)
    table = load_arrays(folder, table, manifest).with_rows(table)
    chosen = [keys[digest] for digest in choose_runs(table, number=number, seed=seed)]
    rows_of = {key: table[table["run"] == key.digest] for key in chosen}
    for key, rows in rows_of.items():  # checked before training, which may take hours
        check_data(key, rows["data_sha256"].iloc[0])
    if comparable := [(key.digest, values.index) for key, rows in rows_of.items() if len(values := _values(rows))]:
        accepted(table, *comparable[0])  # raises for a table that gives no tolerances
    with tempfile.TemporaryDirectory(prefix="dbench-verify-") as folder_of_store:
        store = Store(folder_of_store)
        for step in (train_runs, score_runs):
            # Scores of half-trained runs would differ, so that a Ctrl-C would pass for bad evidence.
            if step(store, chosen, workers=workers).cancelled:
                raise KeyboardInterrupt
        return pd.concat([_verified(store, key, table, rows) for key, rows in rows_of.items()], ignore_index=True)


def verify_start(folder: str | Path, *, seed: int = 0) -> pd.DataFrame:
    """Retrain one run of a table, drawn by ``seed``, up to its last early loss in the table, and compare these losses.

    This is a cheap part of :func:`verify_runs`: a changed engine, network, key or data set shows within 100 steps.

    Raises:
        InvalidInput: the table does not exist, or has no setting with two seeds.
        EvidenceLacking: no run of the table is done and has an early loss.
        DamagedData: the table is damaged, or was made from another version of the data than is installed.
    """
    table, manifest = load_runs(folder), load_manifest(folder)
    loss_names = EARLY.values()
    losses = table[(table["status"] == "done") & table["score"].isin(loss_names)]
    if losses.empty:
        raise EvidenceLacking(f"{folder} must hold a run that is done and has {' or '.join(loss_names)}, got none")
    (digest,) = choose_runs(losses, number=1, seed=seed)
    key, rows = run_keys(table, manifest)[digest], losses[losses["run"] == digest]
    check_data(key, rows["data_sha256"].iloc[0])
    last = max(step for step, name in EARLY.items() if name in set(rows["score"]))
    retrained: dict[str, float] = {}

    def keep(state: State) -> bool:
        if state.step in EARLY:
            retrained[EARLY[state.step]] = float(state.loss[0])
        return state.step >= last

    train_keys([key], each_block=keep)
    return _compared(table, key, _values(rows), retrained)


def _values(rows: pd.DataFrame) -> pd.Series:
    """Return the scores of a run that a rerun can reproduce, by name; empty for a run that diverged."""
    values = rows.set_index("score")["value"].dropna()
    return values[[not name.startswith(OF_A_POPULATION) for name in values.index]]


def _verified(store: Store, key: RunKey, table: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Compare a retrained run of the store with its rows in the table."""
    expected, trained = rows["status"].iloc[0], store.status(key)
    if trained != expected or trained == "diverged":
        frame = _frame(key, pd.Series({"status": 1.0}), pd.Series({"status": float(trained == expected)}))
        return frame.assign(tolerance=0.0, result="same" if trained == expected else "differs")
    values = _values(rows)
    document = store.read_document("scores", key=key) or {"scores": {}}
    retrained = cells(document["scores"])
    if unknown := sorted(set(values.index) - set(retrained)):
        raise InvalidInput(
            f"scores of the table must be ones that this version computes, got {', '.join(unknown)}; verify it with "
            "the version that made it"
        )
    frame = _compared(table, key, values, retrained)
    beyond = (frame["result"] == "differs") & (frame["score"] != FIRST_LOSS)
    another_draw = (frame["result"] == "same").mean() < _SAME_RUN
    if another_draw and beyond.sum() <= OUTLIERS * len(frame):
        frame.loc[beyond, "result"] = "outlier"
    return frame


def _compared(table: pd.DataFrame, key: RunKey, values: pd.Series, retrained: Mapping[str, float]) -> pd.DataFrame:
    """Compare retrained scores with ``values`` of the table, each by its tolerance."""
    pair = pd.DataFrame([values, pd.Series(retrained)[values.index]])
    if (pair.iloc[0] != pair.iloc[1]).any():  # another draw
        pair = in_order_of_size(pair)
    frame, limits = _frame(key, pair.iloc[0], pair.iloc[1]), accepted(table, key.digest, pair.columns)
    exact = (frame["difference"] == 0).to_numpy()
    tolerance, width = (limits[name].to_numpy(copy=True) for name in ("tolerance", "range"))
    first = (frame["score"] == FIRST_LOSS).to_numpy()
    if not exact[first].all():
        tolerance[first] = rounding_tolerance(key, retrained[FIRST_LOSS], values[FIRST_LOSS])
    # Tolerances come from the table and this version, not from the manifest: evidence must not set its own criterion.
    tested = (tolerance < width) | (tolerance == 0)
    within = np.where(tested, "agrees", "not tested")
    result = np.where(exact, "same", np.where(frame["difference"] <= tolerance, within, "differs"))
    return frame.assign(tolerance=tolerance, result=result)


def _frame(key: RunKey, expected: pd.Series, retrained: pd.Series) -> pd.DataFrame:
    """Return the first columns of a comparison, up to ``difference``."""
    name = f"{key.objective} {key.strength:g} seed {key.seed}"
    frame = pd.DataFrame({"run": key.digest, "name": name, "table": expected, "retrained": retrained})
    frame = frame.rename_axis("score").reset_index()[["run", "name", "score", "table", "retrained"]]
    return frame.assign(difference=(frame["retrained"] - frame["table"]).abs())


def comparison_table(comparison: pd.DataFrame) -> Table:
    """Lay out a comparison for the terminal: every outlier and difference, else one score of each run and result."""
    numbers = ["table", "retrained", "difference", "tolerance"]
    columns = (Column(name, justify="right") for name in numbers)
    layout = Table("run", "score", *columns, "", box=None, header_style="bold")
    for (name, result), rows in comparison.groupby(["name", "result"], sort=False):
        largest_first = rows.assign(share=rows["difference"] / rows["tolerance"]).sort_values("share", ascending=False)
        show_all = result in ("outlier", "differs")
        more = "" if show_all or len(rows) == 1 else f", {len(rows) - 1} more"
        for row in largest_first[: None if show_all else 1].to_dict("records"):
            values = [f"{row[column]:.6g}" for column in numbers]
            layout.add_row(str(name), row["score"], *values, f"{RESULTS[str(result)]}{more}")
    return layout
