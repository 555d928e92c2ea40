"""Decision rules: fixed on the card before the data are looked at.

A rule sees nothing but an estimate. Interval wholly beyond bound plus margin on the claimed side:
reproduced. Wholly on the other side of the bound: not reproduced. Anything else: inconclusive. The margin
keeps an effect too small to matter from being called a reproduction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, get_args

from dbench.errors import InvalidInput
from dbench.stats import Estimate

__all__ = ["Rule", "Verdict", "above", "below", "within"]


Direction = Literal["above", "below", "within"]

# Beyond this many units, naming a number promises more than anybody will collect.
_MOST_UNITS = 10**6


class Verdict(StrEnum):
    """What became of a finding."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    INCONCLUSIVE = "inconclusive"
    BROKEN = "broken"


@dataclass(frozen=True)
class Rule:
    """One inequality with its bound and margin.

    Attributes:
        direction: side of the bound on which the finding says the statistic lies.
        bound: beyond it, on the other side, the finding is refuted; for ``within``, the lower end.
        margin: distance from the bound that counts as the finding; for ``within``, the width of the range.
    """

    direction: Direction
    bound: float
    margin: float = 0.0

    def __post_init__(self) -> None:
        """Insist on a known direction, finite numbers and a margin of at least 0."""
        if self.direction not in get_args(Direction):
            raise InvalidInput(f"direction of a rule must be one of {get_args(Direction)}, got {self.direction!r}")
        if not (math.isfinite(self.bound) and math.isfinite(self.margin) and self.margin >= 0):
            raise InvalidInput(f"a rule needs a finite bound and margin >= 0, got {self.bound} and {self.margin}")

    def decide(self, estimate: Estimate) -> Verdict:
        """Decide on an estimate alone; too few units are the card's business."""
        low, high = estimate.low, estimate.high
        if self.direction == "within":
            inside = self.bound <= low and high <= self.bound + self.margin
            outside = high < self.bound or low > self.bound + self.margin
        elif self.direction == "above":
            inside, outside = low > self.bound + self.margin, high < self.bound
        else:
            inside, outside = high < self.bound - self.margin, low > self.bound
        # A value exactly on the bound, known without error, does not go beyond it: the strict claim is false.
        if self.direction != "within" and low == high == self.bound:
            outside = True
        if inside:
            return Verdict.REPRODUCED
        return Verdict.NOT_REPRODUCED if outside else Verdict.INCONCLUSIVE

    def n_to_settle(self, estimate: Estimate) -> int | None:
        """Units that would probably settle it, the interval shrinking with the root of n.

        ``None`` where more of the same cannot settle it: nothing was sampled, the estimate lies between the
        bound and the margin, or so close to an edge that a million units would not do.
        """
        edges = [self.bound, self.bound + self.margin * (-1 if self.direction == "below" else 1)]
        between = min(edges) <= estimate.value <= max(edges) and self.direction != "within"
        half = (estimate.high - estimate.low) / 2
        distance = min(abs(estimate.value - edge) for edge in edges)
        if between or half == 0 or distance == 0:
            return None
        needed = estimate.n * (half / distance) * (half / distance)
        return None if needed > _MOST_UNITS else max(estimate.n + 1, math.ceil(needed))

    def __str__(self) -> str:
        """The inequality in words."""
        if self.direction == "within":
            return f"interval within [{self.bound:g}, {self.bound + self.margin:g}]"
        edge = self.bound + (self.margin if self.direction == "above" else -self.margin)
        margin = f" (bound {self.bound:g}, margin {self.margin:g})" if self.margin else ""
        return f"interval {self.direction} {edge:g}{margin}"


def above(bound: float, *, margin: float = 0.0) -> Rule:
    """The finding says that the statistic exceeds ``bound``; by ``margin`` to count."""
    return Rule("above", bound, margin)


def below(bound: float, *, margin: float = 0.0) -> Rule:
    """The finding says that the statistic stays below ``bound``; by ``margin`` to count."""
    return Rule("below", bound, margin)


def within(low: float, high: float) -> Rule:
    """The finding says that the statistic equals something up to a tolerance: it lies in [low, high]."""
    if not low <= high:
        raise InvalidInput(f"within needs low <= high, got {low} and {high}")
    return Rule("within", low, high - low)
