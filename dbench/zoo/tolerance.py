"""How far a score of a retrained run may lie from the table's, where the bits are not the same.

Such a run is another draw of the law that the seeds of its setting are drawn from; docs/zoo.md says why. The loss of
the first hundred steps is held to less: :mod:`dbench.zoo.early`.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from dbench.errors import InvalidInput

OF_A_POPULATION = ("udr.",)
"""Scores that a run has only among all others; a few retrained runs cannot tell them."""

REFUSED = 0.01
"""How often a run whose every score were drawn anew, each from a normal law, would have one beyond its tolerance."""

_OTHER_SEEDS = 9
"""What other settings say of a setting's variance counts as so many seeds of its own, for few seeds hardly tell it."""

_ROUNDING = 1e-6

_OF_A_CODE = re.compile(r"(kl\.code|irs\.(?:code|mean|one_nuisance)|relation\.[a-z_]+)\.(\d+)(\.\d+)?")


def in_order_of_size(values: pd.DataFrame) -> pd.DataFrame:
    """Sort what single codes have of each array (runs x scores), the largest first.

    The codes of two draws have no order in common: which of them holds a factor says nothing of the run.

    Example:
        >>> in_order_of_size(pd.DataFrame({"mig": [0.5], "kl.code.0": [1.0], "kl.code.1": [3.0]})).iloc[0].tolist()
        [0.5, 3.0, 1.0]
    """
    arrays = defaultdict[tuple[str, str | None], dict[int, str]](dict)
    for name in values.columns:
        if cell := _OF_A_CODE.fullmatch(name):
            arrays[cell[1], cell[3]][int(cell[2])] = name
    ordered = values.copy()
    for cells in arrays.values():
        names = [cells[code] for code in sorted(cells)]
        ordered[names] = -np.sort(-values[names].to_numpy(), axis=1)
    return ordered


def accepted(table: pd.DataFrame, run: str, scores: Iterable[str]) -> pd.DataFrame:
    """Return for each of some scores of a run that is done how far a retrained value may lie from the table's.

    The tolerance is sqrt(2), for the difference of two draws, times the standard deviation over the seeds of the run's
    setting (objective and strength) times a quantile of Student's law. The mean variance within the settings of the
    objective (of all objectives, where that has fewer degrees of freedom than nine) counts as nine further seeds.
    Scores of single codes are those of :func:`in_order_of_size`.

    Returns:
        Indexed by score: ``tolerance``, and ``range``, the width of the score over all runs of the table. A tolerance
        that is not below the range tests nothing: any run of the table would pass for this one.

    Raises:
        InvalidInput: a table without two seeds of any setting.
    """
    spread = _Spread(table, scores)
    setting = spread.runs.loc[run, ["objective", "strength"]]
    values = spread.values
    found = {"tolerance": spread.tolerances(tuple(setting))[0], "range": (values.max() - values.min()).to_numpy()}
    return pd.DataFrame(found, index=values.columns)


def strays(table: pd.DataFrame, scores: Iterable[str]) -> NDArray[np.intp]:
    """Count scores beyond their tolerance where every two runs of a setting are taken for a run and its rerun.

    Laws of scores are not normal, and many a run has some score that is rare: a code that one seed in twenty keeps. So
    true reruns have such strays, too, and this tells how many. The run that plays the rerun is left out where spreads
    are told. Returns one count for each ordered pair of runs of a setting.
    """
    spread = _Spread(table, scores)
    counts = []
    for setting, rows in spread.by_setting:
        drawn = rows.to_numpy()
        far = np.abs(drawn[None] - drawn[:, None]) > spread.tolerances(setting, without=drawn)[:, None]
        counts.append(far.sum(2)[~np.eye(len(drawn), dtype=bool)])
    return np.concatenate(counts)


class _Spread:
    """Scores of a table's runs (``values``, in order of size) and what they vary by within settings."""

    def __init__(self, table: pd.DataFrame, scores: Iterable[str]) -> None:
        names = list(scores)
        done = table[(table["status"] == "done") & table["score"].isin(names)]
        self.values = in_order_of_size(done.pivot(index="run", columns="score", values="value")[names])
        self.runs = done.drop_duplicates("run").set_index("run").loc[self.values.index]
        self.by_setting = self.values.groupby([self.runs["objective"], self.runs["strength"]])
        self._counts, self._means = self.by_setting.count(), self.by_setting.mean()
        self._freedom = (self._counts - 1).clip(lower=0)
        self._squares = self.by_setting.var(ddof=1).fillna(0.0) * self._freedom
        if not self._freedom.any(axis=None):
            raise InvalidInput("a table must hold two seeds of some setting to tell how far a rerun may lie, got one")

    def tolerances(self, setting: Hashable, *, without: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Return tolerances of a setting's scores, rows x scores; for each row of ``without`` as if it were not there.

        Infinite for a score that no two seeds of any setting have: nothing is known of it.
        """
        count, mean, own_freedom, own_squares = (
            frame.xs(setting).to_numpy()[None] for frame in (self._counts, self._means, self._freedom, self._squares)
        )
        fewer, less = np.zeros_like(own_freedom), np.zeros_like(own_squares)
        if without is not None:
            there = np.isfinite(without) & (count > 1)
            fewer = there.astype(own_freedom.dtype)
            less = np.where(there, count / np.maximum(count - 1, 1) * (without - mean) ** 2, 0.0)
        objectives = self._freedom.index.get_level_values("objective")
        like = objectives == objectives[self._freedom.index.get_loc(setting)]
        near, every = self._freedom[like].sum().to_numpy() - fewer, self._freedom.sum().to_numpy() - fewer
        few = near < _OTHER_SEEDS
        squares = np.where(few, self._squares.sum(), self._squares[like].sum()) - less
        with np.errstate(invalid="ignore", divide="ignore"):
            pooled = squares / np.where(few, every, near)
        own = own_freedom - fewer
        # What is left of a sum of squares may be less than nothing by rounding.
        variance = (_OTHER_SEEDS * pooled + own_squares - less).clip(0) / (_OTHER_SEEDS + own)
        quantile = stats.t.ppf(1 - REFUSED / self.values.shape[1] / 2, _OTHER_SEEDS + own)
        # A score that is the same for all seeds may still be rounded otherwise.
        tolerance = np.maximum(quantile * np.sqrt(2 * variance), _ROUNDING * self.values.abs().max().to_numpy())
        return np.where(np.isnan(tolerance), np.inf, tolerance)
