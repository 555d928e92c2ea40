"""The trained models a claim speaks of: one evidence table, seen as seeds x strengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dbench.errors import InvalidInput, unknown_name
from dbench.stats import Estimate, jackknife_interval

__all__ = ["Population"]

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Population:
    """Runs of one profile on one data set, from a table of ``dbench.zoo``.

    Attributes:
        name: folder of the table.
        table: tidy rows, one for each run and score.
        deviations: where the profile departs from the papers.
    """

    name: str
    table: pd.DataFrame
    deviations: tuple[str, ...] = ()

    @property
    def objectives(self) -> list[str]:
        """Objectives present, sorted."""
        return sorted(self.table["objective"].unique())

    def strengths(self, objective: str) -> Matrix:
        """Strengths of an objective in rising order."""
        return np.sort(self._rows(objective)["strength"].unique())

    def seeds(self, objective: str | None = None) -> NDArray[np.int64]:
        """Seeds whose runs are all there and done, so that every strength rests on the same replicates.

        Args:
            objective: look at one objective only; all of them by default.
        """
        rows = self.table if objective is None else self._rows(objective)
        runs = rows.drop_duplicates("run")
        settings = runs[["objective", "strength"]].drop_duplicates()
        done = runs[runs["status"] == "done"].groupby("seed").size()
        return np.sort(done[done == len(settings)].index.to_numpy(dtype=np.int64))

    def scores(self, score: str, objective: str, *, seeds: NDArray[np.int64] | None = None) -> Matrix:
        """Return a score as seeds x strengths, complete seeds only.

        Raises:
            UnknownName: an objective or a score that the table does not hold.
            InvalidInput: no seed is complete.
        """
        rows = self._rows(objective)
        known = rows["score"].unique()
        if score not in known:
            raise unknown_name("score", score, known)
        kept = self.seeds(objective) if seeds is None else seeds
        if len(kept) == 0:
            raise InvalidInput(f"{self.name} must hold at least one seed with all strengths of {objective}, got none")
        wide = rows[rows["score"] == score].pivot(index="seed", columns="strength", values="value")
        return wide.loc[kept].to_numpy(dtype=np.float64)

    def interval(
        self,
        statistic: Callable[[dict[tuple[str, str], Matrix]], float],
        *,
        scores: Sequence[str],
        objectives: Sequence[str],
        confidence: float,
    ) -> Estimate:
        """Jackknife a statistic over seeds, jointly across everything that shares them.

        Args:
            statistic: takes the scores, seeds x strengths by (score, objective), and returns a number.
            scores: names of the scores it needs.
            objectives: objectives it needs.
            confidence: of the interval.
        """
        kept = self.seeds()
        if len(kept) == 0:
            raise InvalidInput(f"{self.name} must hold at least one complete seed, got none")
        tables = {(s, o): self.scores(s, o, seeds=kept) for s in scores for o in objectives}
        return jackknife_interval(
            lambda rows: statistic({key: table[rows] for key, table in tables.items()}),
            len(kept),
            confidence=confidence,
        )

    def _rows(self, objective: str) -> pd.DataFrame:
        rows = self.table[self.table["objective"] == objective]
        if rows.empty:
            raise unknown_name("objective", objective, self.objectives)
        return rows
