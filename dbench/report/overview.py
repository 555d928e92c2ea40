"""What a reader is shown first: what was judged, on which models, and what came out."""

from collections.abc import Mapping, Sequence
from typing import Any

from dbench.report.document import by_paper, worst_first
from dbench.report.headings import EVIDENCE, count_verdicts
from dbench.report.schema import VERDICTS, Document
from dbench.report.text import counted, listed
from dbench.shown import one_line

# The largest tables are described, the others counted.
MOST_TABLES = 2
# Locatello et al. (2020), section 4: what ours are to be held against.
STUDY = "The models of A Sober Look: 64 x 64 pixels, 300,000 training steps, 50 seeds a setting."


def tally(headings: Sequence[Mapping[str, Any]]) -> str:
    """Count verdicts in words, from best to worst, and findings that are qualified or have something unexpected."""
    parts = [f"{count} {verdict}" for verdict, count in count_verdicts(headings).items()]
    apart = {name: sum(bool(heading.get(name)) for heading in headings) for name in ("qualified", "unexpected")}
    return "; ".join([", ".join(parts), *(f"{count} {name}" for name, count in apart.items() if count)])


def matrix(document: Document) -> dict[str, dict[str, int]]:
    """Return by paper how many findings got each verdict that occurs, from best to worst."""
    shown = count_verdicts(document["headings"])
    return {
        paper: {verdict: count_verdicts(headings).get(verdict, 0) for verdict in shown}
        for paper, headings in by_paper(document["headings"]).items()
    }


def refuted(document: Document) -> list[Mapping[str, Any]]:
    """Return the findings that are absent or worse, the worst first."""
    weight = VERDICTS.index("absent")
    return [heading for heading in worst_first(document["headings"]) if VERDICTS.index(heading["verdict"]) >= weight]


def totals_text(document: Document) -> str:
    """Count the verdicts by kind of evidence, trained models first; empty where nothing was judged."""
    headings = document["headings"]
    of = EVIDENCE | {"synthetic": "constructions with known answers", "published": "the papers' printed tables"}
    parts = []
    for kind, words in of.items():
        those = [heading for heading in headings if heading["heads"] == kind]
        if those:
            parts.append(f"{len(those)} on {words} ({tally(those)})")
    return f"{counted(len(headings), 'finding')}: {listed(parts)}." if parts else ""


def evidence_text(document: Document) -> str:
    """Say in a few sentences what the verdicts rest on."""
    headings = document["headings"]
    sentences = [totals_text(document)]
    late = [heading for heading in headings if heading["unconfirmed"]]
    kinds = listed(words for kind, words in EVIDENCE.items() if any(heading["heads"] == kind for heading in late))
    sentences.append(
        f"Exploratory, by rules written after their evidence was first read: {len(late)}, all on {kinds}."
        if late
        else "All rules were set without sight of the evidence."
    )
    tables = sorted(document["provenance"].get("evidence", ()), key=lambda table: -table["models"])
    if tables:
        rest = tables[MOST_TABLES:]
        further = f", and {counted(sum(t['models'] for t in rest), 'model')} in {counted(len(rest), 'further table')}"
        trained = "; ".join(map(_table, tables[:MOST_TABLES]))
        sentences += [f"The trained models: {trained}{further if rest else ''}.", STUDY]
    return " ".join(sentences)


def _table(table: Mapping[str, Any]) -> str:
    text = f"{table['models']:,} of {counted(len(table['objectives']), 'objective')} on {table['data']}"
    text += " at {0} x {0} pixels".format(table["side"]) if table["side"] else ""
    text += f", {table['steps']:,} training steps" if table["steps"] else ""
    return f"{text}, up to {counted(table['seeds'], 'seed')} a setting"


def stand_text(document: Document) -> str:
    """Commit and date, as far as the report knows them."""
    provenance = document["provenance"]
    commit = one_line(str(provenance.get("commit", "")))
    head, dirty, _ = commit.partition("+")
    parts = [
        f"commit {head[:12]}{' with changes' if dirty else ''}" if commit else "",
        one_line(str(provenance.get("utc", ""))).replace("T", " ").replace("Z", " UTC"),
    ]
    return ", ".join(filter(None, parts))


def scope_text(document: Document) -> str:
    """Say that a report is partial, and of what; empty for a full one."""
    if document["scope"]["complete"]:
        return ""
    return f"Partial report: {document['scope']['selection'] or 'not all tests were run'}."
