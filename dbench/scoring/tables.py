"""A table of cells, the same for the terminal, Markdown, LaTeX, a page and a csv file; and what its cells say."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import rich.table
from rich.text import Text

from dbench.shown import cell, one_line

if TYPE_CHECKING:
    import pandas as pd

    from dbench.scoring.comparison import Difference
    from dbench.scoring.compute import Result
    from dbench.scoring.scores import Scores

ARROWS = {"higher": "\u2191", "lower": "\u2193", None: ""}

_LATEX = {"\\": r"\textbackslash{}", "\u2191": r"$\uparrow$", "\u2193": r"$\downarrow$", "~": r"\textasciitilde{}"}
_LATEX |= {"^": r"\textasciicircum{}"} | {mark: f"\\{mark}" for mark in "_&%#${}"}


class Table(NamedTuple):
    """Rows of cells below their heads."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str | Text]]
    names: Sequence[int] = (0,)  # columns that hold words; the others hold numbers
    folded: Sequence[int] = (0,)  # columns that a narrow terminal breaks

    def terminal(self, *, space: int = 2) -> rich.table.Table:
        """Return what rich prints, of cells without markup."""
        table = rich.table.Table(box=None, header_style="bold", padding=(0, space, 0, 0), pad_edge=False)
        for number, head in enumerate(self.heads):
            folded = number in self.folded
            justify: Literal["left", "right"] = "left" if number in self.names else "right"
            table.add_column(Text(head), justify=justify, no_wrap=not folded, overflow="fold" if folded else "ellipsis")
        for row in self.rows:
            table.add_row(*(text if isinstance(text, Text) else Text(text) for text in row))
        return table

    def markdown(self) -> str:
        """Return a table of GitHub's Markdown."""
        rule = ["---" if number in self.names else "---:" for number in range(len(self.heads))]
        lines = [self.heads, rule, *self.rows]
        return "".join(f"| {' | '.join(str(text).replace('|', '&#124;') for text in line)} |\n" for line in lines)

    def latex(self) -> str:
        """Return a tabular with the rules of booktabs."""
        columns = "".join("l" if number in self.names else "r" for number in range(len(self.heads)))
        head, *body = (
            " & ".join("".join(_LATEX.get(mark, mark) for mark in str(text)) for text in line) + r" \\"
            for line in (self.heads, *self.rows)
        )
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
        return "\n".join([*lines, r"\end{tabular}", ""])

    def html(self, caption: str) -> str:
        """Return a table of a page, whose first column heads its rows."""
        heads = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in self.heads)
        body = "".join(
            f'<tr><th scope="row">{html.escape(str(first))}</th>'
            f"{''.join(f'<td>{html.escape(str(text))}</td>' for text in others)}</tr>"
            for first, *others in self.rows
        )
        caption = f"<caption>{html.escape(caption)}</caption>"
        return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def csv(frames: Sequence[pd.DataFrame]) -> str:
    """Return frames of the same columns as csv, of which no spreadsheet takes a cell for a formula."""
    import pandas as pd

    frame = pd.concat(frames)
    texts = frame.select_dtypes(exclude="number").columns
    return frame.assign(**{name: [cell(str(text)) for text in frame[name]] for name in texts}).to_csv(index=False)


def number(value: float | None) -> str:
    """Three digits; nothing for None."""
    if value is None:
        return ""
    return f"{round(value, 3) + 0.0:.3f}" if abs(value) < 1e4 else f"{value:.3g}"  # + 0.0 makes 0 of -0


def interval(ends: tuple[float, float] | None) -> str:
    """Both ends in words; nothing for None."""
    return "" if ends is None else f"{number(ends[0])} to {number(ends[1])}"


def of_scores(results: Iterable[Result], heads: Mapping[str, str]) -> Table:
    """Return the scores that were computed: below each head the cell of :func:`cells_of` that it names."""
    rows = [[cells_of(result)[cell] for cell in heads.values()] for result in results if result.score is not None]
    return Table(list(heads), rows)


def cells_of(result: Result) -> Mapping[str, str]:
    """Return what tables show of a result, in their words."""
    low, high = result.item.bounds
    name, arrow = result.item.name, ARROWS[result.item.better]
    return {
        "metric": name,
        "better": arrow,
        "metric, better": f"{name} {arrow}".rstrip(),
        "score": number(result.score.value if result.score else None),
        "\u00b1": number(result.error),
        "95% interval": interval(result.interval),
        "chance": number(result.chance),
        "copies": number(result.copies),
        "bounds": f"{'-inf' if low is None else f'{low:g}'} .. {'inf' if high is None else f'{high:g}'}",
        "rows": f"{result.rows:,}",
    }


def side_by_side(scored: Sequence[Scores], cells: Callable[[Result], Sequence[str]]) -> list[list[str]]:
    """Return a row for each metric that some file has a score of: its name, an arrow, and the cells of each file."""
    return [
        [row[0].item.name, ARROWS[row[0].item.better], *(cell for result in row for cell in cells(result))]
        for row in zip(*(one.results for one in scored), strict=True)
        if any(result.score is not None for result in row)
    ]


def of_differences(pair: Iterable[Difference], models: tuple[str, str]) -> Table:
    """Return the differences of two models that have scores, with the verdicts."""
    heads = ("metric", *map(one_line, models), "difference", "95% interval", "another seed", "verdict")
    rows = [
        [
            f"{one.item.name} {ARROWS[one.item.better]}".rstrip(),
            *map(number, (*one.scores, one.value)),
            interval(one.interval),
            number(one.another_seed),
            one_line(one.verdict() or one.reason),
        ]
        for one in pair
        if one.scores is not None
    ]
    return Table(heads, rows, names=(0, len(heads) - 1))
