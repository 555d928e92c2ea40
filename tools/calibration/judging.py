"""How often a rule errs: claims judged over thousands of simulated zoos in which we know what is true.

A world has one knob, its effect. The effect at which the finding is false by a hair is found first: there the
statistic, computed over a zoo of very many seeds, lies exactly on the edge that the rule asks it to pass. Then zoos of
the evidence's size are drawn at that effect and judged; each 'reproduced' is a wrong one. The same at the effect that
the paper prints, or at the smallest one worth finding, gives the power.

Where the margin lies is itself estimated. An error there moves every verdict the same way, and no number of worlds
shows it: a margin placed off by a fifth of the spread between zoos turns 2.5% into 1.5% or 4%. So it is placed by
thousands of seeds (:func:`sharpened`), and how well is reported (:attr:`Frequencies.blur`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from calibration.row import Row
from dbench.claims.card import Claim
from dbench.claims.rules import Verdict
from dbench.errors import InvalidInput
from dbench.stats import Interval, share_of

# What a rule may err at its margin.
LARGEST_ERROR = 0.05
# Of a margin that is known worse than to this share of the spread between worlds nothing is said.
_LARGEST_BLUR = 0.5
# The effect is found to this share of the range it is looked for in.
_PRECISION = 1e-4
# Zoos that find a margin roughly; those that place it are others, so that what the first ones owe to chance is gone.
_ROUGH = 4


@dataclass(frozen=True)
class Place:
    """Where worlds are judged.

    Attributes:
        name: ``margin`` (the finding is false by a hair) or ``effect``.
        truth: value that the statistic of a zoo of very many seeds should have there.
        effect: the knob's value.
        error: standard error of that value; NaN where it was not measured.
    """

    name: str
    truth: float
    effect: float
    error: float = math.nan


@dataclass(frozen=True)
class Frequencies:
    """Verdicts over the worlds of one truth.

    Attributes:
        place: name of their place; its truth, effect and error are those of :class:`Place`.
        counts: worlds by verdict.
        spread: standard deviation of the estimates between worlds.
    """

    place: str
    truth: float
    effect: float
    counts: Mapping[str, int]
    error: float = math.nan
    spread: float = math.nan

    @property
    def worlds(self) -> int:
        """How many worlds were judged."""
        return sum(self.counts.values())

    def share(self, *verdicts: Verdict) -> Interval:
        """Probability of 'reproduced', or of one of some verdicts, with the exact 95% interval the worlds leave."""
        chosen = verdicts or (Verdict.REPRODUCED,)
        return share_of(sum(self.counts.get(verdict, 0) for verdict in chosen), self.worlds).at(0.95)

    @property
    def wrong(self) -> tuple[Interval, Interval]:
        """Probability of 'reproduced', and of a verdict that refutes: at the margin either is an error."""
        return self.share(), self.share(*(verdict for verdict in Verdict if verdict.refutes))

    @property
    def errs(self) -> bool:
        """Whether either error is shown to be more frequent than a rule may err, where the truth is on the edge."""
        return self.place == "margin" and self.placed and max(share.low for share in self.wrong) > LARGEST_ERROR

    @property
    def blur(self) -> float:
        """How well the truth is known, as a share of the spread between worlds."""
        return self.error / self.spread if self.spread > 0 else math.nan

    @property
    def placed(self) -> bool:
        """Whether the truth is known well enough to count errors; a statistic may jump over the edge of its rule."""
        return not self.blur > _LARGEST_BLUR

    def __add__(self, other: Frequencies) -> Frequencies:
        """Worlds of the same place, judged apart."""
        if (self.place, self.truth, self.effect) != (other.place, other.truth, other.effect):
            raise InvalidInput(f"worlds to be counted together must be of one place, got {self} and {other}")
        counts = dict(Counter(self.counts) + Counter(other.counts))
        squares = self.worlds * self.spread**2 + other.worlds * other.spread**2
        return replace(self, counts=counts, spread=math.sqrt(squares / (self.worlds + other.worlds)))


def _values(row: Row, effect: float, zoos: Iterable[int]) -> NDArray[np.float64]:
    """Statistic of very large zoos; the same random numbers at every effect, so that it moves with the effect alone."""
    return np.array([row.estimate(row.draw_many(effect, truth=zoo)).value for zoo in zoos])


def effect_at(row: Row, targets: Sequence[float], *, zoos: int = _ROUGH) -> list[float | None]:
    """Find the effects at which the statistic of very large zoos has these values.

    The truth is averaged over so many zoos: with 4 of 500 seeds its standard error is a fourteenth of the spread
    between zoos of ten seeds; with 4 of 50 it is a fifth, which :func:`sharpened` is for. ``None`` stands where the
    statistic does not take the value between the two ends.
    """

    @cache
    def truth(effect: float) -> float:
        return float(_values(row, effect, range(zoos)).mean())

    def found(target: float) -> float:
        return float(brentq(lambda effect: truth(effect) - target, low, high, xtol=_PRECISION * abs(high - low)))

    low, high = row.effects
    reached = sorted((truth(low), truth(high)))
    return [found(target) if reached[0] <= target <= reached[1] else None for target in targets]


def places_of(row: Row, claim: Claim, *, zoos: int = _ROUGH) -> list[Place]:
    """Find where a claim is to be judged: the margin, or both that a rule with two ends can reach, then the effect.

    The effect may lie out of reach of heavy-tailed worlds: the effects of a row are chosen in normal ones.

    Raises:
        InvalidInput: no margin lies between the effects, or of normal worlds the effect does not.
    """
    targets = [*(end for end in (claim.rule.low, claim.rule.high) if math.isfinite(end)), row.at]
    names = ["margin"] * (len(targets) - 1) + ["effect"]
    effects = effect_at(row, targets, zoos=zoos)
    if all(effect is None for effect in effects[:-1]):
        raise InvalidInput(
            f"effects of {row.file} {row.name} must lead past the edge of its rule, {claim.rule}: "
            f"got {row.effects}, between which the statistic does not reach it"
        )
    if effects[-1] is None and not row.heavy_tails:
        raise InvalidInput(
            f"at of {row.file} {row.name} must be reached between the effects {row.effects}, got {row.at:g}"
        )
    found = zip(names, targets, effects, strict=True)
    return [Place(name, target, effect) for name, target, effect in found if effect is not None]


def sharpened(row: Row, place: Place, *, seeds: int = 16_000) -> Place:
    """Move a place to where zoos of this many seeds together, none of which found it, say that it lies.

    Starts from the rough place and follows the slope there until what is left is small beside the standard error, no
    farther than a twentieth of the range; of a statistic that moves in steps the nearest place that was met is kept.
    With 16,000 seeds that error is a fortieth of the spread between zoos of ten: 5% may then truly be 4.8 or 5.3%.
    """
    zoos = range(_ROUGH, _ROUGH + max(2, math.ceil(seeds / row.truth_seeds)))
    ends = sorted(row.effects)
    step = 0.02 * (ends[1] - ends[0])
    effect, nearby = place.effect, place.effect + (step if place.effect + step <= ends[1] else -step)
    there, beside = (float(_values(row, at, range(_ROUGH)).mean()) for at in (effect, nearby))
    near = [place.effect - 0.05 * (ends[1] - ends[0]), place.effect + 0.05 * (ends[1] - ends[0])]
    ends = [max(ends[0], near[0]), min(ends[1], near[1])]
    slope, met = (beside - there) / (nearby - effect), list[tuple[float, float, float]]()
    while True:
        values = _values(row, effect, zoos)
        off, error = float(values.mean()) - place.truth, float(values.std(ddof=1)) / math.sqrt(len(values))
        met.append((abs(off), effect, math.hypot(error, off)))
        if abs(off) <= 0.2 * error or slope == 0 or len(met) == 4:
            _, effect, error = min(met)
            return replace(place, effect=effect, error=error)
        effect = min(max(effect - off / slope, ends[0]), ends[1])


def judged(row: Row, claim: Claim, place: Place, numbers: Iterable[int]) -> Frequencies:
    """Judge a claim in the worlds of these numbers; the same number is the same world every time."""
    counts: Counter[str] = Counter()
    values = []
    for number in numbers:
        estimate = row.estimate(row.draw(place.effect, place=place.name, truth=place.truth, world=number))
        values.append(estimate.value)
        counts[claim.judge(estimate).verdict] += 1
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    return Frequencies(place.name, place.truth, place.effect, dict(counts), place.error, spread)


def calibrate(row: Row, claim: Claim, *, worlds: int, zoos: int = _ROUGH) -> list[Frequencies]:
    """Judge a claim in the same number of worlds at each of :func:`places_of`, placed roughly; in that order."""
    return [judged(row, claim, place, range(worlds)) for place in places_of(row, claim, zoos=zoos)]
