"""The table of scores for a paper or a page: LaTeX and Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dbench.scoring.terminal import ARROWS, number

if TYPE_CHECKING:
    from dbench.scoring.scores import Scores

_HEADS = ("metric", "score", "95% interval", "chance", "copies")
_LATEX = {"\\": r"\textbackslash{}", "\u2191": r"$\uparrow$", "\u2193": r"$\downarrow$", "~": r"\textasciitilde{}"}
_LATEX |= {"^": r"\textasciicircum{}"} | {mark: f"\\{mark}" for mark in "_&%#${}"}


def _rows(scores: Scores) -> Iterator[list[str]]:
    for result in scores.results:
        if result.score is None:
            continue
        low, high = result.interval or (None, None)
        between = "" if low is None else f"{number(low)} to {number(high)}"
        name = f"{result.item.name} {ARROWS[result.item.better]}".rstrip()
        yield [name, number(result.score.value), between, number(result.chance), number(result.copies)]


def markdown(scores: Scores) -> str:
    """The scores that were computed as a table of Markdown."""
    lines = [_HEADS, ("---", *["---:"] * 4), *_rows(scores)]
    return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines)


def latex(scores: Scores) -> str:
    """The scores that were computed as a tabular of LaTeX with the rules of booktabs."""
    lines = [" & ".join(map(_escaped, row)) + r" \\" for row in (_HEADS, *_rows(scores))]
    return "\n".join(
        [
            r"\begin{tabular}{lrrrr}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(mark, mark) for mark in text)
