"""The report as Markdown for GitHub."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbench.report import overview
from dbench.report.cases import size_rows
from dbench.report.document import by_paper, worst_first
from dbench.report.headings import EVIDENCE
from dbench.report.schema import MEANINGS, PAPERS, SYMBOLS, TITLES, VERDICTS, Document
from dbench.report.text import clip, counted, duration, estimate_text, expected_text, listed, name_text
from dbench.shown import one_line

LONGEST = 600
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!$&@])")


def render_markdown(document: Document) -> str:
    """Return the report as Markdown, long tables folded."""
    headings = document["headings"]
    if not headings:
        return "# Findings on disentanglement, judged\n\nNothing was judged.\n"
    blocks = ["# Findings on disentanglement, judged", escape(overview.scope_text(document))]
    blocks += [
        f"**{escape(overview.lead_text(document))}** {escape(overview.scale_text(document))}",
        _totals(document),
        *_failed(document),
        _unexpected(document),
    ]
    blocks += ["## All findings", escape(overview.models_of_all(document)), escape(overview.stand_text(document))]
    blocks += [_matrix(document)]
    for paper, group in by_paper(headings).items():
        title = f"{PAPERS.get(paper, paper)}: {overview.tally(group)}"
        blocks.append(_folded(title, _findings(worst_first(group))))
    blocks.append(_sizes(document))
    blocks.append(f"{counted(len(document['records']), 'record')} in `report.json`, with the page `index.html`.")
    if document["errata"]:
        blocks.append(f"Errata: {counted(len(document['errata']), 'entry')} in `index.html`.")
    blocks += ["## Checks beside the claims", _checks(document["checks"])]
    provenance = [[escape(name), escape(text)] for name, text in flatten(document["provenance"])]
    blocks.append(_folded("Provenance", _table(["what", "value"], provenance)))
    return "\n\n".join(filter(None, blocks)) + "\n"


def escape(text: str) -> str:
    """Return text as one line of Markdown that means only itself, clipped where very long."""
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


def _folded(title: str, body: str) -> str:
    # A line of HTML, in which Markdown's backslashes mean nothing.
    return f"<details><summary>{html.escape(clip(one_line(title), LONGEST))}</summary>\n\n{body}\n\n</details>"


def _totals(document: Document) -> str:
    """The verdicts by kind of evidence, with what each means."""
    kinds = overview.by_evidence(document)
    shown = [verdict for verdict in VERDICTS if any(verdict in counts for counts in kinds.values())]
    rows = [[v, *(str(counts.get(v, 0)) for counts in kinds.values()), MEANINGS[v]] for v in shown]
    total = ["all", *(str(sum(counts.values())) for counts in kinds.values()), ""]
    return _table(["", *(EVIDENCE[kind] for kind in kinds), "which means"], [*rows, total])


def _failed(document: Document) -> list[str]:
    """The famous claims that failed, and how many others did."""
    deciders = {record["nodeid"]: record for record in document["records"]}
    lines = list[str]()
    for h in overview.famous_failures(document):
        seen_on = escape(overview.models_text(document, deciders[h["record"]]))
        place = escape(f"{TITLES.get(h['paper'], h['paper'])}, {h['famous']}")
        lines += [f"- **{escape(h['statement'])}** {h['verdict'].capitalize()}: {escape(h['says'])}"]
        lines += [f"  ({place}; seen on {seen_on}; `{one_line(h['claim'])}`)"]
    others = overview.other_failures(document)
    if not lines and not others:
        return []
    rest = listed(f"{count} on {EVIDENCE[kind]}" for kind, count in others.items())
    title = overview.FAMOUS if lines else "Claims that failed"
    less = "Less known claims failed too" if lines else "They stand below"
    return [f"## {title}", "\n".join(lines), f"{less}: {rest}." if rest else ""]


def _matrix(document: Document) -> str:
    rows = overview.matrix(document)
    shown = list(next(iter(rows.values())))
    return _table(
        ["", *shown], [[escape(PAPERS.get(paper, paper)), *map(str, row.values())] for paper, row in rows.items()]
    )


def _unexpected(document: Document) -> str:
    lines = [
        f"- {escape(name_text(record))}: {record['verdict']}; {escape(expected_text(record))}"
        for record in document["records"]
        if record["unexpected"]
    ]
    return "\n\n".join(["## Not as expected", "\n".join(lines)]) if lines else ""


def _findings(headings: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [
            f"**{SYMBOLS[h['verdict']]}** {h['verdict']}",
            escape(h["claim"]),
            escape(h["statement"]),
            escape(h["says"]),
            "<br>".join(map(escape, h["notes"])) or "-",
        ]
        for h in headings
    ]
    return _table(["verdict", "finding", "statement", "what was seen", "what else was judged"], rows)


def sizes_table(document: Document) -> str:
    """Return verdicts and estimates by image size, a row for each finding judged on several; empty where none is."""
    rows = size_rows(document)
    sides = sorted({side for _, cases in rows for side in cases})
    cells = [
        [
            escape(claim),
            *(f"{cases[s]['verdict']} {escape(estimate_text(cases[s]))}" if s in cases else "-" for s in sides),
        ]
        for claim, cases in rows
    ]
    return _table(["finding", *(f"{side} x {side}" for side in sides)], cells) if rows else ""


def unsupported_list(document: Document) -> str:
    """Return what was seen of the findings on trained models that are weaker or worse, a line each."""
    beneath = {*overview.FAILED, "weaker"}
    found = [h for h in worst_first(document["headings"]) if h["heads"] == "zoo" and h["verdict"] in beneath]
    return "\n".join(f"- `{one_line(h['claim'])}`, {h['verdict']}: {escape(h['says'])}" for h in found)


def _sizes(document: Document) -> str:
    title = "Findings judged on images of several sizes"
    table = sizes_table(document)
    return f"## By image size\n\n{_folded(title, table)}" if table else ""


def _checks(checks: Sequence[Mapping[str, Any]]) -> str:
    if not checks:
        return "None was run."
    rows = [[c["outcome"], escape(c["nodeid"]), escape(c["detail"]), duration(c["seconds"])] for c in checks]
    return _folded(counted(len(rows), "check"), _table(["outcome", "check", "detail", "time"], rows))
