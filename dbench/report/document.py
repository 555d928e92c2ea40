"""One list of records becomes one document; everything else in this package reads that document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbench.errors import InvalidInput
from dbench.report.redact import redacted
from dbench.report.schema import PAPERS, SCHEMA, VERDICTS, Document, Record, standing, validate

__all__ = [
    "build_document",
    "by_paper",
    "count_verdicts",
    "findings_match",
    "report_text",
    "roll_up",
    "roll_up_findings",
    "strict_json",
    "worst_first",
]


def strict_json(value: Any, *, indent: int | None = None) -> str:
    """Return ``value`` as JSON with sorted keys, without NaN and infinities.

    Raises:
        InvalidInput: for anything JSON has no word for.
    """
    try:
        return json.dumps(value, sort_keys=True, allow_nan=False, indent=indent)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a report holds strict JSON only: {error}") from error


def report_text(document: Document) -> str:
    """Return the text of ``report.json``: strict JSON with sorted keys, all ASCII, one value a line."""
    return strict_json(document, indent=1) + "\n"


def roll_up(verdicts: Iterable[str]) -> str:
    """Return the one verdict of several: the worst of broken, not reproduced, inconclusive, reproduced.

    A finding is reproduced only if every record of it is.

    Example:
        >>> roll_up(["reproduced", "inconclusive", "not reproduced"])
        'not reproduced'
    """
    present = set(verdicts)
    strange = sorted(present.difference(VERDICTS))
    if strange or not present:
        raise InvalidInput(f"verdicts must be at least one of {', '.join(VERDICTS)}, got {strange or 'none'}")
    return next(verdict for verdict in VERDICTS if verdict in present)


def count_verdicts(items: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count the verdicts of records or of findings, worst first, zeros included."""
    counts = dict.fromkeys(VERDICTS, 0)
    for item in items:
        counts[item["verdict"]] += 1
    return counts


def by_paper(items: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Group records or findings by paper, papers in the order of :data:`PAPERS`, then unknown ones by name."""
    known = list(PAPERS)
    names = sorted(
        {item["paper"] for item in items},
        key=lambda name: (known.index(name) if name in PAPERS else len(known), name),
    )
    return {name: [item for item in items if item["paper"] == name] for name in names}


def worst_first(records: Sequence[Record]) -> list[Record]:
    """Sort records for a reader in a hurry: the worst verdicts first, among equals the unexpected ones."""
    return sorted(records, key=lambda record: (VERDICTS.index(record["verdict"]), standing(record) != "unexpected"))


def roll_up_findings(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return one finding for each claim and kind of evidence, in the order of the records.

    The precedence is that of :func:`roll_up` for both ways of rolling up; ``each`` tells the reader that every
    record stands for itself and that the rolled-up verdict is only its heading. Where the parts of a finding are
    rolled up differently, it is ``each``.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record["claim"], record["evidence"]), []).append(record)
    findings = []
    for (claim, evidence), group in groups.items():
        first = group[0]
        findings.append(
            {
                "claim": claim,
                "paper": first["paper"],
                "where": first["where"],
                "says": first["says"],
                "evidence": evidence,
                "rollup": "all" if all(record.get("rollup", "all") == "all" for record in group) else "each",
                "verdict": roll_up(record["verdict"] for record in group),
                "counts": count_verdicts(group),
                "unexpected": sum(standing(record) == "unexpected" for record in group),
            }
        )
    return findings


def build_document(
    records: Iterable[Record],
    *,
    provenance: Mapping[str, Any] | None = None,
    checks: Iterable[Mapping[str, Any]] = (),
    statements: Mapping[str, str] | None = None,
    errata: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Build the report document from the records of a session, in whatever order the workers handed them in.

    Absolute paths in any text, those in the message of an exception say, are cut down to their last name.

    Args:
        records: judgements, each with the fields listed in the design; optional beside them are ``part`` (text),
            ``printed_value`` (number), ``expected_reason`` (text) and ``rollup`` (``all`` or ``each``). Without
            ``expected``, which a test that broke may not have come to look up, nothing was expected.
        provenance: what the judgements rest on: versions, commit, evidence tables, seeds.
        checks: what was tested beside the claims: ``nodeid``, ``outcome`` (``passed``, ``failed``, ``skipped``),
            ``detail`` (a reason, or the remark of a check that passed) and ``seconds``.
        statements: what each finding says as a whole, by claim id; ``says`` of a record may be that of a part only.
        errata: printed figures that do not follow from their own paper, in the order to be shown: ``name``, ``paper``,
            ``place``, ``printed``, ``right``, ``derivation`` (texts) and ``cells`` (lines of further figures).

    Returns:
        The document, in built-in types, sorted so that equal records give equal reports.

    Raises:
        InvalidInput: if a field is missing, breaks its rule, or is nothing JSON can hold.
    """
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "provenance": provenance or {},
        "findings": [],
        "records": [{"expected": None, **record} for record in records],
        "checks": list(checks),
        "errata": list(errata),
    }
    validate(document)
    document = redacted(json.loads(strict_json(document)))
    document["records"].sort(key=_order)
    document["checks"].sort(key=lambda check: check["nodeid"])
    document["findings"] = roll_up_findings(_in_paper_order(document["records"]))
    for finding in document["findings"]:
        if statements and finding["claim"] in statements:
            finding["statement"] = redacted(statements[finding["claim"]])
    document["records"] = _in_paper_order(document["records"])
    validate(document)
    return document


def _order(record: Record) -> tuple[str, ...]:
    return record["claim"], record["evidence"], record.get("part", ""), strict_json(record["params"]), record["nodeid"]


def _in_paper_order(records: Sequence[Record]) -> list[Record]:
    return [record for group in by_paper(records).values() for record in group]


def findings_match(document: Document) -> bool:
    """Whether the findings of a document are the roll-up of its records; statements come from elsewhere."""
    bare = [{name: value for name, value in finding.items() if name != "statement"} for finding in document["findings"]]
    return bool(roll_up_findings(document["records"]) == bare)
