"""Two reports side by side, and many one after the other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dbench.errors import InvalidInput
from dbench.report.document import strict_json
from dbench.report.files import read_report
from dbench.report.overview import stand_text
from dbench.report.schema import VERDICTS, Document, Record
from dbench.report.text import asked_text, counted, estimate_text, listed, name_text, within_claims
from dbench.shown import one_line

MOST_NAMES = 3  # headings that a title names


@dataclass(frozen=True)
class Step:
    """A finding whose verdict changed: old and new verdict, and what was seen; empty where it was not judged."""

    claim: str
    old: str
    saw: str
    new: str
    sees: str

    def __str__(self) -> str:
        return f"{one_line(self.claim)}: {self.old or 'new'} -> {self.new or 'gone'}"

    @property
    def fall(self) -> int:
        """How much worse the verdict became; a finding that is gone fell deepest."""
        if not (self.old and self.new):
            return len(VERDICTS) if self.old else 0
        return VERDICTS.index(self.new) - VERDICTS.index(self.old)


@dataclass(frozen=True)
class Changes:
    """What differs between two reports."""

    shared: int  # how many findings both reports judge
    apart: tuple[int, int]  # how many only the old one judges, and only the new one
    uneven: int  # how many a partial report judges on other cases; their verdicts are not compared
    headings: tuple[Step, ...]  # findings whose verdict changed, those that fell deepest first
    moved: tuple[tuple[Record, Record], ...]  # (old, new) where the new estimate lies outside of the old interval
    verdicts: int  # how many records changed their verdict
    added: int  # how many records only the new report has
    removed: int  # how many only the old one
    same: int  # how many have the same verdict and an estimate that has not moved

    def __str__(self) -> str:
        return listed(map(str, self.headings), most=MOST_NAMES)


def compare(old: Document, new: Document) -> Changes:
    """Compare two reports: findings by their claim, records by everything that tells one from another.

    Where a report is partial, only what both judged is compared: the verdicts of findings judged on the same cases.
    """
    complete = old["scope"]["complete"] and new["scope"]["complete"]
    old_headings, new_headings = (
        {heading["claim"]: (heading["verdict"], one_line(heading["says"])) for heading in report["headings"]}
        for report in (old, new)
    )
    shared = old_headings.keys() & new_headings.keys()
    old_cases, new_cases = _cases(old), _cases(new)
    uneven = set() if complete else {claim for claim in shared if old_cases.get(claim) != new_cases.get(claim)}
    steps = [
        Step(claim, *old_headings.get(claim, ("", "")), *new_headings.get(claim, ("", "")))
        for claim in dict.fromkeys([*new_headings, *old_headings])
        if complete or claim in shared - uneven
    ]
    old_records, new_records = ({_case_key(record): record for record in report["records"]} for report in (old, new))
    pairs = [(old_records[key], record) for key, record in new_records.items() if key in old_records]
    return Changes(
        shared=len(shared - uneven),
        apart=(len(old_headings.keys() - new_headings.keys()), len(new_headings.keys() - old_headings.keys())),
        uneven=len(uneven),
        headings=tuple(sorted((step for step in steps if step.old != step.new), key=lambda step: -step.fall)),
        moved=tuple(pair for pair in pairs if _moved(*pair)),
        verdicts=sum(was["verdict"] != now["verdict"] for was, now in pairs),
        added=len(new_records.keys() - old_records.keys()) if complete else 0,
        removed=len(old_records.keys() - new_records.keys()) if complete else 0,
        same=sum(was["verdict"] == now["verdict"] and not _moved(was, now) for was, now in pairs),
    )


def _cases(report: Document) -> dict[str, set[tuple[str, ...]]]:
    """Return the primary cases of each claim; the worst of them heads the finding."""
    cases = dict[str, set[tuple[str, ...]]]()
    for record in report["records"]:
        if record["role"] == "primary":
            cases.setdefault(record["claim"], set()).add(_case_key(record))
    return cases


def _case_key(record: Record) -> tuple[str, ...]:
    case = strict_json(record["params"])
    return (record["claim"], record["evidence"], record["part"], case, within_claims(record["nodeid"]))


def _moved(old: Record, new: Record) -> bool:
    """Return whether the new estimate lies outside the old interval, or differs where there is no interval."""
    if old["estimate"] is None or new["estimate"] is None:
        return old["estimate"] is not new["estimate"]
    low, high = old["interval"] or (old["estimate"], old["estimate"])
    inside = low <= new["estimate"] <= high
    on_end = any(math.isclose(new["estimate"], end, rel_tol=1e-9, abs_tol=1e-12) for end in (low, high))
    return not inside and not on_end


def difference_lines(changes: Changes) -> list[str]:
    """Return a comparison as plain lines, which Markdown shows as lists."""
    unchanged = "No heading changed" if changes.shared or changes.uneven else "The reports share no finding"
    lines = [f"Headings that changed: {changes}" if changes.headings else unchanged, ""]
    for step in changes.headings:
        texts = {"was": step.saw, "is": step.sees}
        lines += [f"- {step}", *(f"  - {word}: {text}" for word, text in texts.items() if text)]
    if any(changes.apart) or changes.uneven:
        old, new = changes.apart
        lines += [
            "",
            f"Compared: {counted(changes.shared, 'finding')} that both judge; {old} only in OLD, {new} only in NEW"
            + (f"; {changes.uneven} on other cases" if changes.uneven else ""),
        ]
    lines += ["", f"Estimates that moved out of their interval: {len(changes.moved)}", ""]
    for was, now in changes.moved:
        lines.append(f"- {name_text(now)}: {estimate_text(was)} -> {estimate_text(now)} (asked: {asked_text(now)})")
    counts = f"{counted(changes.verdicts, 'record')} with another verdict, {changes.added} added, "
    return [*lines, "", f"{counts}{changes.removed} removed, {changes.same} as before"]


def read_history(folder: str | Path) -> list[tuple[str, Document]]:
    """Read all reports of a folder, each a ``NAME.json`` or a folder ``NAME`` with a ``report.json``, the oldest first.

    Raises:
        InvalidInput: the folder holds no report.
        DamagedData: one of them cannot be read.
    """
    root = Path(folder)
    paths = [*root.glob("*.json"), *root.glob("*/report.json")]
    if not paths:
        raise InvalidInput(
            f"history must be a folder with reports (NAME.json or NAME/report.json), got {str(folder)!r}"
        )
    named = [(path.stem if path.parent == root else path.parent.name, path) for path in sorted(paths)]
    reports = [(one_line(name), read_report(path)) for name, path in named]
    return sorted(reports, key=lambda item: (str(item[1]["provenance"].get("utc", "")), item[0]))


def trends(history: Sequence[tuple[str, Document]]) -> dict[str, list[tuple[str, str]]]:
    """Return for each claim the reports that changed its verdict, as (report, verdict), the latest first.

    The first verdict counts as a change. A verdict in a partial report is left out where it rests on other cases than
    the one before it.
    """
    verdicts: dict[str, list[tuple[str, str]]] = {}
    last_cases: dict[str, set[tuple[str, ...]]] = {}
    for name, document in history:
        cases = _cases(document)
        for heading in document["headings"]:
            claim = heading["claim"]
            current = cases.get(claim, set())
            if not document["scope"]["complete"] and last_cases.get(claim, current) != current:
                continue
            last_cases[claim] = current
            steps = verdicts.setdefault(claim, [])
            if not steps or steps[0][1] != heading["verdict"]:
                steps.insert(0, (name, heading["verdict"]))
    return verdicts


def history_lines(history: Sequence[tuple[str, Document]]) -> list[str]:
    """Return the history as lines: the changes, then every report, the latest first."""
    steps = trends(history)
    lines = []
    for claim, verdicts in sorted(steps.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(verdicts) > 1:
            lines.append(f"{one_line(claim)}: " + ", ".join(f"{verdict} since {name}" for name, verdict in verdicts))
    lines.append(f"{counted(len(steps) - len(lines), 'finding')} never changed")
    for name, document in history[::-1]:
        parts = [f"{name}: {counted(len(document['headings']), 'finding')}", stand_text(document)]
        lines.append(", ".join(filter(None, parts)))
    return lines
