"""Scores as HTML: tables for a notebook, and a page of its own that needs no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from dbench.provenance import versions
from dbench.scoring.compute import Result
from dbench.scoring.terminal import ARROWS, KEY, heading, number, remarks

if TYPE_CHECKING:
    from dbench.scoring.scores import Scores

_STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } caption { text-align: left; font-weight: 600 }
th, td { padding: .2rem .8rem .2rem 0; text-align: right; font-variant-numeric: tabular-nums }
th:first-child { text-align: left } thead { border-bottom: 1px solid } svg { max-width: 100% }
"""


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    heads = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _cells(result: Result) -> list[str]:
    low, high = result.interval or (None, None)
    between = "" if low is None else f"{number(low)} to {number(high)}"
    value = result.score.value if result.score else None
    return [number(value), between, number(result.chance), number(result.copies), f"{result.rows:,}"]


def tables(scored: Sequence[Scores]) -> str:
    """Return what was read, scored and left out of one or several files, as HTML."""
    parts = [f"<p>{escape(' '.join(heading(one.file)))}</p>" for one in scored]
    same = list(zip(*(one.results for one in scored), strict=True))
    names = [one.file.name for one in scored]
    if len(scored) == 1:
        head = ["metric", "better", "score", "95% interval", "chance", "copies", "rows"]
        rows = [(r.item.name, ARROWS[r.item.better], *_cells(r)) for (r,) in same if r.score]
        parts.append(_table(names[0], head, rows))
    else:
        head = ["metric", "better", *(cell for name in names for cell in (name, "95% interval"))]
        rows = [
            (row[0].item.name, ARROWS[row[0].item.better], *(cell for result in row for cell in _cells(result)[:2]))
            for row in same
            if any(result.score for result in row)
        ]
        parts.append(_table("Scores", head, rows))
    parts.append(f"<p><small>{escape(KEY)}</small></p>")
    for title, said in (
        ("Not computed", remarks(scored, lambda r: [r.reason])),
        ("Warnings", remarks(scored, lambda r: r.warnings)),
    ):
        if said:
            parts.append(_table(title, ["metric", "why"], said))
    return "\n".join(parts)


def page(scored: Sequence[Scores]) -> str:
    """Return one HTML page of the scores, of one file with pictures; it loads nothing."""
    pictures = scored[0].pictures.values() if len(scored) == 1 else ()
    figures = "\n".join(f"<figure>{picture}</figure>" for picture in pictures)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Scores by dbench</title><style>{_STYLE}</style></head><body>\n<h1>Scores</h1>\n{tables(scored)}\n"
        f"{figures}\n<p><small>Seed {scored[0].results[0].seed}; {escape(versions())}.</small></p>\n</body></html>\n"
    )
