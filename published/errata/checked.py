"""Which places of the papers were checked, and with which result: ``checked.toml``."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from dbench.errors import DamagedData
from dbench_published.errata.entries import errata, papers, read_part

LIST = "checked.toml"


@dataclass(frozen=True)
class Checked:
    """A place of a paper, what it was checked against, and the result.

    ``result`` is ``clean``, the names of errata, or ``unchecked: `` and the reason.
    """

    place: str
    against: str
    result: str


@cache
def checked() -> dict[str, tuple[Checked, ...]]:
    """Return what was checked of each paper, in the order of the paper.

    Raises:
        DamagedData: the file cannot be read, a row has another shape, a result names an unknown entry, or an entry is
            the result of no row.
    """
    if list(read_part(LIST)) != list(papers()):
        raise DamagedData(
            f"{LIST} must list the papers {', '.join(papers())}, got {', '.join(read_part(LIST)) or 'none'}"
        )
    rows = {paper: tuple(_checked(paper, row) for row in lines) for paper, lines in read_part(LIST).items()}
    named = {name for lines in rows.values() for row in lines for name in row.result.split(", ")}
    for entry in errata():
        if entry.name not in named:
            raise DamagedData(f"{LIST} must name every entry as a result, but {entry.name!r} is none")
    return rows


def _checked(paper: str, row: Any) -> Checked:
    if not isinstance(row, list) or len(row) != 3 or not all(isinstance(text, str) and text.strip() for text in row):
        raise DamagedData(
            f"{LIST}: a row of {paper} must be place, what it was checked against and result, got {row!r}"
        )
    names = {entry.name for entry in errata() if entry.paper == paper}
    result = row[2]
    if result != "clean" and not result.startswith("unchecked: ") and not set(result.split(", ")) <= names:
        raise DamagedData(f"{LIST}: a result of {paper} must be clean, unchecked: why, or entries, got {result!r}")
    return Checked(*row)
