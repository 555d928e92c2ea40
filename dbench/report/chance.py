"""How many wrong decisions chance alone may account for: every record is judged at a level of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dbench.report.findings import Finding
from dbench.report.schema import Record
from dbench.report.text import number

__all__ = ["expected_errors", "finding_chance", "parts_text", "session_text"]

DECIDED = ("reproduced", "not reproduced")


def expected_errors(records: Iterable[Record]) -> float:
    """Most wrong decisions of one kind to be expected if every true value lay exactly on its bound.

    The interval of confidence c misses on one side with probability (1 - c) / 2, so records add up to the sum of that,
    however they depend on each other. Nothing is expected of what was computed without sampling, or not at all.
    """
    return float(sum((1 - record["confidence"]) / 2 for record in records if _may_err(record)))


def finding_chance(finding: Finding) -> str:
    """How many of a finding's parts may be decided by chance as its heading says, at most; empty where none may."""
    errors = expected_errors(finding.records)
    if len(finding.records) < 2 or finding.verdict not in DECIDED or not errors:
        return ""
    return _rounded(errors)


def parts_text(finding: Finding) -> str:
    """Say of how many parts a finding is the heading, and what chance may have to do with it; empty for a single one.

    Example:
        >>> records = [{"confidence": 0.95, "interval": [0.1, 0.2], "evidence": "zoo"}] * 40
        >>> parts_text(Finding({"verdict": "not reproduced"}, records))
        '40 parts, each judged at its own level. If all of them lay on their bounds, at most 1 would be expected to be \
called not reproduced by chance.'
    """
    if len(finding.records) < 2:
        return ""
    parts = f"{len(finding.records)} parts, each judged at its own level."
    errors = finding_chance(finding)
    if not errors:
        return parts
    return (
        f"{parts} If all of them lay on their bounds, at most {errors} would be expected to be called "
        f"{finding.verdict} by chance."
    )


def session_text(records: Sequence[Record]) -> str:
    """Say for all records over trained models how many wrong decisions to expect at most; empty without any."""
    judged = [record for record in records if record["evidence"] == "zoo" and _may_err(record)]
    if not judged:
        return ""
    return (
        f"{len(judged)} record{'s' if len(judged) > 1 else ''} over trained models, each judged at its own level, not "
        f"adjusted for the number of the others: if all true values lay on their bounds, at most "
        f"{_rounded(expected_errors(judged))} would be expected to be wrongly reproduced, or as many wrongly not "
        "reproduced. A finding of several parts is reproduced only if all of them are, which chance makes no likelier "
        "than for one; for 'not reproduced' one part is enough, and the more parts, the likelier it is by chance."
    )


def _may_err(record: Record) -> bool:
    confidence, interval = record["confidence"], record["interval"]
    if confidence is None or confidence >= 1 or interval is None:
        return False
    # Of trained models an interval without width is one that all seeds agree on, elsewhere a computed value.
    return bool(interval[0] < interval[1] or record["evidence"] == "zoo")


def _rounded(errors: float) -> str:
    return number(float(f"{errors:.2g}"))
