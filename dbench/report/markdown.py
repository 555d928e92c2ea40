"""The report as Markdown, short enough for the summary of a CI job."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbench.report.document import by_paper, count_verdicts, worst_first
from dbench.report.schema import PAPERS, SYMBOLS, VERDICTS, Document, Record, standing
from dbench.report.text import (
    bound_text,
    clip,
    duration,
    estimate_text,
    n_text,
    name_text,
    one_line,
    printed_text,
    remark,
)

__all__ = ["flatten", "render_markdown"]

LONGEST = 240
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!$&@])")


def render_markdown(document: Document) -> str:
    """Return the summary: counts, a table for each paper with the worst first, checks, provenance."""
    records, findings = document["records"], document["findings"]
    blocks = ["# Findings on disentanglement, judged", _counts(records, findings)]
    for paper, group in by_paper(records).items():
        blocks += [f"## {escape(PAPERS.get(paper, paper))}", _records(worst_first(group))]
    if not records:
        blocks.append("No records: nothing was judged.")
    blocks += ["## Checks beside the claims", _checks(document["checks"])]
    blocks += ["## Provenance", _provenance(document["provenance"])]
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """Return arbitrary text as one line of Markdown that means only itself, clipped where very long."""
    return _SPECIAL.sub(r"\\\1", clip(one_line(text), LONGEST))


def flatten(value: Any, name: str = "") -> Iterable[tuple[str, str]]:
    """Walk through nested JSON and yield a dotted name and a text for each leaf."""
    if isinstance(value, Mapping):
        for key in sorted(value):
            yield from flatten(value[key], f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and any(isinstance(item, (Mapping, list)) for item in value):
        for number, item in enumerate(value):
            yield from flatten(item, f"{name}[{number}]")
    elif isinstance(value, list):
        yield name, ", ".join(map(str, value))
    else:
        yield name, "" if value is None else str(value)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _counts(records: Sequence[Record], findings: Sequence[Mapping[str, Any]]) -> str:
    order = VERDICTS[::-1]
    of_findings, of_records = count_verdicts(findings), count_verdicts(records)
    rows = [
        [
            "findings",
            *(str(of_findings[verdict]) for verdict in order),
            str(sum(f["unexpected"] > 0 for f in findings)),
        ],
        [
            "records",
            *(str(of_records[verdict]) for verdict in order),
            str(sum(standing(record) == "unexpected" for record in records)),
        ],
    ]
    return _table(["", *(f"{verdict} ({SYMBOLS[verdict]})" for verdict in order), "unexpected"], rows)


def _records(records: Sequence[Record]) -> str:
    rows = []
    for record in records:
        notes = [remark(record), record["reason"] if record["verdict"] != "reproduced" else ""]
        rows.append(
            [
                f"**{SYMBOLS[record['verdict']]}** {record['verdict']}",
                escape(name_text(record)),
                escape(estimate_text(record)),
                escape(bound_text(record)),
                escape(n_text(record)),
                escape(printed_text(record)),
                duration(record["seconds"]),
                escape("; ".join(filter(None, notes))),
            ]
        )
    return _table(["verdict", "claim", "estimate", "bound", "n", "printed", "time", "note"], rows)


def _checks(checks: Sequence[Mapping[str, Any]]) -> str:
    if not checks:
        return "None was run."
    rows = [
        [check["outcome"], escape(check["nodeid"]), escape(check["detail"]), duration(check["seconds"])]
        for check in checks
    ]
    return _table(["outcome", "check", "detail", "time"], rows)


def _provenance(provenance: Mapping[str, Any]) -> str:
    rows = [[escape(name), escape(text)] for name, text in flatten(provenance)]
    return _table(["what", "value"], rows) if rows else "None was recorded."
