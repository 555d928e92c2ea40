"""The heading of a finding: the verdict of its primary record, what was seen, and the other records in words."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbench.claims import Verdict
from dbench.claims.ledger import Finding
from dbench.report.schema import ROLES, VERDICTS, Document, Record
from dbench.report.seen import change_text, seen_text
from dbench.report.text import estimate_text, listed, n_text, number, part_text, plural, same_words
from dbench.shown import one_line

EVIDENCE = {"zoo": "trained models", "published": "the paper's printed tables", "synthetic": "constructions"}
PARAMETERS = {
    "evidence_folder": "table",
    "evidence_pair": "pair of tables",
    "evidence_left_out": "study",
    "evidence_seeds": "seeds",
    "population_of": "population",
    "d": "number of codes",
    "k": "number of factors",
}
Sides = Mapping[str, int]
"""Side of the images in pixels, by table of trained models."""

# Most names that a note lists; it counts the others, and the page lists them all.
MOST_NAMES = 4


def count_verdicts(items: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count the verdicts that occur, in the order from best to worst."""
    verdicts = [item["verdict"] for item in items]
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS if verdict in verdicts}


def heading_of(records: Sequence[Record], row: Finding, sides: Sides) -> dict[str, Any]:
    """Return the heading of one finding: the fields of ``heading`` in ``schema.json``.

    The verdict is 'not tested' where no primary record is on the kind of evidence that heads the finding, and where the
    ledger sets the finding aside.
    """
    heading_records = [record for record in records if record["evidence"] == row.heads]
    primaries = heading_cases(heading_records)
    decider = worst_of(primaries) if primaries and not row.aside else None
    if decider:
        says = seen_text(records, row, decider, primaries)
    else:
        says = row.aside or f"The sentence itself was not judged on {EVIDENCE[row.heads]}."
    all_units = decider.get("all_units") if decider else None
    of_sentence = [] if row.aside else [record for _, cases in by_side(heading_records, sides) for record in cases]
    by_size = by_side([record for record in heading_records if decider and record["part"] == decider["part"]], sides)
    fresh = [record for record in heading_records if record["role"] == "fresh"]
    judged_fresh = [record for record in fresh if record["verdict"] != "not tested"]
    others = [record for record in records if record is not decider]
    beside = {role: counts for role in ROLES if (counts := count_verdicts(r for r in others if r["role"] == role))}
    return {
        "claim": records[0]["claim"],
        "paper": records[0]["paper"],
        "where": row.where,
        "statement": row.says,
        "heads": row.heads,
        "verdict": decider["verdict"] if decider else "not tested",
        "says": says,
        "change": change_text(decider) if decider else "",
        "famous": row.famous,
        "record": decider["nodeid"] if decider else None,
        "beside": beside,
        "note": row.note,
        "notes": [
            *(decider.get("notes", []) if decider else []),  # reports of earlier versions have none
            *([_units_note(decider)] if decider and all_units else []),
            *([_filtered_note(decider)] if decider and decider.get("filtered") else []),
            *([f"One of those that stand or fall by the same: {row.group}."] if row.group else []),
            *([_fresh_note(worst_of(judged_fresh))] if judged_fresh else []),
            *([_size_note(by_size)] if len(by_size) > 1 else []),
            *_notes([record for record in records if record not in [*of_sentence, *fresh]], decider),
        ],
        "unexpected": sum(record["unexpected"] for record in records),
        "unconfirmed": bool(decider and decider["unconfirmed"]),
        "qualified": bool(all_units and decider and all_units["verdict"] != decider["verdict"]),
        "fresh": worst_of(judged_fresh)["verdict"] if judged_fresh else None,
        "group": row.group,
        "aside": row.aside,
        "revision": decider["revision"] if decider else None,
    }


def _units_note(record: Record) -> str:
    """Return a note on the verdict over all units, where a condition leaves some out."""
    verdict, estimate = record["all_units"]["verdict"], number(record["all_units"]["estimate"])
    outside = sorted({unit for condition in record["regime"] for unit in condition.get("outside", ())})
    return f"Without {listed(outside, most=MOST_NAMES)}; over all units {verdict} ({estimate})."


def _filtered_note(record: Record) -> str:
    """Return a note on the verdict over only the models or codes that a filter keeps."""
    kept = record["filtered"]
    if kept["left_out"] is None:
        return f"Without what a filter on models or codes removes, {kept['verdict']}: {one_line(kept['reason'])}."
    removed = "{:,} of {:,}".format(*kept["left_out"])
    return f"Without {removed} models or codes, which a filter removes, {kept['verdict']} ({estimate_text(kept)})."


def _fresh_note(worst: Record) -> str:
    """Return a note on the verdict over only the seeds that were drawn after the freeze."""
    estimate = "" if worst["estimate"] is None else f" ({estimate_text(worst)}, {n_text(worst)})"
    return f"On fresh seeds alone, drawn after the rules were frozen: {worst['verdict']}{estimate}."


def _size_note(by_size: Sequence[tuple[int, Sequence[Record]]]) -> str:
    """Return a note on the verdict at each image size, of which the first heads the finding."""
    parts = list[str]()
    for side, cases in by_size:
        worst = worst_of(cases)
        heads = "" if parts else ", which heads the finding"
        at = f"{side} x {side} pixels" if side else "unknown size"
        parts.append(f"{worst['verdict']} at {at} ({estimate_text(worst)}){heads}")
    return f"By image size: {'; '.join(parts)}."


