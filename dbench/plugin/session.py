"""The state of a session that judges claims: its verdicts, errors, lost tests and exit status."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dbench.claims.expected import Expectations
from dbench.claims.record import broken_record
from dbench.claims.rules import Verdict

# Names of a test's user properties: its record as JSON, and the remark of a check.
RECORD_PROPERTY = "dbench"
REMARK_PROPERTY = "dbench-remark"

NOTHING_DECIDED = 8
LOST_WORKER = 3


@dataclass
class Outcome:
    """What was reported of one test so far, over its phases (setup, call, teardown) and reruns."""

    seconds: float = 0.0
    records: list[dict[str, Any]] = field(default_factory=list)
    failure: str = ""
    skipped: str = ""
    remark: str = ""
    finished: bool = False

    @property
    def record(self) -> dict[str, Any] | None:
        """The record of the last judgement, or None; another plugin's reruns make several."""
        return self.records[-1] if self.records else None

    @property
    def word(self) -> str:
        """The outcome of a test that judges no claim: failed, skipped or passed."""
        if self.failure or not self.finished:
            return "failed"
        return "skipped" if self.skipped else "passed"


@dataclass
class Session:
    """Collects the test reports of this process or of the xdist workers.

    Attributes:
        cards: card fields by test id; tests without a card are checks.
        expected: the test ids that were collected.
        expectations: expected verdicts, ``None`` when nothing is expected.
        partial: perhaps not all tests of a claim were selected, so an unused expectation need not be stale.
        stopped: the session ended before its tests did, so a test without a report need not be lost.
        outcomes: what was reported, by test id.
    """

    cards: dict[str, dict[str, Any]] = field(default_factory=dict)
    expected: set[str] = field(default_factory=set)
    expectations: Expectations | None = None
    partial: bool = False
    stopped: bool = False
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def report(
        self,
        nodeid: str,
        *,
        phase: str,
        outcome: str,
        seconds: float,
        properties: Sequence[tuple[str, Any]],
        message: str,
    ) -> None:
        """Add the report of one phase of one test to its outcome."""
        test = self.outcomes.setdefault(nodeid, Outcome())
        test.seconds += seconds
        # Each report carries all properties of its test so far, those of reruns included.
        test.records = [json.loads(value) for name, value in properties if name == RECORD_PROPERTY] or test.records
        test.remark = dict(properties).get(REMARK_PROPERTY, test.remark)
        if outcome == "failed":
            test.failure = message or f"failed in {phase}"
        elif outcome == "skipped":
            test.skipped = message
        # A test ends with its teardown; a crashed worker sends one report, of another phase, instead.
        test.finished |= phase not in ("setup", "call")

    @property
    def lost(self) -> list[str]:
        """Ids of the tests that were collected and never finished, because their worker died; empty if stopped."""
        if self.stopped:
            return []
        return sorted(nodeid for nodeid in self.expected if not self.outcomes.get(nodeid, Outcome()).finished)

    def _detail(self, test: Outcome) -> str:
        """Return one line: why a test failed, was skipped or never finished, or else its remark."""
        message = test.failure or test.skipped or test.remark
        if not message and not test.finished:
            return "not run: the session was stopped" if self.stopped else "its worker died before it reported"
        lines = (line.strip() for line in message.splitlines())
        return next(filter(None, lines), "")

    def records(self) -> list[dict[str, Any]]:
        """Return one record for each test of a claim, sorted by claim, evidence and test id."""
        records = []
        for nodeid in self.expected | self.outcomes.keys():
            test = self.outcomes.get(nodeid, Outcome())
            record = test.record
            if record is None and nodeid not in self.cards:
                continue
            # A test may fail after its verdict, in its teardown for instance; the verdict does not count then.
            failed_later = record is not None and test.failure and Verdict(record["verdict"]).holds
            verdicts = list(dict.fromkeys(judged["verdict"] for judged in test.records))
            if record is None or len(verdicts) > 1 or (failed_later and not record["unexpected"]):
                reason = self._detail(test)
                if len(verdicts) > 1:
                    reason = f"judged {len(test.records)} times: {', '.join(verdicts)}"
                record = broken_record(self.cards.get(nodeid) or record or {}, nodeid=nodeid, reason=reason)
            records.append(record | {"seconds": round(test.seconds, 3)})
        return sorted(records, key=lambda record: (record["claim"], record["evidence"], record["nodeid"]))

    def checks(self) -> list[dict[str, Any]]:
        """Return an entry for each test without a card."""
        tests = {nodeid: self.outcomes.get(nodeid, Outcome()) for nodeid in self.expected | self.outcomes.keys()}
        return [
            {"nodeid": nodeid, "outcome": test.word, "detail": self._detail(test), "seconds": round(test.seconds, 3)}
            for nodeid, test in sorted(tests.items())
            if nodeid not in self.cards and test.record is None
        ]

    def stale(self) -> list[str]:
        """Return the names of expectations that no record used although their claim was judged."""
        if self.expectations is None or self.partial or self.stopped:
            return []
        return self.expectations.stale(self.records())

    def exit_status(self, status: int, *, fail_on_undecided: bool = False) -> int:
        """Return the exit status of the session, given pytest's, which alone may be a wrong 0 (after xfail, say).

        It is taken from the records, and is never 0 if a verdict is not the expected one or if anything is broken, lost
        or stale. A status of pytest other than 0 and 1 is kept.
        """
        if status not in (0, 1):
            return status
        if self.lost:
            return LOST_WORKER
        records = self.records()
        if self.stale() or any(_fails(record) for record in records):
            return 1
        verdicts = {record["verdict"] for record in records}
        nothing_decided = verdicts and verdicts <= {Verdict.UNDECIDED, Verdict.NOT_TESTED}
        if status == 0 and (nothing_decided or (fail_on_undecided and Verdict.UNDECIDED in verdicts)):
            return NOTHING_DECIDED
        return status


def _fails(record: Mapping[str, Any]) -> bool:
    """Whether a record fails the session: broken, not as expected, or refuted where nothing was expected."""
    verdict = Verdict(record["verdict"])
    if verdict is Verdict.BROKEN or record.get("unexpected"):
        return True
    return verdict.refutes and record.get("expected") is None
