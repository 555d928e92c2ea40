"""A number, and its interval at the confidence that a judge asks for: what every judgement is made of."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from dbench.errors import InvalidInput


@dataclass(frozen=True)
class Interval:
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
        _check(self.value, self.n)
        if not self.low <= self.value <= self.high:
            raise InvalidInput(f"an estimate must lie in its interval, got {self.value} in [{self.low}, {self.high}]")
        if not 0 < self.confidence <= 1:
            raise InvalidInput(f"confidence must lie in (0, 1], got {self.confidence}")

    @property
    def is_exact(self) -> bool:
        """Whether nothing was sampled."""
        return self.confidence == 1.0


@dataclass(frozen=True, eq=False)
class Estimate:
    """A value that can say its interval at any confidence. What resamples does so when it is first asked.

    Attributes:
        value: point estimate.
        n: number of replicated units (seeds, repetitions, checked cases).
        ends: takes a confidence, returns both ends of the interval; ``None`` when nothing was sampled.
        left_out: how many of how many candidates (models, codes) a filter removed; ``None`` without a filter.
        notes: what a reader of the number must know, a sentence each; a function where it depends on the confidence.

    Example:
        >>> half = Estimate(0.5, 10, lambda confidence: (0.5 - confidence / 4, 0.5 + confidence / 4))
        >>> half.at(0.8).low
        0.3
    """

    value: float
    n: int
    ends: Callable[[float], tuple[float, float]] | None
    left_out: tuple[int, int] | None = None
    notes: tuple[str | Callable[[float], str], ...] = ()

    def __post_init__(self) -> None:
        """Insist on a finite value of at least one unit."""
        object.__setattr__(self, "value", float(self.value))
        _check(self.value, self.n)

    def at(self, confidence: float) -> Interval:
        """Return the value with its interval; a value computed exactly has the confidence 1.

        Raises:
            InvalidInput: a confidence that is not strictly between 0 and 1, of what was sampled.
        """
        notes = tuple(note(confidence) if callable(note) else note for note in self.notes)
        if self.ends is None:
            return Interval(self.value, self.value, self.value, self.n, 1.0, self.left_out, notes)
        if not 0 < confidence < 1:
            raise InvalidInput(f"confidence must lie strictly between 0 and 1, got {confidence}")
        return Interval(self.value, *self.ends(confidence), self.n, confidence, self.left_out, notes)


def _check(value: float, n: int) -> None:
    if not math.isfinite(value):
        raise InvalidInput(f"an estimate must be finite, got {value}")
    if n < 1:
        raise InvalidInput(f"n must be at least 1, got {n}")


def finite_or_none(value: float) -> float | None:
    """Return a number as JSON can hold it: none in the place of what is infinite or no number."""
    return float(value) if math.isfinite(value) else None


def exact(value: float, *, n: int = 1) -> Estimate:
    """Return the estimate of a value computed without sampling from ``n`` enumerated cases."""
    return Estimate(value, n, None)
