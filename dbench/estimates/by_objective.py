"""Averages over objectives of a statistic of one objective's models, over those objectives where it is defined.

A rank correlation is not defined where a score is the same in all models, and a 0 in its place would enter the
average as if it had been measured. Such an objective is left out, and named.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.errors import EvidenceLacking, InvalidInput
from dbench.estimates.filters import filtered, kept_by
from dbench.estimates.population import Population
from dbench.estimates.zoo_among import SEVERAL_ACTIVE, Mask, varies_without_any
from dbench.stats import Estimate, smallest_of

Matrix = NDArray[np.float64]

_NUMBER, _FEWEST = SEVERAL_ACTIVE
_MODELS = ("all", "informative")


def average_over_objectives(
    population: Population,
    statistics: Callable[[Mapping[str, Matrix], Mask], ArrayLike],
    scores: Sequence[str],
    *,
    objectives: Sequence[str] | None = None,
    models: str = "all",
) -> list[Estimate]:
    """Jackknife over seeds the mean over objectives of statistics of each one's models, strength and seed varied.

    An objective counts if at least half of its models do, and if none of the scores is the same in all of those, with
    or without any one seed. Which objectives count is found once, so that leaving a seed out changes no membership.

    The statistics take the scores of one objective by name, seeds x strengths each, and which of its models count:
    ``all``, or only the ``informative``, of at least two informative codes. They return numbers, one estimate each.

    Raises:
        EvidenceLacking: fewer than half of the objectives count.
        InvalidInput: another word for ``models``.
    """
    every = population.objectives if objectives is None else list(objectives)
    without = _left_out(population, scores, every, models)
    chosen = [o for o in every if o not in without]
    if 2 * len(chosen) < len(every) or not chosen:
        reasons = "; ".join(f"{objective}: {why}" for objective, why in without.items())
        raise EvidenceLacking(f"{population.name} holds {len(chosen)} of {len(every)} objectives to average: {reasons}")

    def mean(tables: dict[tuple[str, str], Matrix]) -> Matrix:
        found = []
        for objective in chosen:
            own = {s: tables[s, objective] for s in needed}
            counted = _counted(own.__getitem__, scores[0], models)
            found.append(np.ravel(statistics({s: own[s] for s in scores}, counted)))
        return np.asarray(np.mean(found, axis=0), dtype=np.float64)

    needed = [*scores, *({_NUMBER} - set(scores) if models == "informative" else ())]
    return population.estimates(mean, scores=needed, objectives=chosen)


def left_out_of_average(
    population: Population,
    scores: Sequence[str],
    *,
    objectives: Sequence[str] | None = None,
    models: str = "all",
) -> tuple[str, ...]:
    """Name the objectives that :func:`average_over_objectives` leaves out, one sentence each."""
    without = _left_out(population, scores, population.objectives if objectives is None else objectives, models)
    return tuple(f"{objective} is left out of the average: {why}" for objective, why in without.items())


def _counted(table_of: Callable[[str], Matrix], score: str, models: str) -> Mask:
    """Which models of an objective count; takes what returns a score as seeds x strengths."""
    if models == "informative":
        return np.asarray(table_of(_NUMBER) >= _FEWEST)
    return np.ones(table_of(score).shape, dtype=np.bool_)


def _left_out(population: Population, scores: Sequence[str], objectives: Sequence[str], models: str) -> dict[str, str]:
    if models not in _MODELS:
        raise InvalidInput(f"models must be one of {_MODELS}, got {models!r}")
    seeds, found = population.enough_seeds(2), dict[str, str]()
    for objective in objectives:
        table_of = partial(population.scores, objective=objective, seeds=seeds)
        counted = _counted(table_of, scores[0], models)
        if counted.mean() < 0.5:
            found[objective] = f"{counted.sum()} of {counted.size} models have {_FEWEST:g} informative codes"
            continue
        same = [s for s in scores if not varies_without_any(table_of(s), counted)]
        if same:
            found[objective] = f"{' and '.join(same)} the same in all models, or in all but one seed's"
    return found


def smallest_average(
    population: Population,
    statistics: Callable[[Mapping[str, Matrix], Mask], ArrayLike],
    scores: Sequence[str],
    *,
    objectives: Sequence[str] | None = None,
    models: str = "all",
) -> Estimate:
    """Return the smallest, or the one, that :func:`average_over_objectives` gives.

    It names the objectives left out, and says how many models a filter removes.
    """
    options: dict[str, Any] = {"objectives": objectives, "models": models}
    found: Estimate = smallest_of(average_over_objectives(population, statistics, scores, **options))
    if models == "informative":
        found = filtered(found, kept_by(population, SEVERAL_ACTIVE, objectives=objectives))
    return replace(found, notes=left_out_of_average(population, scores, **options))
