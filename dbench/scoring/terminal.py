"""What the terminal shows."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dbench.provenance import versions
from dbench.scoring.compute import Result
from dbench.scoring.hinton import shortened
from dbench.scoring.scored_codes import ScoredCodes

if TYPE_CHECKING:
    from dbench.scoring.scores import Scores

ARROWS = {"higher": "\u2191", "lower": "\u2193", None: ""}

KEY = (
    "\u2191 higher is better, \u2193 lower. \u00b1: 95% interval, from repeats with other rows, or with another split "
    "for metrics that fit predictors. chance: codes independent of the factors. copies: one exact copy of each factor, "
    "by the same protocol; no limit, other codes can do better."
)

_HEAD = 12  # most characters of a name that heads a column of numbers
_NAME = 18  # least characters for the names of metrics beside them


def show(console: Console, scored: Sequence[Scores], *, table: str = "--csv or --json") -> None:
    """Print scores for reading, at any width; those of several files side by side. In ``table`` are all values."""
    for one in scored:
        for line in heading(one.file):
            say(console, line)
    if len(scored) > 1:
        console.print()
        console.print(_side_by_side(scored, console.width))
    else:
        _show_one(console, scored[0], table)
    console.print()
    say(console, KEY, style="dim")
    for title, pick in (("Not computed", lambda r: [r.reason]), ("Warnings", lambda r: ["; ".join(r.warnings)])):
        list_remarks(console, title, remarks(scored, pick))
    console.print()
    say(console, f"Seed {scored[0].results[0].seed}; {versions()}.", style="dim")


def remarks(scored: Sequence[Scores], pick: Callable[[Result], Iterable[str]]) -> list[tuple[str, str]]:
    """Name of a metric and what is said of it, once for all files, with their names where it is not said of all."""
    said: dict[tuple[str, str], list[str]] = {}
    for one in scored:
        for result in one.results:
            for text in filter(None, pick(result)):
                said.setdefault((result.item.name, text), []).append(one.file.name)
    return [
        (name, text if len(files) == len(scored) else f"{text} (only in {', '.join(files)})")
        for (name, text), files in said.items()
    ]


def _show_one(console: Console, one: Scores, table: str) -> None:
    computed = [result for result in one.results if result.score is not None]
    if computed:
        console.print()
        console.print(scores_table(computed, console.width))
    for title, names, pick in (
        ("Per factor", one.file.sample.factor_names, "per_factor"),
        ("Per code", one.file.code_names, "per_code"),
    ):
        rows = [(_label(result, pick), _values_of(result, pick, names)) for result in computed]
        given = [(name, values) for name, values in rows if values is not None]
        if given:
            console.print()
            _values(console, title, names, given, table)


def _values_of(result: Result, pick: str, names: Sequence[str]) -> list[float | None] | None:
    """A score's values of the factors, or of the codes; None where a factor was left out."""
    score = result.score
    values = None if score is None else getattr(score, pick)
    if score is None or values is None:
        return None
    if pick == "per_factor" and score.factor_names:
        return [dict(zip(score.factor_names, map(float, values), strict=True)).get(name) for name in names]
    return [float(value) for value in values]


def heading(file: ScoredCodes) -> Iterator[str]:
    """Say in sentences what was read and decided."""
    sample = file.sample
    said = []
    if labels := sample.labels:
        sizes = [str(len(np.unique(column))) for column in labels.factors.T]
        beside = "" if sample.discrete else f"{len(sizes)} "
        said.append(f"{beside}discrete, {', '.join(sizes[:12])}{', ...' if len(sizes) > 12 else ''} values")
    if others := sample.kinds.count("continuous"):
        said.append(f"{others} continuous" if labels else "continuous")
    yield f"{file.name}: {len(sample):,} observations, {_count(sample.n_codes, 'code')}, " + (
        f"{_count(sample.n_factors, 'factor')} ({'; '.join(said)})"
    )
    yield from file.notes


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def say(console: Console, text: str, *, style: str = "", indent: str = "") -> None:
    """Print text as it stands (brackets are no markup), wrapped between words."""
    for line in textwrap.wrap(text, max(console.width - 1, 20), subsequent_indent=indent, break_on_hyphens=False):
        console.print(Text(line, style=style), overflow="fold")


