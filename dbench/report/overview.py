"""What a reader is shown first: what came out, which famous claims failed, and on which models."""

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
"""Words of the first sentence -> the verdicts that it counts under them."""
_SINGULAR = {"hold": "holds", "failed": "failed"}
# Number of the largest tables, which are described; the others are counted.
MOST_TABLES = 2
# Models of Locatello et al. (2020), section 4, with which ours are compared.
STUDY = {"side": 64, "steps": 300_000}


def lead_text(document: Document) -> str:
    """Say in one sentence how many findings hold and how many failed: those on trained models, if there are any."""
    groups = by_evidence(document)
    if not groups:
        return ""
    kind, counts = next(iter(groups.items()))
    numbers = {words: sum(counts.get(verdict, 0) for verdict in verdicts) for words, verdicts in OUTCOMES.items()}
    parts = [outcome_text(number, words) for words, number in numbers.items() if number]
    return f"Of {counted(sum(counts.values()), 'finding')} on {EVIDENCE[kind]}, tested again, {listed(parts)}."


def outcome_text(number: int, words: str) -> str:
    """Put a number before the words of an outcome.

    Example:
        >>> outcome_text(3, "are open"), outcome_text(1, "are open"), outcome_text(1, "hold")
        ('3 are open', '1 is open', '1 holds')
    """
    if number == 1:
        words = _SINGULAR.get(words, words.replace("are", "is", 1))
    return f"{number} {words}"


def tally(headings: Sequence[Mapping[str, Any]]) -> str:
    """Count verdicts in words, from best to worst, then the findings that are qualified or unexpected."""
    parts = [f"{count} {verdict}" for verdict, count in count_verdicts(headings).items()]
    flagged = {name: sum(bool(heading.get(name)) for heading in headings) for name in ("qualified", "unexpected")}
    return "; ".join([", ".join(parts), *(f"{count} {name}" for name, count in flagged.items() if count)])


def by_evidence(document: Document) -> dict[str, dict[str, int]]:
    """Count the verdicts of each kind of evidence that heads a finding, trained models first."""
    counts = {kind: count_verdicts(h for h in document["headings"] if h["heads"] == kind) for kind in EVIDENCE}
    return {kind: verdicts for kind, verdicts in counts.items() if verdicts}


def matrix(document: Document) -> dict[str, dict[str, int]]:
    """Return for each paper how many findings got each verdict, from best to worst, of those that occur at all."""
    shown = count_verdicts(document["headings"])
    return {
        paper: {verdict: count_verdicts(headings).get(verdict, 0) for verdict in shown}
        for paper, headings in by_paper(document["headings"]).items()
    }


def famous_failures(document: Document) -> list[Mapping[str, Any]]:
    """Return the famous findings that are weaker or worse: on trained models first, the worst of each kind first."""
    failures = [h for h in worst_first(document["headings"]) if h.get("famous") and h["verdict"] in (*FAILED, "weaker")]
    return sorted(failures, key=lambda heading: list(EVIDENCE).index(heading["heads"]))


def other_failures(document: Document) -> dict[str, int]:
    """Count by kind of evidence the findings that failed and are not famous, trained models first."""
    failed = [h["heads"] for h in document["headings"] if h["verdict"] in FAILED and not h.get("famous")]
    return {kind: failed.count(kind) for kind in EVIDENCE if kind in failed}


def models_text(document: Document, record: Record) -> str:
    """Say in short what a record rests on.

    For trained models: how many, of how many objectives, on which images, and how many units (or seeds, of how many).
    """
    tables = {table["name"]: table for table in document["provenance"].get("evidence", ())}
    table = tables.get(str(record["params"].get("evidence_folder")))
    if record["evidence"] != "zoo" or table is None:
        return one_line(record["population"]) or EVIDENCE[record["evidence"]]
    units = n_text(record)
    if record["unit"] == "seed" and record["n"] is not None and record["n"] < table["seeds"]:
        units = f"{record['n']} of {counted(table['seeds'], 'seed')}"
    return f"{_trained(table)}; {units}"


def totals_text(document: Document) -> str:
    """Count the verdicts by kind of evidence, trained models first; empty where nothing was judged."""
    headings = document["headings"]
    kinds = EVIDENCE | {"synthetic": "constructions with known answers", "published": "the papers' printed tables"}
    groups = {words: [h for h in headings if h["heads"] == kind] for kind, words in kinds.items()}
    parts = [f"{len(group)} on {words} ({tally(group)})" for words, group in groups.items() if group]
    return f"{counted(len(headings), 'finding')}: {listed(parts)}." if parts else ""


def scale_text(document: Document) -> str:
    """Say how small the trained models are beside the study's, and whether rules were set before their evidence."""
    headings, sentences = document["headings"], list[str]()
    trained = any(heading["heads"] == "zoo" and heading["record"] for heading in headings)
    tables = [table for table in _tables(document) if table["side"] and table["steps"]]
    if trained and tables and any(tables[0][name] < value for name, value in STUDY.items()):
        size = "{side} x {side} pixels and trained for {steps:,} steps".format(**tables[0])
        study = "A Sober Look has {side} x {side} and {steps:,}".format(**STUDY)
        sentences.append(
            f"The models are small, mostly on images of {size}, where {study}: a verdict speaks of such models."
        )
    unconfirmed = [heading for heading in headings if heading["unconfirmed"]]
    heads = {heading["heads"] for heading in unconfirmed}
    kinds = listed(words for kind, words in EVIDENCE.items() if kind in heads)
    count = len(unconfirmed)
    if unconfirmed:
        sentences.append(f"Exploratory, by rules written after their evidence was first read: {count}, all on {kinds}.")
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
    """Return the tables of trained models, the one with most models first."""
    return sorted(document["provenance"].get("evidence", ()), key=lambda table: -table["models"])


def _table(table: Mapping[str, Any]) -> str:
    steps = f", {table['steps']:,} training steps" if table["steps"] else ""
    return f"{_trained(table)}{steps}, up to {counted(table['seeds'], 'seed')} a setting"


def _trained(table: Mapping[str, Any]) -> str:
    """Say how many models, of how many objectives, on which images; data sets have their names in the field."""
    data, _, more = table["data"].replace("dsprites", "dSprites").partition("_grid")
    data = data.replace("_", "-") + more.lstrip("_0123456789").replace("-without-", " without ")
    text = f"{counted(table['models'], 'model')} of {counted(len(table['objectives']), 'objective')}, {data}"
    return text + (" at {0} x {0} pixels".format(table["side"]) if table["side"] else "")


def stand_text(document: Document) -> str:
    """Return commit and date of a report, as far as it has them."""
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
