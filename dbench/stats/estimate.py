"""Estimates: a value and, at any confidence, its interval. Every verdict is based on one."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from dbench.errors import InvalidInput


@dataclass(frozen=True)
class Interval:
    """A value, its confidence interval, and the number of units that it is based on.

    Attributes:
        value: point estimate.
        low: lower end of the interval; equal to ``value`` when nothing was sampled.
        high: upper end.
        n: number of replicated units (seeds, repetitions, checked cases).
        confidence: confidence of the interval; 1.0 for a value that is computed exactly.
        left_out: number of candidates (models, codes) that a filter removed, and of all candidates; ``None`` if no
            filter removed any.
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
        """Convert to float, and check that low <= value <= high and the value is finite; the ends may be infinite."""
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
    """A value with a function that returns its interval at any confidence; resampling waits until the first call.

    Attributes:
        value: point estimate.
        n: number of replicated units (seeds, repetitions, checked cases).
        ends: takes a confidence, returns both ends of the interval; ``None`` when nothing was sampled.
        left_out: as in :class:`Interval`.
        notes: as in :class:`Interval`; a note that depends on the confidence is a function of it.

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
        """Convert the value to float, and check that it is finite and has at least one unit."""
        object.__setattr__(self, "value", float(self.value))
        _check(self.value, self.n)

    def at(self, confidence: float) -> Interval:
        """Return the value with its interval at a confidence; that of an exact value has confidence 1 and no width.

        Raises:
            InvalidInput: the value was sampled and the confidence is not strictly between 0 and 1.
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
    """Return a number as JSON can hold it: None for infinity and NaN."""
    return float(value) if math.isfinite(value) else None


def exact(value: float, *, n: int = 1) -> Estimate:
    """Return the estimate of a value that is computed from ``n`` enumerated cases, without sampling."""
    return Estimate(value, n, None)
