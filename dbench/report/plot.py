"""Where things stand in a record's interval plot, in the plot's own units. The template draws it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dbench.report.schema import Record
from dbench.report.text import number

__all__ = ["Plot", "Tick", "interval_plot", "nice_ticks"]


@dataclass(frozen=True)
class Tick:
    """A labelled position on the axis."""

    x: float
    label: str


@dataclass(frozen=True)
class Plot:
    """Positions from 0 to ``width``; what a record lacks is None.

    Attributes:
        width: of the plot.
        estimate: the dot.
        interval: ends of the line through the dot.
        bound: the rule's bound.
        margin: strip between the bound and where the finding holds, as (start, size).
        holds: region of the axis in which the finding holds, as (start, size).
        printed: the paper's own number.
        ticks: of the axis.
    """

    width: float
    estimate: float | None
    interval: tuple[float, float] | None
    bound: float | None
    margin: tuple[float, float] | None
    holds: tuple[float, float] | None
    printed: float | None
    ticks: tuple[Tick, ...]


def interval_plot(record: Record, *, width: float = 200.0, pad: float = 12.0) -> Plot | None:
    """Lay out the plot of a record: estimate and interval against the bound and the printed number.

    The axis covers everything the record has, and no more: each record is on a scale of its own.

    Args:
        record: the record.
        width: of the plot.
        pad: room left of the smallest and right of the largest value.

    Returns:
        The positions, or None for a record without an estimate.
    """
    if record["estimate"] is None:
        return None
    bound, margin, direction = record["bound"], record["margin"] or 0.0, record["direction"]
    edge = None if bound is None else bound - margin if direction == "below" else bound + margin
    printed = record.get("printed_value")
    values = [record["estimate"], *(record["interval"] or ()), bound, edge, printed]
    known = [float(value) for value in values if value is not None and math.isfinite(value)]
    low, high = min(known), max(known)
    span = high / 2 - low / 2  # halves, so that no pair of floats overflows

    def place(value: float) -> float:
        share = (value / 2 - low / 2) / span if span > 0 else 0.5
        return round(pad + share * (width - 2 * pad), 2)

    strip = holds = None
    if bound is not None and edge is not None and direction is not None:
        at, beyond = place(bound), place(edge)
        if direction == "within":
            holds = (at, max(round(beyond - at, 2), 1.0))
        else:
            holds = (beyond, round(width - beyond, 2)) if direction == "above" else (0.0, beyond)
            strip = (min(at, beyond), round(abs(beyond - at), 2)) if margin else None
    return Plot(
        width=width,
        estimate=place(record["estimate"]),
        interval=None if record["interval"] is None else (place(record["interval"][0]), place(record["interval"][1])),
        bound=None if bound is None else place(bound),
        margin=strip,
        holds=holds,
        printed=None if printed is None else place(printed),
        ticks=tuple(Tick(place(value), number(value)) for value in nice_ticks(low, high)),
    )


def nice_ticks(low: float, high: float, *, most: int = 5) -> Sequence[float]:
    """Return at most ``most`` round numbers (1, 2 or 5 times a power of ten) in ``[low, high]``.

    Example:
        >>> nice_ticks(0.07, 0.93)
        [0.2, 0.4, 0.6, 0.8]
    """
    span = high / 2 - low / 2
    if not span > abs(low) * 1e-9:
        return [low]
    power = 10.0 ** math.floor(math.log10(span))
    for step in (0.2 * power, 0.5 * power, power, 2 * power, 5 * power):
        first, last = math.ceil(low / step), math.floor(high / step)
        if step > 0 and last - first < most:
            return [float(f"{index * step:.12g}") for index in range(first, last + 1)] or [low]
    return [low, high]
