"""Statements about several statistics at once: all of them, the largest of them, one direction for them all.

A finding that says 'for all of these' is a statement about the smallest of several true values, one that says 'for
none of these' about the largest. The interval of such a value is not the smallest or largest interval: looking for
the extreme one is a choice made after the data were seen.
"""

from collections.abc import Sequence

from dbench.errors import InvalidInput
from dbench.stats.estimate import Estimate


def smallest_of(estimates: Sequence[Estimate]) -> Estimate:
    """Estimate the smallest of k true values, so that ``above`` says 'all of them are'.

    The lower end is the smallest lower end of the k intervals, unadjusted: for it to be too high, the interval of
    the very statistic that is smallest must miss it (intersection-union test, Berger 1982). The upper end, which
    refutes 'all', is the smallest upper end of intervals with Bonferroni's confidence 1 - (1 - confidence) / k.

    Dependence of the estimates does not matter; each end misses with at most (1 - confidence) / 2.

    Returns:
        The smallest point estimate, which lies below the smallest true value on average; n of the smallest sample.
        Exact where all are.
    """
    return _of_rank(_several(estimates), 1)


def largest_of(estimates: Sequence[Estimate]) -> Estimate:
    """Estimate the largest of k true values, so that ``below`` says 'none of them exceeds it'.

    The mirror image of :func:`smallest_of`: the upper end unadjusted, the lower end, which shows that at least one
    is large, by Bonferroni.
    """
    return _negated(smallest_of([_negated(one) for one in estimates]))


def most_below(estimates: Sequence[Estimate]) -> Estimate:
    """Estimate the value that more than half of k true values do not exceed, so that ``below`` says 'most of them are'.

    The value is that of rank r = k // 2 + 1 from below. Its upper end is that of rank r among the k upper ends with the
    confidence 1 - (1 - confidence) / (k - r + 1), since k - r + 1 values may lie above it and any of their intervals
    may miss (partial conjunction: Benjamini and Heller 2008); for its lower end r of them may.
    """
    return _of_rank(_several(estimates), len(estimates) // 2 + 1)


def common_direction(estimates: Sequence[Estimate]) -> Estimate:
    """How strong an effect is in the direction that all share: the larger of min(effects) and min(-effects).

    Positive where all k true effects have one sign, and then the size of the weakest; negative where some point the
    other way, and then minus the size of what would have to turn.

    The upper end is the larger of the two upper ends, unadjusted. The lower end is the larger of two lower ends with
    half the error each, because the direction is chosen after looking.
    """
    up, down = smallest_of(estimates), smallest_of([_negated(one) for one in estimates])

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
    def ends(confidence: float) -> tuple[float, float]:
        below, above = (1 - (1 - confidence) / number for number in (rank, len(estimates) - rank + 1))
        lows, highs = (one.at(below).low for one in estimates), (one.at(above).high for one in estimates)
        return sorted(lows)[rank - 1], sorted(highs)[rank - 1]

    sampled = any(one.ends for one in estimates)
    value = sorted(one.value for one in estimates)[rank - 1]
    return Estimate(value, min(one.n for one in estimates), ends if sampled else None)


def _negated(estimate: Estimate) -> Estimate:
    def ends(confidence: float) -> tuple[float, float]:
        found = estimate.at(confidence)
        return -found.high, -found.low

    return Estimate(-estimate.value, estimate.n, ends if estimate.ends else None)
