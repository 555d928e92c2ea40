"""The card of a metric, its result, and the dictionary of all metrics.

The decorator attaches a card and lists the function; it does not wrap it, so that direct calls, doctests
and type checkers see the original.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput, unknown_name

__all__ = ["METRICS", "MetricCard", "Score", "find_metric", "metric"]

Function = TypeVar("Function", bound=Callable[..., Any])
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Score:
    """Result of a metric.

    Attributes:
        metric: name of the metric.
        value: the score.
        per_factor: k values, where the paper defines them.
        per_code: d values, where the paper defines them.
        relation: d x k matrix between codes and factors the score was aggregated from.
        details: further named numbers (accuracies, ceiling, chance level, options used).
    """

    metric: str
    value: float
    per_factor: Array | None = None
    per_code: Array | None = None
    relation: Array | None = None
    details: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Insist on a finite Python float: a silent NaN is never a score."""
        if not np.isfinite(self.value):
            raise InvalidInput(f"{self.metric} came out as {self.value}; a degenerate input needs a stated answer")
        object.__setattr__(self, "value", float(self.value))

    def __float__(self) -> float:
        """The score itself."""
        return self.value


@dataclass(frozen=True)
class MetricCard:
    """What a metric declares of itself.

    Attributes:
        name: the function's name, also on the command line.
        bounds: smallest and largest possible value; ``None`` where unbounded.
        perfect: value of a perfect representation, ``None`` where the metric knows no such thing.
        needs: what it is computed from.
        invariant: transformations of the codes that leave the score as it is.
        cite: key of the paper it comes from.
        summary: first line of its docstring.
        variants: names of its variants that ``dbench score`` computes as well, written ``name[variant]``.
    """

    name: str
    bounds: tuple[float | None, float | None]
    perfect: float | None
    needs: Literal["sample", "source", "posterior", "models"]
    invariant: frozenset[str]
    cite: str
    summary: str
    variants: tuple[str, ...] = ()


METRICS: dict[str, Callable[..., Score]] = {}


def metric(
    *,
    bounds: tuple[float | None, float | None],
    perfect: float | None,
    needs: Literal["sample", "source", "posterior", "models"],
    cite: str,
    invariant: frozenset[str] | set[str] = frozenset(),
    variants: tuple[str, ...] = (),
) -> Callable[[Function], Function]:
    """Attach a card to a metric and list it under its own name."""

    def attach(function: Function) -> Function:
        name = function.__name__
        if name in METRICS:
            raise InvalidInput(f"metric name must be unique, got {name!r} twice")
        summary = (function.__doc__ or "").strip().partition("\n")[0]
        card = MetricCard(name, bounds, perfect, needs, frozenset(invariant), cite, summary, variants)
        function.card = card  # type: ignore[attr-defined]
        METRICS[name] = function
        return function

    return attach


def find_metric(name: str) -> Callable[..., Score]:
    """Return the metric of that name, or say which names there are."""
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    return METRICS[name]
