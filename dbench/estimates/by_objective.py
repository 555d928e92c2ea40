"""Averages of a statistic over objectives. It is computed on each objective's models, where it is defined.

A rank correlation is undefined where all models have the same score; a 0 in its place would enter the average as if it
had been measured. Such an objective is left out of the average and named.
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
    """Return the means over objectives of statistics of each objective's models, jackknifed over seeds.

    An objective counts if at least half of its models count, and if each score varies among these with all seeds and
    without any one seed. This is decided once, so leaving out a seed never changes which objectives count.

    Args:
        population: trained models.
        statistics: takes the scores of one objective by name, seeds x strengths each, and a mask of the models that
            count; returns numbers, which become one estimate each.
        scores: names of the scores.
        objectives: those to average over; by default all.
        models: which models count: ``all``, or the ``informative`` ones, with at least two informative codes.

    Raises:
        EvidenceLacking: fewer than half of the objectives count.
        InvalidInput: another word for ``models``.
    """
    every = population.objectives if objectives is None else list(objectives)
    left_out = _left_out(population, scores, every, models)
    chosen = [objective for objective in every if objective not in left_out]
    if 2 * len(chosen) < len(every) or not chosen:
        reasons = "; ".join(f"{objective}: {why}" for objective, why in left_out.items())
        raise EvidenceLacking(f"{population.name} holds {len(chosen)} of {len(every)} objectives to average: {reasons}")

    def mean(tables: dict[tuple[str, str], Matrix]) -> Matrix:
        values = []
        for objective in chosen:
            by_score = {score: tables[score, objective] for score in needed}
            counted = _counted(by_score.__getitem__, scores[0], models)
            values.append(np.ravel(statistics({score: by_score[score] for score in scores}, counted)))
        return np.asarray(np.mean(values, axis=0), dtype=np.float64)

    needed = [*scores, *({_NUMBER} - set(scores) if models == "informative" else ())]
    return population.estimates(mean, scores=needed, objectives=chosen)


def left_out_of_average(
    population: Population, scores: Sequence[str], *, objectives: Sequence[str] | None = None, models: str = "all"
) -> tuple[str, ...]:
    """Return a sentence about each objective that :func:`average_over_objectives` leaves out."""
    left_out = _left_out(population, scores, population.objectives if objectives is None else objectives, models)
    return tuple(f"{objective} is left out of the average: {why}" for objective, why in left_out.items())


def _counted(table_of: Callable[[str], Matrix], score: str, models: str) -> Mask:
    """Return which models of an objective count; ``table_of`` returns a score of theirs as seeds x strengths."""
    if models == "informative":
        return np.asarray(table_of(_NUMBER) >= _FEWEST)
    return np.ones(table_of(score).shape, dtype=np.bool_)


def _left_out(population: Population, scores: Sequence[str], objectives: Sequence[str], models: str) -> dict[str, str]:
    """Return why an objective is left out of the average, by name of each that is."""
    if models not in _MODELS:
        raise InvalidInput(f"models must be one of {_MODELS}, got {models!r}")
    seeds, reasons = population.enough_seeds(2), dict[str, str]()
    for objective in objectives:
        table_of = partial(population.scores, objective=objective, seeds=seeds)
        counted = _counted(table_of, scores[0], models)
        if counted.mean() < 0.5:
            reasons[objective] = f"{counted.sum()} of {counted.size} models have {_FEWEST:g} informative codes"
            continue
        same = [s for s in scores if not varies_without_any(table_of(s), counted)]
        if same:
            reasons[objective] = f"{' and '.join(same)} the same in all models, or in all but one seed's"
    return reasons


def smallest_average(
    population: Population,
    statistics: Callable[[Mapping[str, Matrix], Mask], ArrayLike],
    scores: Sequence[str],
    *,
    objectives: Sequence[str] | None = None,
    models: str = "all",
) -> Estimate:
    """Return the smallest of the averages of :func:`average_over_objectives`, or the only one.

    Its notes name the objectives left out; with ``informative`` it says how many models the filter removes.
    """
    options: dict[str, Any] = {"objectives": objectives, "models": models}
    smallest: Estimate = smallest_of(average_over_objectives(population, statistics, scores, **options))
    if models == "informative":
        smallest = filtered(smallest, kept_by(population, SEVERAL_ACTIVE, objectives=objectives))
    return replace(smallest, notes=left_out_of_average(population, scores, **options))
