"""How far another training seed moves a score, measured in the tables of trained models that come with dbench."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dbench.errors import find
from dbench.files import readable

SHIPPED = Path(str(files("dbench_fixtures") / "evidence"))
LARGEST = "micro-dsprites_grid_16"
"""The table of 1,800 models, fifty seeds of each setting."""

LEVEL = 0.95
"""Share of the pairs of seeds that differ by no more than the smallest reliable difference."""

SETTING = ("objective", "strength")

# Metrics that have another name in the tables. Their dci is that of a forest; they have none of exact boosted trees.
_NAMES: Mapping[str, str | None] = {
    "code_mutual_information": "mutual_information.mean",
    "dci": None,
    "dci[forest]": "dci",
    "downstream": "downstream.logistic.10000",
    "gaussian_total_correlation": "gaussian_tc.mean",
    "gaussian_total_correlation[active]": "gaussian_tc.mean.active",
    "gaussian_total_correlation[sampled]": "gaussian_tc.sampled",
    "informative_codes": "kl.informative",
    "sap[r2]": "sap.r2",
}


def tables() -> dict[str, Path]:
    """Return the runs tables that come with dbench, by name."""
    return {path.parent.name: path for path in sorted(SHIPPED.glob("*/runs.parquet"))}


def score_name(metric: str) -> str | None:
    """Return the name in the tables of a metric of ``dbench score`` with the same options; None if they lack it."""
    return _NAMES.get(metric, metric)


def differences_of_seeds(values: pd.DataFrame) -> NDArray[np.float64]:
    """Return the absolute differences of all pairs of runs that share a setting, over all settings.

    Args:
        values: one row for each run, with ``objective``, ``strength`` and ``value``.
    """
    differences = [np.zeros(0)]
    for _, runs in values.groupby(list(SETTING)):
        scores = runs["value"].to_numpy(dtype=np.float64)
        first, second = np.triu_indices(len(scores), 1)
        differences.append(np.abs(scores[first] - scores[second]))
    return np.concatenate(differences)


@cache
def read_scores(table: str) -> Mapping[str, pd.DataFrame]:
    """Return the runs of a table that comes with dbench, with their values, as one frame by name of the score.

    Raises:
        UnknownName: no such table.
        DamagedData: a table that cannot be read.
    """
    path = find("table", table, tables())
    with readable(f"{table}/{path.name}", " as a table of runs"):
        frame = pd.read_parquet(path, columns=[*SETTING, "seed", "score", "value"]).dropna()
        parts: Any = frame.groupby("score")
        return {str(name): rows for name, rows in parts}


def smallest_reliable_difference(metric: str, table: str = LARGEST) -> float | None:
    """Return the difference in a score that two models trained alike, except for their seeds, exceed in 1 case of 20.

    It is the 95% quantile of the absolute differences of two runs of one objective and strength, over all such pairs
    of a table. The quantile of a normal law with the pooled deviation, 1.96 sqrt(2) s, would be exceeded more often,
    since some settings spread more than others.

    Args:
        metric: its name in ``dbench score``, such as ``sap[r2]``.
        table: a folder of fixtures/evidence.

    Returns:
        A number; None where the table has no such score, or no two seeds of one setting.

    Raises:
        UnknownName: no such table.

    Example:
        >>> round(smallest_reliable_difference("mig"), 2)
        0.15
    """
    scores, name = read_scores(table), score_name(metric)
    if name is None or name not in scores:
        return None
    pairs = differences_of_seeds(scores[name])
    return float(np.quantile(pairs, LEVEL)) if len(pairs) else None
