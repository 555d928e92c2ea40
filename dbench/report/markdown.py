"""The report as Markdown for GitHub."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dbench.report import overview
from dbench.report.document import deciders, worst_first
from dbench.report.headings import EVIDENCE, size_rows
from dbench.report.schema import Document
from dbench.report.templates import escape, template
from dbench.report.text import estimate_text
from dbench.shown import one_line


def render_markdown(document: Document) -> str:
    """Return the report as Markdown, with long tables folded."""
    text = template("report.md.j2").render(
        EVIDENCE=EVIDENCE,
        document=document,
        deciders=deciders(document),
        flatten=flatten,
        sizes=sizes_table(document),
        worst_first=worst_first,
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def flatten(value: Any, name: str = "") -> Iterable[tuple[str, str]]:
    """Yield a dotted name and a text for each leaf of nested JSON."""
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


def sizes_table(document: Document) -> str:
    """Return a table of verdicts and estimates by image size; empty where no finding was judged at several sizes."""
    rows = size_rows(document)
    sides = sorted({side for _, cases in rows for side in cases})
    lines = [["finding", *(f"{side} x {side}" for side in sides)], ["---"] * (len(sides) + 1)]
    for claim, cases in rows:
        seen = (f"{cases[s]['verdict']} {escape(estimate_text(cases[s]))}" if s in cases else "-" for s in sides)
        lines.append([escape(claim), *seen])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) if rows else ""


def unsupported_list(document: Document) -> str:
    """Return a line for each finding on trained models that is weaker or worse, with what was seen."""
    verdicts = {*overview.FAILED, "weaker"}
    unsupported = [h for h in worst_first(document["headings"]) if h["heads"] == "zoo" and h["verdict"] in verdicts]
    return "\n".join(f"- `{one_line(h['claim'])}`, {h['verdict']}: {escape(h['says'])}" for h in unsupported)
