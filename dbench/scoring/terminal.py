"""Show scores and comparisons on the terminal, and a progress bar while they are computed."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import groupby
from string import ascii_uppercase
from threading import Timer
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from dbench.codes.reading import CodesFile
from dbench.provenance import versions
from dbench.scoring.compute import Result
from dbench.scoring.reseeding import read_scores
from dbench.scoring.tables import ARROWS, Table, cells_of, number, side_by_side
from dbench.shown import clipped, one_line, terminal

if TYPE_CHECKING:
    from dbench.scoring.comparison import Comparison, Difference
    from dbench.scoring.scores import Scores

KEY = (
    "\u2191 higher is better, \u2193 lower. \u00b1: 95% interval, from repeats with other rows, or with another split "
    "for metrics that fit predictors. chance: codes independent of the factors. copies: one exact copy of each factor, "
    "by the same protocol; no limit, other codes can do better."
)

AFTER = 2.0
"""Seconds before a bar is shown."""

_HEAD = 12  # most characters of a head above a column of numbers
_NAME = 18  # fewest characters for the column of metric names


def show(console: Console, scored: Sequence[Scores], *, table: str = "--csv or --json") -> None:
    """Print scores at any width, those of several files side by side; ``table`` says where to find all values."""
    for model in scored:
        for line in heading(model.file):
            say(console, line)
    if len(scored) > 1:
        console.print()
        console.print(_side_by_side(scored, console.width).terminal())
    else:
        _show_one(console, scored[0], table)
    console.print()
    say(console, KEY, style="dim")
    for title, pick in (("Not computed", lambda r: [r.reason]), ("Warnings", lambda r: ["; ".join(r.warnings)])):
        list_remarks(console, title, remarks(scored, pick))
    console.print()
    say(console, f"Seed {scored[0].results[0].seed}; {versions()}.", style="dim")


def as_text(shown: Callable[[Console], None]) -> str:
    """Return what ``shown`` prints, as text 100 characters wide; never with the colours that a notebook asks for."""
    text = io.StringIO()
    shown(Console(file=text, width=100, highlight=False, force_jupyter=False, force_terminal=False))
    return text.getvalue()


def remarks(scored: Sequence[Scores], pick: Callable[[Result], Iterable[str]]) -> list[tuple[str, str]]:
    """Return distinct remarks as (metric, text); a remark on some files only ends with their names."""
    files: dict[tuple[str, str], list[str]] = {}
    for model in scored:
        for result in model.results:
            for text in filter(None, pick(result)):
                files.setdefault((result.item.name, text), []).append(model.file.name)
    return [
        (name, text if len(file_names) == len(scored) else f"{text} (only in {', '.join(file_names)})")
        for (name, text), file_names in files.items()
    ]


def _show_one(console: Console, scored: Scores, table: str) -> None:
    """Print the scores of one file: a table of scores, then tables of their values per factor and per code."""
    computed = [result for result in scored.results if result.score is not None]
    if computed:
        console.print()
        console.print(scores_table(computed, console.width).terminal())
    for title, names, pick in (
        ("Per factor", scored.file.sample.factor_names, "per_factor"),
        ("Per code", scored.file.code_names, "per_code"),
    ):
        rows = [(_label(result, pick), _values_of(result, pick, names)) for result in computed]
        known = [(name, values) for name, values in rows if values is not None]
        if known:
            console.print()
            _show_values(console, title, names, known, table)


def _values_of(result: Result, pick: str, names: Sequence[str]) -> list[float | None] | None:
    """Return a score's values per factor or per code, None for a factor left out; None if it has no such values."""
    score = result.score
    values = None if score is None else getattr(score, pick)
    if score is None or values is None:
        return None
    if pick == "per_factor" and score.factor_names:
        return [dict(zip(score.factor_names, map(float, values), strict=True)).get(name) for name in names]
    return [float(value) for value in values]


