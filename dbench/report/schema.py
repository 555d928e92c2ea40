"""What a report holds: the fields of a record, a finding, a check and an erratum, and what each may be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from dbench.errors import DbenchError, InvalidInput

__all__ = [
    "OUTCOMES",
    "PAPERS",
    "ROLLUPS",
    "SCHEMA",
    "SYMBOLS",
    "VERDICTS",
    "Document",
    "Record",
    "is_deviation",
    "standing",
    "validate",
]

Record = Mapping[str, Any]
Document = Mapping[str, Any]

SCHEMA = 1
# Worst first: the order of the tables, and the precedence of the roll-up.
VERDICTS = ("broken", "not reproduced", "inconclusive", "reproduced")
SYMBOLS = {"reproduced": "R", "not reproduced": "N", "inconclusive": "?", "broken": "F"}
OUTCOMES = ("failed", "skipped", "passed")
ROLLUPS = ("all", "each")
PAPERS = {
    "sober": "A Sober Look (Locatello et al., JMLR 2020)",
    "udr": "Unsupervised Disentanglement Ranking (Duan et al., ICLR 2020)",
    "flaws": "Correcting Flaws in Common Disentanglement Metrics (Mahon et al., TMLR)",
    "irs": "Interventional Robustness Score (Suter et al., ICML 2019)",
    "hownot": "How Not to Measure Disentanglement (Sepliarskaia et al., 2019)",
}

Rule = tuple[Callable[[Any], bool], str]


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an integer beyond the largest float
        return False


def _is_interval(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(map(_is_number, value)) and value[0] <= value[1]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _or_null(rule: Rule) -> Rule:
    holds, text = rule
    return (lambda value: value is None or holds(value)), f"{text} or null"


def _one_of(*choices: str) -> Rule:
    return (lambda value: isinstance(value, str) and value in choices), "one of " + ", ".join(map(repr, choices))


_TEXT: Rule = (lambda value: isinstance(value, str)), "text"
_NAME: Rule = (lambda value: isinstance(value, str) and bool(value.strip())), "text that is not empty"
_NUMBER: Rule = _is_number, "a finite number"
_DURATION: Rule = (lambda value: _is_number(value) and value >= 0), "a finite number, zero or more"
_COUNT: Rule = _is_count, "an integer, zero or more"
_FLAG: Rule = (lambda value: isinstance(value, bool)), "true or false"
_INTERVAL: Rule = _is_interval, "[low, high] with low <= high, both finite"
_OBJECT: Rule = (lambda value: isinstance(value, Mapping)), "an object"
_LIST: Rule = (lambda value: isinstance(value, (list, tuple))), "a list"
_TEXTS: Rule = (
    (lambda value: isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)),
    "a list of text",
)
_COUNTS: Rule = (
    (lambda value: isinstance(value, Mapping) and set(value) == set(VERDICTS) and all(map(_is_count, value.values()))),
    "an object with a count for each verdict",
)
_EVIDENCE = _one_of("synthetic", "published", "zoo")
_VERDICT = _one_of(*VERDICTS)

_DOCUMENT: dict[str, Rule] = {
    "schema": ((lambda value: value == SCHEMA and not isinstance(value, bool)), str(SCHEMA)),
    "provenance": _OBJECT,
    "findings": _LIST,
    "records": _LIST,
    "checks": _LIST,
}
_DOCUMENT_OPTIONAL: dict[str, Rule] = {"errata": _LIST}
_RECORD: dict[str, Rule] = {
    "claim": _NAME,
    "paper": _NAME,
    "where": _TEXT,
    "says": _TEXT,
    "kind": _TEXT,
    "evidence": _EVIDENCE,
    "population": _or_null(_TEXT),
    "params": _OBJECT,
    "verdict": _VERDICT,
    "estimate": _or_null(_NUMBER),
    "interval": _or_null(_INTERVAL),
    "statistic": _or_null(_TEXT),
    "rule": _or_null(_TEXT),
    "bound": _or_null(_NUMBER),
    "margin": _or_null(_DURATION),
    "direction": _or_null(_one_of("above", "below", "within")),
    "confidence": _or_null(_NUMBER),
    "n": _or_null(_COUNT),
    "unit": _or_null(_TEXT),
    "printed": _or_null(_TEXT),
    "printed_agrees": _or_null(_FLAG),
    "reason": _TEXT,
    "deviations": _TEXTS,
    "expected": _or_null(_VERDICT),
    "nodeid": _TEXT,
    "seconds": _DURATION,
}
_RECORD_OPTIONAL: dict[str, Rule] = {
    "printed_value": _or_null(_NUMBER),
    "expected_reason": _or_null(_TEXT),
    "rollup": _one_of(*ROLLUPS),
    "part": _TEXT,
}
_FINDING: dict[str, Rule] = {
    "claim": _NAME,
    "paper": _NAME,
    "where": _TEXT,
    "says": _TEXT,
    "evidence": _EVIDENCE,
    "rollup": _one_of(*ROLLUPS),
    "verdict": _VERDICT,
    "counts": _COUNTS,
    "unexpected": _COUNT,
}
_FINDING_OPTIONAL: dict[str, Rule] = {"statement": _TEXT}
_CHECK: dict[str, Rule] = {"nodeid": _NAME, "outcome": _one_of(*OUTCOMES), "detail": _TEXT, "seconds": _DURATION}
_ERRATUM: dict[str, Rule] = {
    "name": _NAME,
    "paper": _NAME,
    "place": _NAME,
    "printed": _NAME,
    "right": _NAME,
    "derivation": _NAME,
    "cells": _TEXTS,
}


def standing(record: Record) -> str:
    """Say how a verdict stands to the expected one: ``unexpected``, ``known deviation`` or nothing to remark."""
    expected, verdict = record["expected"], record["verdict"]
    if expected is None:
        return ""
    if expected != verdict:
        return "unexpected"
    return "" if verdict == "reproduced" else "known deviation"


def is_deviation(record: Record) -> bool:
    """Whether a record deserves a reader's attention: not reproduced for whatever reason, or not as expected."""
    return record["verdict"] != "reproduced" or standing(record) == "unexpected"


