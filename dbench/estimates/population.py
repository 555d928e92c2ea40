"""Populations: the trained models of one evidence table, as arrays of seeds x strengths."""

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
    """Build the error for a name that a population does not hold; it suggests the nearest known name."""
    return EvidenceLacking(f"{holder} holds no {kind} {name!r}{nearest_to(name, known)}")


@dataclass(frozen=True, eq=False)
class Population:
    """Runs of one profile on one data set, from a table of ``dbench.zoo``.

    Attributes:
        name: name of the table.
        table: tidy rows, one for each run and score.
        deviations: differences of the profile from the papers, a sentence each.
        arrays: results that are arrays, such as relation matrices, of these runs and possibly others.
        rules: hashes of the rules that were frozen when the table was scored, by name of the card.
        unit: column of the units of replication; "seed" in this class means such a unit.
        setting: column that distinguishes the runs of an objective within one unit.
        left_out: seeds that do not count even if their runs are complete.
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
        """The population itself, as the only part; a pair has two."""
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
        """Return the strengths of an objective in rising order."""
        return np.sort(self._runs_of(objective)["strength"].unique())

    def seeds(self, objective: str | None = None) -> NDArray[np.int64]:
        """Return the complete seeds: those whose runs, of one objective or of all, are all present and done."""
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
        """Return strength and seed of every run of an objective that is done, sorted, also of incomplete seeds."""
        runs = self._runs_of(objective)
        runs = runs[runs["status"] == "done"]
        pairs = zip(runs["strength"], runs["seed"], strict=True)
        return sorted((float(strength), int(seed)) for strength, seed in pairs)

    def scores(self, score: str, objective: str, *, seeds: NDArray[np.int64] | None = None) -> Matrix:
        """Return a score as seeds x strengths, by default of all complete seeds of the objective.

        Raises:
            EvidenceLacking: an objective or a score that the table does not hold, or no seed is complete.
            PartlyScored: a score that some of these seeds lack.
        """
        every = self.seeds(objective)
        if (objective, score) not in self._places:
            known = {name for of_objective, name in self._places if of_objective == objective}
            raise lacking(self.name, "score", score, sorted(known))
        kept = every if seeds is None else seeds
        if len(kept) == 0:
            raise EvidenceLacking(f"{self.name} has no seed with all strengths of {objective}")
        if (objective, score) not in self._wide:
            rows = self._numbers.iloc[self._places[objective, score]]
            wide = rows.pivot(index=self.unit, columns=self.setting, values="value")
            self._wide[objective, score] = wide.index.to_numpy(), wide.to_numpy(dtype=np.float64)
        stored, values = self._wide[objective, score]
        return self._without_gaps(score, values[np.searchsorted(stored, kept)])

    def array(self, name: str, objective: str, *, seeds: NDArray[np.int64] | None = None) -> Matrix:
        """Return an array of every model as seeds x strengths x its own axes, by default of all complete seeds.

        Raises:
            EvidenceLacking: an objective that the table does not hold, an array that is not stored beside it, or
                no complete seed.
            PartlyScored: an array that some of these seeds lack.
        """
        every = self.seeds(objective)
        if name not in self.arrays.of_runs:
            raise lacking(self.name, "array", name, self.arrays.of_runs)
        kept = every if seeds is None else seeds
        if len(kept) == 0:
            raise EvidenceLacking(f"{self.name} has no seed with all strengths of {objective}")
        position = {run: n for n, run in enumerate(self.arrays.runs)}
        runs = self._runs_of(objective)
        runs = runs[runs["status"] == "done"]
        wide = runs.pivot(index=self.unit, columns=self.setting, values="run").loc[kept]
        positions = [[position[run] for run in row] for row in wide.to_numpy()]
        return self._without_gaps(name, np.asarray(self.arrays.of_runs[name][positions]))

    def _without_gaps(self, name: str, values: Matrix) -> Matrix:
        """Return the values, or raise PartlyScored: in runs that are done, NaN means that nothing was computed."""
        if np.isnan(values).any():
            raise PartlyScored(self.name, name)
        return values

    def having(self, name: str) -> Population:
        """Return the population without the seeds for which a score or an array was not computed.

        For agreements it keeps seeds that were compared with each other: the largest such group, or the first of the
        largest.

        Raises:
            EvidenceLacking: no complete seed would be left.
        """
        if name not in self._having:
            if name == AGREEMENTS:
                lacks = ~self.table[self.unit].isin(self._largest_compared_group())
            elif name in self.arrays.of_runs:
                rows = zip(self.arrays.runs, self.arrays.of_runs[name], strict=True)
                lacks = self.table["run"].isin([run for run, values in rows if np.isnan(values).any()])
            else:
                lacks = (self.table["score"] == name) & (self.table["status"] == "done") & self.table["value"].isna()
            lacking_seeds, complete = frozenset(self.table.loc[lacks, self.unit]), self.enough_seeds().tolist()
            lost = [seed for seed in complete if seed in lacking_seeds]
            if len(lost) == len(complete):
                raise EvidenceLacking(
                    f"{self.name} has no {self.unit} of which all that is asked for was scored: {name}"
                )
            why = "which UDR compares apart from them" if name == AGREEMENTS else f"of which {name} was not computed"
            deviations = self.deviations
            if lost:
                deviations += (f"{len(lost)} of {len(complete)} complete seeds left out, {why}",)
            self._having[name] = replace(self, left_out=self.left_out | lacking_seeds, deviations=deviations)
        return self._having[name]

    def agreements(self, objective: str) -> NDArray[np.float32]:
        """Return the agreement of every run of an objective with every other, runs x runs in the order of :meth:`done`.

        NaN marks runs of seeds that were not compared with each other.

        Raises:
            EvidenceLacking: no agreements of the objective are stored beside the table.
        """
        if objective not in self.arrays.agreements:
            raise lacking(self.name, "agreements of objective", objective, self.arrays.agreements)
        return self.arrays.agreements[objective]

    def _largest_compared_group(self) -> list[int]:
        """Return the largest group of complete seeds that UDR compared with each other, for every objective."""
        groups = dict[str, pd.Series]()
        for objective, matrix in self.arrays.agreements.items():
            if objective in self.objectives:
                seeds = np.array([seed for _, seed in self.done(objective)], dtype=np.int64)
                groups[objective] = compared_apart(matrix, seeds)
        complete = self.enough_seeds()
        if not groups:
            return list(complete)
        group = pd.DataFrame(groups).loc[complete].agg(tuple, axis=1)
        members = [seeds.tolist() for seeds in group.groupby(group).groups.values()]
        return max(members, key=lambda seeds: (len(seeds), -seeds[0]))

    def estimate(
        self,
        statistic: Callable[[dict[tuple[str, str], Matrix]], float],
        *,
        scores: Sequence[str],
        objectives: Sequence[str],
    ) -> Estimate:
        """Jackknife a statistic over seeds; a seed is left out of all scores and objectives at once.

        The statistic takes the scores, seeds x strengths by (score, objective), and returns a number.
        """
        n_seeds, of_seeds = self._on_seeds(statistic, scores, objectives)
        return jackknife(of_seeds, n_seeds)

    def estimates(
        self,
        statistics: Callable[[dict[tuple[str, str], Matrix]], ArrayLike],
        *,
        scores: Sequence[str],
        objectives: Sequence[str],
    ) -> list[Estimate]:
        """Do the same as :meth:`estimate` for several numbers at once; no interval is adjusted for the others."""
        n_seeds, of_seeds = self._on_seeds(statistics, scores, objectives)
        return jackknife_each(of_seeds, n_seeds)

    def estimate_over_seeds(self, statistic: Callable[[NDArray[np.int64]], float]) -> Estimate:
        """Do the same as :meth:`estimate` for values that belong to two seeds at once, such as comparisons of models.

        The statistic takes the positions of the kept seeds among the complete seeds.
        """
        return jackknife(statistic, len(self.enough_seeds()))

    def _on_seeds(
        self,
        statistic: Callable[[dict[tuple[str, str], Matrix]], Result],
        scores: Sequence[str],
        objectives: Sequence[str],
    ) -> tuple[int, Callable[[NDArray[np.int64]], Result]]:
        """Return the number of complete seeds, and the statistic as a function of the positions of kept seeds."""
        complete = self.enough_seeds()
        tables = {(s, o): self.scores(s, o, seeds=complete) for s in scores for o in objectives}
        return len(complete), lambda rows: statistic({key: table[rows] for key, table in tables.items()})

    # Claims read many of the hundred scores of a run, so the look-ups below are prepared once.

    @cached_property
    def _runs(self) -> pd.DataFrame:
        return self.table.drop_duplicates("run")

    @cached_property
    def _having(self) -> dict[str, Population]:
        """Results of :meth:`having`, by name of the score."""
        return {}

    @cached_property
    def _numbers(self) -> pd.DataFrame:
        """The columns that hold a score and its place; selecting rows is slow with the columns of text."""
        return self.table[[self.unit, self.setting, "value"]]

    @cached_property
    def _wide(self) -> dict[tuple[str, str], tuple[NDArray[np.int64], Matrix]]:
        """Scores read so far, by objective and score: the seeds, and the values as seeds x strengths."""
        return {}

    @cached_property
    def _complete(self) -> dict[str | None, NDArray[np.int64]]:
        """Complete seeds by objective; those complete for all objectives under None."""
        seeds: dict[str | None, NDArray[np.int64]] = {}
        for objective in (None, *self.objectives):
            runs = self._runs if objective is None else self._runs_of(objective)
            settings = runs[["objective", self.setting]].drop_duplicates()
            done = runs[runs["status"] == "done"].groupby(self.unit).size()
            complete = done[done == len(settings)].index
            seeds[objective] = np.sort(complete.difference(list(self.left_out)).to_numpy(dtype=np.int64))
        return seeds

    @cached_property
    def _places(self) -> dict[tuple[str, str], NDArray[np.intp]]:
        """Positions of the table's rows, by objective and score."""
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
    """Two populations of one profile on different data sets; the profile names that of the source first."""

    source: Population
    target: Population

    @property
    def parts(self) -> tuple[Population, ...]:
        """Source and target."""
        return self.source, self.target

    @property
    def name(self) -> str:
        """The names of both tables, as records show them."""
        return f"{self.source.name} and {self.target.name}"

    @property
    def deviations(self) -> tuple[str, ...]:
        """The deviations of both populations, each once."""
        return tuple(dict.fromkeys((*self.source.deviations, *self.target.deviations)))

    def having(self, name: str) -> PopulationPair:
        """Return the pair, each population without its seeds that lack a score or an array."""
        return PopulationPair(self.source.having(name), self.target.having(name))

    def of(self, objectives: Iterable[str]) -> PopulationPair:
        """Return the pair with the runs of these objectives alone."""
        chosen = list(objectives)
        return PopulationPair(self.source.of(chosen), self.target.of(chosen))