def heading(file: CodesFile) -> Iterator[str]:
    """Yield sentences on what was read: the numbers of rows, codes and factors, and the notes."""
    sample = file.sample
    kinds = []
    if labels := sample.labels:
        sizes = [str(len(np.unique(column))) for column in labels.factors.T]
        count = "" if sample.discrete else f"{len(sizes)} "
        kinds.append(f"{count}discrete, {', '.join(sizes[:12])}{', ...' if len(sizes) > 12 else ''} values")
    if continuous := sample.kinds.count("continuous"):
        kinds.append(f"{continuous} continuous" if labels else "continuous")
    yield f"{file.name}: {len(sample):,} observations, {_count(sample.n_codes, 'code')}, " + (
        f"{_count(sample.n_factors, 'factor')} ({'; '.join(kinds)})"
    )
    yield from file.notes


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def say(console: Console, text: str, *, style: str = "", indent: str = "") -> None:
    """Print text unchanged (brackets are no markup), wrapped between words."""
    for line in textwrap.wrap(text, max(console.width - 1, 20), subsequent_indent=indent, break_on_hyphens=False):
        console.print(Text(line, style=style), overflow="fold")


def _label(result: Result, pick: str) -> str:
    """Return the name of a metric, followed by what its values are if they are not parts of the score."""
    meaning = result.item.parts.get(pick)
    return f"{result.item.name} {meaning}" if meaning else result.item.name


def scores_table(results: Iterable[Result], width: int) -> Table:
    """Return the table of scores; a narrow terminal leaves out some columns."""
    columns = ["score", *["\u00b1"] * (width >= 60), "chance", "copies"]
    columns += ["bounds"] * (width >= 70) + ["rows"] * (width >= 80)
    rows = list[Sequence[str | Text]]()
    for result in results:
        score, cells = result.score, cells_of(result)
        assert score is not None
        metric = _broken(result.item.name, width - 8 * len(columns) - 4)
        rows.append(
            (metric, cells["better"], Text(cells["score"], style="bold"), *(cells[head] for head in columns[1:]))
        )
        empty = [""] * (len(columns) - 1)
        rows += [(f"  {part}", ARROWS["higher"], number(score.details[part]), *empty) for part in result.item.shown]
    words = [0, 1, *(2 + place for place, head in enumerate(columns) if head == "bounds")]
    return Table(["metric", "", *columns], rows, words)


def _side_by_side(scored: Sequence[Scores], width: int) -> Table:
    """Return a table with a column of scores for each file, with half the interval's width if there is room."""
    room = (width - 31) // len(scored) - 2
    most = max(room, _HEAD)
    names = [model.file.name for model in scored]
    heads = [name if len(name) <= most else f"\u2026{name[1 - most :]}" for name in names]
    parts = ["score", "\u00b1"] if room >= 13 else ["score"]
    rows = side_by_side(scored, lambda result: [" \u00b1 ".join(filter(None, map(cells_of(result).get, parts)))])
    return Table(["metric", "", *heads], rows, (0, 1), (0, *range(2, 2 + len(heads))))


def _show_values(
    console: Console,
    title: str,
    names: Sequence[str],
    rows: Sequence[tuple[str, Sequence[float | None]]],
    table: str,
) -> None:
    """Print a table with a row for each metric and a column for each factor or code, if the terminal is wide enough."""
    numbered = list(names) == [f"code_{i}" for i in range(len(names))]
    heads = [str(i) for i in range(len(names))] if numbered else [clipped(name, _HEAD) for name in names]
    digits = max(len(number(value)) for _, values in rows for value in values)
    needed = sum(max(len(head), digits) + 1 for head in heads)
    if needed + _NAME > console.width:
        say(console, f"{title}: {len(names)} values for each of {len(rows)} metrics, see {table}.")
        return
    lines = [[_broken(name, console.width - needed), *map(number, values)] for name, values in rows]
    console.print(Table([title.lower(), *heads], lines).terminal(space=1))


