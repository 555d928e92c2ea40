"""Rules of the audit, fixed before any metric was looked at: what counts as high, low and the same.

Metrics have different chance levels and cannot all reach 1 by their own protocol, so a score is read on the metric's
own scale: 0 is what codes of noise get, 1 what perfect copies get. A metric of which less is better has its scale
upside down and is read alike.
"""

from __future__ import annotations

from typing import NamedTuple

from dbench.audit.gallery import NOISE_ONLY, PERFECT, REPRESENTATIONS
from dbench.audit.record import Outcome
from dbench.audit.subject import Subject

__all__ = ["BIAS", "CHANCE", "HIGH", "LOW", "SAME", "Scale", "judge_high", "judge_low", "scale_of", "score_of"]

# On the scale from chance (0) to perfect (1):
HIGH = 0.75  # high is above three quarters,
LOW = 0.5  # low is below one half,
SAME = 0.05  # the same is within one twentieth,
BIAS = 0.1  # estimates from fewer observations, or other bins, may differ by a tenth.
# A tenth of the larger: how far a chance level may lie from 0, and perfect copies must lie from chance.
CHANCE = 0.1
DRAWS = 3


class Scale(NamedTuple):
    """Chance and perfect in units of the metric."""

    chance: float
    perfect: float

    @property
    def range(self) -> float:
        """From chance to perfect; negative where less is better."""
        return self.perfect - self.chance

    @property
    def separates(self) -> bool:
        """Whether perfect copies and noise score differently at all."""
        return abs(self.range) > CHANCE * max(abs(self.chance), abs(self.perfect))

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
    """Measure the scale of a metric, unless it is declared: on noise, three draws, and on perfect copies."""
    if subject.scale is not None:
        return Scale(*subject.scale)
    noise = [score_of(subject, NOISE_ONLY, repetition=i) for i in range(DRAWS)]
    return Scale(sum(noise) / DRAWS, score_of(subject, PERFECT))


def _judge(subject: Subject, name: str, bound: float, *, above: bool) -> Outcome:
    scale, value = scale_of(subject), score_of(subject, name)
    word = "above" if above else "below"
    if not scale.separates:
        reason = f"perfect copies score {scale.perfect:.3g} and noise {scale.chance:.3g}: nothing is high or low"
        return Outcome(False, value, f"{word} {bound:g} of the way from noise to perfect copies", reason)
    place = scale.position(value)
    # Where less is better, to be above on the scale is to be below in the metric's own numbers.
    own = word if scale.range > 0 else {"above": "below", "below": "above"}[word]
    expected = f"{own} {scale.value(bound):.3g}, {bound:g} of the way from noise to perfect copies"
    passed = place > bound if above else place < bound
    return Outcome(passed, value, expected, f"{place:.2f} of the way: {REPRESENTATIONS[name].truth}")


def judge_high(subject: Subject, name: str) -> Outcome:
    """Insist on a high score."""
    return _judge(subject, name, HIGH, above=True)


def judge_low(subject: Subject, name: str, bound: float = LOW) -> Outcome:
    """Insist on a low score, or at least one below ``bound``."""
    return _judge(subject, name, bound, above=False)
