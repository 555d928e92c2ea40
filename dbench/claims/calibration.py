"""How often a rule errs: claims judged over thousands of simulated zoos in which we know what is true.

A world has one knob, its effect. The effect at which the finding is false by a hair is found first: there the
statistic, computed over a zoo of very many seeds, lies exactly on the edge that the rule asks it to pass. Then zoos of
the evidence's size are drawn at that effect and judged; each 'reproduced' is a wrong one. The same at the effect that
the paper prints, or at the smallest one worth finding, gives the power.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from scipy.optimize import brentq

from dbench.claims.card import Claim
from dbench.claims.rules import Verdict
from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import Estimate, share_interval

__all__ = ["LARGEST_ERROR", "Calibration", "Frequencies", "calibrate", "edges_of", "effect_at"]

# What a rule may err at its margin.
LARGEST_ERROR = 0.05
# The effect is found to this share of the range it is looked for in.
_PRECISION = 1e-4


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """The worlds of one card.

    Attributes:
        file: claim file, as its path below claims/ without the suffix.
        card: name of the card in that file, ``NAME`` or ``NAME['key']``.
        world: takes ``effect``, ``generator``, ``seeds`` and ``point_only`` by keyword, and returns what ``estimate``
            judges: a simulated population, or several. Must pass ``seeds`` and ``point_only`` on.
        estimate: takes the claim file and that world, returns the estimate as the claim's test makes it.
        effects: two effects; between them the statistic rises or falls throughout, and passes the rule's edge.
        at: value of the statistic at the effect that the power is stated for: the paper's printed one, or the
            smallest one worth finding where it prints none.
        at_says: what ``at`` is, in a few words.
        seeds: seeds of the shipped evidence.
        truth_seeds: seeds of each of the four zoos that tell what is true; fewer where the statistic is slow.
    """

    file: str
    card: str
    world: Callable[..., Any]
    estimate: Callable[[ModuleType, Any], Estimate]
    effects: tuple[float, float]
    at: float
    at_says: str
    seeds: int = 10
    truth_seeds: int = 500


@dataclass(frozen=True)
class Frequencies:
    """Verdicts over the worlds of one truth.

    Attributes:
        place: ``margin`` (the finding is false by a hair) or ``effect``.
        truth: value of the statistic in a zoo of very many seeds.
        effect: the knob's value.
        counts: worlds by verdict.
    """

    place: str
    truth: float
    effect: float
    counts: Mapping[str, int]

    @property
    def worlds(self) -> int:
        """How many worlds were judged."""
        return sum(self.counts.values())

    def share(self, verdict: Verdict = Verdict.REPRODUCED) -> Estimate:
        """Probability of a verdict with the exact 95% interval of what the number of worlds leaves open."""
        return share_interval(self.counts.get(verdict, 0), self.worlds)

    @property
    def errs(self) -> bool:
        """Whether 'reproduced' is shown to be more frequent than a rule may err, where the finding is false."""
        return self.place == "margin" and self.share().low > LARGEST_ERROR


def edges_of(claim: Claim) -> list[float]:
    """Values of the statistic at which the finding is false by a hair: one, or both ends of ``within``."""
    rule = claim.rule
    if rule.direction == "within":
        return [rule.bound, rule.bound + rule.margin]
    return [rule.bound + (rule.margin if rule.direction == "above" else -rule.margin)]


def effect_at(
    calibration: Calibration, module: ModuleType, targets: Sequence[float], *, zoos: int = 4
) -> list[float | None]:
    """Find the effects at which the statistic of very large zoos has these values.

    The same random numbers at every effect, so that the truth moves with the effect alone.

    Args:
        calibration: the worlds.
        module: its claim file.
        targets: values of the statistic.
        zoos: how many large zoos the truth is averaged over. With 4 of 500 seeds it is known to less than a tenth of
            the spread between zoos of ten seeds.

    Returns:
        An effect for each target; ``None`` where the statistic does not take the value between the two ends.
    """

    @cache
    def truth(effect: float) -> float:
        values = []
        for zoo in range(zoos):
            stream = generator(calibration=f"{calibration.file} {calibration.card}", truth=zoo)
            world = calibration.world(effect=effect, generator=stream, seeds=calibration.truth_seeds, point_only=True)
            values.append(calibration.estimate(module, world).value)
        return float(np.mean(values))

    low, high = (float(end) for end in calibration.effects)
    reached = sorted((truth(low), truth(high)))
    return [
        float(brentq(lambda effect, t=target: truth(effect) - t, low, high, xtol=_PRECISION * abs(high - low)))
        if reached[0] <= target <= reached[1]
        else None
        for target in targets
    ]


def calibrate(
    calibration: Calibration, module: ModuleType, claim: Claim, *, worlds: int, zoos: int = 4
) -> list[Frequencies]:
    """Judge a claim in worlds at its margin and at its effect.

    Args:
        calibration: its worlds.
        module: its claim file.
        claim: its card.
        worlds: how many worlds are judged at each place.
        zoos: see :func:`effect_at`.

    Returns:
        One entry for the margin, or two for a rule with two ends of which both can be reached, then one for the effect.

    Raises:
        InvalidInput: no margin lies between the effects, or the effect does not.
    """
    targets = [*edges_of(claim), calibration.at]
    places = ["margin"] * (len(targets) - 1) + ["effect"]
    effects = effect_at(calibration, module, targets, zoos=zoos)
    if all(effect is None for effect in effects[:-1]):
        raise InvalidInput(
            f"effects of {calibration.file} {calibration.card} must lead past the edge of its rule, {claim.rule}: "
            f"got {calibration.effects}, between which the statistic does not reach it"
        )
    if effects[-1] is None:
        raise InvalidInput(
            f"at of {calibration.file} {calibration.card} must be reached between the effects {calibration.effects}, "
            f"got {calibration.at:g}"
        )
    return [
        _judged(place, target, effect, calibration, module, claim, worlds)
        for place, target, effect in zip(places, targets, effects, strict=True)
        if effect is not None
    ]


def _judged(
    place: str, truth: float, effect: float, entry: Calibration, module: ModuleType, claim: Claim, worlds: int
) -> Frequencies:
    counts: Counter[str] = Counter()
    for number in range(worlds):
        stream = generator(calibration=f"{entry.file} {entry.card}", place=place, truth=truth, world=number)
        world = entry.world(effect=effect, generator=stream, seeds=entry.seeds, point_only=False)
        counts[claim.judge(entry.estimate(module, world)).verdict] += 1
    return Frequencies(place, truth, effect, dict(counts))
