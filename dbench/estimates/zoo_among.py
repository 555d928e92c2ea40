"""Filters for scores that are undefined for some models, such as those with collapsed codes.

A model that is filtered out leaves a gap in its seed's sweep, which is not filled in. A seed or strength counts if at
least half of its models are left: with fewer, the result would be about other models than the claim.
"""

import math

import numpy as np
from numpy.typing import NDArray

from dbench.errors import EvidenceLacking
from dbench.estimates.population import Population

Mask = NDArray[np.bool_]
# A score, and the least value of it with which a model counts.
Among = tuple[str, float]

SEVERAL_ACTIVE: Among = ("kl.informative", 2.0)
"""Models with at least two informative codes; with fewer, total correlation is undefined and tables hold 0."""

# The jackknife needs at least three seeds.
_FEWEST = 3


def half_of(number: int, *, least: int = 1) -> int:
    """Return half of a number, rounded up, but at least ``least``."""
    return max(least, math.ceil(number / 2))


def left_of(population: Population, objective: str, among: Among, *, seeds: NDArray[np.int64] | None = None) -> Mask:
    """Return which models of an objective count, seeds x strengths, by default of all complete seeds."""
    chosen = population.seeds() if seeds is None else seeds
    return np.asarray(population.scores(among[0], objective, seeds=chosen) >= among[1])


def rows_with(population: Population, left: Mask, among: Among, *, least: int = 1) -> NDArray[np.intp]:
    """Return the positions of the seeds (rows) with at least half of their settings left, and at least ``least``.

    Raises:
        EvidenceLacking: there is no such seed.
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
    """Return the positions of the strengths (columns) that are left for at least half of the seeds, and three.

    Raises:
        EvidenceLacking: fewer than half of the strengths are.
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
    """Whether the values that count (seeds x settings) are not all the same, with all seeds and without any one."""
    low = np.where(counted, values, np.inf).min(axis=1)
    high = np.where(counted, values, -np.inf).max(axis=1)
    return bool((_smallest_of_others(low) < -_smallest_of_others(-high)).all())


def _smallest_of_others(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each value the smallest of the others, or infinity for a single value."""
    smallest, second = np.sort(np.append(values, np.inf))[:2]
    return np.asarray(np.where(np.arange(len(values)) == values.argmin(), second, smallest), dtype=np.float64)