def validate(document: Document, *, error: type[DbenchError] = InvalidInput, source: str = "report") -> None:
    """Insist on the schema; fields it does not know are left alone.

    Args:
        document: the report.
        error: what to raise; a file that breaks the schema is damaged, an argument is invalid.
        source: how to call the document in the message.

    Raises:
        DbenchError: of the class given, naming the field, its rule and the value received.
    """

    def insist(where: str, item: Any, rules: Mapping[str, Rule], optional: Mapping[str, Rule] | None = None) -> None:
        if not isinstance(item, Mapping):
            raise error(f"{source}: {where or 'the document'} must be an object, got {_short(item)}")
        for name, (holds, text) in {**rules, **(optional or {})}.items():
            field = f"{where}.{name}" if where else name
            if name not in item:
                if name in rules:
                    raise error(f"{source}: {field} is missing{_whose(item)}; it must be {text}")
            elif not holds(item[name]):
                raise error(f"{source}: {field} must be {text}, got {_short(item[name])}{_whose(item)}")

    insist("", document, _DOCUMENT, _DOCUMENT_OPTIONAL)
    for number, record in enumerate(document["records"]):
        insist(f"records[{number}]", record, _RECORD, _RECORD_OPTIONAL)
    for number, finding in enumerate(document["findings"]):
        insist(f"findings[{number}]", finding, _FINDING, _FINDING_OPTIONAL)
    for number, check in enumerate(document["checks"]):
        insist(f"checks[{number}]", check, _CHECK)
    for number, erratum in enumerate(document.get("errata", ())):
        insist(f"errata[{number}]", erratum, _ERRATUM)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _whose(item: Mapping[str, Any]) -> str:
    name = item.get("claim", item.get("nodeid"))
    return f" (in {_short(name)})" if isinstance(name, str) else ""
