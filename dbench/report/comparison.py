"""Two reports side by side: changed verdicts first, then moved estimates, then what came and went."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dbench.report.document import strict_json
from dbench.report.schema import SYMBOLS, VERDICTS, Document, Record
from dbench.report.text import clip, estimate_text, name_text

__all__ = ["Change", "Comparison", "compare", "comparison_lines"]

Key = tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """One judgement in the old and in the new report."""

    old: Record
    new: Record

    @property
    def worse(self) -> bool:
        """Whether the new verdict is worse than the old one."""
        return VERDICTS.index(self.new["verdict"]) < VERDICTS.index(self.old["verdict"])


@dataclass(frozen=True)
class Comparison:
    """What differs between two reports.

    Attributes:
        changed: judgements whose verdict changed, those that became worse first.
        moved: judgements of the same verdict whose intervals no longer overlap.
        added: records only the new report has.
        removed: records only the old report has.
        unchanged: number of the others.
    """

    changed: tuple[Change, ...]
    moved: tuple[Change, ...]
    added: tuple[Record, ...]
    removed: tuple[Record, ...]
    unchanged: int

    @property
    def same(self) -> bool:
        """Whether nothing changed, moved, came or went."""
        return not (self.changed or self.moved or self.added or self.removed)


def compare(old: Document, new: Document) -> Comparison:
    """Compare two reports, record by record.

    Records are paired by claim, evidence, part and parameters; where that is not unique, also by the name of the test.
    An estimate has moved if the two intervals have no point in common; one without an interval is its own interval,
    and two of those are the same up to rounding.
    """
    ambiguous = _repeated(map(_key, old["records"])) | _repeated(map(_key, new["records"]))
    before, after = _index(old["records"], ambiguous), _index(new["records"], ambiguous)
    both = [Change(before[key], after[key]) for key in after if key in before]
    changed = [change for change in both if change.old["verdict"] != change.new["verdict"]]
    moved = [change for change in both if change.old["verdict"] == change.new["verdict"] and _moved(change)]
    return Comparison(
        changed=tuple(sorted(changed, key=lambda change: not change.worse)),
        moved=tuple(moved),
        added=tuple(record for key, record in after.items() if key not in before),
        removed=tuple(record for key, record in before.items() if key not in after),
        unchanged=len(both) - len(changed) - len(moved),
    )


def _key(record: Record) -> Key:
    return record["claim"], record["evidence"], record.get("part", ""), strict_json(record["params"])


def _repeated(keys: Iterable[Key]) -> set[Key]:
    return {key for key, times in Counter(keys).items() if times > 1}


def _index(records: Sequence[Record], ambiguous: set[Key]) -> dict[Key, Record]:
    table: dict[Key, Record] = {}
    seen: Counter[Key] = Counter()
    for record in records:
        key = _key(record)
        if key in ambiguous:
            key = (*key, record["nodeid"].rpartition("::")[2])
        seen[key] += 1
        table[(*key, str(seen[key]))] = record
    return table


def _moved(change: Change) -> bool:
    old, new = _range(change.old), _range(change.new)
    if old is None or new is None:
        return old is not new
    if all(low == high for low, high in (old, new)):
        return not math.isclose(old[0], new[0], rel_tol=1e-9, abs_tol=1e-12)
    return old[1] < new[0] or new[1] < old[0]


def _range(record: Record) -> tuple[float, float] | None:
    if record["interval"] is not None:
        return record["interval"][0], record["interval"][1]
    return None if record["estimate"] is None else (record["estimate"], record["estimate"])


def comparison_lines(comparison: Comparison, *, width: int = 80) -> list[str]:
    """Return a comparison as plain lines of at most ``width`` characters."""
    sections = {
        "Changed verdicts": [
            [_name(change.new), f"{change.old['verdict']} -> {change.new['verdict']}", _estimates(change)]
            for change in comparison.changed
        ],
        "Moved estimates": [[_name(change.new), _estimates(change)] for change in comparison.moved],
        "Added": [[_name(record), record["verdict"]] for record in comparison.added],
        "Removed": [[_name(record), record["verdict"]] for record in comparison.removed],
    }
    lines: list[str] = []
    for title, items in sections.items():
        if items:
            lines.append(f"{title} ({len(items)})")
            lines += [("    " if i else "  ") + line for item in items for i, line in enumerate(item)]
            lines.append("")
    return [clip(line, width) for line in [*lines, f"{comparison.unchanged} unchanged"]]


def _name(record: Record) -> str:
    return f"{SYMBOLS[record['verdict']]} {name_text(record)}"


def _estimates(change: Change) -> str:
    return f"{estimate_text(change.old)} -> {estimate_text(change.new)}"
