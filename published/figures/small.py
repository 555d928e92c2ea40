"""The figures of the report's page: each once, as a small SVG, with a list of what they show and rest on."""

from pathlib import Path

from matplotlib.figure import Figure

from dbench.estimates.evidence import evidence_folders, evidence_sha256
from dbench.report.figures import PageFigure, write_list
from dbench_published.figures.card import FIGURES
from dbench_published.figures.draw import ORDER, draw_figures, evidence_of_tables
from dbench_published.figures.files import write_small
from dbench_published.figures.models import Models


def write_small_figures(root: str | Path | None, folder: Path) -> list[PageFigure]:
    """Write each figure as ``NAME.svg``, from the first table, or pair of tables, that carries it, and their list.

    Figures of the folder that are no longer drawn are removed.
    """
    checksums = {table.name: evidence_sha256(table) for table in evidence_folders(root)}

    def write(picture: Figure, _: Path, name: str, *, title: str, alt: str) -> None:
        write_small(picture, folder, name, title=title, alt=alt)

    found: dict[str, PageFigure] = {}
    for evidence in evidence_of_tables(root):
        wanted = [name for name in ORDER if name not in found and FIGURES[name].of == evidence.of]
        parts = () if isinstance(evidence.models, Models) else evidence.models.parts
        tables = {part.name: checksums[part.name] for part in parts}
        for one in draw_figures([evidence], folder, only=wanted, write=write) if wanted else ():
            if not one.lacking:
                card = one.card
                found[card.name] = PageFigure(
                    card.name, card.title, one.caption, one.alt, card.after, card.claims, tables
                )
    for name in set(ORDER) - set(found):
        (folder / f"{name}.svg").unlink(missing_ok=True)
    listed = [found[name] for name in ORDER if name in found]
    write_list(folder, listed)
    return listed
