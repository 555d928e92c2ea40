"""Which case of a finding heads it: of several the worst."""

import math
from collections.abc import Iterable, Mapping, Sequence

from dbench.report.schema import VERDICTS, Document, Record

Sides = Mapping[str, int]
"""Side of the images in pixels, by table of trained models."""


def sides_of(document: Document) -> Sides:
    """Return the image size of each table of a document, where it is known."""
    tables = document["provenance"].get("evidence", ())
    return {table["name"]: table["side"] for table in tables if table["side"]}


def heading_cases(records: Iterable[Record]) -> list[Record]:
    """Return the cases that head a finding, of records of one kind of evidence."""
    return [record for record in records if record["role"] == "primary"]


def by_side(records: Iterable[Record], sides: Sides) -> list[tuple[int, list[Record]]]:
    """Group the primary cases by side of the images (0 where not known), that of the primary first."""
    own, others = list[Record](), dict[int, list[Record]]()
    for record in records:
        if record["role"] == "primary":
            own.append(record)
        elif record["role"] == "size":
            others.setdefault(_side(record, sides), []).append(record)
    # A test that broke has no parameters: it is of the primary's size.
    first = [(max(_side(record, sides) for record in own), own)] if own else []
    return first + sorted(others.items())


def _side(record: Record, sides: Sides) -> int:
    return sides.get(str(record["params"].get("evidence_folder")), 0)


def worst_of(cases: Sequence[Record]) -> Record:
    """Return the case of the worst verdict; of equal ones that farthest out of the range."""
    return max(cases, key=lambda record: (_rank(record), _miss(record)))


def _rank(record: Record) -> float:
    """Place of a case's verdict from best to worst; what can only be reproduced or weaker comes before weaker."""
    rank = float(VERDICTS.index(record["verdict"]))
    interval, null = record["interval"], record["null"]
    if record["verdict"] != "undecided" or interval is None or null in (None, record["low"], record["high"]):
        return rank
    claimed = interval[0] > null if record["high"] is None else interval[1] < null
    return VERDICTS.index("weaker") - 0.5 if claimed else rank


def _miss(record: Record) -> float:
    """How far the estimate of a case lies outside the range that is asked; below 0 inside."""
    estimate, low, high = record["estimate"], record["low"], record["high"]
    if estimate is None:
        return -math.inf
    return max(-math.inf if low is None else low - estimate, -math.inf if high is None else estimate - high)


def size_rows(document: Document) -> list[tuple[str, dict[int, Record]]]:
    """Return each finding that was judged at several image sizes, with the worst case by side of what heads it."""
    sides, rows = sides_of(document), []
    parts = {record["nodeid"]: record["part"] for record in document["records"]}
    for heading in document["headings"]:
        asked = (heading["claim"], heading["heads"], parts.get(heading["record"]))
        groups = by_side([r for r in document["records"] if (r["claim"], r["evidence"], r["part"]) == asked], sides)
        if len(groups) > 1:
            rows.append((heading["claim"], {side: worst_of(cases) for side, cases in groups}))
    return rows
