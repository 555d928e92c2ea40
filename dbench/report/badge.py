"""A badge for each paper: how many of its findings were reproduced, as a small SVG for a README."""

from collections.abc import Mapping
from typing import Any

from dbench.report.cite import anchor
from dbench.report.document import by_paper
from dbench.report.headings import count_verdicts
from dbench.report.schema import TITLES, Document
from dbench.report.templates import template

# Mean width of a letter of 11 pixels in the usual sans-serif fonts; the SVG stretches text to the width given.
LETTER, PAD = 6.2, 12


def badges(document: Document) -> dict[str, str]:
    """Return file name ``badge-PAPER.svg`` -> text of the file, for each paper of the report."""
    groups = by_paper(document["headings"])
    return {f"badge-{anchor(paper)}.svg": _paper_badge(paper, headings) for paper, headings in groups.items()}


def _paper_badge(paper: str, headings: list[Mapping[str, Any]]) -> str:
    count = count_verdicts(headings).get("reproduced", 0)
    return badge(TITLES.get(paper, paper), f"{count} of {len(headings)} findings reproduced")


def badge(label: str, message: str) -> str:
    """Return a badge with a label at the left and a message at the right, as SVG."""
    left, right = (round(len(text) * LETTER + PAD) for text in (label, message))
    return template("badge.svg.j2").render(label=label, message=message, left=left, right=right, pad=PAD) + "\n"
