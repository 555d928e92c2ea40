"""What the terminal and a page show of a comparison."""

from __future__ import annotations

from itertools import groupby
from string import ascii_uppercase
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dbench.provenance import versions
from dbench.scoring.reseeding import read_scores
from dbench.scoring.terminal import ARROWS, heading, list_remarks, number, remarks, say
from dbench.shown import one_line

if TYPE_CHECKING:
    from dbench.scoring.comparison import Comparison, Difference


def show(console: Console, comparison: Comparison) -> None:
    """Print a comparison for reading: a table of each pair of models, and below it the verdicts in words."""
    letters = dict(zip(comparison.names, ascii_uppercase, strict=False))
    for one in comparison.scores:
        for line in heading(one.file):
            say(console, line)
    console.print()
    for name, letter in letters.items():
        say(console, f"{letter}: {name}")
    for models, pair in groupby(comparison.differences, key=lambda one: one.models):
        _show_pair(console, list(pair), letters[models[0]], letters[models[1]])
    console.print()
    say(console, key(comparison), style="dim")
    reasons = {one.item.name: one.reason for one in comparison.differences if one.reason}
    list_remarks(console, "Not compared", list(reasons.items()))
    list_remarks(console, "Warnings", remarks(comparison.scores, lambda result: result.warnings))
    console.print()
    say(console, f"Seed {comparison.seed}; {versions()}.", style="dim")


def _show_pair(console: Console, pair: list[Difference], first: str, second: str) -> None:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("metric", overflow="fold")
    table.add_column("", no_wrap=True)
    for head in (first, second, f"{first} - {second}", "\u00b1", "seed"):
        table.add_column(head, justify="right", no_wrap=True)
    said: dict[str, list[str]] = {}
    for one in pair:
        if one.scores is None:
            continue
        numbers = (*one.scores, one.value, one.error, one.another_seed)
        table.add_row(Text(one.item.name), ARROWS[one.item.better], *(Text(number(value)) for value in numbers))
        if verdict := one.verdict(first, second):
            said.setdefault(verdict, []).append(one.item.name)
    if table.row_count:
        console.print()
        console.print(table)
        console.print()
    for verdict, names in sorted(said.items()):
        say(console, f"{verdict[0].upper()}{verdict[1:]}: {', '.join(names)}", indent="  ")


def key(comparison: Comparison) -> str:
    """Say what the columns are, and what the verdicts rest on."""
    runs = len(read_scores(comparison.table)["elbo"])
    return (
        f"\u2191 higher is better, \u2193 lower. \u00b1: half of the 95% interval of the difference, from "
        f"{comparison.repeats} halves of the rows, the same for all models; {comparison.asked} intervals that hold "
        "together (Bonferroni). seed: training with another seed moves a score by less than this in 19 of 20 cases, "
        f"among {runs:,} models of {comparison.table}; on other data it may move more. Empty: not in that table."
    )


def markdown(comparison: Comparison) -> str:
    """The differences that have scores, as a table of Markdown for each pair of models."""
    pairs = groupby(comparison.differences, key=lambda one: one.models)
    return "\n".join(_table(models, [*pair]) for models, pair in pairs)


def _table(models: tuple[str, str], pair: list[Difference]) -> str:
    heads = ("metric", *map(one_line, models), "difference", "95% interval", "another seed", "verdict")
    lines = [heads, ("---", *["---:"] * 5, "---"), *(_row(one) for one in pair if one.scores is not None)]
    return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines)


def _row(one: Difference) -> list[str]:
    low, high = one.interval or (None, None)
    between = "" if low is None else f"{number(low)} to {number(high)}"
    name = f"{one.item.name} {ARROWS[one.item.better]}".rstrip()
    numbers = [number(value) for value in (*(one.scores or ()), one.value)]
    return [name, *numbers, between, number(one.another_seed), one_line(one.verdict() or one.reason)]
