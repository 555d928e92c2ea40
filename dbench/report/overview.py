"""What a reader is shown first: what came out, what failed of that which is famous, and on which models."""

from collections.abc import Mapping, Sequence
from typing import Any

from dbench.report.document import by_paper, worst_first
from dbench.report.headings import EVIDENCE, count_verdicts
from dbench.report.schema import Document, Record
from dbench.report.text import counted, listed, n_text
from dbench.shown import one_line

FAMOUS = "Famous claims that failed or are weaker than said, and why"
FAILED = ("absent", "contradicted")
OUTCOMES = {
    "hold": ("reproduced", "demonstrated"),
    "are weaker than said": ("weaker",),
    "failed": FAILED,
    "are open": ("undecided", "not tested"),
    "are broken": ("broken",),
}
"""Verdicts as one sentence counts them."""
_OF_ONE = {"hold": "holds", "failed": "failed"}
# The largest tables are described, the others counted.
MOST_TABLES = 2
# Locatello et al. (2020), section 4: what ours are to be held against.
STUDY = {"side": 64, "steps": 300_000}


def lead_text(document: Document) -> str:
    """Say in one sentence how many findings hold and how many failed, of trained models where any head one."""
    for kind, counts in by_evidence(document).items():
        numbers = {words: sum(counts.get(verdict, 0) for verdict in verdicts) for words, verdicts in OUTCOMES.items()}
        parts = [outcome_text(number, words) for words, number in numbers.items() if number]
        return f"Of {counted(sum(counts.values()), 'finding')} on {EVIDENCE[kind]}, tested again, {listed(parts)}."
    return ""


def outcome_text(number: int, words: str) -> str:
    """Put a number before the words of an outcome.

    Example:
        >>> outcome_text(3, "are open"), outcome_text(1, "are open"), outcome_text(1, "hold")
        ('3 are open', '1 is open', '1 holds')
    """
    return f"{number} {words if number != 1 else _OF_ONE.get(words, words.replace('are', 'is', 1))}"


def tally(headings: Sequence[Mapping[str, Any]]) -> str:
    """Count verdicts in words, from best to worst, and findings that are qualified or have something unexpected."""
    parts = [f"{count} {verdict}" for verdict, count in count_verdicts(headings).items()]
    apart = {name: sum(bool(heading.get(name)) for heading in headings) for name in ("qualified", "unexpected")}
    return "; ".join([", ".join(parts), *(f"{count} {name}" for name, count in apart.items() if count)])


def by_evidence(document: Document) -> dict[str, dict[str, int]]:
    """Count the verdicts of each kind of evidence that heads a finding, trained models first."""
    counts = {kind: count_verdicts(h for h in document["headings"] if h["heads"] == kind) for kind in EVIDENCE}
    return {kind: found for kind, found in counts.items() if found}


def matrix(document: Document) -> dict[str, dict[str, int]]:
    """Return by paper how many findings got each verdict that occurs, from best to worst."""
    shown = count_verdicts(document["headings"])
    return {
        paper: {verdict: count_verdicts(headings).get(verdict, 0) for verdict in shown}
        for paper, headings in by_paper(document["headings"]).items()
    }


def famous_failures(document: Document) -> list[Mapping[str, Any]]:
    """Return the famous findings that are weaker or worse: of trained models first, the worst of each kind first."""
    failures = [h for h in worst_first(document["headings"]) if h.get("famous") and h["verdict"] in (*FAILED, "weaker")]
    return sorted(failures, key=lambda heading: list(EVIDENCE).index(heading["heads"]))


def other_failures(document: Document) -> dict[str, int]:
    """Count the findings that failed and are not famous by kind of evidence, trained models first."""
    failed = [h["heads"] for h in document["headings"] if h["verdict"] in FAILED and not h.get("famous")]
    return {kind: failed.count(kind) for kind in EVIDENCE if kind in failed}


def models_text(document: Document, record: Record) -> str:
    """Say in short what a record rests on.

    Of trained models: how many of how many objectives, on which images, and the unit; of seeds, of how many.
    """
    tables = {table["name"]: table for table in document["provenance"].get("evidence", ())}
    table = tables.get(str(record["params"].get("evidence_folder")))
    if record["evidence"] != "zoo" or table is None:
        return one_line(record["population"]) or EVIDENCE[record["evidence"]]
    some = record["unit"] == "seed" and record["n"] is not None and record["n"] < table["seeds"]
    return f"{_trained(table)}; " + (f"{record['n']} of {counted(table['seeds'], 'seed')}" if some else n_text(record))


def totals_text(document: Document) -> str:
    """Count the verdicts by kind of evidence, trained models first; empty where nothing was judged."""
    headings = document["headings"]
    of = EVIDENCE | {"synthetic": "constructions with known answers", "published": "the papers' printed tables"}
    groups = {words: [h for h in headings if h["heads"] == kind] for kind, words in of.items()}
    parts = [f"{len(those)} on {words} ({tally(those)})" for words, those in groups.items() if those]
    return f"{counted(len(headings), 'finding')}: {listed(parts)}." if parts else ""


def scale_text(document: Document) -> str:
    """Say of findings on trained models how small these are beside the study's, and when the rules were set."""
    headings, sentences = document["headings"], list[str]()
    trained = any(heading["heads"] == "zoo" and heading["record"] for heading in headings)
    tables = [table for table in _tables(document) if table["side"] and table["steps"]]
    if trained and tables and any(tables[0][name] < value for name, value in STUDY.items()):
        size = "{side} x {side} pixels and trained for {steps:,} steps".format(**tables[0])
        study = "A Sober Look has {side} x {side} and {steps:,}".format(**STUDY)
        sentences.append(
            f"The models are small, mostly on images of {size}, where {study}: a verdict speaks of such models."
        )
    late = [heading for heading in headings if heading["unconfirmed"]]
    kinds = listed(words for kind, words in EVIDENCE.items() if any(heading["heads"] == kind for heading in late))
    if late:
        sentences.append(
            f"Exploratory, by rules written after their evidence was first read: {len(late)}, all on {kinds}."
        )
    elif trained:
        sentences.append("Each finding on trained models is judged by a rule that was set without sight of its table.")
    return " ".join(sentences)


def models_of_all(document: Document) -> str:
    """Say in a sentence which trained models there are; empty where there are none."""
    tables = _tables(document)
    rest = tables[MOST_TABLES:]
    further = f", and {counted(sum(t['models'] for t in rest), 'model')} in {counted(len(rest), 'further table')}"
    trained = "; ".join(map(_table, tables[:MOST_TABLES]))
    return f"The trained models: {trained}{further if rest else ''}." if tables else ""


def _tables(document: Document) -> list[Mapping[str, Any]]:
    """The tables of trained models, that of most models first."""
    return sorted(document["provenance"].get("evidence", ()), key=lambda table: -table["models"])


def _table(table: Mapping[str, Any]) -> str:
    steps = f", {table['steps']:,} training steps" if table["steps"] else ""
    return f"{_trained(table)}{steps}, up to {counted(table['seeds'], 'seed')} a setting"


def _trained(table: Mapping[str, Any]) -> str:
    """How many models, of what, on which images; a data set by the name that the field has for it."""
    data, _, more = table["data"].replace("dsprites", "dSprites").partition("_grid")
    data = data.replace("_", "-") + more.lstrip("_0123456789").replace("-without-", " without ")
    text = f"{counted(table['models'], 'model')} of {counted(len(table['objectives']), 'objective')}, {data}"
    return text + (" at {0} x {0} pixels".format(table["side"]) if table["side"] else "")


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
