"""Numbers and records as short text, the same on the page, in Markdown and in the terminal."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from dbench.report.schema import Record
from dbench.shown import one_line

NOTHING = "-"
_ROUNDING = 1e-8


def clip(text: str, width: int) -> str:
    """Shorten text to at most ``width`` characters; three dots stand for what is missing."""
    return text if len(text) <= width else text[: max(width - 3, 0)].rstrip() + "..."[:width]


def number(value: float | None, *, decimals: int | None = None) -> str:
    """Format a number for reading: about three significant digits, or the decimals given; a dash for None.

    Example:
        >>> [number(x) for x in (None, 0, -0.0, 1e-8, -0.52341, 3, 999.7, 46080, 1234567890)]
        ['-', '0', '0', '1e-8', '-0.523', '3', '1000', '46080', '1.23e9']
    """
    if value is None:
        return NOTHING
    size = abs(value)
    if size == 0:
        return "0"
    if decimals is not None and size < 1e7:
        fixed = f"{value:.{decimals}f}"
        if float(fixed):  # otherwise a small number would be rounded to zero
            return fixed
    if size < 1e-3 or size >= 1e7:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    if float(value).is_integer() or size >= 999.5:  # three digits of 999.7 would be 1e+03
        return f"{value:.0f}"
    return f"{value:.3g}"


def plural(noun: str, count: int) -> str:
    """Return the singular or plural of a noun for a count; words after 'of' stay the same.

    Example:
        >>> [plural(noun, 2) for noun in ("seed", "seeds", "pair of strengths", "property", "class", "matrix")]
        ['seeds', 'seeds', 'pairs of strengths', 'properties', 'classes', 'matrices']
    """
    head, of, rest = noun.partition(" of ")
    if count != 1 and head.endswith("matrix"):
        head = head[:-1] + "ces"
    elif count != 1 and not re.search("[^s]s$", head):
        if re.search("[^aeiou]y$", head):
            head = head[:-1] + "ie"
        head += "es" if re.search("(s|x|ch)$", head) else "s"
    return head + of + rest


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    Example:
        >>> counted(1, "seed"), counted(5, "seed"), counted(46080, "image")
        ('1 seed', '5 seeds', '46,080 images')
    """
    return f"{count:,} {plural(one_line(noun), count)}".rstrip()


def listed(names: Iterable[str], *, most: int | None = None) -> str:
    """Join names with commas and a final 'and'; those beyond ``most`` are only counted.

    Example:
        >>> listed(["a", "b", "c"]), listed("abcde", most=2)
        ('a, b and c', 'a, b and 3 more')
    """
    shown = list(names)
    if most is not None and len(shown) > most + 1:
        shown = [*shown[:most], f"{len(shown) - most} more"]
    return ", ".join(shown[:-1]) + " and " + shown[-1] if len(shown) > 1 else "".join(shown)


def same_words(quote: str, other: str) -> bool:
    """Return whether two quotations are from one sentence: one contains the other, or one is empty."""
    return not (quote and other) or quote in other or other in quote


def estimate_text(record: Record) -> str:
    """Return estimate and interval, to two significant digits of the interval's half-width."""
    estimate, interval = record["estimate"], record["interval"]
    if estimate is None:
        return "no estimate"
    if interval is None or interval[0] == interval[1] == estimate:
        ends = [end for end in (record.get("low"), record.get("high")) if end not in (None, estimate)]
        # Rounded to three digits, the estimate must not seem to lie on a bound.
        return f"{estimate:.6g}" if number(estimate) in map(_bound, ends) else number(estimate)
    half_width = interval[1] / 2 - interval[0] / 2
    decimals = min(max(1 - math.floor(math.log10(half_width)), 0), 6) if half_width > 0 else None
    low, high = (number(end, decimals=decimals) for end in interval)
    return f"{number(estimate, decimals=decimals)} [{low}, {high}]"


