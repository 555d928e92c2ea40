"""The relation matrices behind the scores, as pictures in a folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dbench.files import write_aside
from dbench.scoring.compute import Result
from dbench.scoring.hinton import hinton_svg
from dbench.scoring.subject import Subject

__all__ = ["pictures_of", "write_pictures"]


def pictures_of(subject: Subject, results: Iterable[Result]) -> dict[str, str]:
    """Return a Hinton diagram (SVG) of every kind of relation matrix behind some results, by file name."""
    drawn: dict[str, str] = {}
    for result in results:
        if result.score is None or result.score.relation is None or result.item.picture is None:
            continue
        name, title = result.item.picture
        if name not in drawn:
            drawn[name] = hinton_svg(result.score.relation, subject.code_names, subject.sample.factor_names, title)
    return drawn


def write_pictures(folder: str | Path, subject: Subject, results: Iterable[Result]) -> list[Path]:
    """Write these diagrams into a folder, which is made if missing.

    Returns:
        The files written, one for each kind of matrix.

    Raises:
        DbenchError: the folder cannot be written to.
    """
    drawn = pictures_of(subject, results)
    return [write_aside(Path(folder) / f"{name}.svg", picture) for name, picture in drawn.items()]
