"""The trained models a claim speaks of: one evidence table, seen as seeds x strengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from dbench.errors import EvidenceLacking, nearest_to
from dbench.estimates.partly_scored import PartlyScored
from dbench.stats import Estimate, jackknife, jackknife_each
from dbench.zoo.arrays import AGREEMENTS, RunArrays, compared_apart

Matrix = NDArray[np.float64]
Result = TypeVar("Result")


def lacking(holder: str, kind: str, name: str, known: Iterable[str]) -> EvidenceLacking:
    """Build the error for what a population does not hold, with the nearest it does."""
    return EvidenceLacking(f"{holder} holds no {kind} {name!r}{nearest_to(name, known)}")


@dataclass(frozen=True, eq=False)
class Population:
    """Runs of one profile on one data set, from a table of ``dbench.zoo``.

    Attributes:
        table: tidy rows, one for each run and score.
        deviations: where the profile departs from the papers.
        arrays: scores that are no single numbers, of these runs and possibly others.
        rules: hashes of the rules that were frozen when the table was scored, by name of the card.
        unit: column that numbers the units of replication; what is said of seeds here is said of these.
        setting: column that tells the runs of an objective in one unit apart.
        left_out: seeds that do not count, whatever is there of them.
    """

    name: str
    table: pd.DataFrame
    deviations: tuple[str, ...] = ()
    arrays: RunArrays = field(default_factory=RunArrays)
    rules: Mapping[str, str] = field(default_factory=dict)
    unit: str = "seed"
    setting: str = "strength"
    left_out: frozenset[int] = frozenset()

    @property
    def parts(self) -> tuple[Population, ...]:
        """The population itself; a pair has two."""
        return (self,)

    @property
    def objectives(self) -> list[str]:
        """Objectives present, sorted."""
        return sorted(self._runs["objective"].unique())

    @property
    def score_names(self) -> list[str]:
        """Names of the scores present, sorted."""
        return sorted(self.table["score"].unique())

    def of(self, objectives: Iterable[str]) -> Population:
        """Return the runs of these objectives alone."""
        return replace(self, table=self.table[self.table["objective"].isin(list(objectives))])

    def strengths(self, objective: str) -> Matrix:
        """Strengths of an objective in rising order."""
        return np.sort(self._runs_of(objective)["strength"].unique())

    def seeds(self, objective: str | None = None) -> NDArray[np.int64]:
        """Seeds whose runs, of one objective or of all, are there and done."""
        if objective not in self._complete:
            raise lacking(self.name, "objective", str(objective), self.objectives)
        return self._complete[objective].copy()

    def enough_seeds(self, least: int = 1) -> NDArray[np.int64]:
        """Return the seeds that are complete for all objectives.

        Raises:
            EvidenceLacking: fewer than ``least``.
        """
        kept = self.seeds()
        if len(kept) < least:
            raise EvidenceLacking(f"{self.name} must have {least} or more complete {self.unit}s, got {len(kept)}")
        return kept

    def done(self, objective: str) -> list[tuple[float, int]]:
        """Strength and seed of every run of an objective that is done, sorted; those of incomplete seeds too."""
        runs = self._runs_of(objective)
        runs = runs[runs["status"] == "done"]
        return sorted((float(s), int(n)) for s, n in zip(runs["strength"], runs["seed"], strict=True))

    def scores(self, score: str, objective: str, *, seeds: NDArray[np.int64] | None = None) -> Matrix:
        """Return a score as seeds x strengths, complete seeds only.

        Raises:
            EvidenceLacking: an objective or a score that the table does not hold, or no seed is complete.
            PartlyScored: a score that some of these seeds lack.
        """
        every = self.seeds(objective)
        if (objective, score) not in self._places:
            raise lacking(self.name, "score", score, sorted({name for of, name in self._places if of == objective}))
        kept = every if seeds is None else seeds
        if len(kept) == 0:
            raise EvidenceLacking(f"{self.name} has no seed with all strengths of {objective}")
        if (objective, score) not in self._wide:
            rows = self._numbers.iloc[self._places[objective, score]]
            wide = rows.pivot(index=self.unit, columns=self.setting, values="value")
            self._wide[objective, score] = wide.index.to_numpy(), wide.to_numpy(dtype=np.float64)
        there, values = self._wide[objective, score]
        return self._whole(score, values[np.searchsorted(there, kept)])

    def array(self, name: str, objective: str, *, seeds: NDArray[np.int64] | None = None) -> Matrix:
        """Return an array of every model as seeds x strengths x its own axes, complete seeds only.

        Raises:
            EvidenceLacking: an objective that the table does not hold, an array that does not lie beside it, or no
                complete seed.
            PartlyScored: an array that some of these seeds lack.
        """
        every = self.seeds(objective)
        if name not in self.arrays.of_runs:
            raise lacking(self.name, "array", name, self.arrays.of_runs)
        kept = every if seeds is None else seeds
        if len(kept) == 0:
            raise EvidenceLacking(f"{self.name} has no seed with all strengths of {objective}")
        number = {run: n for n, run in enumerate(self.arrays.runs)}
        runs = self._runs_of(objective)
        runs = runs[runs["status"] == "done"]
        wide = runs.pivot(index=self.unit, columns=self.setting, values="run").loc[kept]
        rows = [[number[run] for run in row] for row in wide.to_numpy()]
        return self._whole(name, np.asarray(self.arrays.of_runs[name][rows]))

    def _whole(self, name: str, values: Matrix) -> Matrix:
        if np.isnan(values).any():  # runs of complete seeds are done, and what was computed of them is a number
            raise PartlyScored(self.name, name)
        return values

    def having(self, name: str) -> Population:
        """Return the population without the seeds of which a score or an array was not computed.

        Of agreements those seeds are left that were compared with each other; of several such parts the largest, or
        the first of the largest.

        Raises:
            EvidenceLacking: that is all of them.
        """
        if name not in self._having:
            if name == AGREEMENTS:
                lacks = ~self.table[self.unit].isin(self._largest_part())
            elif name in self.arrays.of_runs:
                rows = zip(self.arrays.runs, self.arrays.of_runs[name], strict=True)
                lacks = self.table["run"].isin([run for run, values in rows if np.isnan(values).any()])
            else:
                lacks = (self.table["score"] == name) & (self.table["status"] == "done") & self.table["value"].isna()
            without, complete = frozenset(self.table.loc[lacks, self.unit]), self.enough_seeds().tolist()
            lost = [seed for seed in complete if seed in without]
            if len(lost) == len(complete):
                raise EvidenceLacking(
                    f"{self.name} has no {self.unit} of which all that is asked for was scored: {name}"
                )
            why = "which UDR compares apart from them" if name == AGREEMENTS else f"of which {name} was not computed"
            said = (f"{len(lost)} of {len(complete)} complete seeds left out, {why}",)
            self._having[name] = replace(
                self, left_out=self.left_out | without, deviations=self.deviations + (said if lost else ())
            )
        return self._having[name]

    def agreements(self, objective: str) -> NDArray[np.float32]:
        """Return the agreement of every run of an objective that is done with every other, as :meth:`done` sorts them.

        They are missing (NaN) between seeds that were compared apart.

        Raises:
            EvidenceLacking: they do not lie beside the table.
        """
        if objective not in self.arrays.agreements:
            raise lacking(self.name, "agreements of objective", objective, self.arrays.agreements)
        return self.arrays.agreements[objective]

    def _largest_part(self) -> list[int]:
        of_objectives = dict[str, pd.Series]()
        for objective, matrix in self.arrays.agreements.items():
            if objective in self.objectives:
                seeds = np.array([seed for _, seed in self.done(objective)], dtype=np.int64)
                of_objectives[objective] = compared_apart(matrix, seeds)
        complete = self.enough_seeds()
        if not of_objectives:
            return list(complete)
        part = pd.DataFrame(of_objectives).loc[complete].agg(tuple, axis=1)
        members = [seeds.tolist() for seeds in part.groupby(part).groups.values()]
        return max(members, key=lambda seeds: (len(seeds), -seeds[0]))

    def estimate(
        self,
        statistic: Callable[[dict[tuple[str, str], Matrix]], float],
        *,
        scores: Sequence[str],
        objectives: Sequence[str],
    ) -> Estimate:
        """Jackknife a statistic over seeds, jointly across everything that shares them.

        It takes the scores, seeds x strengths by (score, objective), and returns a number.
        """
        n_seeds, of_seeds = self._leaving_out(statistic, scores, objectives)
        return jackknife(of_seeds, n_seeds)

    def estimates(
        self,
        statistics: Callable[[dict[tuple[str, str], Matrix]], ArrayLike],
        *,
        scores: Sequence[str],
        objectives: Sequence[str],
    ) -> list[Estimate]:
        """Do what :meth:`estimate` does for several statistics at once; each interval stands alone."""
        n_seeds, of_seeds = self._leaving_out(statistics, scores, objectives)
        return jackknife_each(of_seeds, n_seeds)

    def estimate_over_seeds(self, statistic: Callable[[NDArray[np.int64]], float]) -> Estimate:
        """Do what :meth:`estimate` does for what belongs to two seeds at once, such as comparisons of models.

        The statistic takes the positions of the seeds kept, among the complete ones.
        """
        return jackknife(statistic, len(self.enough_seeds()))

    def _leaving_out(
        self,
        statistic: Callable[[dict[tuple[str, str], Matrix]], Result],
        scores: Sequence[str],
        objectives: Sequence[str],
    ) -> tuple[int, Callable[[NDArray[np.int64]], Result]]:
        kept = self.enough_seeds()
        tables = {(s, o): self.scores(s, o, seeds=kept) for s in scores for o in objectives}
        return len(kept), lambda rows: statistic({key: table[rows] for key, table in tables.items()})

    # Claims ask for many of the hundred scores of a run: what they look up is sorted out once.

    @cached_property
    def _runs(self) -> pd.DataFrame:
        return self.table.drop_duplicates("run")

    @cached_property
    def _having(self) -> dict[str, Population]:
        """Populations without the seeds that lack a score, by its name."""
        return {}

    @cached_property
    def _numbers(self) -> pd.DataFrame:
        """The columns of the table that hold a score, without the texts, which take long to pick from."""
        return self.table[[self.unit, self.setting, "value"]]

    @cached_property
    def _wide(self) -> dict[tuple[str, str], tuple[NDArray[np.int64], Matrix]]:
        """Scores that were asked for, by objective and score: their seeds, and seeds x strengths."""
        return {}

    @cached_property
    def _complete(self) -> dict[str | None, NDArray[np.int64]]:
        """Complete seeds of each objective, and of all together."""
        found: dict[str | None, NDArray[np.int64]] = {}
        for objective in (None, *self.objectives):
            runs = self._runs if objective is None else self._runs_of(objective)
            settings = runs[["objective", self.setting]].drop_duplicates()
            done = runs[runs["status"] == "done"].groupby(self.unit).size()
            complete = done[done == len(settings)].index
            found[objective] = np.sort(complete.difference(list(self.left_out)).to_numpy(dtype=np.int64))
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
            raise lacking(self.name, "objective", objective, self.objectives)
        return runs


@dataclass(frozen=True, eq=False)
class PopulationPair:
    """Two populations of one profile; the source is on the data set that the profile names first."""

    source: Population
    target: Population

    @property
    def parts(self) -> tuple[Population, ...]:
        """Both."""
        return self.source, self.target

    @property
    def name(self) -> str:
        """Both tables, as records show them."""
        return f"{self.source.name} and {self.target.name}"

    @property
    def deviations(self) -> tuple[str, ...]:
        """Those of either, each once."""
        return tuple(dict.fromkeys((*self.source.deviations, *self.target.deviations)))

    def having(self, name: str) -> PopulationPair:
        """Return the pair without the seeds that lack a score or an array."""
        return PopulationPair(self.source.having(name), self.target.having(name))

    def of(self, objectives: Iterable[str]) -> PopulationPair:
        """Return the pair of the runs of these objectives alone."""
        chosen = list(objectives)
        return PopulationPair(self.source.of(chosen), self.target.of(chosen))
