"""Expected verdicts: the known deviations, each with a written reason.

A claim without an entry is expected to be reproduced. A verdict other than the expected one, better or
worse, fails the session, and so does an entry that no judgement uses any more.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbench.claims.ledger import Finding, ledger
from dbench.claims.rules import Verdict
from dbench.errors import DamagedData, unknown_name

__all__ = ["Expectation", "Expectations", "load_expected"]

_TEXTS = ("claim", "evidence", "verdict", "reason")
_KEYS = {*_TEXTS, "date", "part", "params"}


@dataclass(frozen=True)
class Expectation:
    """One entry of ``expected.toml``: for these records of a claim, this verdict, for this reason."""

    claim: str
    evidence: str
    verdict: Verdict
    reason: str
    part: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def matches(self, record: Mapping[str, Any]) -> bool:
        """Whether the entry speaks of this record."""
        return (
            record["claim"] == self.claim
            and record["evidence"] == self.evidence
            and self.part in (None, record.get("part", ""))
            and all(record["params"].get(name) == value for name, value in self.params.items())
        )

    def __str__(self) -> str:
        """The entry as a reader would look it up."""
        details = [self.claim, self.evidence, *([self.part] if self.part else [])]
        return " ".join(details + [f"{name}={value}" for name, value in self.params.items()])


@dataclass(frozen=True)
class Expectations:
    """All entries; the first that matches speaks."""

    entries: tuple[Expectation, ...] = ()

    def of(self, record: Mapping[str, Any]) -> tuple[Verdict, str]:
        """Return the expected verdict of a record and the reason given for a deviation."""
        for entry in self.entries:
            if entry.matches(record):
                return entry.verdict, entry.reason
        return Verdict.REPRODUCED, ""

    def stale(self, records: Iterable[Mapping[str, Any]]) -> list[Expectation]:
        """Return entries whose claim was judged on their evidence, but that no record used."""
        judged = [record for record in records if record["verdict"] != Verdict.BROKEN]
        return [
            entry
            for entry in self.entries
            if any((r["claim"], r["evidence"]) == (entry.claim, entry.evidence) for r in judged)
            and not any(self._speaker(r) is entry for r in judged)
        ]

    def _speaker(self, record: Mapping[str, Any]) -> Expectation | None:
        return next((entry for entry in self.entries if entry.matches(record)), None)


def load_expected(path: Path) -> Expectations:
    """Read ``expected.toml``: a list of ``[[expected]]`` tables.

    Raises:
        DamagedData: not readable, a missing or unknown key, an unknown verdict, or no reason.
        UnknownName: a claim id that the ledger does not know.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DamagedData(f"expected verdicts cannot be read from {path.name}: {error}") from error
    tables = document.pop("expected", [])
    if document or not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        wrong = ", ".join(document) or "expected"
        raise DamagedData(f"{path.name} must hold [[expected]] tables and nothing else, got {wrong}")
    return Expectations(tuple(_entry(table) for table in tables))


def _entry(table: Mapping[str, Any]) -> Expectation:
    missing, unknown = {*_TEXTS, "date"} - table.keys(), table.keys() - _KEYS
    if missing or unknown:
        wrong = f"no {', '.join(sorted(missing))}" if missing else f"unknown {', '.join(sorted(unknown))}"
        raise DamagedData(f"an expected verdict has {wrong}: {dict(table)}")
    for name in (*_TEXTS, "part"):
        if not isinstance(table.get(name, ""), str):
            raise DamagedData(f"{name} of an expected verdict must be text, got {table[name]!r}")
    if not isinstance(table.get("params", {}), Mapping):
        raise DamagedData(f"params of {table['claim']} must be a table, got {table['params']!r}")
    finding = _finding(table["claim"])
    if table["evidence"] not in finding.evidence:
        allowed = ", ".join(finding.evidence)
        raise DamagedData(f"evidence of {finding.id} must be one of {allowed}, got {table['evidence']!r}")
    if table["verdict"] not in set(Verdict) - {Verdict.BROKEN}:
        raise DamagedData(f"expected verdict of {finding.id} must be a verdict, got {table['verdict']!r}")
    if not table["reason"].strip():
        raise DamagedData(f"expected verdict of {finding.id} must give a reason, got an empty one")
    return Expectation(
        finding.id,
        table["evidence"],
        Verdict(table["verdict"]),
        table["reason"],
        table.get("part"),
        dict(table.get("params", {})),
    )


def _finding(claim: str) -> Finding:
    if claim not in ledger():
        raise unknown_name("claim", claim, ledger())
    return ledger()[claim]
