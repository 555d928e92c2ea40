"""Printed tables of the five papers, stored as CSV; README.md says how they were transcribed and checked."""

from functools import cache
from importlib.resources import files

import numpy as np
import pandas as pd

from dbench.errors import DamagedData, unknown_name

__all__ = ["read_table", "table_names"]

_TABLES = files("dbench_fixtures") / "published"

# Columns that hold printed figures, and counts among them; any other column but the remark is a label.
FIGURES = ("correlation", "factor_vae", "mean", "percent", "sd", "udr", "value")
COUNTS = ("comparisons", "informative", "rank", "split", "table")


def table_names() -> list[str]:
    """Return the names of the printed tables, sorted."""
    return sorted(path.name.removesuffix(".csv") for path in _TABLES.iterdir() if path.name.endswith(".csv"))


def read_table(name: str) -> pd.DataFrame:
    """Read a printed table with one row for each cell: labels are text, figures floats exactly as printed.

    Args:
        name: file name without suffix, such as ``flaws_table_2``.

    Returns:
        A copy that may be changed. A figure is missing (NaN) only where the column ``remark`` says why.

    Raises:
        UnknownName: there is no such table.
        DamagedData: the file does not say its place, lacks or repeats a cell, or holds text for a figure.
    """
    return _read(name).copy()


@cache
def _read(name: str) -> pd.DataFrame:
    path = _TABLES / f"{name}.csv"
    if name not in table_names():
        raise unknown_name("printed table", name, table_names())
    try:
        with path.open(encoding="utf-8", newline="") as file:
            if not file.readline().startswith("# "):
                raise DamagedData(f"{path.name} must begin with a comment that says its paper, table and place")
            table = pd.read_csv(file, dtype=str, keep_default_na=False)
        for column in table.columns.intersection([*FIGURES, *COUNTS]):
            table[column] = pd.to_numeric(table[column].replace("", None)).astype(
                np.int64 if column in COUNTS else np.float64
            )
    except (UnicodeDecodeError, ValueError, TypeError, pd.errors.ParserError) as error:
        raise DamagedData(f"{path.name} cannot be read: {error}") from error
    figures = table.columns.intersection(FIGURES)
    labels = table.columns.difference([*FIGURES, "remark", "rank"])
    explained = table["remark"].ne("") if "remark" in table else pd.Series(False, index=table.index)
    if not len(table) or (~np.isfinite(table[figures]).all(axis=1) & ~explained).any():
        raise DamagedData(f"{path.name} has a row without a figure and without a remark")
    if table.duplicated(list(labels)).any():
        raise DamagedData(f"{path.name} has a cell twice: {table[table.duplicated(list(labels))].iloc[0].to_dict()}")
    return table
