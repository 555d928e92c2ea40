"""Transfer from one data set to another: two populations with the same settings.

All intervals are over the seeds that are complete in both; the jackknife leaves a seed out of both at once.
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
    """How often a setting chosen by one score succeeds under another: scores that choose x scores that judge.

    Names give first the data set on which the setting is chosen, then the data set on which it is judged; ``settings``
    is the number of settings to choose from. See :func:`dbench.stats.transfer_success`.
    """

    source_source: Matrix
    target_target: Matrix
    source_target: Matrix
    target_source: Matrix
    settings: int


def transfer(pair: PopulationPair, scores: Sequence[str], statistic: Callable[[Transfers], float]) -> Estimate:
    """Jackknife a statistic of the transfer of settings, between scores and between data sets, over shared seeds.

    Every score chooses and every score judges. For transfer within one data set, pass the same population twice.
    """

    def successes(source: list[Matrix], target: list[Matrix]) -> list[float]:
        matrix, k = transfer_successes([*source, *target], [*source, *target]), len(scores)
        blocks = (matrix[:k, :k], matrix[k:, k:], matrix[:k, k:], matrix[k:, :k])
        return [statistic(Transfers(*blocks, settings=source[0].shape[1]))]

    return shared_estimates(pair, scores, successes)[0]


def settings_agreement(pair: PopulationPair, scores: Sequence[str]) -> list[Estimate]:
    """Spearman's correlation, over settings, of the mean scores on the two data sets; one estimate for each score.

    Noise that is left in the means over seeds weakens the correlation.
    """

    def agreements(source: list[Matrix], target: list[Matrix]) -> list[float]:
        pairs = zip(source, target, strict=True)
        return [rank_correlation(a.mean(axis=0), b.mean(axis=0)) for a, b in pairs]

    return shared_estimates(pair, scores, agreements)


def shared_settings(
    pair: PopulationPair, *, objectives: Sequence[str] | None = None
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the objectives and complete seeds that both populations have; refuse objectives with other strengths.

    Averages over settings are compared, so a strength that one population lacks would look like a difference between
    the data sets. The constants of an objective are not compared: tables of one profile share them.

    Raises:
        EvidenceLacking: no shared objective, different strengths of one, or fewer than two shared complete seeds.
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

    ``statistics`` takes two lists of matrices, one matrix for each score: those of the source and those of the target,
    each shared seeds x shared settings. It returns numbers, which become one estimate each.
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
