"""The ledger of findings: which there are and what can decide each. One is shipped; a user may add one."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from dbench.errors import DamagedData, find


@dataclass(frozen=True)
class Finding:
    """One row of the ledger.

    Attributes:
        id: stable name, ``paper.finding``.
        where: section, figure, table or equation.
        says: the finding in our words.
        evidence: kinds of evidence that can speak of it.
        heads: the kind the sentence is about; its verdict heads the finding.
        note: how it is asked, and what stands beside it; may be empty.
    """

    id: str
    where: str
    says: str
    evidence: tuple[str, ...]
    heads: str
    note: str = ""


@cache
def ledger(own: Path | None = None) -> dict[str, Finding]:
    """Return all findings by id: those shipped, and those of a ledger of one's own.

    Raises:
        DamagedData: a file cannot be read, or an id stands twice.
    """
    path = own or files("dbench_fixtures") / "ledger.toml"
    known = ledger() if own else {}
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["finding"]
        found = [
            Finding(row["id"], row["where"], row["says"], _names(row["evidence"]), row["heads"], row.get("note", ""))
            for row in rows
        ]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise DamagedData(f"{path.name} cannot be read: {error!r}") from error
    if strange := [finding.id for finding in found if finding.heads not in finding.evidence]:
        raise DamagedData(f"{path.name} must head a finding by a kind of its own evidence, got another of {strange[0]}")
    if len({finding.id for finding in found} - known.keys()) != len(found):
        raise DamagedData(f"{path.name} must name each finding once, but an id stands twice")
    return known | {finding.id: finding for finding in found}


def find_finding(claim: str, own: Path | None = None) -> Finding:
    """Return the finding of an id, from the ledger shipped or one's own.

    Raises:
        UnknownName: the ledger has no such finding; the message names the nearest.
    """
    return find("claim", claim, ledger(own))


def _names(value: object) -> tuple[str, ...]:
    """A text would pass for a sequence of letters."""
    if not isinstance(value, list):
        raise TypeError(f"evidence must be a list, got {value!r}")
    return tuple(value)
