"""What claims make of the rank correlations of several scores at once, with intervals over seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dbench.claims.population import Population
from dbench.errors import InvalidInput
from dbench.stats import Estimate, rank_correlations

__all__ = ["Correlation", "from_correlations"]

Correlation = Callable[[str, str], float]
"""Spearman's correlation of two scores, by their names."""


def from_correlations(
    population: Population,
    scores: Sequence[str],
    combine: Callable[[Correlation], Sequence[float]],
    *,
    among: tuple[str, float] | None = None,
    confidence: float = 0.95,
) -> list[Estimate]:
    """Jackknife over seeds what is made of the correlations of some scores, over all models pooled.

    For differences and means of correlations, whose parts rest on the same models. All scores are ranked once, so
    that ten correlations cost no more than one.

    Args:
        population: the evidence table.
        scores: names of the scores.
        combine: takes the correlation of any two of ``scores``, returns numbers: one estimate each.
        among: a score and the least value of it that a model must have to be looked at; all models by default.
        confidence: of each interval alone; see :func:`dbench.stats.smallest_of` for all of them together.

    Raises:
        InvalidInput: fewer than two models are left to look at.

    Example:
        The lead of one pair over another::

            from_correlations(zoo, ("mig", "dci", "sap"), lambda rho: [rho("mig", "dci") - rho("mig", "sap")])
    """
    names = list(dict.fromkeys(scores))
    place = {name: position for position, name in enumerate(names)}
    objectives = population.objectives

    def statistics(tables: dict[tuple[str, str], NDArray[np.float64]]) -> list[float]:
        def column(name: str) -> NDArray[np.float64]:
            return np.concatenate([tables[name, objective].ravel() for objective in objectives])

        models = np.stack([column(name) for name in names], axis=1)
        if among is not None:
            models = models[column(among[0]) >= among[1]]
            if len(models) < 2:
                raise InvalidInput(
                    f"among must leave at least 2 models of {population.name}, got {len(models)} "
                    f"of {among[0]} at least {among[1]:g}"
                )
        found = rank_correlations(models)
        return list(combine(lambda first, second: float(found[place[first], place[second]])))

    needed = names if among is None else [*names, *({among[0]} - set(names))]
    return population.intervals(statistics, scores=needed, objectives=objectives, confidence=confidence)