def asked_text(record: Record, *, signs: bool = False) -> str:
    """Return the range in which the sentence is true, in words or in signs.

    Example:
        >>> asked_text({"low": 1 - 1e-9, "high": 1 + 1e-9, "closed": True})
        'exactly 1 up to rounding'
    """
    low, high = (None if record[end] is None else float(record[end]) for end in ("low", "high"))
    # Some bounds leave room for rounding errors, which is not shown.
    least = round(low) if low is not None and 0 < round(low) - low < _ROUNDING else low
    most = round(high) if high is not None and 0 < high - round(high) < _ROUNDING else high
    exact = (least, most) == (low, high)
    asked = _range_text(least, most, closed=record["closed"] or not exact, signs=signs)
    return asked if exact or signs else f"{asked} up to rounding"


def _range_text(low: float | None, high: float | None, *, closed: bool, signs: bool) -> str:
    if low is not None and low == high:
        return f"= {_bound(low)}" if signs else f"exactly {_bound(low)}"
    if low is not None and high is not None:
        return f"in [{_bound(low)}, {_bound(high)}]" if signs else f"from {_bound(low)} to {_bound(high)}"
    least, most = (">=", "<=") if closed else (">", "<")
    if not signs:
        least, most = ("at least", "at most") if closed else ("above", "below")
    return f"{least} {_bound(low)}" if high is None else f"{most} {_bound(high)}"


def _bound(value: float | None) -> str:
    """Return a bound as text, never rounded to a whole number: for 0.999999, 'above 1' would be another claim."""
    text = number(value)
    if value is None or abs(value) >= 1000 or float(value).is_integer() or not float(text).is_integer():
        return text
    return f"{value:.9g}"


def n_text(record: Record) -> str:
    """Return the number of replicates and their unit."""
    return NOTHING if record["n"] is None else counted(record["n"], record["unit"])


def printed_text(record: Record) -> str:
    """Return the printed figure, and whether ours agrees with it."""
    if record["printed"] is None:
        return NOTHING
    word, expected = record.get("agreement"), record.get("printed_expects")  # reports of earlier versions have neither
    if not (word and expected):
        return one_line(record["printed"])
    ours = "ours agrees" if word == "agrees" else f"ours is {word}"
    low, high = expected
    return f"{one_line(record['printed'])} ({ours}: {number(low)} to {number(high)} was to be expected)"


def params_text(params: Mapping[str, Any]) -> str:
    """Return parameters as ``name=value`` in alphabetical order."""
    return ", ".join(one_line(f"{name}={params[name]}") for name in sorted(params))


def part_text(record: Record) -> str:
    """Return what tells a record from the others of its finding: part, parameters and filter; may be empty.

    Example:
        >>> part_text({"part": "", "params": {"metric": "mig"}, "left_out": [3, 360]})
        'metric=mig, without 3 of 360'
    """
    left_out = "" if record["left_out"] is None else "without {:,} of {:,}".format(*record["left_out"])
    return ", ".join(filter(None, [one_line(record["part"]), params_text(record["params"]), left_out]))


def within_claims(nodeid: str) -> str:
    """Return the name of a test relative to the folder of claims, whatever the folder is called.

    Example:
        >>> {within_claims(f"{folder}irs/test_2.py::test") for folder in ("", "claims/", "dbench_claims/")}
        {'irs/test_2.py::test'}
    """
    return re.sub("^(dbench_)?claims/", "", nodeid)


def name_text(record: Record) -> str:
    """Return the claim, kind of evidence and case of a record, on one line."""
    return f"{one_line(record['claim'])} ({record['evidence']}) {part_text(record)}".rstrip()


def expected_text(record: Record) -> str:
    """Return that the verdict was unexpected, or else why it was expected; may be empty."""
    if record["unexpected"]:
        return f"unexpected: '{record['expected']}' was expected"
    return one_line(record["expected_reason"] or "")


def duration(seconds: float) -> str:
    """Return a duration in words, in the units that suit its size.

    Example:
        >>> [duration(x) for x in (0, 0.004, 0.42, 12.3, 200, 4000)]
        ['0 s', '<0.01 s', '0.42 s', '12 s', '3 min 20 s', '1 h 7 min']
    """
    if seconds < 0.01:
        return "<0.01 s" if seconds else "0 s"
    if seconds < 10:
        return f"{seconds:.2g} s"
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    if rounded < 3600:
        return f"{rounded // 60} min {rounded % 60} s"
    minutes = round(rounded / 60)
    return f"{minutes // 60} h {minutes % 60} min"
