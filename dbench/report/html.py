"""The report as one HTML file: no network, readable without scripts, and scripts inside records never run."""

import base64
import gzip
import hashlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from dbench.report import overview
from dbench.report.document import by_claim, by_paper, deciders, report_text, worst_first
from dbench.report.figures import PageFigure
from dbench.report.headings import chance_text, count_verdicts, size_rows
from dbench.report.schema import ROLES, Document, Record
from dbench.report.templates import read, template

# How records beside the deciding one are counted: kind -> its roles.
BESIDE = {"cell": ("primary", "fresh", "size", "cell"), "probe": ("probe",), "printed figure": ("print",)}


def render_html(
    document: Document,
    *,
    data: str = "",
    trends: Mapping[str, Sequence[tuple[str, str]]] | None = None,
    figures: Sequence[PageFigure] = (),
) -> str:
    """Return the page. All text of the document is escaped, and only the package's own script may run.

    ``trends`` holds the verdicts of each claim in earlier reports as (day, verdict), the latest first. ``data`` is the
    text of ``report.json`` if the caller has it already.
    """
    script, sizes = read("report.js"), size_rows(document)
    decider_of = deciders(document)
    pictures = {figure.name: [figure.alt, figure.svg] for figure in figures}
    return template("report.html.j2").render(
        css=read("report.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=embedded(data or report_text(document)),
        pictures=embedded(report_text(pictures)) if pictures else "",
        document=document,
        deciders=decider_of,
        matrix=overview.matrix(document),
        sizes=sizes,
        sides=sorted({side for _, cases in sizes for side in cases}),
        views=_views(document, decider_of, trends or {}, figures),
        chance=chance_text(decider_of.values()),
    )


def embedded(text: str) -> str:
    """Return a text, such as that of ``report.json``, gzipped and in base64, which cannot end a script element.

    The compressed bytes hold neither a time nor a file name, so that equal reports give equal pages.
    """
    packed = BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as stream:
        stream.write(text.encode())
    return base64.b64encode(packed.getvalue()).decode()


def _views(
    document: Document,
    decider_of: Mapping[str, Record],
    trends: Mapping[str, Sequence[tuple[str, str]]],
    figures: Sequence[PageFigure],
) -> dict[str, list[dict[str, Any]]]:
    """Return by paper all that the page shows of each finding, the worst first."""
    records = by_claim(document["records"])

    def view(heading: Mapping[str, Any]) -> dict[str, Any]:
        claim = heading["claim"]
        group, decider = records[claim], decider_of.get(claim)
        others = sorted(
            worst_first(record for record in group if record is not decider),
            key=lambda record: ROLES.index(record["role"]),
        )
        beside = {kind: count_verdicts(r for r in others if r["role"] in roles) for kind, roles in BESIDE.items()}
        return {
            "heading": heading,
            "decider": decider,
            "others": others,
            "beside": {kind: counts for kind, counts in beside.items() if counts},
            "shared": [text for text in group[0]["deviations"] if all(text in r["deviations"] for r in group)],
            "tables": _by_table(document, group),
            "errata": [entry["name"] for entry in document["errata"] if claim in entry.get("claims", ())],
            "trend": trends.get(claim, ()),
            "figures": [figure for figure in figures if claim in figure.claims],
        }

    return {
        paper: [view(heading) for heading in worst_first(headings)]
        for paper, headings in by_paper(document["headings"]).items()
    }


def _by_table(document: Document, group: Sequence[Record]) -> list[tuple[str, Record]]:
    """Return table and record of the whole sentence, the smallest images first; none unless there are several."""
    rows = []
    for table in document["provenance"].get("evidence", ()):
        name = f"{table['data']}, {table['side']} x {table['side']} pixels" if table["side"] else table["data"]
        for record in group:
            of_whole_sentence = record["role"] in BESIDE["cell"] and not record["part"]
            if of_whole_sentence and record["params"] == {"evidence_folder": table["name"]}:
                rows.append((table["side"] or 0, name, record))
    rows.sort(key=lambda row: row[:2])
    return [(name, record) for _, name, record in rows] if len(rows) > 1 else []
