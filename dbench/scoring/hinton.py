"""Hinton diagrams: a matrix of relations as squares whose areas are the values, in SVG and without matplotlib."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

_CELL, _LETTER, _LONGEST = 28, 7.2, 24

_STYLE = (
    "text{font:12px ui-sans-serif,system-ui,sans-serif;fill:#222}"
    ".title{font-size:14px;font-weight:600}.note{fill:#666}"
    ".cell{fill:none;stroke:#ddd}.plus{fill:#1f4e79}.minus{fill:none;stroke:#b03a2e;stroke-width:2}"
    ".ground{fill:#fff}"
)


def shortened(name: str, most: int = _LONGEST) -> str:
    """A name of at most so many characters."""
    return name if len(name) <= most else name[: most - 1] + "\u2026"


def hinton_svg(matrix: NDArray[np.float64], code_names: Sequence[str], factor_names: Sequence[str], title: str) -> str:
    """Draw a d x k matrix of finite numbers as a standalone SVG document; each square has its value as tooltip.

    Squares fill their cell at the largest absolute value, negative ones are hollow.
    """
    largest = float(np.abs(matrix).max())
    rows, columns = [shortened(name) for name in code_names], [shortened(name) for name in factor_names]
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
