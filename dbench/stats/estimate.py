"""A number with its interval: what every judgement is made of."""

import math
from dataclasses import dataclass

from dbench.errors import InvalidInput


@dataclass(frozen=True)
class Estimate:
    """A value, the interval that holds it with the stated confidence, and how many units it rests on.

    Attributes:
        value: point estimate.
        low: lower end of the interval; equal to ``value`` when nothing was sampled.
        high: upper end.
        n: number of replicated units (seeds, repetitions, checked cases).
        confidence: of the interval; 1.0 for a value that is computed exactly.
        left_out: how many of how many candidates (models, codes) a filter removed; ``None`` without a filter.
        notes: what a reader of the number must know, a sentence each.
    """

    value: float
    low: float
    high: float
    n: int
    confidence: float
    left_out: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Insist on plain floats in order, low <= value <= high, and a finite value (too few units: no finite ends)."""
        for name in ("value", "low", "high", "confidence"):
            object.__setattr__(self, name, float(getattr(self, name)))
        if not math.isfinite(self.value):
            raise InvalidInput(f"an estimate must be finite, got {self.value}")
        if not self.low <= self.value <= self.high:
            raise InvalidInput(f"an estimate must lie in its interval, got {self.value} in [{self.low}, {self.high}]")
        if self.n < 1:
            raise InvalidInput(f"n must be at least 1, got {self.n}")
        if not 0 < self.confidence <= 1:
            raise InvalidInput(f"confidence must lie in (0, 1], got {self.confidence}")

    @property
    def is_exact(self) -> bool:
        """Whether nothing was sampled."""
        return self.confidence == 1.0


def finite_or_none(value: float) -> float | None:
    """Return a number as JSON can hold it: none in the place of what is infinite or no number."""
    return float(value) if math.isfinite(value) else None


def exact(value: float, *, n: int = 1) -> Estimate:
    """Return the estimate of a value computed without sampling from ``n`` enumerated cases."""
    return Estimate(value, value, value, n, 1.0)
