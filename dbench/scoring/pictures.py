"""The relation matrices behind the scores, as pictures in a folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dbench.files import write_aside
from dbench.scoring.compute import Result
from dbench.scoring.hinton import hinton_svg
from dbench.scoring.subject import Subject

__all__ = ["pictures_of", "write_pictures"]

_RELATIONS = {
    "mig": ("mutual_information", "Mutual information (nats)"),
    "modularity": ("mutual_information", "Mutual information (nats)"),
    "snc": ("mutual_information", "Mutual information (nats)"),
    "nk": ("mutual_information", "Mutual information (nats)"),
    "dci": ("tree_importance", "Importance, boosted trees"),
    "dci[forest]": ("forest_importance", "Importance, random forest"),
    "sap": ("single_code", "Prediction from a single code"),
    "irs": ("interventional_robustness", "Interventional robustness"),
    "irs[crossed]": ("interventional_robustness_crossed", "Interventional robustness, crossed"),
    "med": ("normalised_information", "Mutual information, each factor's sum 1"),
    "factor_vae": ("factor_vae_votes", "Votes of FactorVAE"),
}
"""Metric -> file and title of the matrix its score was aggregated from; metrics of one matrix share a file."""


def pictures_of(subject: Subject, results: Iterable[Result]) -> dict[str, str]:
    """Return a Hinton diagram (SVG) of every kind of relation matrix behind some results, by file name."""
    drawn: dict[str, str] = {}
    for result in results:
        if result.score is None or result.score.relation is None or result.item.name not in _RELATIONS:
            continue
        name, title = _RELATIONS[result.item.name]
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
