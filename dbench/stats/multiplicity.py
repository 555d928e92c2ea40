"""Statements about several statistics at once: all of them, the largest of them, one direction for them all.

A finding that says 'for all of these' is a statement about the smallest of several true values, one that says 'for
none of these' about the largest. The interval of such a value is not the smallest or largest interval: looking for
the extreme one is a choice made after the data were seen.
"""

from collections.abc import Callable, Sequence

from dbench.errors import InvalidInput
from dbench.stats.estimate import Estimate
from dbench.stats.inputs import check_confidence

Estimator = Callable[[float], Sequence[Estimate]]
"""Takes a confidence, returns the estimates of several statistics with two-sided intervals of that confidence each."""


def smallest_of(estimates: Estimator, *, confidence: float = 0.95) -> Estimate:
    """Interval of the smallest of k true values, so that ``above`` says 'all of them are'.

    The lower end is the smallest lower end of the k intervals, unadjusted: for it to be too high, the interval of
    the very statistic that is smallest must miss it (intersection-union test, Berger 1982). The upper end, which
    refutes 'all', is the smallest upper end of intervals with Bonferroni's confidence 1 - (1 - confidence) / k.

    Dependence of the estimates does not matter; each end misses with at most (1 - confidence) / 2.

    Returns:
        The smallest point estimate, which lies below the smallest true value on average; n of the smallest sample.
    """
    plain = _ask(estimates, confidence)
    adjusted = _ask(estimates, 1 - (1 - confidence) / len(plain))
    value = min(e.value for e in plain)
    low, high = min(e.low for e in plain), min(e.high for e in adjusted)
    return Estimate(value, low, high, min(e.n for e in plain), confidence)


def largest_of(estimates: Estimator, *, confidence: float = 0.95) -> Estimate:
    """Interval of the largest of k true values, so that ``below`` says 'none of them exceeds it'.

    The mirror image of :func:`smallest_of`: the upper end unadjusted, the lower end, which shows that at least one
    is large, by Bonferroni.
    """
    mirrored = smallest_of(lambda level: [_negated(e) for e in estimates(level)], confidence=confidence)
    return _negated(mirrored)


def common_direction(estimates: Estimator, *, confidence: float = 0.95) -> Estimate:
    """How strong an effect is in the direction that all share: the larger of min(effects) and min(-effects).

    Positive where all k true effects have one sign, and then the size of the weakest; negative where some point the
    other way, and then minus the size of what would have to turn.

    The upper end is the larger of the two upper ends, unadjusted. The lower end is the larger of two lower ends with
    half the error each, because the direction is chosen after looking.
    """
    up, down = estimates, lambda level: [_negated(e) for e in estimates(level)]
    plain = [smallest_of(one, confidence=confidence) for one in (up, down)]
    halved = [smallest_of(one, confidence=1 - (1 - confidence) / 2) for one in (up, down)]
    value = max(e.value for e in plain)
    return Estimate(value, max(e.low for e in halved), max(e.high for e in plain), plain[0].n, confidence)


def _ask(estimates: Estimator, confidence: float) -> Sequence[Estimate]:
    check_confidence(confidence)
    found = estimates(confidence)
    if len(found) < 1:
        raise InvalidInput("estimates must return at least one estimate, got none")
    for estimate in found:
        if estimate.confidence < confidence:
            raise InvalidInput(
                f"estimates must return intervals of the confidence asked for, {confidence:g}, "
                f"got {estimate.confidence:g}"
            )
    return found


def _negated(estimate: Estimate) -> Estimate:
    return Estimate(-estimate.value, -estimate.high, -estimate.low, estimate.n, estimate.confidence)
