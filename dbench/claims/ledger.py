"""The ledger of findings, shipped with the project: which findings there are and what can decide each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from dbench.errors import DamagedData, unknown_name

__all__ = ["Finding", "find_finding", "ledger"]


@dataclass(frozen=True)
class Finding:
    """One row of the ledger.

    Attributes:
        id: stable name, ``paper.finding``.
        where: section, figure, table or equation.
        says: the finding in our words.
        evidence: kinds of evidence that can speak of it.
        heads: the kind the sentence is about; its verdict heads the finding.
    """

    id: str
    where: str
    says: str
    evidence: tuple[str, ...]
    heads: str


@cache
def ledger() -> dict[str, Finding]:
    """Return all findings by id.

    Raises:
        DamagedData: the shipped file cannot be read, or holds an id twice.
    """
    try:
        rows = tomllib.loads((files("dbench_fixtures") / "ledger.toml").read_text(encoding="utf-8"))["finding"]
        found = [Finding(row["id"], row["where"], row["says"], _names(row["evidence"]), row["heads"]) for row in rows]
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise DamagedData(f"ledger.toml cannot be read: {error!r}") from error
    if strange := [finding.id for finding in found if finding.heads not in finding.evidence]:
        raise DamagedData(f"ledger.toml must head a finding by a kind of its own evidence, got another of {strange[0]}")
    if len({finding.id for finding in found}) != len(found):
        raise DamagedData("ledger.toml must name each finding once, but an id stands in it twice")
    return {finding.id: finding for finding in found}


def find_finding(claim: str) -> Finding:
    """Return the finding of an id.

    Raises:
        UnknownName: the ledger has no such finding; the message names the nearest.
    """
    if claim not in ledger():
        raise unknown_name("claim", claim, ledger())
    return ledger()[claim]


def _names(value: object) -> tuple[str, ...]:
    """A text would pass for a sequence of letters."""
    if not isinstance(value, list):
        raise TypeError(f"evidence must be a list, got {value!r}")
    return tuple(value)
