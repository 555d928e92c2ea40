"""Numbers and records as short text, the same in the page, in the summary and in the terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from dbench.report.schema import Record, standing

__all__ = [
    "agreement",
    "bound_text",
    "clip",
    "duration",
    "errata_text",
    "estimate_text",
    "filter_text",
    "missing_text",
    "n_text",
    "name_text",
    "number",
    "one_line",
    "params_text",
    "part_text",
    "printed_text",
    "remark",
]

NOTHING = "-"
# How the deviation starts that says what a filter on models removed: of dbench.claims.filters.
FILTER = "The filter removes "
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
# Controls, lone surrogates, and the marks that reverse the reading direction of what follows them.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u2028-\u202e\u2066-\u2069]+")


def one_line(text: str) -> str:
    """Return text on one line, without control characters: a record's text may be anything."""
    return " ".join(_UNPRINTABLE.sub(" ", _ESCAPES.sub("", text)).split())


def clip(text: str, width: int) -> str:
    """Shorten text to ``width`` characters, with an ellipsis of three dots where something is missing."""
    return text if len(text) <= width else text[: max(width - 3, 0)].rstrip() + "..."[:width]


def number(value: float | None, *, decimals: int | None = None) -> str:
    """Format a number for reading: about three significant digits, or the decimals given; a dash for None.

    Example:
        >>> [number(x) for x in (None, 0, -0.0, 1e-8, -0.52341, 3, 46080, 1234567890)]
        ['-', '0', '0', '1e-8', '-0.523', '3', '46080', '1.23e9']
    """
    if value is None:
        return NOTHING
    size = abs(value)
    if size == 0:
        return "0"
    if decimals is not None and size < 1e7:
        fixed = f"{value:.{decimals}f}"
        if float(fixed):  # else rounding would make a zero of a small number
            return fixed
    if size < 1e-3 or size >= 1e7:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    if float(value).is_integer() or size >= 1000:
        return f"{value:.0f}"
    return f"{value:.3g}"


def estimate_text(record: Record) -> str:
    """Estimate and interval, to two significant digits of the interval's half-width.

    Example:
        >>> estimate_text({"estimate": 0.5404, "interval": [0.481, 0.6]})
        '0.540 [0.481, 0.600]'
    """
    estimate, interval = record["estimate"], record["interval"]
    if estimate is None or interval is None:
        return "no estimate" if estimate is None else number(estimate)
    if interval[0] == interval[1] == estimate:
        return number(estimate)
    half = interval[1] / 2 - interval[0] / 2
    decimals = min(max(1 - math.floor(math.log10(half)), 0), 6) if half > 0 else None
    low, high = (number(end, decimals=decimals) for end in interval)
    return f"{number(estimate, decimals=decimals)} [{low}, {high}]"


def bound_text(record: Record) -> str:
    """The region in which the finding holds: beyond the bound by the margin, or from the bound as wide as the margin.

    Example:
        >>> bound_text({"bound": 0.5, "margin": 0.05, "direction": "below"})
        '< 0.5 - 0.05'
    """
    bound, margin, direction = record["bound"], record["margin"], record["direction"]
    if bound is None:
        return NOTHING
    if direction == "within":
        return f"in [{number(bound)}, {number(bound + (margin or 0))}]"
    sign, side = {"above": ("> ", " + "), "below": ("< ", " - ")}.get(direction, ("", " +- "))
    return sign + number(bound) + (side + number(margin) if margin else "")


def missing_text(record: Record) -> str:
    """What kept a rule from deciding. Where it has decided, the numbers are the reason, and stand there already.

    Example:
        >>> missing_text({"verdict": "inconclusive", "reason": "0.2 [-1, 1]; rule: above 0; about n = 40 would settle"})
        'about n = 40 would settle'
    """
    reason = one_line(record["reason"])
    if record["verdict"] == "broken":
        return reason
    return reason.rpartition("; ")[2] if record["verdict"] == "inconclusive" else ""


def filter_text(record: Record) -> str:
    """What a filter on models or codes removed: where that is nothing, the record repeats the one with all of them.

    Example:
        >>> filter_text({"deviations": ["As printed.", "The filter removes 3 of the 360 models."]})
        'filter removes 3 of the 360 models'
    """
    said = (one_line(deviation) for deviation in record["deviations"] if deviation.startswith(FILTER))
    return "; ".join(text.removeprefix("The ").rstrip(".") for text in said)


def n_text(record: Record) -> str:
    """How many were replicated, and what."""
    if record["n"] is None:
        return NOTHING
    return f"{record['n']} {one_line(record['unit'] or '')}".rstrip()


def agreement(record: Record) -> str:
    """Whether our number is the printed one: ``agrees``, ``differs`` or empty where nobody compared."""
    return {True: "agrees", False: "differs", None: ""}[record["printed_agrees"]]


def printed_text(record: Record) -> str:
    """The printed figure, and whether ours agrees with it."""
    if record["printed"] is None:
        return NOTHING
    verdict = agreement(record)
    return one_line(record["printed"]) + (f" ({verdict})" if verdict else "")


def name_text(record: Record) -> str:
    """What was judged: claim, kind of evidence, part and parameters."""
    return " ".join(filter(None, [one_line(record["claim"]), f"({record['evidence']})", part_text(record)]))


def part_text(record: Record) -> str:
    """What tells a record from the others of its finding: part and parameters; empty for a finding of one piece."""
    return " ".join(filter(None, [one_line(record.get("part") or ""), params_text(record["params"])]))


def params_text(params: Mapping[str, Any]) -> str:
    """Parameters as ``name=value`` in alphabetical order."""
    return ", ".join(one_line(f"{name}={params[name]}") for name in sorted(params))


def errata_text(count: int) -> str:
    """How many printed figures do not follow from their own paper.

    Example:
        >>> errata_text(1)
        '1 entry on printed figures that do not follow from their own paper'
    """
    return f"{count} entr{'y' if count == 1 else 'ies'} on printed figures that do not follow from their own paper"


def remark(record: Record) -> str:
    """How the verdict stands to the expected one, in words; empty where there is nothing to say."""
    state = standing(record)
    if state == "unexpected":
        return f"unexpected: {record['expected']} was expected"
    reason = one_line(record.get("expected_reason") or "")
    return f"{state}: {reason}" if state and reason else state


def duration(seconds: float) -> str:
    """Format a duration.

    Example:
        >>> [duration(x) for x in (0, 0.004, 0.42, 12.3, 200, 4000)]
        ['0 s', '<0.01 s', '0.42 s', '12 s', '3 min 20 s', '1 h 7 min']
    """
    if seconds < 0.01:
        return "<0.01 s" if seconds else "0 s"
    if seconds < 10:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(whole / 60)
    return f"{minutes // 60} h {minutes % 60} min"
