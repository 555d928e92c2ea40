"""Figures in words: what is in them for those who do not see them, and what they were drawn from."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.figure import Figure

from dbench.claims.population import Population, PopulationPair
from dbench.figures.card import FigureCard
from dbench.figures.lookup import in_order
from dbench.figures.models import Models
from dbench.figures.style import look_of

__all__ = ["alt_text", "source_text"]


def alt_text(card: FigureCard, figure: Figure) -> str:
    """Say what kind of picture it is, its panels and their axes, and the numbers that stand in it."""
    drawn = [axes for axes in figure.axes if axes.axison]
    titles = _distinct(axes.get_title(loc="left") for axes in drawn)
    across = _distinct([axes.get_xlabel() for axes in drawn] + [_text(figure, "supxlabel")])
    up = _distinct([axes.get_ylabel() for axes in drawn] + [_text(figure, "supylabel")])
    parts = [f"{card.title}: {len(drawn)} panel{'s' if len(drawn) != 1 else ''}"]
    for name, found in (("Panels", titles), ("Across", across), ("Up", up)):
        if found:
            parts.append(f"{name}: {'; '.join(found)}")
    numbers = [text.get_text() for axes in drawn for text in axes.texts]
    if numbers and len(numbers) <= 60:
        parts.append(f"Numbers in the panels: {', '.join(numbers)}")
    return ". ".join(parts) + "."


def _distinct(texts: Iterable[str]) -> list[str]:
    cleaned = (" ".join(text.split()) for text in texts)
    return list(dict.fromkeys(text for text in cleaned if text))


def _text(figure: Figure, name: str) -> str:
    return str(getattr(figure, f"get_{name}")())


def source_text(models: Population | PopulationPair | Models) -> str:
    """Say what a figure was drawn from: evidence, number of runs, settings and seeds."""
    if isinstance(models, PopulationPair):
        return f"{source_text(models.source)} {source_text(models.target)}"
    if isinstance(models, Models):
        return (
            f"{len(models.runs)} trained runs of unsupervised objectives on {models.name}, "
            f"best and worst by {models.by}: {models.best.key} and {models.worst.key}."
        )
    seeds, objectives = len(models.seeds()), in_order(models)
    settings = sum(len(models.strengths(objective)) for objective in objectives)
    unused = sum(len(models.done(objective)) for objective in objectives) - settings * seeds
    named = ", ".join(look_of(objective).label for objective in objectives)
    left_out = f"; {unused} runs of seeds that not all settings have are left out" if unused else ""
    return f"{models.name}: {settings * seeds} runs, {settings} settings of {named} with {seeds} seeds each{left_out}."
