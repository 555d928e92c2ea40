"""A progress bar, which prints plain lines where there is no interactive terminal, and the summary of a command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from dbench.shown import terminal

_EVERY = 15.0
"""Seconds between plain lines."""


def clock(seconds: float) -> str:
    """Write a duration: ``45 s``, ``3 min 20 s``, ``2 h 05 min``."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def log_to(console: Console | None) -> Callable[[str], None]:
    """Return a function that prints a line for the user, to standard error when no console is given."""
    return partial((console or terminal(stderr=True)).print, highlight=False, markup=False, soft_wrap=True)


class ProgressBar:
    """Counts finished runs and units of work (``unit``, a plural), and shows both with speed and time left.

    Attributes:
        log: prints a line for the user.
    """

    def __init__(self, *, runs: int, units: float, unit: str, console: Console | None = None) -> None:
        self.console = console or terminal(stderr=True)
        self.log = log_to(self.console)
        self._runs, self._done, self._unit, self._shown = runs, 0, unit, self.console.get_time()
        self._bar = Progress(
            # The bar counts units: the runs of an ensemble end all at once.
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.description}"),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self._bar.add_task("", total=units)
        self.advance()

    def __enter__(self) -> ProgressBar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def advance(self, *, runs: float = 0, units: float = 0.0) -> None:
        """Count finished runs and units, and show the progress."""
        task = self._bar.tasks[0]
        self._done += int(runs)
        self._bar.advance(task.id, units)
        # Work that was lost with a node is repeated, and counted again.
        pace = f"{task.speed:,.3g} {self._unit}/s, {clock(task.time_remaining or 0)} left" if task.speed else "starting"
        text = f"{self._done} of {self._runs} runs, {pace}"
        self._bar.update(task.id, description=text)
        if not self.console.is_terminal and self.console.get_time() - self._shown > _EVERY:
            self._shown = self.console.get_time()
            self.log(text)


@dataclass(frozen=True)
class Summary:
    """What a command did with the runs of a plan.

    Attributes:
        verb: what it did, in the past tense.
        done: number of runs for which it did that now.
        present: number of runs for which that was done before.
        seconds: duration of the call.
        cancelled: whether Ctrl-C ended it; the same command resumes.
        others: kind, such as ``left``, -> number of other runs.
        more: text of a further line.
    """

    verb: str
    done: int
    present: int
    seconds: float
    cancelled: bool
    others: Mapping[str, int] = field(default_factory=dict)
    more: str = ""

    def __str__(self) -> str:
        parts = [f"{self.verb} {self.done} runs in {clock(self.seconds)}", f"{self.present} were there before"]
        parts += [f"{count} {_WORDS[kind]}" for kind, count in self.others.items() if count > 0]
        return "; ".join(parts) + (f"\n{self.more}" if self.more else "")


_WORDS = {
    "elsewhere": "are held or were finished by other processes",
    "damaged": "were damaged and are trained anew",
    "diverged": "diverged",
    "unreadable": "cannot be read and were left alone",
    "missing": "are not trained yet",
    "left": "are left (the same command goes on)",
    "left again": "are left (the same command begins again)",
}
"""Kind of runs -> how a summary words it."""
