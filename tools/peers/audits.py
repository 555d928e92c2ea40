"""The audit of every implementation: each in a fork, so that one that hangs or ends its process stops no other."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from dbench.audit import CheckResult, Subject, audit
from dbench.metrics.registry import find_card
from peers.calls import answers, forked
from peers.implementations import all_implementations, installed_version, preload

Cell = Literal["passes", "by definition", "as implementation", "-"]

OBSERVATIONS, FEW = 1000, 300
"""Rows of a sample, and those of what fits boosted trees."""

Audit = Sequence[CheckResult] | str
"""The records of one implementation, or in words why there are none."""


def subject_of(name: str) -> Subject:
    """Return an implementation as the audit takes it, with the bounds and direction of our metric of that name."""
    known = all_implementations()[name]
    card = find_card(known.metric.removesuffix("_r2"))
    rows = FEW if known.metric == "dci" else OBSERVATIONS
    less = card.better == "lower"
    return Subject(known.as_number(), name=name, observations=rows, bounds=card.bounds, less_is_better=less, timeout=30)


def audited(name: str, *, limit: float, only: Sequence[str] = ()) -> Audit:
    """Audit an implementation in a fork that may take so many seconds of processor time."""
    if not installed_version(name.split(":")[0]):
        return "not installed"
    answer, why = forked(lambda: json.dumps([asdict(record) for record in audit(subject_of(name), only=only)]), limit)
    return [CheckResult(**record) for record in json.loads(answer)] if answer else why


def audit_all(names: Sequence[str], *, limit: float) -> Iterator[tuple[str, Audit]]:
    """Audit every implementation, one process a library."""
    for library in dict.fromkeys(name.split(":")[0] for name in names):
        own = [name for name in names if name.split(":")[0] == library]
        lines, ended = answers("peers.audits", str(limit), *own)
        found = read_records("\n".join(lines))
        for name in own:
            yield name, found.get(name, f"its library ended the process with {ended}")


def classify(audits: Mapping[str, Audit]) -> dict[str, dict[str, Cell]]:
    """Say of every check of every implementation whether it passes or how it fails.

    A failure of a peer is one of the implementation where ours of the same metric passes; one of ours where a peer of
    the same metric does that tells perfect copies from noise. Else the metric as it is defined fails.
    """
    table = {name: {r.check: r for r in found} for name, found in audits.items() if not isinstance(found, str)}
    sound = {
        name for name, records in table.items() if "separation" in records and records["separation"].status == "pass"
    }
    cells: dict[str, dict[str, Cell]] = {}
    for name, records in table.items():
        library, metric = name.split(":")
        others = {other for other in table if other != name and other.endswith(f":{metric}")}
        rivals = others & sound if library == "dbench" else others & {f"dbench:{metric}"}
        cells[name] = {
            check: _cell(check, record, [table[rival] for rival in rivals]) for check, record in records.items()
        }
    return cells


def _cell(check: str, record: CheckResult, rivals: Sequence[Mapping[str, CheckResult]]) -> Cell:
    if record.status == "not applicable":
        return "-"
    if record.status == "pass":
        return "passes"
    better = any(check in rival and rival[check].status == "pass" for rival in rivals)
    return "as implementation" if better else "by definition"


SHORT: dict[Cell, str] = {"passes": "yes", "by definition": "no", "as implementation": "**NO**", "-": "-"}


def page(audits: Mapping[str, Audit], versions: Mapping[str, str]) -> Iterator[str]:
    """Write the lines of the page, one table a metric and one column an implementation."""
    cells = classify(audits)
    yield from (
        "# Every implementation against every check\n",
        "Written by `make peers`. What [`dbench audit`](audit.md) says of each library's metrics: yes, the check",
        "passes; no, it fails, and so does our metric of the same name: the metric is defined so; **NO**, it fails as",
        "an implementation: ours of the same name passes. Ours are judged alike: **NO** where a peer passes that tells",
        "perfect copies from noise; it may estimate otherwise under the same name. no and **NO** also stand where no",
        "number came, `-` where a check does not apply. Checks of which all implementations say the same stand below",
        "their table.\n",
        f"Samples of {OBSERVATIONS:,} rows, of {FEW} for `dci`; settings are those of [peers.md](peers.md). Versions: "
        + ", ".join(f"{library} {number or 'not installed'}" for library, number in versions.items())
        + ".\n",
    )
    yield from _summary(audits, cells)
    for metric in dict.fromkeys(name.split(":")[1] for name in cells):
        own = {name: cells[name] for name in cells if name.endswith(f":{metric}")}
        yield from (f"\n## {metric}\n", "check | " + " | ".join(name.split(":")[0] for name in own))
        yield " | ".join(["---"] * (len(own) + 1))
        rows = {
            check: [column.get(check, "-") for column in own.values()] for column in own.values() for check in column
        }
        for check, row in rows.items():
            if len(set(row)) > 1:
                yield f"{check} | " + " | ".join(SHORT[cell] for cell in row)
        alike = {cell: [check for check, row in rows.items() if set(row) == {cell}] for cell in SHORT}
        failing = alike["by definition"]
        yield f"\n{len(alike['passes'])} others pass everywhere, {len(failing)} fail everywhere" + (
            f": {', '.join(failing)}." if failing else "."
        )


def _summary(audits: Mapping[str, Audit], cells: Mapping[str, Mapping[str, Cell]]) -> Iterator[str]:
    yield "implementation | passes | fails by definition | fails as implementation"
    yield "--- | ---: | ---: | ---:"
    for name, found in audits.items():
        if isinstance(found, str):
            yield f"`{name}` | {found} | |"
        else:
            count = list(cells[name].values()).count
            yield f"`{name}` | {count('passes')} | {count('by definition')} | {count('as implementation')}"


def badges(audits: Mapping[str, Audit]) -> dict[str, tuple[str, str]]:
    """Return label and message of a badge for each implementation that was audited."""
    return {
        name: (name, f"{list(row.values()).count('passes')} of {sum(cell != '-' for cell in row.values())} checks pass")
        for name, row in classify(audits).items()
    }


def record_line(name: str, found: Audit) -> str:
    """Return the records of one implementation on one line."""
    return json.dumps([name, found if isinstance(found, str) else [asdict(record) for record in found]])


def read_records(text: str) -> dict[str, Audit]:
    """Read lines of records back."""
    pairs = [json.loads(line) for line in text.splitlines()]
    return {name: found if isinstance(found, str) else [CheckResult(**r) for r in found] for name, found in pairs}


def main(out: str, limit: str, *names: str) -> None:
    """Audit implementations of one library, line by line into a file."""
    preload(names[0].split(":")[0])
    with Path(out).open("w", encoding="utf-8") as stream:
        for name in names:
            found = audited(name, limit=float(limit))
            print(record_line(name, found), file=stream, flush=True)
            print(name, found if isinstance(found, str) else f"{len(found)} checks", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
