"""What the terminal shows: the file, a table of scores, values per factor and per code, and what was left out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dbench.codes.reading import CodesFile
from dbench.metrics import Score
from dbench.provenance import versions
from dbench.scoring.compute import Result, Subject

__all__ = ["show"]

_ADJUSTED = ("linear_accuracy", "mlp_accuracy")  # their detail ``chance`` is what was taken off
_OTHER = {
    ("dci", "per_factor"): "completeness",
    ("med", "per_factor"): "completeness",
    ("informative", "per_code"): "(KL)",
}
_HEAD = 12  # most characters of a name that heads a column of numbers
_NAME = 18  # least characters for the names of metrics beside them


def show(console: Console, file: CodesFile, subject: Subject, results: Sequence[Result]) -> None:
    """Print results for reading, at any width.

    Args:
        console: where to.
        file: what was read.
        subject: what was scored.
        results: one for each metric.
    """
    for line in _heading(file, subject):
        _say(console, line)
    computed = [result for result in results if result.score is not None]
    if computed:
        console.print()
        console.print(_scores(computed, console.width))
    for title, names, pick in (
        ("Per factor", subject.sample.factor_names, "per_factor"),
        ("Per code", subject.code_names, "per_code"),
    ):
        rows = [(_label(result, pick), getattr(result.score, pick)) for result in computed]
        given = [(name, values) for name, values in rows if values is not None]
        if given:
            console.print()
            _values(console, title, names, given)
    _list(console, "Not computed", [(r.item.name, r.reason) for r in results if r.score is None])
    _list(console, "Warnings", [(r.item.name, "; ".join(r.warnings)) for r in results if r.warnings])
    console.print()
    seed = results[0].seed if results else 0
    _say(console, f"Seed {seed}; {versions()}.", style="dim")


def _heading(file: CodesFile, subject: Subject) -> Iterator[str]:
    sample = subject.sample
    kind = "continuous"
    if sample.discrete:
        sizes = [str(len(np.unique(column))) for column in sample.factors.T]
        kind = f"discrete, {', '.join(sizes[:12])}{', ...' if len(sizes) > 12 else ''} values"
    yield f"{file.name}: {len(sample):,} observations, {_count(sample.n_codes, 'code')}, " + (
        f"{_count(sample.n_factors, 'factor')} ({kind})"
    )
    yield from subject.notes


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _say(console: Console, text: str, *, style: str = "", indent: str = "") -> None:
    """Print text as it stands (brackets are no markup), wrapped between words."""
    for line in textwrap.wrap(text, max(console.width - 1, 20), subsequent_indent=indent, break_on_hyphens=False):
        console.print(Text(line, style=style), overflow="fold")


def _label(result: Result, pick: str) -> str:
    """Name of a metric, and what its values are where they are not parts of the score."""
    other = _OTHER.get((result.item.function.__name__, pick))
    return f"{result.item.name} {other}" if other else result.item.name


def _clip(name: str) -> str:
    return name if len(name) <= _HEAD else name[: _HEAD - 1] + "\u2026"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{round(value, 3) + 0.0:.3f}" if abs(value) < 1e4 else f"{value:.3g}"  # + 0.0 makes 0 of -0


def _bounds(result: Result) -> str:
    low, high = result.item.bounds
    return f"{'-inf' if low is None else f'{low:g}'} .. {'inf' if high is None else f'{high:g}'}"


def _beside(name: str, score: Score) -> tuple[float | None, float | None]:
    """Chance level and ceiling on the scale of the score, where they are known."""
    chance = 0.0 if name in _ADJUSTED else score.details.get("chance", score.details.get("bias"))
    return chance, score.details.get("ceiling")


def _scores(results: Iterable[Result], width: int) -> Table:
    """The table of scores; a narrow terminal goes without its last columns."""
    columns = ["score", "chance", "ceiling"] + ["bounds"] * (width >= 62) + ["rows"] * (width >= 72)
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("metric", overflow="fold")
    for name in columns:
        table.add_column(name, justify="left" if name == "bounds" else "right", no_wrap=True)
    for result in results:
        score = result.score
        assert score is not None
        beside = (_number(value) for value in _beside(result.item.name, score))
        cells: list[str | Text] = [
            Text(_number(score.value), style="bold"),
            *beside,
            _bounds(result),
            f"{result.rows:,}",
        ]
        table.add_row(Text(result.item.name), *cells[: len(columns)])
        if result.item.function.__name__ == "dci":
            for part in ("completeness", "informativeness"):
                table.add_row(Text(f"  {part}"), _number(score.details[part]))
    return table


def _values(
    console: Console, title: str, names: Sequence[str], rows: Sequence[tuple[str, NDArray[np.float64]]]
) -> None:
    numbered = list(names) == [f"code_{i}" for i in range(len(names))]
    heads = [str(i) for i in range(len(names))] if numbered else [_clip(name) for name in names]
    digits = max(len(_number(float(value))) for _, values in rows for value in values)
    needed = sum(max(len(head), digits) + 1 for head in heads)
    if needed + _NAME > console.width:
        _say(console, f"{title}: {len(names)} values for each of {len(rows)} metrics, see --csv or --json.")
        return
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(title.lower(), overflow="fold")
    for head in heads:
        table.add_column(Text(head), justify="right", no_wrap=True)
    for name, values in rows:
        table.add_row(Text(name), *(_number(float(value)) for value in values))
    console.print(table)


def _list(console: Console, title: str, entries: Sequence[tuple[str, str]]) -> None:
    if not entries:
        return
    console.print()
    console.print(Text(title, style="bold"))
    by_reason: dict[str, list[str]] = {}
    for name, reason in entries:
        by_reason.setdefault(reason, []).append(name)
    for reason, names in by_reason.items():
        _say(console, f"  {', '.join(names)}: {reason}", indent="    ")
