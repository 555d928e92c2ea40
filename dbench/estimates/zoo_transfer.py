"""Transfer from one data set to another: two populations with the same settings.

All intervals are over the seeds that both have complete, left out of both at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.errors import EvidenceLacking
from dbench.estimates.population import PopulationPair
from dbench.stats import Estimate, jackknife_each, rank_correlation, transfer_successes

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Transfers:
    """Success of a setting chosen by one score when judged by another, scores that choose x scores that judge.

    The first word of each name is the data set on which the setting is chosen, the second the one on which it is
    judged; ``settings`` is how many compete. See :func:`dbench.stats.transfer_success`.
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
) -> Estimate:
    """Jackknife over shared seeds a statistic of how settings transfer, between scores and between data sets.

    Each score chooses, and each judges. For transfer within one data set the pair is the same population twice.
    """

    def successes(source: list[Matrix], target: list[Matrix]) -> list[float]:
        found, k = transfer_successes([*source, *target], [*source, *target]), len(scores)
        parts = (found[:k, :k], found[k:, k:], found[:k, k:], found[k:, :k])
        return [statistic(Transfers(*parts, settings=source[0].shape[1]))]

    return shared_estimates(pair, scores, successes)[0]


def settings_agreement(pair: PopulationPair, scores: Sequence[str]) -> list[Estimate]:
    """Spearman's correlation over settings of the mean score on the one data set with that on the other.

    What noise is left in the means over seeds weakens the correlation.
    """

    def agreements(source: list[Matrix], target: list[Matrix]) -> list[float]:
        pairs = zip(source, target, strict=True)
        return [rank_correlation(a.mean(axis=0), b.mean(axis=0)) for a, b in pairs]

    return shared_estimates(pair, scores, agreements)


def shared_settings(
    pair: PopulationPair, *, objectives: Sequence[str] | None = None
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the objectives and the seeds that both populations have, and insist that both trained them alike.

    Averages over settings are compared, so a strength that one of them lacks would pass for a difference of the data.
    What an objective holds fixed is not in the rows: tables of one profile have its constants.

    Raises:
        EvidenceLacking: no objective in common, other strengths of one, or fewer than two seeds complete in both.
    """
    source, target = pair.source, pair.target
    chosen = [o for o in source.objectives if o in target.objectives] if objectives is None else list(objectives)
    if not chosen:
        raise EvidenceLacking(f"{pair.name} share no objective")
    for objective in chosen:
        ours, theirs = source.strengths(objective), target.strengths(objective)
        if not np.array_equal(ours, theirs):
            listed = " against ".join(", ".join(f"{value:g}" for value in values) for values in (ours, theirs))
            raise EvidenceLacking(f"{pair.name} hold other strengths of {objective}: {listed}")
    seeds = np.intersect1d(source.seeds(), target.seeds())
    if len(seeds) < 2:
        raise EvidenceLacking(f"{pair.name} must share at least 2 complete seeds, got {len(seeds)}")
    return chosen, seeds


def shared_estimates(
    pair: PopulationPair,
    scores: Sequence[str],
    statistics: Callable[[list[Matrix], list[Matrix]], ArrayLike],
    *,
    objectives: Sequence[str] | None = None,
) -> list[Estimate]:
    """Jackknife statistics of both populations over the seeds that they share.

    They take the scores on the source's data set and on the target's, each shared seeds x shared settings, and return
    numbers.
    """
    source, target = pair.source, pair.target
    chosen, seeds = shared_settings(pair, objectives=objectives)
    first, second = (
        [np.hstack([population.scores(score, o, seeds=seeds) for o in chosen]) for score in scores]
        for population in (source, target)
    )

    def of_seeds(kept: NDArray[np.int64]) -> ArrayLike:
        return statistics([table[kept] for table in first], [table[kept] for table in second])

    return jackknife_each(of_seeds, len(seeds))
