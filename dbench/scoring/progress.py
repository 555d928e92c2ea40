"""A bar for what takes longer than two seconds, on a terminal or in a notebook."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Timer

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from dbench.shown import one_line, terminal

AFTER = 2.0
"""Seconds before anything is shown."""


@contextmanager
def bar(what: str, console: Console | None = None) -> Iterator[Callable[[str, int, int], None]]:
    """Give a function of what is done now, its number and the number of steps; show it as a bar and take it away again.

    Nothing is shown before :data:`AFTER`, nor where the standard error goes to a file.
    """
    console = console or terminal(stderr=True)
    seen = console.is_terminal or (console.is_jupyter and find_spec("ipywidgets") is not None)
    if not seen:
        yield lambda now, number, total: None
        return
    columns = TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn()
    shown = Progress(*columns, console=console, transient=True)
    task = shown.add_task(one_line(what), total=None)
    timer = Timer(AFTER, shown.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda now, number, total: shown.update(
            task, description=one_line(f"{what}: {now}"), completed=number, total=total
        )
    finally:
        timer.cancel()
        timer.join()
        shown.stop()