def _broken(name: str, width: int) -> str:
    """Return a name with line breaks between its words where it is too wide."""
    lines = [""]
    for part in re.findall(r"\[\S* ?|[^_ []+[_ ]?", name):
        lines[-1:] = [lines[-1] + part] if len(lines[-1] + part) <= width else [lines[-1], part]
    return "\n".join(line.rstrip() for line in lines if line)


def list_remarks(console: Console, title: str, entries: Sequence[tuple[str, str]]) -> None:
    """Print remarks on metrics, each text once after the names of its metrics; print nothing if there are none."""
    if not entries:
        return
    console.print()
    console.print(Text(title, style="bold"))
    by_reason: dict[str, list[str]] = {}
    for name, reason in entries:
        by_reason.setdefault(reason, []).append(name)
    for reason, names in by_reason.items():
        say(console, f"  {', '.join(names)}: {reason}", indent="    ")


def show_comparison(console: Console, comparison: Comparison) -> None:
    """Print a comparison: a table for each pair of models, and below it the verdicts in words."""
    letters = dict(zip(comparison.names, ascii_uppercase, strict=False))
    for model in comparison.scores:
        for line in heading(model.file):
            say(console, line)
    console.print()
    for name, letter in letters.items():
        say(console, f"{letter}: {name}")
    for models, pair in groupby(comparison.differences, key=lambda each: each.models):
        _show_pair(console, list(pair), letters[models[0]], letters[models[1]])
    console.print()
    say(console, _key(comparison), style="dim")
    reasons = dict.fromkeys((each.item.name, each.reason) for each in comparison.differences if each.reason)
    list_remarks(console, "Not compared", list(reasons))
    list_remarks(console, "Warnings", remarks(comparison.scores, lambda result: result.warnings))
    console.print()
    say(console, f"Seed {comparison.seed}; {versions()}.", style="dim")


def _show_pair(console: Console, pair: list[Difference], first: str, second: str) -> None:
    rows, metrics_by_verdict = list[Sequence[str]](), dict[str, list[str]]()
    for difference in pair:
        if difference.scores is None:
            continue
        numbers = (*difference.scores, difference.value, difference.error, difference.another_seed)
        rows.append([difference.item.name, ARROWS[difference.item.better], *map(number, numbers)])
        if verdict := difference.verdict(first, second):
            metrics_by_verdict.setdefault(verdict, []).append(difference.item.name)
    if rows:
        heads = ["metric", "", first, second, f"{first} - {second}", "\u00b1", "seed"]
        console.print()
        console.print(Table(heads, rows, (0, 1)).terminal())
        console.print()
    for verdict, names in sorted(metrics_by_verdict.items()):
        say(console, f"{verdict[0].upper()}{verdict[1:]}: {', '.join(names)}", indent="  ")


def _key(comparison: Comparison) -> str:
    """Return the key: what the columns hold, and what the verdicts rest on."""
    runs = len(read_scores(comparison.table)["elbo"])
    return (
        f"\u2191 higher is better, \u2193 lower. \u00b1: half of the 95% interval of the difference, from "
        f"{comparison.repeats} halves of the rows, the same for all models; {comparison.asked} intervals that hold "
        "together (Bonferroni). seed: training with another seed moves a score by no more than this in 19 of 20 cases, "
        f"among {runs:,} models of {comparison.table}; on other data it may move more. Empty: not in that table."
    )


@contextmanager
def bar(what: str, console: Console | None = None) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function of (current step, its number, number of steps) that moves a bar; remove the bar at the end.

    The bar appears after :data:`AFTER` seconds, and not at all where the standard error goes to a file.
    """
    console = console or terminal(stderr=True)
    visible = console.is_terminal or (console.is_jupyter and find_spec("ipywidgets") is not None)
    if not visible:
        yield lambda step, number, total: None
        return
    columns = TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn()
    progress = Progress(*columns, console=console, transient=True)
    task = progress.add_task(one_line(what), total=None)
    timer = Timer(AFTER, progress.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda step, number, total: progress.update(
            task, description=one_line(f"{what}: {step}"), completed=number, total=total
        )
    finally:
        timer.cancel()
        timer.join()
        progress.stop()
