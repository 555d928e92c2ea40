"""One check of a metric, its result, and the rules of docs/audit.md: which scores count as high, low or the same."""

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
        expected: the rule that it was judged by.
        reason: what happened, in one line.
        reference: place in the papers; empty where it is in none.
        deviation: why this failure is expected; empty where it is not.
        hint: the likely mistake that the scores point to; empty where they point to none.
        like: the metric of dbench that it was compared with, or empty; that metric's status and value follow.
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
    """What a check returns: whether it passed (``None``: not applicable); the rest as in :class:`CheckResult`."""

    passed: bool | None
    value: float | None
    expected: str
    reason: str
    hint: str = ""


@dataclass(frozen=True)
class Check:
    """A check: one question to a metric, called with the :class:`Subject`."""

    family: str
    case: str  # the representation or variant; empty if the family has one check only
    ask: Callable[[Subject], Answer]  # computes scores and judges them; __call__ handles failures of the metric
    reference: str = ""  # place in the papers

    @property
    def name(self) -> str:
        """``family[case]``."""
        return f"{self.family}[{self.case}]" if self.case else self.family

    def __call__(self, subject: Subject) -> CheckResult:
        """Run the check; a metric that fails gives a record with status ``error``."""
        try:
            passed, value, expected, reason, hint = self.ask(subject)
            status: Status = "pass" if passed else "fail"
            if passed is None:
                status = "not applicable"
        except MetricFailed as error:
            status, value, expected, reason, hint = "error", None, "a finite number", str(error), ""
        names = (subject.name, self.name, self.family)
        return CheckResult(*names, status, value, expected, reason, self.reference, hint=hint)


# Positions and distances on the scale from chance (0) to perfect (1).
HIGH = 0.75
LOW = 0.5
SAME = 0.05
BIAS = 0.1  # how far scores from fewer observations, or other bins, may differ
# Shares of the larger of both scores: chance may lie so far from 0, and perfect copies must lie so far from chance.
CHANCE = 0.1
# Draws of noise, and of perfect copies. By luck alone, all five of one kind are larger in 1 case of 252.
DRAWS = 5


class Scale(NamedTuple):
    """The scores of chance and of perfect copies, and whether the second is clearly better."""

    chance: float
    perfect: float
    separates: bool

    @property
    def range(self) -> float:
        """The perfect score less the chance score; negative where less is better."""
        return self.perfect - self.chance

    @property
    def unit(self) -> float:
        """Unit of differences: the size of the range, or that of the scores where the metric does not separate."""
        return abs(self.range) if self.separates else max(abs(self.chance), abs(self.perfect)) or 1.0

    def position(self, value: float) -> float:
        """Return where a score lies on the scale from chance (0) to perfect (1); only for a metric that separates."""
        return (value - self.chance) / self.range

    def value(self, position: float) -> float:
        """Return the score at a position on the scale."""
        return self.chance + position * self.range


def score_of(subject: Subject, name: str, **how: int) -> float:
    """Score a representation of the gallery."""
    return subject.score(name, REPRESENTATIONS[name].source, **how)


def scale_of(subject: Subject) -> Scale:
    """Return the scale on which scores are placed: the declared one, or else the measured one."""
    return measured_scale(subject) if subject.scale is None else Scale(*subject.scale, separates=True)


def measured_scale(subject: Subject) -> Scale:
    """Measure chance and perfect: the means of draws of noise and of perfect copies."""
    noise = [score_of(subject, NOISE_ONLY, repetition=i) for i in range(DRAWS)]
    copies = [score_of(subject, PERFECT, repetition=i) for i in range(DRAWS)]
    chance, perfect = sum(noise) / DRAWS, sum(copies) / DRAWS
    sign = subject.direction
    apart = min(sign * score for score in copies) > max(sign * score for score in noise)
    return Scale(chance, perfect, apart and abs(perfect - chance) > CHANCE * max(abs(chance), abs(perfect)))


def judge(subject: Subject, name: str, bound: float, *, above: bool) -> Answer:
    """Ask whether a score lies above or below a position on the scale."""
    scale, value = scale_of(subject), score_of(subject, name)
    word = "above" if above else "below"
    if not scale.separates:
        reason = f"noise scores {scale.chance:.3g}, perfect copies {scale.perfect:.3g}: nothing is high or low"
        return Answer(False, value, f"{word} {bound:g} of the way from noise to perfect copies", reason)
    position = scale.position(value)
    if not scale.range > 0:  # where less is better, above on the scale means below in the metric's own numbers
        word = "below" if above else "above"
    expected = f"{word} {scale.value(bound):.3g}, {bound:g} of the way from noise to perfect copies"
    passed = position > bound if above else position < bound
    return Answer(passed, value, expected, f"{position:.2f} of the way: {REPRESENTATIONS[name].truth}")
