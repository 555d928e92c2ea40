"""All figures of some evidence, drawn one after the other; what evidence cannot carry is said, not drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dbench.claims.evidence import evidence_folders, evidence_pairs, load_population, swept_folders
from dbench.claims.population import Population, PopulationPair
from dbench.errors import EvidenceLacking, InvalidInput, unknown_name
from dbench.figures import agreements, interventions, scatters, spreads, structure, sweeps, traversals, udr
from dbench.figures.card import FIGURES, FigureCard, Subject
from dbench.figures.files import write_figure
from dbench.figures.models import Models, models_of_store
from dbench.figures.style import UNSUPERVISED
from dbench.figures.words import alt_text, source_text
from dbench.zoo.store import Store

__all__ = ["MODULES", "ORDER", "PAPERS", "Drawn", "Source", "draw_figures", "sources_of_store", "sources_of_tables"]

MODULES = (sweeps, spreads, scatters, agreements, structure, udr, interventions, traversals)
"""Modules whose functions are figures, importing them registers these."""

PAPERS = ("Sober Look", "UDR", "SNC/NK", "IRS")
"""As cards name them, in the order of the page."""


def _place(card: FigureCard) -> tuple[int, int]:
    """Paper, and number of the first of its figures that the card names."""
    paper, _, number = card.after[0].partition(", Figure")
    return PAPERS.index(paper), int(re.findall(r"\d+", number)[0])


ORDER = tuple(sorted((name for module in MODULES for name in module.__all__), key=lambda n: _place(FIGURES[n].card)))
"""Names of all figures in the order of the page: that of the papers."""


@dataclass(frozen=True)
class Source:
    """Something to draw figures from.

    Attributes:
        name: folder of its pictures.
        of: which figures it carries.
        subject: what they take.
        deviations: where its runs depart from the papers' study.
    """

    name: str
    of: Subject
    subject: Population | PopulationPair | Models
    deviations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """A figure of one source.

    Attributes:
        card: of the figure.
        source: what it was drawn from.
        caption: what it shows, and of how many runs.
        alt: the same for those who do not see it.
        files: PNG and SVG; empty if it could not be drawn.
        lacking: why not; empty if it was.
    """

    card: FigureCard
    source: Source
    caption: str
    alt: str = ""
    files: tuple[Path, ...] = ()
    lacking: str = ""


def sources_of_tables(root: str | Path | None) -> list[Source]:
    """Return the tables of a folder, and the pairs among them, as sources.

    Tables of models trained without a combination of factors are left out: the figures are of whole data sets.

    Args:
        root: folder of evidence tables, or one of them; those shipped when not given.

    Raises:
        InvalidInput: no table.
        DamagedData: a table that was damaged or edited.
    """
    sources, unsupervised = list[Source](), dict[Path, Population]()
    folders = swept_folders(evidence_folders(root))
    if not folders:
        raise InvalidInput(f"runs must hold a table of models trained on a whole data set, got none in {root}")
    for folder in folders:
        whole = load_population(folder)
        if set(whole.objectives) & set(UNSUPERVISED):
            unsupervised[folder] = load_population(folder, objectives=UNSUPERVISED)
            sources.append(Source(folder.name, "unsupervised", unsupervised[folder], whole.deviations))
        sources.append(Source(folder.name, "all", whole, whole.deviations))
    for first, second in evidence_pairs(folders):
        if first in unsupervised and second in unsupervised:
            pair = PopulationPair(unsupervised[first], unsupervised[second])
            sources.append(Source(f"{first.name}-and-{second.name}", "pair", pair, pair.deviations))
    return sources


def sources_of_store(url: str, *, by: str, data: Iterable[str] = ()) -> list[Source]:
    """Return the trained runs of a store, data set by data set, as sources."""
    found = models_of_store(Store(url, create=False), by=by, data=data)
    return [Source(f"models-{models.name}", "models", models) for models in found]


def draw_figures(
    sources: Sequence[Source],
    folder: Path,
    *,
    only: Sequence[str] = (),
    write: Callable[..., list[Path]] = write_figure,
) -> Iterator[Drawn]:
    """Draw every figure that the sources carry, and write it.

    Args:
        sources: what to draw from.
        folder: of the pictures; each source has a folder of its own in it.
        only: names of figures; all by default.
        write: writes a figure as :func:`~dbench.figures.files.write_figure` does.

    Raises:
        UnknownName: no such figure.
        DbenchError: a picture cannot be written.
    """
    for name in only:
        if name not in FIGURES:
            raise unknown_name("figure", name, FIGURES)
    for source in sources:
        for name in ORDER:
            card, draw = FIGURES[name].card, FIGURES[name].draw
            if card.of != source.of or (only and name not in only):
                continue
            try:
                caption = f"{card.shows} {source_text(source.subject)}"
                picture = draw(source.subject)
            except EvidenceLacking as error:
                yield Drawn(card, source, card.shows, lacking=str(error))
                continue
            alt = alt_text(card, picture)
            files = write(picture, folder / source.name, name, title=card.title, alt=alt)
            yield Drawn(card, source, caption, alt, tuple(files))
