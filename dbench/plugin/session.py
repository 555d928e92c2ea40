"""The state of a session of judging: verdicts, errors, claims that never ended, and whether it succeeds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dbench.claims.expected import Expectations
from dbench.claims.record import broken_record
from dbench.claims.rules import Verdict

# Names in a test's user properties: its record as JSON, and what a check says of itself.
RECORD_PROPERTY = "dbench"
REMARK_PROPERTY = "dbench-remark"

NOTHING_DECIDED = 8
LOST_WORKER = 3


@dataclass
class Outcome:
    """The phases of one test, as far as they were reported."""

    seconds: float = 0.0
    records: list[dict[str, Any]] = field(default_factory=list)
    failure: str = ""
    skipped: str = ""
    remark: str = ""
    finished: bool = False

    @property
    def record(self) -> dict[str, Any] | None:
        """The last judgement: with another plugin's reruns there are several."""
        return self.records[-1] if self.records else None

    @property
    def word(self) -> str:
        """What became of a test that judges nothing."""
        if self.failure or not self.finished:
            return "failed"
        return "skipped" if self.skipped else "passed"


@dataclass
class Session:
    """Collects what workers report.

    Attributes:
        cards: card fields by test id; tests without a card are checks.
        expected: the test ids that were collected.
        expectations: expected verdicts, ``None`` when nothing is expected.
        partial: only some tests of a claim may have been picked, so that an unused expectation proves nothing.
        stopped: the session ended before its tests did, so that a silent test proves nothing.
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
        """Take in the report of one phase of one test."""
        test = self.outcomes.setdefault(nodeid, Outcome())
        test.seconds += seconds
        # Every report of a test repeats what was said before it, by reruns too.
        test.records = [json.loads(said) for name, said in properties if name == RECORD_PROPERTY] or test.records
        said = dict(properties)
        test.remark = said.get(REMARK_PROPERTY, test.remark)
        if outcome == "failed":
            test.failure = message or f"failed in {phase}"
        elif outcome == "skipped":
            test.skipped = message
        # A crashed worker sends one report for a phase of its own instead of a teardown.
        test.finished |= phase not in ("setup", "call")

    @property
    def lost(self) -> list[str]:
        """Tests that were collected and never reported back: their worker died."""
        if self.stopped:
            return []
        return sorted(nodeid for nodeid in self.expected if not self.outcomes.get(nodeid, Outcome()).finished)

    def _why(self, test: Outcome) -> str:
        """The reason of a failure, a skip or a silence in one line, or a test's remark."""
        silence = "not run: the session was stopped" if self.stopped else "its worker died before it reported"
        said = test.failure or test.skipped or test.remark
        lines = (line.strip() for line in said.splitlines())
        return next(filter(None, lines), "") if said or test.finished else silence

    def records(self) -> list[dict[str, Any]]:
        """Return one record for each claim test, sorted by claim and test."""
        found = []
        for nodeid in self.expected | self.outcomes.keys():
            test = self.outcomes.get(nodeid, Outcome())
            record = test.record
            if record is None and nodeid not in self.cards:
                continue
            # A test may reach its verdict and break afterwards, in a teardown say: then nothing is proven.
            broke_later = record is not None and test.failure and Verdict(record["verdict"]).holds
            words = list(dict.fromkeys(judged["verdict"] for judged in test.records))
            if record is None or len(words) > 1 or (broke_later and not record["unexpected"]):
                card = self.cards.get(nodeid) or record or {}
                why = f"judged {len(test.records)} times: {', '.join(words)}" if len(words) > 1 else self._why(test)
                record = broken_record(card, nodeid=nodeid, reason=why)
            found.append(record | {"seconds": round(test.seconds, 3)})
        return sorted(found, key=lambda record: (record["claim"], record["evidence"], record["nodeid"]))

    def checks(self) -> list[dict[str, Any]]:
        """Return an entry for each test without a card."""
        tests = {nodeid: self.outcomes.get(nodeid, Outcome()) for nodeid in self.expected | self.outcomes.keys()}
        return [
            {"nodeid": nodeid, "outcome": test.word, "detail": self._why(test), "seconds": round(test.seconds, 3)}
            for nodeid, test in sorted(tests.items())
            if nodeid not in self.cards and test.record is None
        ]

    def stale(self) -> list[str]:
        """Return names of expectations that no judgement used, though their claim was judged."""
        if self.expectations is None or self.partial or self.stopped:
            return []
        return self.expectations.stale(self.records())

    def exit_status(self, status: int, *, fail_on_undecided: bool = False) -> int:
        """Return the exit status of the session, from the records: pytest's own may be talked into 0, by xfail say.

        Never 0 when a verdict is not the expected one, or something is broken, lost or stale. Of pytest's statuses all
        but 0 and 1 are kept.
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
    verdict = Verdict(record["verdict"])
    if verdict is Verdict.BROKEN or record.get("unexpected"):
        return True
    return verdict.refutes and record.get("expected") is None
