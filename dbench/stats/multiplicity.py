"""Statements about several statistics at once: the smallest, the largest, most of them, or their common direction.

'For all of these' is a statement about the smallest of several true values, 'for none of these' about the largest.
The interval of such a value is not simply the smallest or largest interval, because the extreme one is chosen after
the data were seen.
"""

from collections.abc import Sequence

from dbench.errors import InvalidInput
from dbench.stats.estimate import Estimate


def smallest_of(estimates: Sequence[Estimate]) -> Estimate:
    """Estimate the smallest of k true values, so that ``above`` says 'all of them are'.

    The lower end is the smallest lower end of the k intervals, unadjusted: it is too high only if the interval of the
    statistic with the smallest true value misses it (intersection-union test, Berger 1982). The upper end, which can
    refute 'all', is the smallest upper end of intervals with Bonferroni's confidence 1 - (1 - confidence) / k.

    The estimates may depend on each other; each end misses with a probability of at most (1 - confidence) / 2.

    Returns:
        The smallest point estimate, which is biased downwards, with the smallest n of all. Exact if all are exact.
    """
    return _of_rank(_several(estimates), 1)


def largest_of(estimates: Sequence[Estimate]) -> Estimate:
    """Estimate the largest of k true values, so that ``below`` says 'none of them exceeds it'.

    The mirror image of :func:`smallest_of`: the upper end is unadjusted, the lower end, which can show that one is
    large, is adjusted by Bonferroni.
    """
    return _negated(smallest_of([_negated(estimate) for estimate in estimates]))


def most_below(estimates: Sequence[Estimate]) -> Estimate:
    """Estimate the value that more than half of k true values do not exceed, so that ``below`` says 'most of them are'.

    The value has rank r = k // 2 + 1 from below. Its upper end has rank r among the k upper ends at the confidence
    1 - (1 - confidence) / (k - r + 1), because the k - r + 1 true values of rank r or higher could each be missed by
    their intervals (partial conjunction: Benjamini and Heller 2008). The lower end is adjusted by r in the same way.
    """
    return _of_rank(_several(estimates), len(estimates) // 2 + 1)


def common_direction(estimates: Sequence[Estimate]) -> Estimate:
    """Estimate the strength of effects in their common direction: the larger of min(effects) and min(-effects).

    It is positive if all k true effects have one sign, and is then the size of the weakest. It is negative if their
    signs differ, and is then minus the size of the effect that would have to change its sign.

    The upper end is the larger of the two upper ends, unadjusted. The lower end is the larger of two lower ends with
    half the error each, because the direction is chosen after the data were seen.
    """
    up, down = smallest_of(estimates), smallest_of([_negated(estimate) for estimate in estimates])

    def ends(confidence: float) -> tuple[float, float]:
        halved = 1 - (1 - confidence) / 2
        low = max(up.at(halved).low, down.at(halved).low)
        return low, max(up.at(confidence).high, down.at(confidence).high)

    return Estimate(max(up.value, down.value), up.n, ends if up.ends else None)


def _several(estimates: Sequence[Estimate]) -> Sequence[Estimate]:
    if len(estimates) < 1:
        raise InvalidInput("estimates must be at least one, got none")
    return estimates


def _of_rank(estimates: Sequence[Estimate], rank: int) -> Estimate:
    """Estimate the true value of a rank, counted from 1 at the smallest."""

    def ends(confidence: float) -> tuple[float, float]:
        below, above = (1 - (1 - confidence) / number for number in (rank, len(estimates) - rank + 1))
        lows = sorted(estimate.at(below).low for estimate in estimates)
        highs = sorted(estimate.at(above).high for estimate in estimates)
        return lows[rank - 1], highs[rank - 1]

    sampled = any(estimate.ends for estimate in estimates)
    value = sorted(estimate.value for estimate in estimates)[rank - 1]
    return Estimate(value, min(estimate.n for estimate in estimates), ends if sampled else None)


def _negated(estimate: Estimate) -> Estimate:
    def ends(confidence: float) -> tuple[float, float]:
        interval = estimate.at(confidence)
        return -interval.high, -interval.low

    return Estimate(-estimate.value, estimate.n, ends if estimate.ends else None)
