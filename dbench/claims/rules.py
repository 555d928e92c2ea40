"""Decision rules: the range of a statistic in which a sentence is true, and its value if there is no effect."""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from scipy.special import ndtri, stdtrit

from dbench.errors import InvalidInput
from dbench.stats import Estimate, Interval, smallest_of

# No number of units above this is suggested: nobody will collect so many.
_MOST_UNITS = 10**6
# Probability with which the suggested number of units settles a verdict.
_POWER = 0.8


class Verdict(StrEnum):
    """The verdict on a sentence, from best to worst."""

    REPRODUCED = "reproduced"
    DEMONSTRATED = "demonstrated"
    WEAKER = "weaker"
    UNDECIDED = "undecided"
    NOT_TESTED = "not tested"
    ABSENT = "absent"
    CONTRADICTED = "contradicted"
    BROKEN = "broken"

    @property
    def holds(self) -> bool:
        """Whether the sentence was found to be true, by evidence or by definition."""
        return self in (Verdict.REPRODUCED, Verdict.DEMONSTRATED)

    @property
    def refutes(self) -> bool:
        """Whether the evidence speaks against the sentence."""
        return self in (Verdict.ABSENT, Verdict.CONTRADICTED)


@dataclass(frozen=True)
class Rule:
    """A range of the statistic, and its value without an effect. Made by :func:`above`, :func:`below`, :func:`within`.

    One end may be infinite. ``null``, the value without an effect, is ``None`` for a range with two finite ends.
    """

    low: float
    high: float
    null: float | None

    def __post_init__(self) -> None:
        if not self.low <= self.high or not (math.isfinite(self.low) or math.isfinite(self.high)):
            raise InvalidInput(f"a rule needs a range low <= high with a finite end, got {self.low} and {self.high}")
        if self.closed == (self.null is not None) or not math.isfinite(self.null or 0.0):
            raise InvalidInput(f"null of a rule must be a number for a range with one end alone, got {self.null}")
        if self.null is not None and self.low < self.null < self.high:
            raise InvalidInput(f"null of a rule must lie outside its range ({self.low}, {self.high}), got {self.null}")

    @property
    def closed(self) -> bool:
        """Whether the range has two finite ends; they then belong to it."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def allows(self, value: float | None) -> bool:
        """Whether a single number lies in the range, ends included; ``None`` counts as inside."""
        return value is None or self.low <= value <= self.high

    def tips_at(self, estimate: Interval) -> float | None:
        """Return the bound at which 'reproduced' would begin or end, an end of the interval; ``None`` with two ends."""
        if self.closed:
            return None
        return estimate.low if math.isfinite(self.low) else estimate.high

    def decide(self, estimate: Interval) -> Verdict:
        """Return the verdict on an interval by this rule alone; the card looks for too few units, and equal ones."""
        if self.null is None:
            if self.low <= estimate.low and estimate.high <= self.high:
                return Verdict.REPRODUCED
            outside = estimate.high < self.low or estimate.low > self.high
            return Verdict.CONTRADICTED if outside else Verdict.UNDECIDED
        # With the sign, every rule reads 'above bound'.
        sign = 1.0 if math.isfinite(self.low) else -1.0
        bound, null = sign * (self.low if sign > 0 else self.high), sign * self.null
        low, high = sorted((sign * estimate.low, sign * estimate.high))
        if low > bound:
            return Verdict.REPRODUCED
        # An exact value on the bound is not above it, so the sentence, which is strict, is false.
        short = high < bound or low == high == bound
        if not short:
            return Verdict.UNDECIDED
        if high < null or null == bound:
            return Verdict.CONTRADICTED
        return Verdict.WEAKER if low > null else Verdict.ABSENT

    def scaled(self, estimate: Interval) -> Interval:
        """Rescale an interval so that no effect is 0, the bound is 1, and the sentence says 'above'.

        Where the bound itself is the value without an effect, nothing lies between 0 and 1: values past the bound lie
        from 1 upwards, values short of it below 0. :data:`EVERY_PART` then gives the verdict that this rule gives.

        Raises:
            InvalidInput: a rule with two ends.
        """
        if self.null is None:
            raise InvalidInput(f"a part of a sentence must have a rule with one end, got {self}")
        spread = estimate.high > estimate.low
        value, *ends = (self._place(end, spread) for end in (estimate.value, estimate.low, estimate.high))
        return replace(estimate, value=value, low=min(ends), high=max(ends))

    def _place(self, value: float, spread: bool) -> float:
        """Rescale one number; ``spread`` says whether its interval has any width."""
        sign, bound = (1.0, self.low) if math.isfinite(self.low) else (-1.0, self.high)
        if step := abs(bound - (self.null or 0.0)):
            return sign * (value - (self.null or 0.0)) / step
        past = sign * (value - bound)
        # An interval's end on the bound stays there, at 1; an exact value on the bound falls short of it, below 0.
        return past + 1 if past > 0 or (past == 0 and spread) else min(past, -math.ulp(0.0))

    def n_to_settle(self, estimate: Interval) -> int | None:
        """Return the number of units with which the interval would settle the verdict with a probability of 80%.

        The interval must clear the end of the range nearest to the value, or each end if the value lies inside. The
        value is assumed to stay, and the spread of a unit is taken from that side of the interval by Student's t.
        ``None`` where more units cannot settle it: nothing was sampled, or the value lies so close to an end that a
        million units would not do.
        """
        ends = [end for end in (self.low, self.high) if math.isfinite(end)]
        if not self.low <= estimate.value <= self.high:
            ends = [min(ends, key=lambda end: abs(estimate.value - end))]
        needed = [n for end in ends if (n := self._n_to_clear(end, estimate)) is not None]
        return max(needed) if len(needed) == len(ends) else None

    @staticmethod
    def _n_to_clear(end: float, estimate: Interval) -> int | None:
        half = estimate.high - estimate.value if end > estimate.value else estimate.value - estimate.low
        distance = abs(estimate.value - end)
        if half <= 0 or distance == 0 or not math.isfinite(half) or estimate.is_exact or estimate.n < 2:
            return None
        level, power = (1 + estimate.confidence) / 2, float(ndtri(_POWER))
        spread = half / float(stdtrit(estimate.n - 1, level)) * math.sqrt(estimate.n)

        def enough(n: int) -> bool:  # Student's quantile depends on n, so n is searched for
            return bool(n >= (spread / distance * (float(stdtrit(n - 1, level)) + power)) ** 2)

        needed = bisect_left(range(_MOST_UNITS + 1), True, lo=estimate.n + 1, key=enough)
        return None if needed > _MOST_UNITS else needed

    def __str__(self) -> str:
        """Return the range in words, with the value without an effect unless it is the bound."""
        if self.null is None:
            return f"within [{self.low:g}, {self.high:g}]"
        side, bound = ("above", self.low) if math.isfinite(self.low) else ("below", self.high)
        return f"{side} {bound:g}" + (f" (no effect: {self.null:g})" if self.null != bound else "")


def above(bound: float, *, null: float | None = None) -> Rule:
    """Return the rule that the statistic exceeds ``bound``; without an effect it would be ``null`` (default bound)."""
    return Rule(bound, math.inf, bound if null is None else null)


def below(bound: float, *, null: float | None = None) -> Rule:
    """Return the rule that the statistic is below ``bound``; without an effect it would be ``null`` (default bound)."""
    return Rule(-math.inf, bound, bound if null is None else null)


def within(low: float, high: float) -> Rule:
    """Return the rule that the statistic lies in [low, high]: that it equals something up to a tolerance."""
    return Rule(low, high, None)


EVERY_PART = above(1.0, null=0.0)
"""The rule of a sentence with several parts, judged by :func:`every_part`."""


def every_part(estimates: Sequence[Estimate], rules: Mapping[str, Rule]) -> Estimate:
    """Return one estimate for a sentence with several parts: the smallest, each rescaled by its own rule.

    ``estimates`` holds one estimate for each part; ``rules`` holds their rules in the same order, by name of the part,
    each with one end. The result is above 1 if every part is past its bound, and below 0 if some part lies beyond its
    value without an effect (see :func:`dbench.stats.smallest_of`). Its notes name the parts.

    Example:
        >>> from dbench.stats import mean_of
        >>> parts = [mean_of([0.58, 0.6, 0.62]), mean_of([0.04, 0.05, 0.06])]
        >>> found = every_part(parts, {"dci": above(0.5, null=0.0), "modularity": below(0.1)}).at(0.95)
        >>> EVERY_PART.decide(found), found.notes[0]
        (<Verdict.REPRODUCED: 'reproduced'>, 'dci: 0.60 [0.55, 0.65], asked above 0.5 (no effect: 0)')
    """

    def scaled(rule: Rule, part: Estimate) -> Estimate:
        def ends(level: float) -> tuple[float, float]:
            interval = rule.scaled(part.at(level))
            return interval.low, interval.high

        # A value on the bound needs its interval to be placed; a rule without a null is refused by ``scaled``.
        if rule.null is None or part.value in (rule.low, rule.high):
            return Estimate(rule.scaled(part.at(0.95)).value, part.n, ends)
        return Estimate(rule._place(part.value, True), part.n, ends)

    def said(name: str, rule: Rule, part: Estimate, level: float) -> str:
        interval = part.at(level)
        return f"{name}: {interval.value:.2f} [{interval.low:.2f}, {interval.high:.2f}], asked {rule}"

    parts = list(zip(rules.items(), estimates, strict=True))
    smallest = smallest_of([scaled(rule, part) for (_, rule), part in parts])
    return replace(smallest, notes=tuple(partial(said, name, rule, part) for (name, rule), part in parts))
