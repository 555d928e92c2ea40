"""Comparisons of settings: ratios to one setting, changes over a sweep, probabilities of scoring higher.

Seeds are as in ``dbench.estimates.zoo_statistics``, ``among`` is as in ``dbench.estimates.zoo_among``.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dbench.errors import EvidenceLacking
from dbench.estimates.population import Population
from dbench.estimates.zoo_among import Among, left_of, rows_with, strengths_with
from dbench.stats import (
    Estimate,
    jackknife_each,
    luck_beats_choice,
    probability_of_superiority,
)

Matrix = NDArray[np.float64]
# An objective and one of its strengths.
Setting = tuple[str, float]


def place_of(population: Population, setting: Setting) -> int:
    """Return the number of a strength among those of its objective, counted from 0.

    Raises:
        EvidenceLacking: the population does not hold the objective, or not at that strength.
    """
    objective, strength = setting
    found = np.flatnonzero(population.strengths(objective) == strength)
    if len(found) == 0:
        raise EvidenceLacking(f"{population.name} holds no {objective} of strength {strength:g}")
    return int(found[0])


def ratio_to(
    population: Population,
    score: str,
    objective: str,
    reference: Setting,
    *,
    among: Among | None = None,
) -> Estimate:
    """Mean of a positive score over an objective's strengths and seeds, divided by its mean at one setting.

    With ``among`` the mean is over the models left, of seeds that have the reference and half of the strengths left.
    """
    place = place_of(population, reference)
    if among is not None:
        return _ratio_of_means(*_against(population, score, objective, reference, among))
    found = population.estimate(
        lambda tables: float(tables[score, objective].mean() / tables[score, reference[0]][:, place].mean()),
        scores=[score],
        objectives=list(dict.fromkeys((objective, reference[0]))),
    )
    seeds = population.seeds()
    plain = population.scores(score, reference[0], seeds=seeds)[:, place].mean()
    apart = population.scores(score, objective, seeds=seeds).mean(axis=0) / plain
    shown = zip(apart, population.strengths(objective), strict=True)
    note = ", ".join(f"{ratio:.2g} at {strength:g}" for ratio, strength in shown)
    return replace(found, notes=(*found.notes, f"strength by strength: {note}"))


def ratios_to(
    population: Population,
    score: str,
    objective: str,
    reference: Setting,
    *,
    among: Among | None = None,
) -> list[Estimate]:
    """The same strength by strength: means over seeds alone.

    With ``among`` it is of the strengths that enough have left, each of its own seeds: those that have it left.
    """
    place = place_of(population, reference)
    if among is not None:
        table, left, plain = _against(population, score, objective, reference, among)
        columns = strengths_with(population, left, among)
        return [_ratio_of_means(table[own, c], left[own, c], plain[own]) for c in columns for own in [left[:, c]]]
    return population.estimates(
        lambda tables: tables[score, objective].mean(axis=0) / tables[score, reference[0]][:, place].mean(),
        scores=[score],
        objectives=list(dict.fromkeys((objective, reference[0]))),
    )


def _against(
    population: Population, score: str, objective: str, reference: Setting, among: Among
) -> tuple[Matrix, NDArray[np.bool_], Matrix]:
    """Scores of an objective, which of them count, and those of a setting, on seeds that have enough of both."""
    seeds, place = population.seeds(), place_of(population, reference)
    table, left = population.scores(score, objective, seeds=seeds), left_of(population, objective, among)
    there = left_of(population, reference[0], among)[:, [place]]
    rows = rows_with(population, left & there, among)
    return table[rows], left[rows], population.scores(score, reference[0], seeds=seeds)[rows, place]


def _ratio_of_means(table: Matrix, left: NDArray[np.bool_], plain: Matrix) -> Estimate:
    return jackknife_each(lambda kept: table[kept][left[kept]].mean() / plain[kept].mean(), len(table))[0]


def change_over_sweep(population: Population, score: str, objective: str, *, start: float = -np.inf) -> Matrix:
    """By how much a score rises from the first strength of at least ``start`` to the last one, for each seed.

    Raises:
        EvidenceLacking: fewer than two strengths are left.
    """
    kept = population.strengths(objective) >= start
    if kept.sum() < 2:
        raise EvidenceLacking(f"{population.name} holds fewer than two strengths of {objective} from {start:g} on")
    swept = population.scores(score, objective, seeds=population.seeds())[:, kept]
    return np.asarray(swept[:, -1] - swept[:, 0], dtype=np.float64)


def superiority_of_setting(
    population: Population,
    score: str,
    setting: Setting,
    objective: str,
    strengths: Sequence[float],
) -> list[Estimate]:
    """P(a random run of a setting exceeds a random run of another), for the given strengths of an objective."""
    place = place_of(population, setting)
    others = [place_of(population, (objective, strength)) for strength in strengths]

    def statistics(tables: dict[tuple[str, str], Matrix]) -> list[float]:
        first = tables[score, setting[0]][:, place]
        return [probability_of_superiority(first, tables[score, objective][:, other]) for other in others]

    objectives = list(dict.fromkeys((setting[0], objective)))
    return population.estimates(statistics, scores=[score], objectives=objectives)


def superiority_of_objective(
    population: Population, scores: Sequence[str], objective: str, rest: Sequence[str]
) -> list[Estimate]:
    """P(a random run of an objective exceeds a random run of the rest), score by score; ties count half."""

    def statistics(tables: dict[tuple[str, str], Matrix]) -> list[float]:
        return [
            probability_of_superiority(
                tables[score, objective].ravel(), np.concatenate([tables[score, other].ravel() for other in rest])
            )
            for score in scores
        ]

    return population.estimates(statistics, scores=scores, objectives=[objective, *rest])


def luck_over_choice(population: Population, scores: Sequence[str], objectives: Sequence[str]) -> Estimate:
    """How often luck beats the choice of a strength, mean of all sweeps."""
    population.enough_seeds(2)
    return population.estimate(
        lambda tables: float(np.mean([luck_beats_choice(tables[s, o]) for s in scores for o in objectives])),
        scores=scores,
        objectives=objectives,
    )
