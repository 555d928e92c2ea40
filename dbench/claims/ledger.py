"""The ledger of findings, shipped with the project: which findings there are and what can decide each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from dbench.errors import DamagedData

__all__ = ["Finding", "ledger"]


@dataclass(frozen=True)
class Finding:
    """One row of the ledger."""

    id: str
    where: str
    says: str
    evidence: tuple[str, ...]


@cache
def ledger() -> dict[str, Finding]:
    """Return all findings by id.

    Raises:
        DamagedData: the shipped file cannot be read, or holds an id twice.
    """
    try:
        rows = tomllib.loads((files("dbench_fixtures") / "ledger.toml").read_text(encoding="utf-8"))["finding"]
        found = [Finding(row["id"], row["where"], row["says"], _names(row["evidence"])) for row in rows]
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise DamagedData(f"ledger.toml cannot be read: {error!r}") from error
    if len({finding.id for finding in found}) != len(found):
        raise DamagedData("ledger.toml must name each finding once, but an id stands in it twice")
    return {finding.id: finding for finding in found}


def _names(value: object) -> tuple[str, ...]:
    """A text would pass for a sequence of letters."""
    if not isinstance(value, list):
        raise TypeError(f"evidence must be a list, got {value!r}")
    return tuple(value)
