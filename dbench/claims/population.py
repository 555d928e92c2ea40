"""The trained models a claim speaks of: one evidence table, seen as seeds x strengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

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
        return sorted(self._runs["objective"].unique())

    @property
    def score_names(self) -> list[str]:
        """Names of the scores present, sorted."""
        return sorted(self.table["score"].unique())

    def strengths(self, objective: str) -> Matrix:
        """Strengths of an objective in rising order."""
        return np.sort(self._runs_of(objective)["strength"].unique())

    def seeds(self, objective: str | None = None) -> NDArray[np.int64]:
        """Seeds whose runs are all there and done, so that every strength rests on the same replicates.

        Args:
            objective: look at one objective only; all of them by default.
        """
        if objective not in self._complete:
            raise unknown_name("objective", str(objective), self.objectives)
        return self._complete[objective].copy()

    def scores(self, score: str, objective: str, *, seeds: NDArray[np.int64] | None = None) -> Matrix:
        """Return a score as seeds x strengths, complete seeds only.

        Raises:
            UnknownName: an objective or a score that the table does not hold.
            InvalidInput: no seed is complete.
        """
        every = self.seeds(objective)
        if (objective, score) not in self._places:
            raise unknown_name("score", score, sorted({name for of, name in self._places if of == objective}))
        kept = every if seeds is None else seeds
        if len(kept) == 0:
            raise InvalidInput(f"{self.name} must hold at least one seed with all strengths of {objective}, got none")
        rows = self.table.iloc[self._places[objective, score]]
        wide = rows.pivot(index="seed", columns="strength", values="value")
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

    # A table has some hundred scores a run, and claims ask for many of them: what they look up is sorted out once.

    @cached_property
    def _runs(self) -> pd.DataFrame:
        """One row for each run."""
        return self.table.drop_duplicates("run")

    @cached_property
    def _complete(self) -> dict[str | None, NDArray[np.int64]]:
        """Complete seeds of each objective, and of all together."""
        found: dict[str | None, NDArray[np.int64]] = {}
        for objective in (None, *self.objectives):
            runs = self._runs if objective is None else self._runs_of(objective)
            settings = runs[["objective", "strength"]].drop_duplicates()
            done = runs[runs["status"] == "done"].groupby("seed").size()
            found[objective] = np.sort(done[done == len(settings)].index.to_numpy(dtype=np.int64))
        return found

    @cached_property
    def _places(self) -> dict[tuple[str, str], NDArray[np.intp]]:
        """Positions of the rows of each objective and score."""
        number = self.table.groupby(["objective", "score"], sort=False).ngroup().to_numpy()
        order = np.argsort(number, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
        names = self.table[["objective", "score"]].to_numpy()
        return {(str(names[part[0]][0]), str(names[part[0]][1])): part for part in parts}

    def _runs_of(self, objective: str) -> pd.DataFrame:
        runs = self._runs[self._runs["objective"] == objective]
        if runs.empty:
            raise unknown_name("objective", objective, self.objectives)
        return runs
