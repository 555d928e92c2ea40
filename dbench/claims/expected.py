"""Expected verdicts: the records that are known not to be reproduced, grouped by the reason.

A record without an entry is expected to be reproduced. A verdict that differs from the expected one, for better or
worse, fails the session; so does an entry that no record uses any more.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from dbench.claims.ledger import find_finding
from dbench.claims.rules import Verdict
from dbench.errors import DamagedData

# The expected verdict of what each session measures anew, such as times: every verdict is accepted.
ANY = "any"
_KEYS = {"verdict": str, "reason": str, "date": date, "records": list}


def record_name(record: Mapping[str, Any]) -> str:
    """Return the name of a record as ``expected.toml`` writes it: claim / evidence / part / parameters.

    Example:
        >>> record_name({"claim": "udr.xor", "evidence": "zoo", "part": "", "params": {"n": 3}})
        'udr.xor / zoo / n=3'
    """
    params = ", ".join(f"{name}={value}" for name, value in sorted(record["params"].items()))
    return " / ".join(filter(None, (record["claim"], record["evidence"], record["part"], params)))


@dataclass(frozen=True)
class Expectations:
    """The expected verdict and its reason, by name of the record; the verdict is None where any is accepted."""

    entries: Mapping[str, tuple[Verdict | None, str]]

    def of(self, record: Mapping[str, Any]) -> tuple[Verdict, str]:
        """Return the expected verdict of a record and its reason; the record's own verdict where any is accepted."""
        expected, reason = self.entries.get(record_name(record), (Verdict.REPRODUCED, ""))
        return expected or Verdict(record["verdict"]), reason

    def stale(self, records: Iterable[Mapping[str, Any]]) -> list[str]:
        """Return the entries of judged claims that no record used. Claims with a broken record are left out."""
        every = list(records)
        used = {record_name(record) for record in every}
        broken = {record["claim"] for record in every if record["verdict"] == Verdict.BROKEN}
        judged = {record["claim"] for record in every} - broken
        return [name for name in self.entries if name.split(" / ")[0] in judged and name not in used]


def load_expected(path: Path, ledger: Path | None = None) -> Expectations:
    """Read ``expected.toml``: ``[[expected]]`` tables of verdict, reason, date and the names of the records.

    ``ledger`` is the file of a user's own findings, which are added to the shipped ones.

    Raises:
        DamagedData: not readable, a missing or unknown key, an unknown verdict, no reason or record, a record twice.
        UnknownName: a claim id that the ledger does not know.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedData(f"expected verdicts cannot be read from {path.name}: {error}") from error
    tables = document.pop("expected", [])
    if document or not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        wrong = ", ".join(document) or "expected"
        raise DamagedData(f"{path.name} must hold [[expected]] tables and nothing else, got {wrong}")
    entries = [entry for table in tables for entry in _entries(table, ledger)]
    names = [name for name, _ in entries]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DamagedData(f"a record of {path.name} must have one expected verdict, got several for {twice[0]!r}")
    return Expectations(dict(entries))


def _entries(table: Mapping[str, Any], ledger: Path | None) -> list[tuple[str, tuple[Verdict | None, str]]]:
    """Check one ``[[expected]]`` table, and return its records' names, each with the verdict and the reason."""
    if wrong := sorted(_KEYS.keys() ^ table.keys()):
        raise DamagedData(
            f"an expected verdict has the keys {', '.join(_KEYS)}; missing or unknown: {', '.join(wrong)}"
        )
    for name, kind in _KEYS.items():
        if not isinstance(table[name], kind) or not table[name]:
            raise DamagedData(
                f"{name} of an expected verdict must be a {kind.__name__} that is not empty, got {table[name]!r}"
            )
    if table["verdict"] not in {*Verdict, ANY} - {Verdict.BROKEN, Verdict.REPRODUCED}:
        raise DamagedData(
            f"expected verdict must be 'any', or one but 'reproduced' and 'broken', got {table['verdict']!r}"
        )
    for name in table["records"]:
        if not isinstance(name, str):
            raise DamagedData(f"a record of an expected verdict must be its name, got {name!r}")
        find_finding(name.split(" / ")[0], ledger)
    expectation = None if table["verdict"] == ANY else Verdict(table["verdict"]), table["reason"]
    return [(name, expectation) for name in table["records"]]
