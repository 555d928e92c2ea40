"""One question to a metric, its answer, and the rules that docs/audit.md gives: what is high, low and the same."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from dbench.audit.gallery import NOISE_ONLY, PERFECT, REPRESENTATIONS
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
        reference: where the papers have it, empty where they do not.
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
    reference: str
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
    reference: str = ""  # where the papers have it

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
        names = (subject.name, self.name, self.family)
        return CheckResult(*names, status, value, expected, reason, self.reference, hint=hint)


# On the scale from chance (0) to perfect (1):
HIGH = 0.75
LOW = 0.5
SAME = 0.05
BIAS = 0.1  # how far estimates from fewer observations, or other bins, may differ
# Share of the larger: how far a chance level may lie from 0, and perfect copies must lie from chance.
CHANCE = 0.1
# Of five and five independent draws, all of one kind are larger in 1 case of 252.
DRAWS = 5


class Scale(NamedTuple):
    """Chance and perfect in units of the metric, and whether they are apart, on the right side of each other."""

    chance: float
    perfect: float
    separates: bool

    @property
    def range(self) -> float:
        """From chance to perfect; negative where less is better."""
        return self.perfect - self.chance

    @property
    def unit(self) -> float:
        """What differences are measured in: the range, or the size of the scores where there is no range."""
        return abs(self.range) if self.separates else max(abs(self.chance), abs(self.perfect)) or 1.0

    def position(self, value: float) -> float:
        """Where a score lies; only for a metric that separates."""
        return (value - self.chance) / self.range

    def value(self, position: float) -> float:
        """The score that lies there."""
        return self.chance + position * self.range


def score_of(subject: Subject, name: str, **how: int) -> float:
    """Score a representation of the gallery."""
    return subject.score(name, REPRESENTATIONS[name].source, **how)


def scale_of(subject: Subject) -> Scale:
    """Return the scale on which scores are placed: the one declared, else the one measured."""
    return measured_scale(subject) if subject.scale is None else Scale(*subject.scale, separates=True)


def measured_scale(subject: Subject) -> Scale:
    """Measure chance and perfect: the means of draws of noise and of perfect copies."""
    noise, copies = ([score_of(subject, name, repetition=i) for i in range(DRAWS)] for name in (NOISE_ONLY, PERFECT))
    chance, perfect = sum(noise) / DRAWS, sum(copies) / DRAWS
    sign = subject.direction
    apart = min(sign * score for score in copies) > max(sign * score for score in noise)
    return Scale(chance, perfect, apart and abs(perfect - chance) > CHANCE * max(abs(chance), abs(perfect)))


def judge(subject: Subject, name: str, bound: float, *, above: bool) -> Answer:
    """Insist on a score above or below a position on the scale."""
    scale, value = scale_of(subject), score_of(subject, name)
    word = "above" if above else "below"
    if not scale.separates:
        reason = f"noise scores {scale.chance:.3g}, perfect copies {scale.perfect:.3g}: nothing is high or low"
        return Answer(False, value, f"{word} {bound:g} of the way from noise to perfect copies", reason)
    position = scale.position(value)
    # Where less is better, to be above on the scale is to be below in the metric's own numbers.
    own = word if scale.range > 0 else {"above": "below", "below": "above"}[word]
    expected = f"{own} {scale.value(bound):.3g}, {bound:g} of the way from noise to perfect copies"
    passed = position > bound if above else position < bound
    return Answer(passed, value, expected, f"{position:.2f} of the way: {REPRESENTATIONS[name].truth}")
