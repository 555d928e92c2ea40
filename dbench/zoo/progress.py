"""Live progress in an interactive terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from dbench.shown import terminal

_EVERY = 15.0
"""Seconds between plain lines."""

_MEMORY = 20.0
"""Seconds over which the speed is averaged."""


def clock(seconds: float) -> str:
    """Write a duration: ``45 s``, ``3 min 20 s``, ``2 h 05 min``."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def teller(console: Console | None = None) -> Callable[[str], None]:
    """Return what writes a line for the user, to standard error when no console is given."""
    return partial((console or terminal(stderr=True)).print, highlight=False, markup=False, soft_wrap=True)


class Meter:
    """Counts finished runs and units of work, named in the plural, and shows both with the speed and the time left."""

    def __init__(self, *, runs: int, units: float, unit: str, console: Console | None = None) -> None:
        self.console = console or terminal(stderr=True)
        self._runs, self._units, self._unit = runs, units, unit
        self._runs_done, self._units_done, self._shown = 0, 0.0, time.monotonic()
        self._trail = [(time.monotonic(), 0.0)]
        self._bar = Progress(
            # The bar counts units: the runs of an ensemble end all at once.
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.description}"),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self._task = self._bar.add_task(str(self), total=units)

    def __enter__(self) -> Meter:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def advance(self, *, runs: int = 0, units: float = 0.0) -> None:
        """Count work done."""
        now = time.monotonic()
        self._runs_done += runs
        self._units_done += units
        self._trail.append((now, self._units_done))
        while len(self._trail) > 2 and self._trail[1][0] < now - _MEMORY:
            self._trail.pop(0)
        self._bar.update(self._task, completed=self._units_done, description=str(self))
        if not self.console.is_terminal and now - self._shown > _EVERY:
            self._shown = now
            self.console.print(str(self), highlight=False, soft_wrap=True)

    def __str__(self) -> str:
        return f"{self._runs_done} of {self._runs} runs, {self.pace}"

    @property
    def pace(self) -> str:
        """Speed over the last seconds and the time left at that speed."""
        (start, before), (now, units) = self._trail[0], self._trail[-1]
        if now <= start or units <= before:
            return "starting"
        speed = (units - before) / (now - start)
        left = max(self._units - units, 0.0)  # work lost with a node is done, and counted, again
        shown = f"{speed:,.{0 if speed >= 100 else 1}f}" if speed >= 1 else f"{speed:.2g}"
        return f"{shown} {self._unit}/s, {clock(left / speed)} left"
