"""Simulated populations, in which it is known whether a finding holds, to test decision rules on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from dbench.errors import InvalidInput
from dbench.estimates.population import Population, PopulationPair, lacking
from dbench.zoo.arrays import AGREEMENTS, RunArrays

Matrix = NDArray[np.float64]
# One number for all settings, one for each objective, or a function of the objective and its strengths.
Level = float | Mapping[str, float] | Callable[[str, Matrix], Matrix]

# As many as in the evidence: the unsupervised objectives with six strengths each, which are ranks here.
OBJECTIVES: Mapping[str, tuple[float, ...]] = dict.fromkeys(
    ("annealed_vae", "beta_tcvae", "beta_vae", "dip_vae_i", "dip_vae_ii", "factor_vae"), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
)


class SimulatedPopulation(Population):
    """A population whose scores are arrays, so that thousands can be judged; it has the methods of a table's.

    Args:
        scores: seeds x strengths by (score, objective); all objectives have all scores.
        strengths: rising strengths of each objective.
    """

    _scores: Mapping[tuple[str, str], Matrix]
    _strengths: Mapping[str, Matrix]

    def __init__(self, scores: Mapping[tuple[str, str], Matrix], strengths: Mapping[str, ArrayLike]) -> None:
        rising = {objective: np.asarray(values, dtype=np.float64) for objective, values in strengths.items()}
        vars(self).update(name="simulated", arrays=RunArrays())
        vars(self).update(_scores=dict(scores), _strengths=rising)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The same scores as tidy rows, one for each run and score."""
        frames = [
            pd.DataFrame(
                {
                    "run": [f"{objective}-{strength:g}-{seed}" for strength in self._strengths[objective]],
                    "objective": objective,
                    "strength": self._strengths[objective],
                    "seed": seed,
                    "status": "done",
                    "score": score,
                    "value": row,
                }
            )
            for (score, objective), values in self._scores.items()
            for seed, row in enumerate(values)
        ]
        return pd.concat(frames, ignore_index=True)

    @property
    def objectives(self) -> list[str]:
        """Objectives present, sorted."""
        return sorted(self._strengths)

    @property
    def score_names(self) -> list[str]:
        """Names of the scores present, sorted."""
        return sorted({score for score, _ in self._scores})

    def of(self, objectives: Iterable[str]) -> SimulatedPopulation:
        """Return the runs of these objectives alone."""
        chosen = set(objectives)
        return SimulatedPopulation(
            {key: values for key, values in self._scores.items() if key[1] in chosen},
            {objective: values for objective, values in self._strengths.items() if objective in chosen},
        )

    def strengths(self, objective: str) -> Matrix:
        """Return the strengths of an objective in rising order."""
        if objective not in self._strengths:
            raise lacking(self.name, "objective", objective, self.objectives)
        return self._strengths[objective]

    def seeds(self, objective: str | None = None) -> NDArray[np.int64]:
        """Return all seeds, because no simulated run diverges."""
        return np.arange(len(next(iter(self._scores.values()))), dtype=np.int64)

    def done(self, objective: str) -> list[tuple[float, int]]:
        """Return strength and seed of every run of an objective."""
        return [(float(strength), int(seed)) for strength in self.strengths(objective) for seed in self.seeds()]

    def scores(self, score: str, objective: str, *, seeds: NDArray[np.int64] | None = None) -> Matrix:
        """Return a score as seeds x strengths."""
        self.strengths(objective)
        if (score, objective) not in self._scores:
            raise lacking(self.name, "score", score, self.score_names)
        values = self._scores[score, objective]
        return values if seeds is None else values[seeds]

    def array(self, name: str, objective: str, *, seeds: NDArray[np.int64] | None = None) -> Matrix:
        """Build an array from the scores of its cells, which are named ``<name>.<index>...``.

        The cells of ``kl.code`` may be named ``kl.<code>``. The axes are in the order of the indices, except that the
        last two are swapped: a relation matrix is codes x factors, but its cells name the factor first.
        """
        cells = self._cells(name) or self._cells(name.removesuffix(".code"))
        if not cells:
            raise lacking(self.name, "array", name, self.score_names)
        n_axes = len(next(iter(cells)))
        shape = tuple(max(index[axis] for index in cells) + 1 for axis in range(n_axes))
        if len(cells) != np.prod(shape):
            raise InvalidInput(f"{self.name} must hold every cell of {name}, got {len(cells)} of {shape}")
        values = [self.scores(cells[index], objective, seeds=seeds) for index in np.ndindex(shape)]
        whole = np.stack(values, axis=-1).reshape(*values[0].shape, *shape)
        return whole.swapaxes(-1, -2) if len(shape) > 1 else whole

    def _cells(self, name: str) -> dict[tuple[int, ...], str]:
        """Return the scores that are named ``<name>.<index>...``, by their indices."""
        matches = map(re.compile(rf"{re.escape(name)}\.((?:\d+\.)*\d+)").fullmatch, self.score_names)
        return {tuple(map(int, match[1].split("."))): match[0] for match in matches if match}

    def agreements(self, objective: str) -> NDArray[np.float32]:
        """Build the agreements of runs, runs x runs, from the scores ``udr.lasso.with.<n>``."""
        runs = self.done(objective)
        columns = [self.scores(f"{AGREEMENTS}.{n}", objective).T.ravel() for n in range(len(runs))]
        return np.stack(columns, axis=1).astype(np.float32)

    def __call__(self, *asked: object) -> SimulatedPopulation:
        """Return itself, in the place of evidence that a test asks for by any name."""
        return self


