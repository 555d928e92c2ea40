"""The card of a figure: its title, what it shows, and which findings it illustrates."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, TypeVar

from matplotlib import rc_context
from matplotlib.figure import Figure

from dbench.scoring.style import STYLE

Kind = Literal["unsupervised", "all", "pair", "models"]
"""Evidence of a figure: the unsupervised or all models of a table, two tables, or the trained runs of a store."""

T = TypeVar("T")


@dataclass(frozen=True)
class FigureCard:
    """A figure, and the text that is written beside it."""

    name: str  # name of the function and of the files
    title: str
    shows: str  # what it shows and how to read it; conclusions are left to the claims
    after: tuple[str, ...]  # the papers' figures that it redraws
    claims: tuple[str, ...]  # ids of the findings that it illustrates
    of: Kind
    draw: Callable[[Any], Figure]


FIGURES: dict[str, FigureCard] = {}  # of the modules imported so far; dbench_published.figures.draw imports all


def figure(
    *, shows: str, after: tuple[str, ...], claims: tuple[str, ...], of: Kind = "unsupervised"
) -> Callable[[Callable[[T], Figure]], Callable[[T], Figure]]:
    """Register a function as a figure with its docstring as title, and make it draw in the common style."""

    def register(function: Callable[[T], Figure]) -> Callable[[T], Figure]:
        @wraps(function)
        def styled(evidence: T) -> Figure:
            with rc_context(STYLE):
                return function(evidence)

        title = str(function.__doc__).removesuffix(".")
        FIGURES[function.__name__] = FigureCard(function.__name__, title, shows, after, claims, of, styled)
        return styled

    return register
