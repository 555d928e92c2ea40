"""The report as Markdown, short enough for the summary of a CI job."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbench.report.chance import finding_chance, session_text
from dbench.report.document import count_verdicts
from dbench.report.findings import Finding, findings_by_paper
from dbench.report.schema import PAPERS, SYMBOLS, VERDICTS, Document, Record, standing
from dbench.report.text import (
    bound_text,
    clip,
    duration,
    errata_text,
    estimate_text,
    filter_text,
    missing_text,
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
    """Return the summary: counts, the findings of each paper, what deviates, checks, provenance."""
    papers = findings_by_paper(document)
    blocks = ["# Findings on disentanglement, judged", _counts(document["records"], document["findings"])]
    blocks += filter(None, [session_text(document["records"])])
    for paper, findings in papers.items():
        blocks += [f"## {escape(PAPERS.get(paper, paper))}", _findings(findings)]
    if not document["records"]:
        blocks.append("No records: nothing was judged.")
    else:
        blocks += ["## Deviations", *_deviations([finding for group in papers.values() for finding in group])]
    if document.get("errata"):
        blocks.append(f"Errata: {errata_text(len(document['errata']))}; `index.html` lists them.")
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


def _badge(verdict: str) -> str:
    return f"**{SYMBOLS[verdict]}** {verdict}"


def _findings(findings: Sequence[Finding]) -> str:
    rows = []
    for finding in findings:
        alone = finding.records[0] if len(finding.records) == 1 else None
        unexpected = finding.fields["unexpected"]
        by_chance = finding_chance(finding)
        rows.append(
            [
                _badge(finding.verdict),
                escape(f"{finding.claim} ({finding.evidence})"),
                escape(finding.statement),
                ", ".join(finding.counts) + (f"; {unexpected} unexpected" if unexpected else ""),
                str(len(finding.records)) + (f"; {by_chance} by chance" if by_chance else ""),
                finding.figures or "-",
                escape(estimate_text(alone)) if alone else "-",
            ]
        )
    return _table(
        [
            "verdict",
            "finding",
            "statement",
            "records",
            "parts; as headed by chance at most",
            "printed figures",
            "estimate",
        ],
        rows,
    )


def _deviations(findings: Sequence[Finding]) -> list[str]:
    """Records that are not reproduced or not as expected, and a line that counts the others."""
    records = [record for finding in findings for record in finding.deviations]
    others = sum(len(finding.records) for finding in findings) - len(records)
    counted = f"{others} other record{'s are' if others != 1 else ' is'} reproduced, and none of them unexpectedly."
    return [_records(records), counted] if records else ["None.", counted]


def _records(records: Sequence[Record]) -> str:
    rows = []
    for record in records:
        notes = [remark(record), missing_text(record), filter_text(record)]
        rows.append(
            [
                _badge(record["verdict"]),
                escape(name_text(record)),
                escape(estimate_text(record)),
                escape(bound_text(record)),
                escape(n_text(record)),
                escape(printed_text(record)),
                duration(record["seconds"]),
                escape("; ".join(filter(None, notes))),
            ]
        )
    return _table(["verdict", "record", "estimate", "holds if", "n", "printed", "time", "note"], rows)


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