class SimulatedPair(PopulationPair):
    """Two simulated populations, for a test that asks for both or for one by the name of its data set."""

    def __call__(self, *asked: object) -> SimulatedPair | Population:
        """Return both without a name, the source for dSprites, and the target for any other data set."""
        if not asked:
            return self
        return self.source if asked == ("dsprites",) else self.target


@dataclass(frozen=True)
class Law:
    """The law of a score: shape(mean + trend * rank + loads on hidden qualities + seed + noise).

    Attributes:
        mean: level of the settings.
        trend: rise from the lowest strength to the highest, in equal steps; one number, or one for each objective.
        loads: weight of each hidden quality, by name. A quality is standard normal in each run; scores that load on
            the same quality are correlated.
        seed: standard deviation of the effect that all runs of a seed share, over all objectives and strengths.
        noise: standard deviation of the independent noise of each run.
        shape: function applied to the sum, which makes counts, shares or bounded scores of it.
    """

    mean: Level = 0.0
    trend: float | Mapping[str, float] = 0.0
    loads: Mapping[str, float] = field(default_factory=dict)
    seed: float = 0.0
    noise: float = 1.0
    shape: Callable[[Matrix], Matrix] = np.asarray


def _one_or_three(values: Matrix) -> Matrix:
    return np.where(values > 0, 3.0, 1.0)


ONE_IN_SIX_COLLAPSED = Law(mean=1.0, shape=_one_or_three)
"""Law of a number of informative codes: one in six models has one, the others have three."""


@dataclass(frozen=True)
class Simulated:
    """Laws of trained models for which a sentence is false; a card's ``false`` names them instead of its evidence.

    Attributes:
        laws: law of each score.
        elsewhere: laws on a second data set, for a sentence about two data sets.
        objectives: rising strengths of each objective.
        seeds: number of seeds of each setting.
    """

    laws: Mapping[str, Law]
    elsewhere: Mapping[str, Law] | None = None
    objectives: Mapping[str, Sequence[float]] = field(default_factory=lambda: OBJECTIVES)
    seeds: int = 10

    def draw(self, generator: np.random.Generator) -> SimulatedPopulation | SimulatedPair:
        """Draw the population, or both populations if there are laws on a second data set."""
        drawn = [
            simulated_zoo(laws, generator=generator, seeds=self.seeds, objectives=self.objectives)
            for laws in (self.laws, self.elsewhere)
            if laws is not None
        ]
        return drawn[0] if self.elsewhere is None else SimulatedPair(*drawn)


def simulated_zoo(
    laws: Mapping[str, Law],
    *,
    generator: np.random.Generator,
    seeds: int = 10,
    objectives: Mapping[str, Sequence[float]] = OBJECTIVES,
) -> SimulatedPopulation:
    """Draw a population from the laws of its scores, by default as large as the evidence.

    A finding on two data sets takes two calls; an effect of the settings that both share is given by a common ``mean``.

    Args:
        laws: law of each score.
        generator: draws the runs.
        seeds: number of seeds of each setting.
        objectives: rising strengths of each objective.
    """
    strengths = {objective: np.asarray(values, dtype=np.float64) for objective, values in objectives.items()}
    names = sorted({name for law in laws.values() for name in law.loads})
    qualities = {name: _drawn(Law(), strengths, seeds, {}, generator) for name in names}
    drawn = {score: _drawn(law, strengths, seeds, qualities, generator) for score, law in laws.items()}
    scores = {(score, objective): values for score, tables in drawn.items() for objective, values in tables.items()}
    return SimulatedPopulation(scores, strengths)


def _drawn(
    law: Law,
    strengths: Mapping[str, Matrix],
    seeds: int,
    qualities: Mapping[str, Mapping[str, Matrix]],
    generator: np.random.Generator,
) -> dict[str, Matrix]:
    """Draw one score or hidden quality: seeds x strengths by objective."""
    common = law.seed * generator.standard_normal((seeds, 1))
    tables = {}
    for objective, values in strengths.items():
        rise = law.trend if isinstance(law.trend, (int, float)) else law.trend.get(objective, 0.0)
        centre = _level(law.mean, objective, values) + rise * np.linspace(0, 1, len(values))
        table = centre + common + law.noise * generator.standard_normal((seeds, len(values)))
        for name, load in law.loads.items():
            table = table + load * qualities[name][objective]
        tables[objective] = np.asarray(law.shape(table), dtype=np.float64)
    return tables


def _level(mean: Level, objective: str, strengths: Matrix) -> Matrix:
    """Return the mean of each strength of an objective; 0 for an objective that a mapping does not name."""
    if callable(mean):
        return np.asarray(mean(objective, strengths), dtype=np.float64)
    level = mean.get(objective, 0.0) if isinstance(mean, Mapping) else mean
    return np.full(len(strengths), float(level))
