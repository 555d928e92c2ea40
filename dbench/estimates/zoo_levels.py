"""Comparisons of settings: ratios to one setting, changes over a sweep, probabilities of scoring higher.

``dbench.estimates.zoo_statistics`` says which seeds are used, ``dbench.estimates.zoo_among`` what ``among`` means.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dbench.errors import EvidenceLacking
from dbench.estimates.population import Population
from dbench.estimates.zoo_among import Among, left_of, rows_with, strengths_with
from dbench.stats import Estimate, jackknife_each, luck_beats_choice, probability_of_superiority

Matrix = NDArray[np.float64]
# An objective and one of its strengths.
Setting = tuple[str, float]


def place_of(population: Population, setting: Setting) -> int:
    """Return the position of a setting's strength among the rising strengths of its objective, counted from 0.

    Raises:
        EvidenceLacking: the population does not hold the objective, or not this strength of it.
    """
    objective, strength = setting
    positions = np.flatnonzero(population.strengths(objective) == strength)
    if len(positions) == 0:
        raise EvidenceLacking(f"{population.name} holds no {objective} of strength {strength:g}")
    return int(positions[0])


def ratio_to(
    population: Population, score: str, objective: str, reference: Setting, *, among: Among | None = None
) -> Estimate:
    """Mean of a positive score over an objective's strengths and seeds, divided by its mean at one setting.

    With ``among`` only the models left count, of seeds for which the reference and half of the strengths are left.
    Without it a note gives the ratio at each strength.
    """
    place = place_of(population, reference)
    if among is not None:
        return _ratio_of_means(*_against(population, score, objective, reference, among))
    ratio = population.estimate(
        lambda tables: float(tables[score, objective].mean() / tables[score, reference[0]][:, place].mean()),
        scores=[score],
        objectives=list(dict.fromkeys((objective, reference[0]))),
    )
    seeds = population.seeds()
    reference_mean = population.scores(score, reference[0], seeds=seeds)[:, place].mean()
    by_strength = population.scores(score, objective, seeds=seeds).mean(axis=0) / reference_mean
    pairs = zip(by_strength, population.strengths(objective), strict=True)
    note = ", ".join(f"{value:.2g} at {strength:g}" for value, strength in pairs)
    return replace(ratio, notes=(*ratio.notes, f"strength by strength: {note}"))


def ratios_to(
    population: Population, score: str, objective: str, reference: Setting, *, among: Among | None = None
) -> list[Estimate]:
    """The ratios of :func:`ratio_to`, one for each strength: means over seeds alone.

    With ``among`` only strengths that are left for enough seeds are returned, each over those seeds.
    """
    place = place_of(population, reference)
    if among is not None:
        table, left, at_reference = _against(population, score, objective, reference, among)
        ratios = []
        for column in strengths_with(population, left, among):
            rows = left[:, column]
            ratios.append(_ratio_of_means(table[rows, column], left[rows, column], at_reference[rows]))
        return ratios
    return population.estimates(
        lambda tables: tables[score, objective].mean(axis=0) / tables[score, reference[0]][:, place].mean(),
        scores=[score],
        objectives=list(dict.fromkeys((objective, reference[0]))),
    )


def _against(
    population: Population, score: str, objective: str, reference: Setting, among: Among
) -> tuple[Matrix, NDArray[np.bool_], Matrix]:
    """Return the scores of an objective, which of its models count, and the scores at the reference setting.

    Rows are the seeds for which the reference and at least half of the strengths are left.
    """
    seeds, place = population.seeds(), place_of(population, reference)
    table, left = population.scores(score, objective, seeds=seeds), left_of(population, objective, among)
    reference_left = left_of(population, reference[0], among)[:, [place]]
    rows = rows_with(population, left & reference_left, among)
    return table[rows], left[rows], population.scores(score, reference[0], seeds=seeds)[rows, place]


def _ratio_of_means(table: Matrix, left: NDArray[np.bool_], at_reference: Matrix) -> Estimate:
    """Jackknife over seeds the mean of the models left divided by the mean at the reference."""
    return jackknife_each(lambda kept: table[kept][left[kept]].mean() / at_reference[kept].mean(), len(table))[0]


def change_over_sweep(population: Population, score: str, objective: str, *, start: float = -np.inf) -> Matrix:
    """Return for each seed the rise of a score from the first strength of at least ``start`` to the last strength.

    Raises:
        EvidenceLacking: fewer than two strengths are at least ``start``.
    """
    kept = population.strengths(objective) >= start
    if kept.sum() < 2:
        raise EvidenceLacking(f"{population.name} holds fewer than two strengths of {objective} from {start:g} on")
    swept = population.scores(score, objective, seeds=population.seeds())[:, kept]
    return np.asarray(swept[:, -1] - swept[:, 0], dtype=np.float64)


def superiority_of_setting(
    population: Population, score: str, setting: Setting, objective: str, strengths: Sequence[float]
) -> list[Estimate]:
    """P(a random run of a setting exceeds a random run of an objective), for each of the given strengths."""
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
    """P(a random run of an objective exceeds a random run of the rest), for each score; ties count half."""

    def statistics(tables: dict[tuple[str, str], Matrix]) -> list[float]:
        probabilities = []
        for score in scores:
            of_rest = np.concatenate([tables[score, other].ravel() for other in rest])
            probabilities.append(probability_of_superiority(tables[score, objective].ravel(), of_rest))
        return probabilities

    return population.estimates(statistics, scores=scores, objectives=[objective, *rest])


def luck_over_choice(population: Population, scores: Sequence[str], objectives: Sequence[str]) -> Estimate:
    """How often luck beats the choice of a strength (:func:`dbench.stats.luck_beats_choice`), averaged over sweeps."""
    population.enough_seeds(2)
    return population.estimate(
        lambda tables: float(np.mean([luck_beats_choice(tables[s, o]) for s in scores for o in objectives])),
        scores=scores,
        objectives=objectives,
    )
