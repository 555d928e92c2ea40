"""Build the report document from a list of records; everything else in this package reads that document."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbench.claims.ledger import Finding
from dbench.errors import InvalidInput
from dbench.report.headings import EVIDENCE, Sides, heading_of, sides_of
from dbench.report.redact import plain
from dbench.report.schema import PAPERS, VERDICTS, Document, Record, validate


def strict_json(value: Any, *, indent: int | None = None) -> str:
    """Return ``value`` as JSON with sorted keys, and refuse what JSON cannot hold, such as NaN."""
    try:
        return json.dumps(value, sort_keys=True, allow_nan=False, indent=indent)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a report holds strict JSON only: {error}") from error


def report_text(document: Document) -> str:
    """Return the text of ``report.json``: ASCII, one value on each line."""
    return strict_json(document, indent=1) + "\n"


def by_paper(items: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Group headings or errata by paper, in the order of :data:`PAPERS`, then unknown ones by name."""
    known = list(PAPERS)
    names = sorted(
        {item["paper"] for item in items},
        key=lambda name: (known.index(name) if name in PAPERS else len(known), name),
    )
    return {name: [item for item in items if item["paper"] == name] for name in names}


def worst_first(items: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Sort headings or records: the worst verdicts first, among equal ones the unexpected, then trained models."""
    kinds = list(EVIDENCE)

    def rank(item: Mapping[str, Any]) -> tuple[int, bool, int]:
        kind = item["heads"] if "heads" in item else item["evidence"]
        return -VERDICTS.index(item["verdict"]), not item["unexpected"], kinds.index(kind)

    return sorted(items, key=rank)


def by_claim(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Group records by claim, keeping their order."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record["claim"], []).append(record)
    return groups


def deciders(document: Document) -> dict[str, Record]:
    """Return the record that gave each heading its verdict, by claim, where there is one."""
    known = {(record["claim"], record["nodeid"]): record for record in document["records"]}
    keys = [(heading["claim"], heading["record"]) for heading in document["headings"]]
    return {claim: known[claim, nodeid] for claim, nodeid in keys if (claim, nodeid) in known}


def build_document(
    records: Iterable[Record],
    *,
    ledger: Mapping[str, Finding] | None = None,
    provenance: Mapping[str, Any] | None = None,
    complete: bool = True,
    selection: str = "",
    checks: Iterable[Mapping[str, Any]] = (),
    errata: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Build the report document from the records of a session, in any order.

    Absolute paths in any text are cut down to their last name. Records, provenance, checks (tests beside the claims)
    and errata have the fields that ``schema.json`` lists. A claim without a row in the ledger is headed by its first
    primary record. ``selection`` says in words which tests were run, where not all were.

    Returns:
        The document, in built-in types, sorted so that equal records give equal reports.

    Raises:
        InvalidInput: a field is missing, breaks its rule, or holds what JSON cannot.
    """
    rows = dict(ledger or {})
    order = {claim: number for number, claim in enumerate(rows)}
    document: dict[str, Any] = {
        "schema": 2,
        "provenance": dict(provenance or {}),
        "scope": {"complete": complete, "selection": selection},
        "headings": [],
        "records": list(records),
        "checks": list(checks),
        "errata": list(errata),
    }
    document = plain(document)
    validate(document)
    document["checks"].sort(key=lambda check: check["nodeid"])
    document["records"].sort(key=lambda record: (order.get(record["claim"], len(order)), *_sort_key(record)))
    document["records"] = [record for group in by_paper(document["records"]).values() for record in group]
    document["headings"] = plain(_headings(document["records"], rows, sides_of(document)))
    return document


def _sort_key(record: Record) -> tuple[str, ...]:
    return record["claim"], record["evidence"], record["part"], strict_json(record["params"]), record["nodeid"]


def _headings(records: Sequence[Record], rows: Mapping[str, Finding], sides: Sides) -> list[dict[str, Any]]:
    return [heading_of(group, rows.get(claim) or _finding(group), sides) for claim, group in by_claim(records).items()]


def _finding(group: Sequence[Record]) -> Finding:
    first = next((record for record in group if record["role"] == "primary"), group[0])
    return Finding(first["claim"], first["where"], first["says"], (), first["evidence"])


_NOT_COMPARED = {"says", "change", "notes", "note", "group", "famous", "aside", "record"}


def headings_match(document: Document) -> bool:
    """Return whether the headings of a document follow from its records, given what the headings say of the ledger.

    Wording, which of several equal cases is named, and fields that only one side has are not compared: another version
    of dbench may differ there. Reports without ``qualified`` are older than blind proposals of rules, and the largest
    image size headed a finding: for these, only the set of claims is compared.
    """
    stored = document["headings"]
    if any("qualified" not in heading for heading in stored):
        return {heading["claim"] for heading in stored} == by_claim(document["records"]).keys()
    rows = {
        h["claim"]: Finding(h["claim"], h["where"], h["statement"], (), h["heads"], aside=h.get("aside", ""))
        for h in stored
    }
    rebuilt = _headings(document["records"], rows, sides_of(document))
    return len(rebuilt) == len(stored) and all(map(_same_heading, rebuilt, stored))


def _same_heading(rebuilt: Mapping[str, Any], stored: Mapping[str, Any]) -> bool:
    if bool(rebuilt["record"]) != bool(stored["record"]):
        return False
    return all(rebuilt[name] == stored[name] for name in (rebuilt.keys() & stored.keys()) - _NOT_COMPARED)
