"""The end of a session in the terminal: by paper, worst first, only what deviates unless asked for all."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from dbench.report.document import by_paper, count_verdicts, worst_first
from dbench.report.schema import PAPERS, SYMBOLS, Document, Record, is_deviation, standing
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

__all__ = ["summary_lines"]

NOTE = " " * 6


def summary_lines(
    document: Document, *, width: int = 80, verbose: bool = False, paths: Sequence[str | Path] = ()
) -> list[str]:
    """Return the summary of a session as plain lines of at most ``width`` characters (paths stay whole).

    Args:
        document: the report.
        width: columns of the terminal; a record takes one line where its paper's table fits, else several.
        verbose: list every record, also those that came out as reproduced and expected.
        paths: files written, listed at the end.
    """
    lines: list[str] = []
    for paper, records in by_paper(document["records"]).items():
        lines.append(clip(one_line(PAPERS.get(paper, paper)), width))
        lines.append(clip("  " + tally(records), width))
        shown = worst_first([record for record in records if verbose or is_deviation(record)])
        lines += [clip(line, width) for line in _table(shown, width)]
        lines.append("")
    for check in document["checks"]:
        if verbose or check["outcome"] != "passed":
            detail = f": {check['detail']}" if check["detail"] else ""
            lines.append(clip(one_line(f"check {check['outcome']} {check['nodeid']}{detail}"), width))
    if not document["records"]:
        lines.append("no records")
    return lines + [f"wrote {path}" for path in paths]


def tally(records: Sequence[Record]) -> str:
    """Count verdicts in words, the worst first, and say how many were unexpected."""
    parts = [f"{count} {verdict}" for verdict, count in count_verdicts(records).items() if count]
    unexpected = sum(standing(record) == "unexpected" for record in records)
    return ", ".join(parts) + (f"; {unexpected} unexpected" if unexpected else "")


def _table(records: Sequence[Record], width: int) -> list[str]:
    rows = [_cells(record) for record in records]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    wide = sum(widths) + 2 * len(widths) <= width
    lines: list[str] = []
    for record, cells in zip(records, rows, strict=True):
        if wide:
            lines.append("  " + "  ".join(cell.ljust(size) for cell, size in zip(cells, widths, strict=True)).rstrip())
        else:
            lines += _wrap(cells[1], width, first=f"  {cells[0]} ", indent="    ")
            lines += _flow(cells[2:], width)
        for note in (remark(record), one_line(record["reason"]) if record["verdict"] != "reproduced" else ""):
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
            lines.append("    " + cell)
    return lines


def _cells(record: Record) -> list[str]:
    figure = estimate_text(record)
    if record["estimate"] is not None and record["bound"] is not None:
        figure += " against " + bound_text(record).removeprefix("in ")
    return [
        SYMBOLS[record["verdict"]],
        name_text(record),
        figure,
        f"n {n_text(record)}" if record["n"] is not None else "",
        f"printed {printed_text(record)}" if record["printed"] is not None else "",
        duration(record["seconds"]),
    ]
