"""Simulated populations: worlds in which we know whether a finding holds, to try a rule on."""

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

# The size of the evidence: the unsupervised objectives with six strengths each, named by their rank.
OBJECTIVES: Mapping[str, tuple[float, ...]] = dict.fromkeys(
    ("annealed_vae", "beta_tcvae", "beta_vae", "dip_vae_i", "dip_vae_ii", "factor_vae"), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
)


class SimulatedPopulation(Population):
    """A population held as arrays, so that thousands of worlds can be judged; answers as a table would.

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
        """Strengths of an objective in rising order."""
        if objective not in self._strengths:
            raise lacking(self.name, "objective", objective, self.objectives)
        return self._strengths[objective]

    def seeds(self, objective: str | None = None) -> NDArray[np.int64]:
        """All seeds: no simulated run diverges."""
        return np.arange(len(next(iter(self._scores.values()))), dtype=np.int64)

    def done(self, objective: str) -> list[tuple[float, int]]:
        """Strength and seed of every run of an objective."""
        return [(float(strength), int(seed)) for strength in self.strengths(objective) for seed in self.seeds()]

    def scores(self, score: str, objective: str, *, seeds: NDArray[np.int64] | None = None) -> Matrix:
        """Return a score as seeds x strengths."""
        self.strengths(objective)
        if (score, objective) not in self._scores:
            raise lacking(self.name, "score", score, self.score_names)
        values = self._scores[score, objective]
        return values if seeds is None else values[seeds]

    def array(self, name: str, objective: str, *, seeds: NDArray[np.int64] | None = None) -> Matrix:
        """Put an array together from the scores of its cells, ``<name>.<index>...``.

        Those of ``kl.code`` may be named ``kl.<code>``. The axes are in the order of the indices, but a relation matrix
        is codes x factors although its cells name the factor first.
        """
        known = [
            {m[1]: m[0] for m in map(re.compile(rf"{re.escape(of)}\.((?:\d+\.)*\d+)").fullmatch, self.score_names) if m}
            for of in (name, name.removesuffix(".code"))
        ]
        found = known[0] or known[1]
        if not found:
            raise lacking(self.name, "array", name, self.score_names)
        places = {tuple(map(int, index.split("."))): cell for index, cell in found.items()}
        shape = tuple(max(place[axis] for place in places) + 1 for axis in range(len(next(iter(places)))))
        if len(places) != np.prod(shape):
            raise InvalidInput(f"{self.name} must hold every cell of {name}, got {len(places)} of {shape}")
        values = [self.scores(places[place], objective, seeds=seeds) for place in np.ndindex(shape)]
        whole = np.stack(values, axis=-1).reshape(*values[0].shape, *shape)
        return whole.swapaxes(-1, -2) if len(shape) > 1 else whole

    def agreements(self, objective: str) -> NDArray[np.float32]:
        """Put the agreements of runs together from the scores ``udr.lasso.with.<n>``."""
        runs = self.done(objective)
        columns = [self.scores(f"{AGREEMENTS}.{n}", objective).T.ravel() for n in range(len(runs))]
        return np.stack(columns, axis=1).astype(np.float32)

    def __call__(self, *asked: object) -> SimulatedPopulation:
        """Stand in for evidence that a test asks for, whatever it asks."""
        return self


class SimulatedPair(PopulationPair):
    """Two simulated populations, for a test that asks for both, or for each by the name of its data set."""

    def __call__(self, *asked: object) -> SimulatedPair | Population:
        """Return both; of dSprites the source, of any other data set the target."""
        if not asked:
            return self
        return self.source if asked == ("dsprites",) else self.target


@dataclass(frozen=True)
class Law:
    """How a score comes about: mean + trend * rank + loads on hidden qualities + seed + noise, through a shape.

    Attributes:
        mean: level of the settings.
        trend: rise from the lowest strength to the highest, in equal steps; a number or one for each objective.
        loads: weight of each hidden quality, by name. A quality is standard normal for each run; scores that load on
            the same one are related.
        seed: standard deviation of what all runs of a seed have in common, whatever objective and strength.
        noise: standard deviation of what every run has for itself.
        shape: applied to all values of a setting's runs at the end, to make counts, shares or bounded scores.
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
"""Of a number of informative codes: one in a model of six, three in the others."""


@dataclass(frozen=True)
class Simulated:
    """Trained models in which a sentence is false, as a card's ``false`` names them in the place of its evidence.

    Attributes:
        laws: law of each score.
        elsewhere: laws on a second data set, for a sentence about two.
        objectives: rising strengths of each objective.
        seeds: seeds of each setting.
    """

    laws: Mapping[str, Law]
    elsewhere: Mapping[str, Law] | None = None
    objectives: Mapping[str, Sequence[float]] = field(default_factory=lambda: OBJECTIVES)
    seeds: int = 10

    def draw(self, generator: np.random.Generator) -> SimulatedPopulation | SimulatedPair:
        """Draw the population, or both."""
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
    """Draw a population of the size of the evidence from the laws of its scores.

    Two zoos of one finding (two data sets) are two calls; what the settings do alike in both is their common mean.

    Args:
        laws: law of each score.
        generator: draws the runs.
        seeds: seeds of each setting.
        objectives: rising strengths of each objective.
    """
    strengths = {objective: np.asarray(values, dtype=np.float64) for objective, values in objectives.items()}
    needed = sorted({name for law in laws.values() for name in law.loads})
    qualities = {name: _drawn(Law(), strengths, seeds, {}, generator) for name in needed}
    found = {score: _drawn(law, strengths, seeds, qualities, generator) for score, law in laws.items()}
    scores = {(score, objective): values for score, tables in found.items() for objective, values in tables.items()}
    return SimulatedPopulation(scores, strengths)


def _drawn(
    law: Law,
    strengths: Mapping[str, Matrix],
    seeds: int,
    qualities: Mapping[str, Mapping[str, Matrix]],
    generator: np.random.Generator,
) -> dict[str, Matrix]:
    """Draw one score, seeds x strengths by objective."""
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
    if callable(mean):
        return np.asarray(mean(objective, strengths), dtype=np.float64)
    level = mean.get(objective, 0.0) if isinstance(mean, Mapping) else mean
    return np.full(len(strengths), float(level))