def _label(result: Result, pick: str) -> str:
    """Name of a metric, and what its values are where they are not parts of the score."""
    other = result.item.parts.get(pick)
    return f"{result.item.name} {other}" if other else result.item.name


def number(value: float | None) -> str:
    """Three digits; nothing for None."""
    if value is None:
        return ""
    return f"{round(value, 3) + 0.0:.3f}" if abs(value) < 1e4 else f"{value:.3g}"  # + 0.0 makes 0 of -0


def _bounds(result: Result) -> str:
    low, high = result.item.bounds
    return f"{'-inf' if low is None else f'{low:g}'} .. {'inf' if high is None else f'{high:g}'}"


def scores_table(results: Iterable[Result], width: int) -> Table:
    """The table of scores; a narrow terminal goes without its last columns."""
    columns = ["score", *["\u00b1"] * (width >= 60), "chance", "copies"]
    columns += ["bounds"] * (width >= 70) + ["rows"] * (width >= 80)
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("metric", overflow="fold")
    table.add_column("", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="left" if name == "bounds" else "right", no_wrap=True)
    for result in results:
        score = result.score
        assert score is not None
        cells: Mapping[str, str | Text] = {
            "score": Text(number(score.value), style="bold"),
            "\u00b1": number(result.error),
            "chance": number(result.chance),
            "copies": number(result.copies),
            "bounds": _bounds(result),
            "rows": f"{result.rows:,}",
        }
        metric = Text(_broken(result.item.name, width - 8 * len(columns) - 4))
        table.add_row(metric, ARROWS[result.item.better], *(cells[name] for name in columns))
        for part in result.item.shown:
            table.add_row(Text(f"  {part}"), ARROWS["higher"], number(score.details[part]))
    return table


def _side_by_side(scored: Sequence[Scores], width: int) -> Table:
    """One column for each file, with half the interval's width where there is room."""
    room = (width - 31) // len(scored) - 2
    most = max(room, _HEAD)
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("metric", overflow="fold")
    table.add_column("", no_wrap=True)
    for one in scored:
        name = one.file.name
        shown = name if len(name) <= most else f"\u2026{name[1 - most :]}"
        table.add_column(Text(shown), justify="right", overflow="fold")
    for row in zip(*(one.results for one in scored), strict=True):
        if all(result.score is None for result in row):
            continue
        cells = []
        for result in row:
            error = f" \u00b1 {number(result.error)}" if result.error is not None and room >= 13 else ""
            cells.append("" if result.score is None else number(result.score.value) + error)
        table.add_row(Text(row[0].item.name), ARROWS[row[0].item.better], *cells)
    return table


def _values(
    console: Console,
    title: str,
    names: Sequence[str],
    rows: Sequence[tuple[str, Sequence[float | None]]],
    elsewhere: str,
) -> None:
    numbered = list(names) == [f"code_{i}" for i in range(len(names))]
    heads = [str(i) for i in range(len(names))] if numbered else [shortened(name, _HEAD) for name in names]
    digits = max(len(number(value)) for _, values in rows for value in values)
    needed = sum(max(len(head), digits) + 1 for head in heads)
    if needed + _NAME > console.width:
        say(console, f"{title}: {len(names)} values for each of {len(rows)} metrics, see {elsewhere}.")
        return
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(title.lower(), overflow="fold")
    for head in heads:
        table.add_column(Text(head), justify="right", no_wrap=True)
    for name, values in rows:
        table.add_row(Text(_broken(name, console.width - needed)), *(number(value) for value in values))
    console.print(table)


def _broken(name: str, width: int) -> str:
    """Break a name that is too wide between words."""
    lines = [""]
    for part in re.findall(r"\[\S* ?|[^_ []+[_ ]?", name):
        lines[-1:] = [lines[-1] + part] if len(lines[-1] + part) <= width else [lines[-1], part]
    return "\n".join(line.rstrip() for line in lines if line)


def list_remarks(console: Console, title: str, entries: Sequence[tuple[str, str]]) -> None:
    """Print what is said of metrics, by what is said; nothing where nothing is."""
    if not entries:
        return
    console.print()
    console.print(Text(title, style="bold"))
    by_reason: dict[str, list[str]] = {}
    for name, reason in entries:
        by_reason.setdefault(reason, []).append(name)
    for reason, names in by_reason.items():
        say(console, f"  {', '.join(names)}: {reason}", indent="    ")
