"""Write the figures of the report's page as small SVG files, with a list of their captions and evidence."""

from pathlib import Path

from matplotlib.figure import Figure

from dbench.estimates.evidence import evidence_folders, evidence_sha256
from dbench.report.figures import PageFigure, write_list
from dbench_published.figures.card import FIGURES
from dbench_published.figures.draw import ORDER, draw_figures, evidence_of_tables
from dbench_published.figures.files import write_small
from dbench_published.figures.models import Models


def write_small_figures(root: str | Path | None, folder: Path) -> list[PageFigure]:
    """Write each figure once as ``NAME.svg``, from the first evidence that carries it; write and return their list.

    Figures in the folder that are no longer drawn are removed.
    """
    checksums = {table.name: evidence_sha256(table) for table in evidence_folders(root)}

    def write(picture: Figure, _: Path, name: str, *, title: str, alt: str) -> None:
        write_small(picture, folder, name, title=title, alt=alt)

    figures: dict[str, PageFigure] = {}
    for evidence in evidence_of_tables(root):
        wanted = [name for name in ORDER if name not in figures and FIGURES[name].of == evidence.of]
        parts = () if isinstance(evidence.models, Models) else evidence.models.parts
        tables = {part.name: checksums[part.name] for part in parts}
        if not wanted:  # no names would mean all figures
            continue
        for drawn in draw_figures([evidence], folder, only=wanted, write=write):
            if not drawn.lacking:
                card = drawn.card
                figures[card.name] = PageFigure(
                    card.name, card.title, drawn.caption, drawn.alt, card.after, card.claims, tables
                )
    listed = [figures[name] for name in ORDER if name in figures]
    write_list(folder, listed)
    for name in set(ORDER) - set(figures):  # an earlier call may have written them
        (folder / f"{name}.svg").unlink(missing_ok=True)
    return listed