def _notes(records: Sequence[Record], decider: Record | None) -> list[str]:
    """Return a note on each group of further records with the same role, evidence and part."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        role = "cell" if record["role"] == "primary" else record["role"]
        groups.setdefault((role, record["evidence"], record["part"]), []).append(record)
    ordered = sorted(groups.items(), key=lambda item: ROLES.index(item[0][0]))
    return [_note(role, evidence, one_line(part), group, decider) for (role, evidence, part), group in ordered]


def _note(role: str, evidence: str, part: str, group: Sequence[Record], decider: Record | None) -> str:
    subject = _subject(role, group[0], decider)
    subject += (f" ({part})" if part else "") + f", on {EVIDENCE[evidence]}"
    if len(group) == 1:
        values = "" if part else ", ".join(one_line(str(value)) for value in group[0]["params"].values())
        return f"{subject}{f' ({values})' if values else ''}: {group[0]['verdict']}."
    varied = sorted({name for record in group for name in record["params"] if _varies(name, group)})
    noun = _nouns(varied[0]) if len(varied) == 1 else "cases"
    parts = list[str]()
    for verdict, count in count_verdicts(group).items():
        names = listed((_label(record, varied) for record in group if record["verdict"] == verdict), most=MOST_NAMES)
        total = "" if parts else f" of {len(group)} {noun}"
        parts.append(f"{verdict} for {count}{total}" + ("" if Verdict(verdict).holds else f" ({names})"))
    return f"{subject}: {'; '.join(parts)}."


def _subject(role: str, record: Record, decider: Record | None) -> str:
    """Return what a record beside the primary one is, and its sentence where it differs from the primary one's."""
    primary = decider or record
    same = record["says"] == primary["says"]
    if role == "print":
        return "Printed figure"
    if role == "probe":
        kind = "Probe, not the paper's"
    elif same:
        kind = "The same sentence"
    else:
        kind = "Of the same sentence" if same_words(record["quote"], primary["quote"]) else "Another sentence"
    return kind + ("" if same else f": '{one_line(record['says']).rstrip('.')}'")


def _varies(name: str, group: Sequence[Record]) -> bool:
    return len({str(record["params"].get(name)) for record in group}) > 1


def _nouns(parameter: str) -> str:
    return plural(PARAMETERS.get(parameter, parameter.replace("_", " ")), 2)


def _label(record: Record, varied: Sequence[str]) -> str:
    return " / ".join(one_line(str(record["params"].get(name, "-"))) for name in varied) or part_text(record) or "one"


def chance_text(records: Iterable[Record]) -> str:
    """Say how many verdicts may be wrong by chance; empty where none rests on a sample.

    An interval of confidence c misses on one side with probability (1 - c) / 2, so the expected number of misses is the
    sum of that over the records, however they depend on each other.
    """
    sampled = [record for record in records if record["interval"] is not None and record["confidence"] < 1]
    if not sampled:
        return ""
    errors = number(float(f"{sum((1 - record['confidence']) / 2 for record in sampled):.2g}"))
    return (
        f"{len(sampled)} of the verdicts rest on samples. If every true value lay exactly on the end of its range, "
        f"{errors} would be expected to be wrongly reproduced, and as many wrongly outside."
    )


def sides_of(document: Document) -> Sides:
    """Return the image size of each table of a document, where it is known."""
    tables = document["provenance"].get("evidence", ())
    return {table["name"]: table["side"] for table in tables if table["side"]}


def heading_cases(records: Iterable[Record]) -> list[Record]:
    """Return the records, all of one kind of evidence, that may head a finding: the primary ones."""
    return [record for record in records if record["role"] == "primary"]


def by_side(records: Iterable[Record], sides: Sides) -> list[tuple[int, list[Record]]]:
    """Group the cases of a sentence by side of the images (0 where unknown), that of the primary cases first."""
    primaries, others = list[Record](), dict[int, list[Record]]()
    for record in records:
        if record["role"] == "primary":
            primaries.append(record)
        elif record["role"] == "size":
            others.setdefault(_image_side(record, sides), []).append(record)
    # A primary case that broke has no parameters, and so no side; it belongs to the size of the others.
    first = [(max(_image_side(record, sides) for record in primaries), primaries)] if primaries else []
    return first + sorted(others.items())


def _image_side(record: Record, sides: Sides) -> int:
    return sides.get(str(record["params"].get("evidence_folder")), 0)


def worst_of(cases: Sequence[Record]) -> Record:
    """Return the case with the worst verdict; of equal ones, that farthest outside the range."""
    return max(cases, key=lambda record: (_rank(record), _miss(record)))


def _rank(record: Record) -> float:
    """Return the rank of a verdict, 0 the best; undecided is just before weaker where it can become nothing worse."""
    rank = float(VERDICTS.index(record["verdict"]))
    interval, null = record["interval"], record["null"]
    if record["verdict"] != "undecided" or interval is None or null in (None, record["low"], record["high"]):
        return rank
    claimed = interval[0] > null if record["high"] is None else interval[1] < null
    return VERDICTS.index("weaker") - 0.5 if claimed else rank


def _miss(record: Record) -> float:
    """Return how far an estimate lies outside the range asked for: below 0 inside, minus infinity without one."""
    estimate, low, high = record["estimate"], record["low"], record["high"]
    if estimate is None:
        return -math.inf
    below = -math.inf if low is None else low - estimate
    above = -math.inf if high is None else estimate - high
    return max(below, above)


def size_rows(document: Document) -> list[tuple[str, dict[int, Record]]]:
    """Return the findings that were judged at several image sizes, each with its worst case by side."""
    sides, rows = sides_of(document), []
    parts = {record["nodeid"]: record["part"] for record in document["records"]}
    for heading in document["headings"]:
        key = (heading["claim"], heading["heads"], parts.get(heading["record"]))
        groups = by_side([r for r in document["records"] if (r["claim"], r["evidence"], r["part"]) == key], sides)
        if len(groups) > 1:
            rows.append((heading["claim"], {side: worst_of(cases) for side, cases in groups}))
    return rows
