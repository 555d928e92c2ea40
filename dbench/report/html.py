"""The report as one HTML file: no network, readable without scripts, and deaf to scripts inside records."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections.abc import Iterable
from importlib.resources import files
from io import BytesIO

from jinja2 import Environment, StrictUndefined

from dbench.report import text
from dbench.report.chance import parts_text, session_text
from dbench.report.document import by_paper, count_verdicts, report_text
from dbench.report.findings import Finding, findings_by_paper
from dbench.report.plot import interval_plot
from dbench.report.schema import PAPERS, SYMBOLS, VERDICTS, Document, Record, standing

__all__ = ["embedded_data", "render_html"]

# A finding of more records than this shows them only when asked to.
MOST_OPEN = 6


def render_html(document: Document) -> str:
    """Return the page. All text of the document is escaped; the only script allowed to run is the package's own."""
    script = _read("report.js")
    records, papers = document["records"], findings_by_paper(document)
    template = _environment().from_string(_read("report.html.j2"))
    return template.render(
        css=_read("report.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=embedded_data(document),
        papers=papers,
        anchors=_anchors(finding for group in papers.values() for finding in group),
        most_open=MOST_OPEN,
        findings=document["findings"],
        unexpected_findings=sum(finding["unexpected"] > 0 for finding in document["findings"]),
        records=records,
        multiplicity=session_text(records),
        unexpected=sum(standing(record) == "unexpected" for record in records),
        checks=document["checks"],
        errata=by_paper(document.get("errata", [])),
        provenance=document["provenance"],
        verdicts=VERDICTS[::-1],
    )


def embedded_data(document: Document) -> str:
    """Return the bytes of ``report.json``, gzip-compressed and in base64, whose signs cannot end a script element.

    The compressed bytes hold neither a time nor a file name, so that equal reports give equal pages.
    """
    packed = BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as stream:
        stream.write(report_text(document).encode())
    return base64.b64encode(packed.getvalue()).decode()


def _read(name: str) -> str:
    return files("dbench.report").joinpath(name).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals.update(SYMBOLS=SYMBOLS, counts=count_verdicts, plot=interval_plot, standing=standing)
    environment.filters.update(
        agreement=text.agreement,
        bound=text.bound_text,
        estimate=text.estimate_text,
        filtered=text.filter_text,
        in_words=_in_words,
        label=lambda paper: PAPERS.get(paper, paper),
        line=text.one_line,
        name=text.name_text,
        number=text.number,
        params=text.params_text,
        part=text.part_text,
        parts=parts_text,
        remark=text.remark,
        seconds=text.duration,
        slug=_slug,
    )
    return environment


def _slug(verdict: str) -> str:
    return verdict.replace(" ", "-")


def _anchors(findings: Iterable[Finding]) -> dict[tuple[str, str], str]:
    """Name the place of each finding's records, alike in every report; claims that spell alike are numbered."""
    places: dict[tuple[str, str], str] = {}
    for finding in findings:
        name = place = "of-" + re.sub(r"[^A-Za-z0-9.]+", "-", f"{finding.claim}-{finding.evidence}")
        while place in places.values():
            place = f"{name}-{len(places)}"
        places[finding.claim, finding.evidence] = place
    return places


def _in_words(record: Record) -> str:
    """What a plot shows, for those who cannot see it."""
    parts = ["estimate " + text.estimate_text(record)]
    if record["bound"] is not None:
        parts.append("holds if " + text.bound_text(record))
    if record["printed"] is not None:
        parts.append("printed " + text.printed_text(record))
    return "; ".join(parts)
