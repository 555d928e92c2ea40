"""What the columns and rows of a runs table must hold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dbench.errors import DamagedData

__all__ = ["COLUMNS", "REAL", "TEXT", "WHOLE", "check_columns", "check_rows"]

TEXT, WHOLE, REAL = "text", "int64", "float64"
COLUMNS: dict[str, str] = {
    "run": TEXT,
    "profile": TEXT,
    "data": TEXT,
    "objective": TEXT,
    "strength": REAL,
    "network": TEXT,
    "steps": WHOLE,
    "seed": WHOLE,
    "status": TEXT,
    "score": TEXT,
    "value": REAL,
    "commit": TEXT,
    "versions": TEXT,
    "device": TEXT,
    "precision": TEXT,
    "data_sha256": TEXT,
    "trained_seconds": REAL,
    "trained_utc": TEXT,
}
"""Columns of the table and the kind of value each holds."""


def check_columns(table: pd.DataFrame, path: Path) -> None:
    """Check that a table has the columns of :data:`COLUMNS` and no others, and that each holds its kind of value.

    Raises:
        DamagedData: it has not; ``path`` is for the message.
    """
    if missing := [name for name in COLUMNS if name not in table]:
        raise DamagedData(f"{path} lacks the columns {', '.join(missing)}")
    if unknown := sorted(str(name) for name in set(table) - set(COLUMNS)):
        raise DamagedData(f"{path} has columns that no runs table has: {', '.join(unknown)}")
    for name, kind in COLUMNS.items():
        column = table[name]
        right = pd.api.types.is_string_dtype(column) if kind == TEXT else column.dtype == kind
        if not right:
            raise DamagedData(f"{path}: column {name} must hold {kind}, got {column.dtype}")
        if name != "value" and column.isna().any():
            raise DamagedData(f"{path}: column {name} must be filled, got {int(column.isna().sum())} missing entries")


def check_rows(table: pd.DataFrame, manifest: Mapping[str, Any], path: Path) -> None:
    """Check statuses, and that every run has one row for each score: finite where it is done, missing where not.

    Raises:
        DamagedData: rows that break this, or differ from what the manifest counts; ``path`` is for the message.
    """
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
