"""Draw all figures that some evidence can carry."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from dbench.errors import EvidenceLacking, InvalidInput
from dbench.estimates.evidence import evidence_folders, evidence_pairs, load_population, swept_folders
from dbench.estimates.partly_scored import on_scored_seeds
from dbench.estimates.population import Population, PopulationPair
from dbench.study import UNSUPERVISED
from dbench.zoo.store import Store
from dbench_published.figures import agreements, interventions, scatters, structure, sweeps, traversals  # noqa: F401
from dbench_published.figures.card import FIGURES, FigureCard, Kind
from dbench_published.figures.files import write_figure
from dbench_published.figures.labels import label_of
from dbench_published.figures.lookup import in_order
from dbench_published.figures.models import Models, models_of_store

PAPERS = ("Sober Look", "UDR", "SNC/NK", "IRS")  # in the order of the page


def _place(name: str) -> tuple[int, int]:
    """Return the place of a figure on the page: its paper, and the number of the first of the paper's figures."""
    paper, _, number = FIGURES[name].after[0].partition(", Figure")
    return PAPERS.index(paper), int(re.findall(r"\d+", number)[0])


ORDER = tuple(sorted(FIGURES, key=_place))
"""Names of all figures, in the order of the page."""


@dataclass(frozen=True)
class Evidence:
    """A piece of evidence that figures are drawn from."""

    name: str  # name of the folder of its pictures
    of: Kind  # the kind of figures it can carry
    models: Population | PopulationPair | Models
    deviations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """A figure of one piece of evidence: its caption and alternative text, or why it could not be drawn."""

    card: FigureCard
    evidence: Evidence
    caption: str
    alt: str = ""
    lacking: str = ""


def evidence_of_tables(root: str | Path | None) -> list[Evidence]:
    """Return the tables of a folder, by default those shipped, and the pairs among them."""
    evidence, unsupervised = list[Evidence](), dict[Path, Population]()
    folders = swept_folders(evidence_folders(root))
    if not folders:
        raise InvalidInput(f"runs must hold a table of models trained on a whole data set, got none in {root}")
    for folder in folders:
        whole = load_population(folder)
        if set(whole.objectives) & set(UNSUPERVISED):
            unsupervised[folder] = load_population(folder, objectives=UNSUPERVISED)
            evidence.append(Evidence(folder.name, "unsupervised", unsupervised[folder], whole.deviations))
        evidence.append(Evidence(folder.name, "all", whole, whole.deviations))
    for first, second in evidence_pairs(folders):
        if first in unsupervised and second in unsupervised:
            pair = PopulationPair(unsupervised[first], unsupervised[second])
            evidence.append(Evidence(f"{first.name}-and-{second.name}", "pair", pair, pair.deviations))
    return evidence


def evidence_of_store(url: str, *, data: Iterable[str] = ()) -> list[Evidence]:
    """Return the trained runs of a store, one piece of evidence for each data set."""
    groups = models_of_store(Store(url, create=False), data=data)
    return [Evidence(f"models-{models.name}", "models", models) for models in groups]


def draw_figures(
    evidence: Sequence[Evidence],
    folder: Path,
    *,
    only: Sequence[str] = (),
    write: Callable[..., None] = write_figure,
) -> Iterator[Drawn]:
    """Draw and write every figure that the evidence can carry, each piece into its folder; yield what was drawn."""
    for source in evidence:
        for name in ORDER:
            card = FIGURES[name]
            if card.of != source.of or (only and name not in only):
                continue
            given = {"models": source.models}
            try:
                picture = on_scored_seeds(lambda models, card=card: card.draw(models), given)
            except EvidenceLacking as error:
                yield Drawn(card, source, card.shows, lacking=str(error))
                continue
            caption = f"{card.shows} {source_text(given['models'])}"
            alt = alt_text(card, picture)
            write(picture, folder / source.name, name, title=card.title, alt=alt)
            yield Drawn(card, source, caption, alt)


def alt_text(card: FigureCard, figure: Figure) -> str:
    """Return a description of a picture: its panels and axes, and the numbers in it if they are few."""
    drawn = [axes for axes in figure.axes if axes.axison]
    titles = _distinct(axes.get_title(loc="left") for axes in drawn)
    across = _distinct([axes.get_xlabel() for axes in drawn] + [figure.get_supxlabel()])
    up = _distinct([axes.get_ylabel() for axes in drawn] + [figure.get_supylabel()])
    parts = [f"{card.title}: {len(drawn)} panel{'s' if len(drawn) != 1 else ''}"]
    for name, texts in (("Panels", titles), ("Across", across), ("Up", up)):
        if texts:
            parts.append(f"{name}: {'; '.join(texts)}")
    numbers = [text.get_text() for axes in drawn for text in axes.texts]
    if numbers and len(numbers) <= 60:
        parts.append(f"Numbers in the panels: {', '.join(numbers)}")
    return ". ".join(parts) + "."


def _distinct(texts: Iterable[str]) -> list[str]:
    cleaned = (" ".join(text.split()) for text in texts)
    return list(dict.fromkeys(text for text in cleaned if text))


def source_text(models: Population | PopulationPair | Models) -> str:
    """Return a sentence on what a figure was drawn from: evidence, number of runs, settings and seeds."""
    if isinstance(models, PopulationPair):
        return f"{source_text(models.source)} {source_text(models.target)}"
    if isinstance(models, Models):
        return (
            f"{len(models.runs)} trained runs of unsupervised objectives on {models.name}, "
            f"best and worst by mig: {models.best.key} and {models.worst.key}."
        )
    seeds, objectives = len(models.seeds()), in_order(models)
    settings = sum(len(models.strengths(objective)) for objective in objectives)
    unused = sum(len(models.done(objective)) for objective in objectives) - settings * seeds
    named = ", ".join(label_of(objective) for objective in objectives)
    left_out = f"; {unused} runs of seeds that lack a run or a score are left out" if unused else ""
    return f"{models.name}: {settings * seeds} runs, {settings} settings of {named} with {seeds} seeds each{left_out}."
