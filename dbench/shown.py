"""Text that others wrote, made safe to print; and the terminal that prints it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

LEAST_WIDTH = 20
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?)")
# Controls, lone surrogates, and the marks that reverse the reading direction of what follows them.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
_FORMULA = ("=", "+", "-", "@")  # a spreadsheet reads a cell that starts with one of these as a formula


def one_line(text: str) -> str:
    r"""Return text on one line, without control characters: file names, cards and labels may hold anything.

    Example:
        >>> one_line("a\x1b[31m red\n\u202ename")
        'a red name'
    """
    return " ".join(_UNPRINTABLE.sub(" ", _ESCAPES.sub("", text)).split())


def say(text: str, *, err: bool = False) -> None:
    """Print text without its control characters; spaces and line ends stay."""
    import click

    lines = (_UNPRINTABLE.sub(" ", _ESCAPES.sub("", line)) for line in str(text).split("\n"))
    click.echo("\n".join(lines), err=err)


def clipped(text: str, most: int = 60) -> str:
    """Return text cut to at most ``most`` characters.

    Example:
        >>> clipped("x" * 1000, 8)
        'xxxxxxx\u2026'
    """
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"


def some(names: Sequence[str], most: int = 10) -> str:
    """Join names, each cut where it is long; those beyond the first ``most`` are only counted.

    Example:
        >>> some(["a", "b", "c"], 2)
        'a, b and 1 more'
    """
    listed = ", ".join(clipped(one_line(name)) for name in names[:most])
    return f"{listed} and {len(names) - most} more" if len(names) > most else listed


def cell(text: str) -> str:
    r"""Return text for a cell of a csv table: on one line, with an apostrophe before it where it would be a formula.

    Example:
        >>> cell('=HYPERLINK("http://a")'), cell("code_0")
        ('\'=HYPERLINK("http://a")', 'code_0')
    """
    line = one_line(text)
    return f"'{line}" if line.startswith(_FORMULA) else line


def terminal(**options: Any) -> Console:
    """Return a rich console at least 20 columns wide; 80 where the environment says 0."""
    from rich.console import Console

    console = Console(**options)
    if console.width < LEAST_WIDTH:
        console.width = LEAST_WIDTH if console.width else 80
    return console
