"""Statistics of the models for which a score is defined, where some are without it, such as those with collapsed codes.

A model left out leaves a hole in its seed's sweep, and nothing is filled in: seeds and strengths count where at least
half is left. What is left where fewer remain would be about other models than the claim.
"""

import math

import numpy as np
from numpy.typing import NDArray

from dbench.errors import EvidenceLacking
from dbench.estimates.population import Population

Mask = NDArray[np.bool_]
# A score and the least value of it that a model must have to be counted.
Among = tuple[str, float]

SEVERAL_ACTIVE: Among = ("kl.informative", 2.0)
"""Models of at least two informative codes: fewer have no total correlation, and tables hold 0 for them."""

# Fewer seeds leave nothing to leave out.
_FEWEST = 3


def half_of(number: int, *, least: int = 1) -> int:
    """Half of a number, rounded up, and no less than ``least``."""
    return max(least, math.ceil(number / 2))


def left_of(population: Population, objective: str, among: Among, *, seeds: NDArray[np.int64] | None = None) -> Mask:
    """Which models of an objective count, seeds x strengths; by default the population's complete seeds."""
    chosen = population.seeds() if seeds is None else seeds
    return np.asarray(population.scores(among[0], objective, seeds=chosen) >= among[1])


def rows_with(population: Population, left: Mask, among: Among, *, least: int = 1) -> NDArray[np.intp]:
    """Return the rows, seeds, that have at least half of their columns, settings, left, and no fewer than ``least``.

    Raises:
        EvidenceLacking: no seed has.
    """
    wanted = half_of(left.shape[1], least=least)
    rows = np.flatnonzero(left.sum(axis=1) >= wanted)
    if len(rows) == 0:
        raise EvidenceLacking(
            f"{population.name} holds no seed with {wanted} of {left.shape[1]} settings of {among[0]} at least "
            f"{among[1]:g}"
        )
    return rows


def strengths_with(population: Population, left: Mask, among: Among) -> NDArray[np.intp]:
    """Return the columns, strengths, that at least half of the seeds have left, at least three of them.

    Raises:
        EvidenceLacking: these are fewer than half of the strengths.
    """
    wanted = half_of(len(left), least=_FEWEST)
    columns = np.flatnonzero(left.sum(axis=0) >= wanted)
    if len(columns) < half_of(left.shape[1]):
        raise EvidenceLacking(
            f"{population.name} holds {len(columns)} of {left.shape[1]} strengths with {wanted} seeds of {among[0]} at "
            f"least {among[1]:g}: too few"
        )
    return columns


def varies_without_any(values: NDArray[np.float64], counted: Mask) -> bool:
    """Whether the values that count (seeds x settings) differ among each other, with and without any one seed."""
    low = np.where(counted, values, np.inf).min(axis=1)
    high = np.where(counted, values, -np.inf).max(axis=1)
    return bool((_smallest_of_others(low) < -_smallest_of_others(-high)).all())


def _smallest_of_others(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each value the smallest of the others; infinite where there are none."""
    smallest, second = np.sort(np.append(values, np.inf))[:2]
    return np.asarray(np.where(np.arange(len(values)) == values.argmin(), second, smallest), dtype=np.float64)
