"""What is good on one data set, is it good on another? Two populations with the same settings.

All intervals are over the seeds that both have complete, left out of both at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbench.claims.population import Population, PopulationPair
from dbench.errors import EvidenceLacking
from dbench.stats import Estimate, jackknife_interval, jackknife_intervals, rank_correlation, transfer_successes

__all__ = ["Transfers", "settings_agreement", "transfer"]

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Transfers:
    """Success of a setting chosen by one score when judged by another, scores that choose x scores that judge.

    See :func:`dbench.stats.transfer_success`.

    Attributes:
        source_source: chosen and judged on the source's data set.
        target_target: chosen and judged on the target's.
        source_target: chosen on the source's, judged on the target's.
        target_source: the other way round.
        settings: how many settings compete.
    """

    source_source: Matrix
    target_target: Matrix
    source_target: Matrix
    target_source: Matrix
    settings: int


def transfer(
    pair: PopulationPair,
    scores: Sequence[str],
    statistic: Callable[[Transfers], float],
    *,
    confidence: float = 0.95,
) -> Estimate:
    """Jackknife over shared seeds a statistic of how settings transfer, between scores and between data sets.

    Args:
        pair: where settings are chosen and judged; for transfer within one data set the same population twice.
        scores: each chooses, and each judges.
        statistic: takes the successes of all pairs of scores.
        confidence: of the interval.

    Raises:
        EvidenceLacking: no objective in common, other strengths of one, or no seeds complete in both.
    """
    first, second = _shared(pair, scores)

    def of_seeds(kept: NDArray[np.int64]) -> float:
        source, target = ([table[kept] for table in tables] for tables in (first, second))
        found = transfer_successes([*source, *target], [*source, *target])
        k = len(scores)
        parts = (found[:k, :k], found[k:, k:], found[:k, k:], found[k:, :k])
        return statistic(Transfers(*parts, settings=first[0].shape[1]))

    n_seeds = len(first[0])
    if pair.source.point_only:
        return Estimate(of_seeds(np.arange(n_seeds)), -np.inf, np.inf, n_seeds, confidence)
    return jackknife_interval(of_seeds, n_seeds, confidence=confidence)


def settings_agreement(pair: PopulationPair, scores: Sequence[str], *, confidence: float = 0.95) -> list[Estimate]:
    """Spearman's correlation over settings of the mean score on the one data set with that on the other.

    Means over seeds: a median must not be jackknifed. What noise is left in the means weakens the correlation.

    Args:
        pair: the two populations.
        scores: one correlation for each.
        confidence: of each interval.

    Raises:
        EvidenceLacking: as for :func:`transfer`.
    """
    first, second = _shared(pair, scores)

    def of_seeds(kept: NDArray[np.int64]) -> list[float]:
        return [
            rank_correlation(a[kept].mean(axis=0), b[kept].mean(axis=0)) for a, b in zip(first, second, strict=True)
        ]

    n_seeds = len(first[0])
    if pair.source.point_only:
        return [Estimate(value, -np.inf, np.inf, n_seeds, confidence) for value in of_seeds(np.arange(n_seeds))]
    return jackknife_intervals(of_seeds, n_seeds, confidence=confidence)


def _shared(pair: PopulationPair, scores: Sequence[str]) -> tuple[list[Matrix], list[Matrix]]:
    """Return each score as shared seeds x shared settings, of the source and of the target."""
    source, target = pair.source, pair.target
    objectives = [o for o in source.objectives if o in target.objectives]
    if not objectives:
        raise EvidenceLacking(f"{pair.name} share no objective")
    for objective in objectives:
        if not np.array_equal(source.strengths(objective), target.strengths(objective)):
            raise EvidenceLacking(f"{pair.name} hold other strengths of {objective}")
    seeds = np.intersect1d(source.seeds(), target.seeds())
    if len(seeds) < 2:
        raise EvidenceLacking(f"{pair.name} must share at least 2 complete seeds, got {len(seeds)}")

    def tables(population: Population) -> list[Matrix]:
        return [np.hstack([population.scores(s, o, seeds=seeds) for o in objectives]) for s in scores]

    return tables(source), tables(target)
