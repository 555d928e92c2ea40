"""What one session of judging collected: verdicts, what broke, what got lost, and whether it may end green."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dbench.claims.expected import Expectation, Expectations
from dbench.claims.record import Record, broken_record
from dbench.claims.rules import Verdict

__all__ = ["LOST_WORKER", "NOTHING_DECIDED", "RECORD_PROPERTY", "REMARK_PROPERTY", "Outcome", "Session"]

# Name under which a record travels in a test's user properties, as one JSON string.
RECORD_PROPERTY = "dbench"
# The same for a line that a check wants to say of itself when it passes.
REMARK_PROPERTY = "dbench-remark"

NOTHING_DECIDED = 8
LOST_WORKER = 3


@dataclass
class Outcome:
    """The phases of one test, as far as they were reported."""

    seconds: float = 0.0
    record: Record | None = None
    failure: str = ""
    skipped: str = ""
    remark: str = ""
    finished: bool = False

    @property
    def word(self) -> str:
        """What became of a test that judges nothing."""
        if self.failure or not self.finished:
            return "failed"
        return "skipped" if self.skipped else "passed"

    @property
    def why(self) -> str:
        """The reason of a failure or a skip, or what a test that passed says of itself."""
        if not (self.failure or self.skipped or self.finished):
            return "its worker died before it reported"
        return self.failure or self.skipped or self.remark


@dataclass
class Session:
    """Collects what workers report. Knows nothing of pytest, so that it can be tested without it.

    Attributes:
        cards: card fields by test id; tests without a card are checks.
        expected: the test ids that were collected.
        expectations: expected verdicts, ``None`` when nothing is expected.
        outcomes: what became of each test.
    """

    cards: dict[str, Record] = field(default_factory=dict)
    expected: set[str] = field(default_factory=set)
    expectations: Expectations | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def report(
        self,
        nodeid: str,
        *,
        phase: str,
        outcome: str,
        seconds: float,
        properties: Mapping[str, Any],
        message: str,
    ) -> None:
        """Take in the report of one phase of one test."""
        test = self.outcomes.setdefault(nodeid, Outcome())
        test.seconds += seconds
        if RECORD_PROPERTY in properties:
            test.record = json.loads(properties[RECORD_PROPERTY])
        test.remark = properties.get(REMARK_PROPERTY, test.remark)
        if outcome == "failed":
            test.failure = message or f"failed in {phase}"
        elif outcome == "skipped":
            test.skipped = message
        # A crashed worker sends one report for a phase of its own instead of a teardown.
        test.finished |= phase not in ("setup", "call")

    @property
    def lost(self) -> list[str]:
        """Tests that were collected and never reported back: their worker died."""
        return sorted(nodeid for nodeid in self.expected if not self.outcomes.get(nodeid, Outcome()).finished)

    def records(self) -> list[Record]:
        """Return one record for each claim test, sorted by claim and test."""
        found = []
        for nodeid in self.expected | self.outcomes.keys():
            test = self.outcomes.get(nodeid, Outcome())
            record = test.record
            if record is None and nodeid not in self.cards:
                continue
            # A test may reach its verdict and break afterwards, in a teardown say: then nothing is proven.
            broke_later = record is not None and test.failure and record["verdict"] == Verdict.REPRODUCED
            if record is None or (broke_later and not record["unexpected"]):
                card = self.cards.get(nodeid) or record or {}
                record = broken_record(card, nodeid=nodeid, reason=_first_line(test.why))
            found.append(record | {"seconds": round(test.seconds, 3)})
        return sorted(found, key=lambda record: (record["claim"], record["evidence"], record["nodeid"]))

    def checks(self) -> list[Record]:
        """Return what was tested beside the claims: one entry for each test without a card."""
        tests = {nodeid: self.outcomes.get(nodeid, Outcome()) for nodeid in self.expected | self.outcomes.keys()}
        return [
            {"nodeid": nodeid, "outcome": test.word, "detail": _first_line(test.why), "seconds": round(test.seconds, 3)}
            for nodeid, test in sorted(tests.items())
            if nodeid not in self.cards and test.record is None
        ]

    def stale(self) -> list[Expectation]:
        """Return expectations that no judgement used although their claim was judged."""
        return self.expectations.stale(self.records()) if self.expectations else []

    def exit_status(self, status: int, *, fail_on_inconclusive: bool = False) -> int:
        """Return the exit status of the session: never 0 when something is broken, lost or stale."""
        if status not in (0, 1):
            return status
        if self.lost:
            return LOST_WORKER
        verdicts = [record["verdict"] for record in self.records()]
        if Verdict.BROKEN in verdicts or self.stale():
            return 1
        decided = {Verdict.REPRODUCED, Verdict.NOT_REPRODUCED} & set(verdicts)
        undecided = fail_on_inconclusive and Verdict.INCONCLUSIVE in verdicts
        if status == 0 and verdicts and (undecided or not decided):
            return NOTHING_DECIDED
        return status


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else ""
