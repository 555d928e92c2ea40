"""The card of a figure: what it shows, and for which findings."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, TypeVar

from matplotlib import rc_context
from matplotlib.figure import Figure

from dbench.scoring.style import STYLE

Kind = Literal["unsupervised", "all", "pair", "models"]
"""What a figure is drawn from: unsupervised or all models of a table, two tables, or trained runs of a store."""

T = TypeVar("T")


@dataclass(frozen=True)
class FigureCard:
    """A figure, and what is written beside it."""

    name: str  # of the function and of the files
    title: str
    shows: str  # and how to read it; never what follows from it, which the claims decide
    after: tuple[str, ...]  # of the papers' figures
    claims: tuple[str, ...]
    of: Kind
    draw: Callable[[Any], Figure]


FIGURES: dict[str, FigureCard] = {}  # those of the modules imported; dbench_published.figures.draw imports all


def figure(
    *, shows: str, after: tuple[str, ...], claims: tuple[str, ...], of: Kind = "unsupervised"
) -> Callable[[Callable[[T], Figure]], Callable[[T], Figure]]:
    """Register a function, its docstring as the title, and draw in the common style whoever calls it."""

    def register(function: Callable[[T], Figure]) -> Callable[[T], Figure]:
        @wraps(function)
        def styled(evidence: T) -> Figure:
            with rc_context(STYLE):
                return function(evidence)

        title = str(function.__doc__).removesuffix(".")
        FIGURES[function.__name__] = FigureCard(function.__name__, title, shows, after, claims, of, styled)
        return styled

    return register
