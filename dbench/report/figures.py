"""Figures for the page: only those drawn from the same tables that the report rests on."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dbench.errors import DamagedData
from dbench.files import write_file
from dbench.report.schema import Document

LIST = "figures.json"


@dataclass(frozen=True)
class PageFigure:
    """A figure that the page shows beside findings."""

    name: str  # of the file, without its ending
    title: str
    caption: str  # what is drawn, and from how many runs
    alt: str  # the same in words, for readers who cannot see it
    after: tuple[str, ...]  # names of the papers' figures that it follows
    claims: tuple[str, ...]  # ids of the findings it illustrates
    evidence: dict[str, str]  # checksum of each table it was drawn from, by name of the table
    svg: str = ""  # the picture; empty in the folder's list, where it is a file ``NAME.svg``


def write_list(folder: Path, figures: Iterable[PageFigure]) -> None:
    """Write the list of a folder's figures."""
    write_file(folder / LIST, json.dumps([asdict(figure) for figure in figures], indent=1, ensure_ascii=False) + "\n")


def read_figures(folder: str | Path | None, document: Document) -> Sequence[PageFigure]:
    """Return the figures of a folder that show findings of this report and were drawn from the tables it judged.

    Raises:
        DamagedData: a list that cannot be read, or a figure of it that is missing.
    """
    if folder is None or not (Path(folder) / LIST).is_file():
        return ()
    tables = {table["name"]: table.get("sha256") for table in document["provenance"].get("evidence", ())}
    claims = {heading["claim"] for heading in document["headings"]}
    path = Path(folder) / LIST
    try:
        listed = [PageFigure(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))]
        return [
            replace(figure, svg=path.with_name(f"{figure.name}.svg").read_text(encoding="utf-8"))
            for figure in listed
            if claims.intersection(figure.claims)
            and figure.evidence
            and all(tables.get(name) == checksum for name, checksum in figure.evidence.items())
        ]
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise DamagedData(f"{path} must list figures as 'make pages' writes them: {error}") from error
