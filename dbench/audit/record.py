"""What one check says of one metric."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from dbench.audit.subject import MetricFailed, Subject

Status = Literal["pass", "fail", "error", "not applicable"]


@dataclass(frozen=True)
class CheckResult:
    """One line of an audit.

    Attributes:
        check: name of the check, ``family[case]``.
        status: ``error`` where the metric gave no number.
        value: the number that was judged.
        expected: the rule it was judged by.
        reason: what happened, one line.
        place: where the papers have it, empty where they do not.
        deviation: why this failure is expected, empty where nobody does.
        hint: what the pattern of scores points to, empty where it points to nothing.
        like: the metric of dbench that it was compared with, empty where with none; its status and number follow.
    """

    metric: str
    check: str
    family: str
    status: Status
    value: float | None
    expected: str
    reason: str
    place: str
    deviation: str = ""
    hint: str = ""
    like: str = ""
    like_status: Status | Literal[""] = ""
    like_value: float | None = None


class Answer(NamedTuple):
    """Answer of a check: whether it passed (``None``: not applicable), the number, the rule, the remark, a hint."""

    passed: bool | None
    value: float | None
    expected: str
    reason: str
    hint: str = ""


@dataclass(frozen=True)
class Check:
    """One question to a metric."""

    family: str
    case: str  # on which representation, empty where there is one only
    ask: Callable[[Subject], Answer]  # scores what it needs and judges; the metric's failures are left to __call__
    place: str = ""  # where the papers have it

    @property
    def name(self) -> str:
        """``family[case]``."""
        return f"{self.family}[{self.case}]" if self.case else self.family

    def __call__(self, subject: Subject) -> CheckResult:
        """Put the question."""
        try:
            passed, value, expected, reason, hint = self.ask(subject)
            status: Status = "not applicable" if passed is None else "pass" if passed else "fail"
        except MetricFailed as error:
            status, value, expected, reason, hint = "error", None, "a finite number", str(error), ""
        return CheckResult(subject.name, self.name, self.family, status, value, expected, reason, self.place, hint=hint)
