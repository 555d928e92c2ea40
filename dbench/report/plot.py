"""Positions in the interval plot of a record; the template draws it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dbench.report.schema import Record
from dbench.report.text import number


@dataclass(frozen=True)
class Plot:
    """Positions from 0 to ``width``; None for what a record does not have."""

    width: float
    estimate: float
    interval: tuple[float, float] | None
    holds: tuple[float, float]  # where the sentence is true: start and size
    ends: tuple[float, ...]  # the finite ends of that region
    none: float | None  # the value of no effect
    printed: float | None
    ticks: tuple[tuple[float, str], ...]


def interval_plot(record: Record, *, width: float = 200.0, pad: float = 12.0) -> Plot | None:
    """Lay out the plot of a record, on its own scale; None without an estimate."""
    if record["estimate"] is None:
        return None
    none, printed, interval = record["null"], record["printed_value"], record["interval"]
    ends = [end for end in (record["low"], record["high"]) if end is not None]
    known = [float(x) for x in (record["estimate"], *(interval or ()), *ends, none, printed) if x is not None]
    low, high = min(known), max(known)
    span = high / 2 - low / 2  # halved first, because high - low may overflow

    def place(value: float) -> float:
        share = (value / 2 - low / 2) / span if span > 0 else 0.5
        return round(pad + share * (width - 2 * pad), 2)

    start = 0.0 if record["low"] is None else place(record["low"])
    stop = width if record["high"] is None else place(record["high"])
    return Plot(
        width=width,
        estimate=place(record["estimate"]),
        interval=None if interval is None else (place(interval[0]), place(interval[1])),
        holds=(start, max(round(stop - start, 2), 1.0)),
        ends=tuple(place(end) for end in ends),
        none=None if none is None or none in ends else place(none),
        printed=None if printed is None else place(printed),
        ticks=tuple((place(value), number(value)) for value in nice_ticks(low, high)),
    )


def nice_ticks(low: float, high: float) -> Sequence[float]:
    """Return at most five multiples of 1, 2 or 5 times a power of ten in ``[low, high]``."""
    span = high / 2 - low / 2
    if not span > abs(low) * 1e-9:
        return [low]
    power = 10.0 ** math.floor(math.log10(span))
    for step in (0.2 * power, 0.5 * power, power, 2 * power, 5 * power):
        if step == 0:  # below the smallest number
            continue
        first, last = math.ceil(low / step), math.floor(high / step)
        if last - first < 5:
            return [float(f"{index * step:.12g}") for index in range(first, last + 1)] or [low]
    return [low, high]
