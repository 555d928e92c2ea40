"""The ledger: all findings, and the kinds of evidence that can decide each. One is shipped; a user may add another."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

from dbench.claims.card import Claim, Evidence
from dbench.claims.rules import Verdict
from dbench.errors import DamagedData, find

# The table with most seeds, on the data set of the study.
HEADING_TABLE = "micro-dsprites_grid_16"
_OPTIONAL = ("group", "note", "famous", "aside")


@dataclass(frozen=True)
class Finding:
    """One row of the ledger.

    Attributes:
        evidence: kinds of evidence that can decide it.
        heads: the kind of evidence that the sentence is about, whose verdict is the verdict of the finding.
        table: the table of trained models whose verdict is that of the finding; other tables are shown beside it.
        group: name that findings share if they stand or fall together; empty for a finding of its own.
        note: how it is tested and what is shown beside it; may be empty.
        seen: what was seen, in the field's words, by the verdict for which the words are true; numbers are slots
            that are filled from the records (:mod:`dbench.report.seen`).
        famous: where the paper, or a paper that cites it, draws it as a conclusion; empty for all other findings.
        aside: why none of its records heads it: the authors do not claim it, or our text or measurement cannot tell.
    """

    id: str
    where: str
    says: str
    evidence: tuple[str, ...]
    heads: str
    table: str = HEADING_TABLE
    group: str = ""
    note: str = ""
    seen: Mapping[str, str] = field(default_factory=dict)
    famous: str = ""
    aside: str = ""


@cache
def ledger(own: Path | None = None) -> dict[str, Finding]:
    """Return all findings by id: the shipped ones, and those of the file ``own`` if it is given.

    Raises:
        DamagedData: a file cannot be read, a field has a wrong type or value, or an id stands twice.
    """
    path = own or files("dbench_fixtures") / "ledger.toml"
    known = ledger() if own else {}
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["finding"]
        findings = [_finding(row) for row in rows]
    except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        raise DamagedData(f"{path.name} cannot be read: {error!r}") from error
    if strange := [finding.id for finding in findings if finding.heads not in finding.evidence]:
        raise DamagedData(f"{path.name} must head a finding by a kind of its own evidence, got another of {strange[0]}")
    if len({finding.id for finding in findings} - known.keys()) != len(findings):
        raise DamagedData(f"{path.name} must name each finding once, but an id stands twice")
    return known | {finding.id: finding for finding in findings}


def completed(card: Claim, own: Path | None = None) -> Claim:
    """Return a card whose empty ``says`` and ``where`` are filled from its row of the ledger, if it has one."""
    if (row := ledger(own).get(card.id)) is None:
        return card
    return replace(card, says=card.says or row.says, where=card.where or row.where)


def find_finding(claim: str, own: Path | None = None) -> Finding:
    """Return the finding with an id, from the shipped ledger or the file ``own``.

    Raises:
        UnknownName: the ledger has no such finding; the message names the nearest.
    """
    return find("claim", claim, ledger(own))


def _finding(row: dict[str, Any]) -> Finding:
    """Check one row of the ledger and return its finding; a wrong type or value is a TypeError."""
    known, kinds = get_args(Evidence), row["evidence"]
    if not isinstance(kinds, list) or not all(kind in known for kind in kinds):
        raise TypeError(f"evidence of {row['id']!r} must be a list of {', '.join(known)}, got {kinds!r}")
    texts = {name: row[name] for name in ("id", "where", "says", "heads")}
    texts |= {"table": row.get("table", HEADING_TABLE)} | {name: row.get(name, "") for name in _OPTIONAL}
    for name, text in texts.items():
        if not isinstance(text, str) or not (text.strip() or name in _OPTIONAL):
            raise TypeError(f"{name} of {row['id']!r} must be a text, got {text!r}")
    return Finding(**texts, evidence=tuple(kinds), seen=_seen(row))


def _seen(row: dict[str, Any]) -> Mapping[str, str]:
    """Return the field ``seen`` of a row, checked: a text that is not empty for each of some verdicts."""
    seen, verdicts = row.get("seen", {}), list(map(str, Verdict))
    holds_texts = isinstance(seen, dict) and all(isinstance(text, str) and text.strip() for text in seen.values())
    if not holds_texts or not set(verdicts).issuperset(seen):
        raise TypeError(f"seen of {row['id']!r} must be a sentence by verdict ({', '.join(verdicts)}), got {seen!r}")
    return dict(seen)
