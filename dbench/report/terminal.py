"""The end of a session in the terminal: by paper, worst first, only what deviates unless asked for all."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dbench.report.document import count_verdicts
from dbench.report.findings import Finding, findings_by_paper
from dbench.report.schema import PAPERS, SYMBOLS, Document, Record
from dbench.report.text import (
    bound_text,
    clip,
    duration,
    errata_text,
    estimate_text,
    missing_text,
    n_text,
    one_line,
    part_text,
    printed_text,
    remark,
)

__all__ = ["summary_lines"]

MOST_RECORDS = 3
FINDING, RECORD, NOTE = " " * 2, " " * 4, " " * 6


def summary_lines(
    document: Document, *, width: int = 80, verbose: bool = False, paths: Sequence[str | Path] = ()
) -> list[str]:
    """Return the summary of a session as plain lines of at most ``width`` characters (paths stay whole).

    Args:
        document: the report.
        width: columns of the terminal.
        verbose: list every finding with all its records; else the findings that deviate, each with the worst three
            of the records that do.
        paths: files written, listed at the end.
    """
    lines: list[str] = []
    for paper, findings in findings_by_paper(document).items():
        lines += [one_line(PAPERS.get(paper, paper)), FINDING + tally([finding.fields for finding in findings])]
        for finding in findings:
            if verbose or finding.deviations:
                lines += _finding(finding, width, verbose=verbose)
        lines.append("")
    for check in document["checks"]:
        if verbose or check["outcome"] != "passed":
            detail = f": {check['detail']}" if check["detail"] else ""
            lines.append(one_line(f"check {check['outcome']} {check['nodeid']}{detail}"))
    if not document["records"]:
        lines.append("no records")
    if document.get("errata"):
        lines.append(f"errata: {errata_text(len(document['errata']))}")
    return [clip(line, width) for line in lines] + [f"wrote {path}" for path in paths]


def tally(findings: Sequence[Mapping[str, Any]]) -> str:
    """Count verdicts of findings in words, the worst first, and say in how many something was unexpected."""
    total = f"{len(findings)} finding{'s' if len(findings) > 1 else ''}: "
    parts = [f"{count} {verdict}" for verdict, count in count_verdicts(findings).items() if count]
    unexpected = sum(finding["unexpected"] > 0 for finding in findings)
    return total + ", ".join(parts) + (f"; {unexpected} unexpected" if unexpected else "")


def _finding(finding: Finding, width: int, *, verbose: bool) -> list[str]:
    """One line for the finding, and below it its records."""
    name = f"{SYMBOLS[finding.verdict]} {one_line(finding.claim)} ({finding.evidence})"
    unexpected = finding.fields["unexpected"]
    counts = finding.verdict if len(finding.records) == 1 else ", ".join(finding.counts)
    counts += f"; {unexpected} unexpected" if unexpected else ""
    joined = f"{FINDING}{name}: {counts}"
    lines = [joined] if len(joined) <= width else [FINDING + name + ":", RECORD + counts]
    deviating = list(finding.records) if verbose else finding.deviations
    shown = deviating if verbose else deviating[:MOST_RECORDS]
    for record in shown:
        lines += _record(record, width)
    left = len(deviating) - len(shown)
    return lines + ([f"{RECORD}... and {left} more; -v shows all"] if left else [])


def _record(record: Record, width: int) -> list[str]:
    """What was judged, the numbers that decided, and what they do not tell."""
    lines = _wrap(part_text(record), width, first=f"{RECORD}{SYMBOLS[record['verdict']]} ", indent=NOTE)
    lines += _flow(_cells(record), width)
    for note in (remark(record), missing_text(record)):
        lines += _wrap(note, width, first=NOTE, indent=NOTE)
    return lines


def _wrap(text: str, width: int, *, first: str, indent: str) -> list[str]:
    """Break text into at most two lines, and not at the hyphens of claim ids."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=indent,
        max_lines=2,
        placeholder="...",
        break_on_hyphens=False,
    )


def _flow(cells: Sequence[str], width: int) -> list[str]:
    """Fill lines with cells, without breaking one."""
    lines: list[str] = []
    for cell in filter(None, cells):
        if lines and len(lines[-1]) + 2 + len(cell) <= width:
            lines[-1] += "  " + cell
        else:
            lines.append(NOTE + cell)
    return lines


def _cells(record: Record) -> list[str]:
    """The numbers of a record; those it lacks are empty."""
    figure = estimate_text(record)
    if record["estimate"] is not None and record["bound"] is not None:
        figure += " against " + bound_text(record).removeprefix("in ")
    return [
        figure,
        f"n {n_text(record)}" if record["n"] is not None else "",
        f"printed {printed_text(record)}" if record["printed"] is not None else "",
        duration(record["seconds"]),
    ]
