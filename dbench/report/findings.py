"""The findings of a document with the records behind them: what every reader of a report is shown first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbench.report.document import by_paper, worst_first
from dbench.report.schema import VERDICTS, Document, Record, is_deviation, standing

__all__ = ["Finding", "findings_by_paper"]


@dataclass(frozen=True)
class Finding:
    """One claim on one kind of evidence.

    Attributes:
        fields: the document's entry.
        records: the judgements rolled up in it, the worst first.
    """

    fields: Mapping[str, Any]
    records: Sequence[Record]

    @property
    def claim(self) -> str:
        """Id of the claim."""
        return str(self.fields["claim"])

    @property
    def evidence(self) -> str:
        """Kind of evidence."""
        return str(self.fields["evidence"])

    @property
    def verdict(self) -> str:
        """The worst verdict of its records."""
        return str(self.fields["verdict"])

    @property
    def statement(self) -> str:
        """What the finding says; where the document does not know that, what the first record says."""
        return str(self.fields.get("statement") or self.fields["says"])

    @property
    def standing(self) -> str:
        """How the finding stands to what was expected: as bad as its records, and known only if all of it is."""
        if self.fields["unexpected"]:
            return "unexpected"
        known = [standing(record) == "known deviation" for record in self.deviations]
        return "known deviation" if known and all(known) else ""

    @property
    def deviations(self) -> list[Record]:
        """The records that are not reproduced, or not as expected, the worst first."""
        return [record for record in self.records if is_deviation(record)]

    @property
    def shared(self) -> list[str]:
        """What every record lists under ``deviations``, in the order of the first; empty where there is but one."""
        if len(self.records) < 2:
            return []
        first, *others = (dict.fromkeys(record["deviations"]) for record in self.records)
        return [text for text in first if all(text in other for other in others)]

    @property
    def counts(self) -> list[str]:
        """Verdicts of its records in words, the worst first: ``["1 not reproduced", "3 reproduced"]``."""
        counts = self.fields["counts"]
        return [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict]]

    @property
    def agreeing(self) -> int:
        """How many of our figures are the printed ones."""
        return sum(record["printed_agrees"] is True for record in self.records)

    @property
    def differing(self) -> int:
        """How many of our figures are not the printed ones."""
        return sum(record["printed_agrees"] is False for record in self.records)

    @property
    def figures(self) -> str:
        """Agreement with the printed figures in words, empty where none was compared."""
        parts = [f"{self.agreeing} agrees" if self.agreeing == 1 else f"{self.agreeing} agree"] if self.agreeing else []
        if self.differing:
            parts.append(f"{self.differing} differs" if self.differing == 1 else f"{self.differing} differ")
        return ", ".join(parts)


def findings_by_paper(document: Document) -> dict[str, list[Finding]]:
    """Group the findings by paper, within a paper the worst first and among equals the unexpected ones."""
    behind: dict[tuple[str, str], list[Record]] = {}
    for record in document["records"]:
        behind.setdefault((record["claim"], record["evidence"]), []).append(record)
    grouped = {}
    for paper, entries in by_paper(document["findings"]).items():
        found = [Finding(entry, worst_first(behind.get((entry["claim"], entry["evidence"]), []))) for entry in entries]
        grouped[paper] = sorted(found, key=_badness)
    return grouped


def _badness(finding: Finding) -> tuple[int, bool]:
    return VERDICTS.index(finding.verdict), not finding.fields["unexpected"]
