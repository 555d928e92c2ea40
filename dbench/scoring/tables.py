"""A table of text cells as terminal output, Markdown, LaTeX or HTML; csv files; and the cells that show scores."""

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
    """Column heads and rows of cells."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str | Text]]
    names: Sequence[int] = (0,)  # numbers of columns of words; the others hold numbers, aligned to the right
    folded: Sequence[int] = (0,)  # numbers of columns that wrap in a narrow terminal

    def terminal(self, *, space: int = 2) -> rich.table.Table:
        """Return a table that rich prints; brackets in cells are no markup."""
        table = rich.table.Table(box=None, header_style="bold", padding=(0, space, 0, 0), pad_edge=False)
        for number, head in enumerate(self.heads):
            folded = number in self.folded
            justify: Literal["left", "right"] = "left" if number in self.names else "right"
            table.add_column(Text(head), justify=justify, no_wrap=not folded, overflow="fold" if folded else "ellipsis")
        for row in self.rows:
            table.add_row(*(text if isinstance(text, Text) else Text(text) for text in row))
        return table

    def markdown(self) -> str:
        """Return the table in GitHub's Markdown."""
        rule = ["---" if number in self.names else "---:" for number in range(len(self.heads))]
        lines = [self.heads, rule, *self.rows]
        return "".join(f"| {' | '.join(str(text).replace('|', '&#124;') for text in line)} |\n" for line in lines)

    def latex(self) -> str:
        """Return the table as a LaTeX tabular with the rules of booktabs."""
        columns = "".join("l" if number in self.names else "r" for number in range(len(self.heads)))
        head, *body = (
            " & ".join("".join(_LATEX.get(mark, mark) for mark in str(text)) for text in line) + r" \\"
            for line in (self.heads, *self.rows)
        )
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
        return "\n".join([*lines, r"\end{tabular}", ""])

    def html(self, caption: str) -> str:
        """Return the table in HTML; its first column holds the heads of the rows."""
        heads = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in self.heads)
        body = "".join(
            f'<tr><th scope="row">{html.escape(str(first))}</th>'
            f"{''.join(f'<td>{html.escape(str(text))}</td>' for text in others)}</tr>"
            for first, *others in self.rows
        )
        caption = f"<caption>{html.escape(caption)}</caption>"
        return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def csv(frames: Sequence[pd.DataFrame]) -> str:
    """Return frames of the same columns as one csv text, in which no spreadsheet takes a cell for a formula."""
    import pandas as pd

    frame = pd.concat(frames)
    texts = frame.select_dtypes(exclude="number").columns
    return frame.assign(**{name: [cell(str(text)) for text in frame[name]] for name in texts}).to_csv(index=False)


def number(value: float | None) -> str:
    """Return a number with three decimals, a large one with three digits; an empty text for None."""
    if value is None:
        return ""
    return f"{round(value, 3) + 0.0:.3f}" if abs(value) < 1e4 else f"{value:.3g}"  # + 0.0 makes 0 of -0


def interval(ends: tuple[float, float] | None) -> str:
    """Return both ends as text; an empty text for None."""
    return "" if ends is None else f"{number(ends[0])} to {number(ends[1])}"


def of_scores(results: Iterable[Result], heads: Mapping[str, str]) -> Table:
    """Return a table of the computed scores; ``heads`` maps each head to the key of its cell in :func:`cells_of`."""
    rows = [[cells_of(result)[cell] for cell in heads.values()] for result in results if result.score is not None]
    return Table(list(heads), rows)


def cells_of(result: Result) -> Mapping[str, str]:
    """Return the cells of a result, by the names that tables show."""
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
    """Return a row for each metric that was computed for any file: its name, an arrow, and the cells of each file."""
    return [
        [results[0].item.name, ARROWS[results[0].item.better], *(cell for result in results for cell in cells(result))]
        for results in zip(*(model.results for model in scored), strict=True)
        if any(result.score is not None for result in results)
    ]


def of_differences(pair: Iterable[Difference], models: tuple[str, str]) -> Table:
    """Return a table of the differences of two models in the metrics that both have a score of, with verdicts."""
    heads = ("metric", *map(one_line, models), "difference", "95% interval", "another seed", "verdict")
    rows = [
        [
            f"{difference.item.name} {ARROWS[difference.item.better]}".rstrip(),
            *map(number, (*difference.scores, difference.value)),
            interval(difference.interval),
            number(difference.another_seed),
            one_line(difference.verdict() or difference.reason),
        ]
        for difference in pair
        if difference.scores is not None
    ]
    return Table(heads, rows, names=(0, len(heads) - 1))
