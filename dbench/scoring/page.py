"""Scores as HTML: tables for a notebook, and a page that needs no network, with Hinton diagrams in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dbench.provenance import versions
from dbench.scoring.tables import Table, cells_of, of_scores, side_by_side
from dbench.scoring.terminal import KEY, heading, remarks
from dbench.shown import clipped

if TYPE_CHECKING:
    from dbench.scoring.scores import Scores

_PAGE_STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } caption { text-align: left; font-weight: 600 }
th, td { padding: .2rem .8rem .2rem 0; text-align: right; font-variant-numeric: tabular-nums }
th:first-child { text-align: left } thead { border-bottom: 1px solid } svg { max-width: 100% }
"""

_CELL, _LETTER = 28, 7.2  # pixels: side of a cell, width of a letter
_LONGEST = 24  # characters of a name
_ENDS = "95% interval"

_STYLE = (
    "text{font:12px ui-sans-serif,system-ui,sans-serif;fill:#222}"
    ".title{font-size:14px;font-weight:600}.note{fill:#666}"
    ".cell{fill:none;stroke:#ddd}.plus{fill:#1f4e79}.minus{fill:none;stroke:#b03a2e;stroke-width:2}"
    ".ground{fill:#fff}"
)


def tables(scored: Sequence[Scores]) -> str:
    """Return HTML of one or several files: what was read, the scores, and what was left out."""
    parts = [f"<p>{escape(' '.join(heading(model.file)))}</p>" for model in scored]
    names = [model.file.name for model in scored]
    if len(scored) == 1:
        heads = ["metric", "better", "score", _ENDS, "chance", "copies", "rows"]
        parts.append(of_scores(scored[0].results, dict(zip(heads, heads, strict=True))).html(names[0]))
    else:
        rows = side_by_side(scored, lambda result: [cells_of(result)[cell] for cell in ("score", _ENDS)])
        heads = ["metric", "better", *(head for name in names for head in (name, _ENDS))]
        parts.append(Table(heads, rows).html("Scores"))
    parts.append(f"<p><small>{escape(KEY)}</small></p>")
    for title, entries in (
        ("Not computed", remarks(scored, lambda result: [result.reason])),
        ("Warnings", remarks(scored, lambda result: result.warnings)),
    ):
        if entries:
            parts.append(Table(["metric", "why"], entries).html(title))
    return "\n".join(parts)


def page(scored: Sequence[Scores]) -> str:
    """Return the scores as one HTML page that loads nothing; for a single file with Hinton diagrams."""
    pictures = scored[0].pictures.values() if len(scored) == 1 else ()
    figures = "\n".join(f"<figure>{picture}</figure>" for picture in pictures)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Scores by dbench</title><style>{_PAGE_STYLE}</style></head><body>\n<h1>Scores</h1>\n{tables(scored)}\n"
        f"{figures}\n<p><small>Seed {scored[0].results[0].seed}; {escape(versions())}.</small></p>\n</body></html>\n"
    )


def hinton_svg(matrix: NDArray[np.float64], code_names: Sequence[str], factor_names: Sequence[str], title: str) -> str:
    """Draw a d x k matrix of finite numbers as a standalone SVG document; each square has its value as tooltip.

    The largest absolute value fills its cell; squares of negative values are hollow.
    """
    largest = float(np.abs(matrix).max())
    rows, columns = [clipped(name, _LONGEST) for name in code_names], [clipped(name, _LONGEST) for name in factor_names]
    left = 16 + _LETTER * max(map(len, rows))
    top = 44 + _LETTER * max(map(len, columns))
    note = f"Area in proportion to the value; a full cell is {largest:.4g}."
    width = max(left + _CELL * len(columns) + 16, 16 + 8.2 * len(title) + 16, 32 + _LETTER * len(note))
    height = top + _CELL * len(rows) + 36
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        '<rect class="ground" width="100%" height="100%"/>',
        f'<text class="title" x="16" y="24">{escape(title)}</text>',
    ]
    for j, name in enumerate(columns):
        x = left + _CELL * (j + 0.5) + 4
        parts.append(f'<text transform="translate({x:.1f} {top - 6:.1f}) rotate(-90)">{escape(name)}</text>')
    for i, name in enumerate(rows):
        y = top + _CELL * (i + 0.5)
        parts.append(f'<text x="{left - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>')
        for j, value in enumerate(matrix[i]):
            x = left + _CELL * (j + 0.5)
            parts.append(_square(x, y, float(value), largest, f"{code_names[i]}, {factor_names[j]}: {value:.4g}"))
    parts.append(f'<text class="note" x="16" y="{height - 12:.1f}">{escape(note)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _square(x: float, y: float, value: float, largest: float, label: str) -> str:
    half = _CELL / 2
    cell = f'<rect class="cell" x="{x - half:.1f}" y="{y - half:.1f}" width="{_CELL}" height="{_CELL}"/>'
    side = (_CELL - 4) * (abs(value) / largest) ** 0.5 if largest > 0 else 0.0
    mark = ""
    if side > 0:
        kind = "plus" if value > 0 else "minus"
        place = f'x="{x - side / 2:.2f}" y="{y - side / 2:.2f}" width="{side:.2f}" height="{side:.2f}"'
        mark = f'<rect class="{kind}" {place}/>'
    return f"<g><title>{escape(label)}</title>{cell}{mark}</g>"
