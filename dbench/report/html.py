"""The report as one HTML file: no network, readable without scripts, and scripts inside records never run."""

import base64
import gzip
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from dbench.report import cite, overview, text
from dbench.report.cases import size_rows
from dbench.report.document import by_claim, by_paper, report_text, worst_first
from dbench.report.figures import PageFigure
from dbench.report.headings import EVIDENCE, PARAMETERS, chance_text, count_verdicts
from dbench.report.plot import interval_plot
from dbench.report.schema import MEANINGS, PAPERS, ROLES, SYMBOLS, TITLES, VERDICTS, Document, Record
from dbench.shown import one_line

# The other records of a finding: of the sentence, of probes, of printed figures.
BESIDE = {"cell": ("primary", "fresh", "size", "cell"), "probe": ("probe",), "printed figure": ("print",)}


def render_html(
    document: Document,
    *,
    trends: Mapping[str, Sequence[tuple[str, str]]] | None = None,
    figures: Sequence[PageFigure] = (),
) -> str:
    """Return the page. All text of the document is escaped; the only script allowed to run is the package's own.

    The trends are of each claim the verdicts of earlier reports as (day, verdict), the latest first.
    """
    script, sizes = _read("report.js"), size_rows(document)
    deciders = _deciders(document)
    return _template().render(
        css=_read("report.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=embedded_data(document),
        pictures=embedded_data({figure.name: [figure.alt, figure.svg] for figure in figures}) if figures else "",
        document=document,
        deciders=deciders,
        matrix=overview.matrix(document),
        sizes=sizes,
        sides=sorted({side for _, cases in sizes for side in cases}),
        views=_views(document, deciders, trends or {}, figures),
        chance=chance_text(deciders.values()),
    )


def embedded_data(data: Mapping[str, Any]) -> str:
    """Return JSON, as ``report.json`` has it, gzip-compressed and in base64, whose signs cannot end a script element.

    The compressed bytes hold neither a time nor a file name, so that equal reports give equal pages.
    """
    packed = BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as stream:
        stream.write(report_text(data).encode())
    return base64.b64encode(packed.getvalue()).decode()


def _deciders(document: Document) -> dict[str, Record]:
    """The record that gave each heading its verdict, by claim, where there is one."""
    known = {(record["claim"], record["nodeid"]): record for record in document["records"]}
    places = [(heading["claim"], heading["record"]) for heading in document["headings"]]
    return {place[0]: known[place] for place in places if place in known}


def _views(
    document: Document,
    deciders: Mapping[str, Record],
    trends: Mapping[str, Sequence[tuple[str, str]]],
    figures: Sequence[PageFigure],
) -> dict[str, list[dict[str, Any]]]:
    """All that the page shows of each finding."""
    records = by_claim(document["records"])

    def view(heading: Mapping[str, Any]) -> dict[str, Any]:
        claim = heading["claim"]
        group, first = records[claim], deciders.get(claim)
        others = sorted(
            worst_first(record for record in group if record is not first),
            key=lambda record: ROLES.index(record["role"]),
        )
        beside = {kind: count_verdicts(r for r in others if r["role"] in roles) for kind, roles in BESIDE.items()}
        return {
            "heading": heading,
            "decider": first,
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
    """The whole sentence on each table, the smallest images first; nothing where there is but one."""
    found = []
    for table in document["provenance"].get("evidence", ()):
        name = f"{table['data']}, {table['side']} x {table['side']} pixels" if table["side"] else table["data"]
        for record in group:
            whole = record["role"] in BESIDE["cell"] and not record["part"]
            if whole and record["params"] == {"evidence_folder": table["name"]}:
                found.append((table["side"] or 0, name, record))
    return [(name, record) for _, name, record in sorted(found, key=lambda each: each[:2])] if len(found) > 1 else []


def _bar(counts: Mapping[str, int]) -> list[tuple[str, float, float]]:
    """Lay out a bar of verdicts as (verdict, start, width) in parts of a hundred."""
    total, start, parts = sum(counts.values()), 0.0, []
    for verdict, count in counts.items():
        if count:
            width = 100 * count / total
            parts.append((verdict, round(start, 2), round(width, 2)))
            start += width
    return parts


def _read(name: str) -> str:
    return files("dbench.report").joinpath(name).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals.update(
        EVIDENCE=EVIDENCE | {"published": "printed tables"},
        LINKS=cite.PAPER_LINKS,
        MEANINGS=MEANINGS,
        SYMBOLS=SYMBOLS,
        VERDICTS=VERDICTS,
        bar=_bar,
        bibtex=cite.bibtex,
        by_paper=by_paper,
        dispute_link=cite.dispute_link,
        overview=overview,
        plot=interval_plot,
        same_words=text.same_words,
        source_link=cite.source_link,
    )
    environment.filters.update(
        anchor=cite.anchor,
        asked=text.asked_text,
        counted=text.counted,
        estimate=text.estimate_text,
        expected=text.expected_text,
        in_words=_in_words,
        label=lambda paper: PAPERS.get(paper, paper),
        line=one_line,
        n=text.n_text,
        number=text.number,
        part=_part,
        printed=text.printed_text,
        seconds=text.duration,
        short=lambda paper: TITLES.get(paper, paper),
        slug=lambda verdict: verdict.replace(" ", "-"),
        tally=lambda counts: ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count),
    )
    return environment.from_string(_read("report.html.j2"))


def _part(record: Record) -> str:
    """What tells a record from the others of its finding, in a reader's words."""
    params = {PARAMETERS.get(name, name.replace("_", " ")): value for name, value in record["params"].items()}
    return text.part_text({**record, "params": params})


def _in_words(record: Record) -> str:
    """What a plot shows, for those who cannot see it."""
    parts = [f"estimate {text.estimate_text(record)}", f"asked {text.asked_text(record)}"]
    return "; ".join([*parts, *([f"printed {text.printed_text(record)}"] if record["printed"] else [])])
