"""Verify evidence: retrain a few of its runs from their keys alone and compare every score."""

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
"""What a comparison of a score may come to -> what is shown of it; docs/zoo.md says what decides."""

_SAME_RUN = 0.5
"""Share of scores equal to the last bit from which on a run is the same one: another draw has a few by chance."""


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
        seed), ``score``, ``table``, ``retrained``, ``difference``, ``tolerance`` (:mod:`dbench.zoo.tolerance`) and
        ``result``, one of :data:`RESULTS`. A run that diverged in the table or when retrained has the row ``status``
        alone.

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
        check_data(key, rows["data_sha256"].iloc[0])
    if known := [(key.digest, values.index) for key, rows in of_run.items() if len(values := _values(rows))]:
        accepted(table, *known[0])  # refuses a table that says nothing of reruns
    with tempfile.TemporaryDirectory(prefix="dbench-verify-") as place:
        store = Store(place)
        for step in (train_runs, score_runs):
            # Half-trained runs compare with nothing: a Ctrl-C must not pass for evidence that differs.
            if step(store, chosen, workers=workers).cancelled:
                raise KeyboardInterrupt
        return pd.concat([_verified(store, key, table, rows) for key, rows in of_run.items()], ignore_index=True)


def verify_start(folder: str | Path, *, seed: int = 0) -> pd.DataFrame:
    """Retrain one run of a table, drawn by ``seed``, for as many steps as its early losses are known; compare these.

    A cheap part of :func:`verify_runs`: a changed engine, network, key or data set shows within a hundred steps.

    Raises:
        InvalidInput: no such table, or no two seeds of any setting.
        EvidenceLacking: none of its runs is done and has an early loss.
        DamagedData: the table is damaged, or was made from other data than is installed.
    """
    table, manifest = load_runs(folder), load_manifest(folder)
    early = EARLY.values()
    known = table[(table["status"] == "done") & table["score"].isin(early)]
    if known.empty:
        raise EvidenceLacking(f"{folder} must hold a run that is done and has {' or '.join(early)}, got none")
    (digest,) = choose_runs(known, number=1, seed=seed)
    key, rows = run_keys(table, manifest)[digest], known[known["run"] == digest]
    check_data(key, rows["data_sha256"].iloc[0])
    last = max(step for step, name in EARLY.items() if name in set(rows["score"]))
    found: dict[str, float] = {}

    def keep(state: State) -> bool:
        if state.step in EARLY:
            found[EARLY[state.step]] = float(state.loss[0])
        return state.step >= last

    train_keys([key], each_block=keep)
    return _compared(table, key, _values(rows), found)


def _values(rows: pd.DataFrame) -> pd.Series:
    """Scores of a run that a rerun has, too, by name; none of one that diverged."""
    values = rows.set_index("score")["value"].dropna()
    return values[[not name.startswith(OF_A_POPULATION) for name in values.index]]


def _verified(store: Store, key: RunKey, table: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    expected, trained = rows["status"].iloc[0], store.status(key)
    if trained != expected or trained == "diverged":
        frame = _frame(key, pd.Series({"status": 1.0}), pd.Series({"status": float(trained == expected)}))
        return frame.assign(tolerance=0.0, result="same" if trained == expected else "differs")
    values = _values(rows)
    found = cells((store.read_document("scores", key=key) or {"scores": {}})["scores"])
    if unknown := sorted(set(values.index) - set(found)):
        raise InvalidInput(
            f"scores of the table must be ones that this version computes, got {', '.join(unknown)}; verify it with "
            "the version that made it"
        )
    frame = _compared(table, key, values, found)
    beyond = (frame["result"] == "differs") & (frame["score"] != FIRST_LOSS)
    another_draw = (frame["result"] == "same").mean() < _SAME_RUN
    if another_draw and beyond.sum() <= OUTLIERS * len(frame):
        frame.loc[beyond, "result"] = "outlier"
    return frame


def _compared(table: pd.DataFrame, key: RunKey, values: pd.Series, found: Mapping[str, float]) -> pd.DataFrame:
    """Hold scores found against those of the table, each to its tolerance."""
    both = pd.DataFrame([values, pd.Series(found)[values.index]])
    if (both.iloc[0] != both.iloc[1]).any():  # another draw
        both = in_order_of_size(both)
    frame, limits = _frame(key, both.iloc[0], both.iloc[1]), accepted(table, key.digest, both.columns)
    exact = (frame["difference"] == 0).to_numpy()
    tolerance, width = (limits[name].to_numpy(copy=True) for name in ("tolerance", "range"))
    first = (frame["score"] == FIRST_LOSS).to_numpy()
    if not exact[first].all():
        tolerance[first] = rounding_tolerance(key, found[FIRST_LOSS], values[FIRST_LOSS])
    # By the table and this version, not by the manifest: the evidence must not set the measure it is held to.
    tested = (tolerance < width) | (tolerance == 0)
    agrees = np.where(tested, "agrees", "not tested")
    result = np.where(exact, "same", np.where(frame["difference"] <= tolerance, agrees, "differs"))
    return frame.assign(tolerance=tolerance, result=result)


def _frame(key: RunKey, expected: pd.Series, retrained: pd.Series) -> pd.DataFrame:
    name = f"{key.objective} {key.strength:g} seed {key.seed}"
    frame = pd.DataFrame({"run": key.digest, "name": name, "table": expected, "retrained": retrained})
    frame = frame.rename_axis("score").reset_index()[["run", "name", "score", "table", "retrained"]]
    return frame.assign(difference=(frame["retrained"] - frame["table"]).abs())


def comparison_table(comparison: pd.DataFrame) -> Table:
    """Lay out a comparison for the terminal: what differs score by score, and of all else of a run the furthest."""
    numbers = ["table", "retrained", "difference", "tolerance"]
    columns = (Column(name, justify="right") for name in numbers)
    shown = Table("run", "score", *columns, "", box=None, header_style="bold")
    for (name, result), rows in comparison.groupby(["name", "result"], sort=False):
        furthest_first = rows.assign(share=rows["difference"] / rows["tolerance"]).sort_values("share", ascending=False)
        one_by_one = result in ("outlier", "differs")
        more = "" if one_by_one or len(rows) == 1 else f", {len(rows) - 1} more"
        for row in furthest_first[: None if one_by_one else 1].to_dict("records"):
            shown.add_row(
                str(name), row["score"], *(f"{row[one]:.6g}" for one in numbers), f"{RESULTS[str(result)]}{more}"
            )
    return shown
