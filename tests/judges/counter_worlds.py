"""What the files of counter-worlds share: the entry for one card, a generator by name, zoos from a few numbers."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from calibration import Calibration
from simulation import Law, SimulatedPopulation, simulated_zoo

from dbench.claims import CARD_ATTRIBUTE, Claim
from dbench.seeds import generator
from dbench.stats import Estimate, Interval

Build = Callable[[ModuleType], Estimate | Interval]
# Weights of hidden qualities by name, for each score.
Loads = Mapping[str, Mapping[str, float]]
EXACT = "computed exactly from one closed form or one matrix: no world is too small"


@dataclass(frozen=True)
class Worlds:
    """Worlds of one card.

    Attributes:
        file: claim file, as its path below claims/ without the suffix.
        card: name of the card in that file, ``NAME`` or ``NAME['key']``.
        false: takes the claim file, returns the estimate of a world where the finding is false.
        small: the same where there is too little to tell, or the reason why no world is too small.
        calibration: of a claim over trained models.
    """

    file: str
    card: str
    false: Build
    small: Build | str
    calibration: Calibration | None = None


def rows(*table: tuple[str, str, Mapping[str, Any] | Build, Mapping[str, Any] | Build | str]) -> list[Worlds]:
    """Build entries from rows: claim file, card, what its test is given where it is false, and where too small.

    The card's own test makes the estimate, with the card's confidence where it asks for one. A function of the claim
    file stands in place of what the test is given where something else makes it.
    """

    def call(card: str, given: Mapping[str, Any] | Build | str) -> Build | str:
        if not isinstance(given, Mapping):
            return given

        def build(module: ModuleType) -> Interval:
            claim = card_of(module, card)
            test = test_of(module, claim)
            asks = "confidence" in inspect.signature(test).parameters
            return test(**given, **({"confidence": claim.confidence} if asks else {}))

        return build

    return [Worlds(file, card, call(card, false), call(card, small)) for file, card, false, small in table]


def card_of(module: ModuleType, expression: str):
    """Find a card in its claim file by the expression of an entry."""
    name, _, key = expression.partition("[")
    found = getattr(module, name)
    return found[key.strip("]'")] if key else found


def test_of(module: ModuleType, claim: Claim) -> Callable[..., Interval]:
    """Find the first test that covers a card."""
    return next(found for found in vars(module).values() if getattr(found, CARD_ATTRIBUTE, None) is claim)


def rng(name: str) -> np.random.Generator:
    """Return the generator of one world."""
    return generator(test="counter-worlds", world=name)


def calibrated(
    file: str,
    card: str,
    world: Callable[..., Any],
    false: float,
    true: float,
    effects: tuple[float, float],
    at: float,
    at_says: str,
    *,
    few: int = 2,
    given: Mapping[str, Any] | None = None,
    handed: Callable[[Any], Any] = lambda zoo: zoo,
    estimated: Callable[[ModuleType, Any, float], Interval] | None = None,
    false_world: Callable[..., Any] | None = None,
    **calibration: Any,
) -> Worlds:
    """Build the entry of a card over zoos from one family of worlds and the card's own test.

    Args:
        file: claim file.
        card: name of its card; the evidence is the first parameter of its test.
        world: as for the calibration; with defaults for ``seeds`` and ``point_only``.
        false: effect at which the finding is false.
        true: effect at which it holds, but is not seen for want of seeds.
        effects: as for the calibration, and so what follows.
        at: as there.
        at_says: as there.
        few: too few seeds.
        given: other parameters of the test.
        handed: makes of a world what the test expects: a fixture that is called, for one.
        estimated: takes the claim file, a world and a confidence, in place of a test that reads more than its models.
        false_world: family of the world where the finding is false, if another.
        calibration: everything else of the calibration.
    """

    def estimate(module: ModuleType, zoo: Any) -> Estimate | Interval:
        claim = card_of(module, card)
        if estimated:
            return estimated(module, zoo, claim.confidence)
        test = test_of(module, claim)
        asks = "confidence" in inspect.signature(test).parameters  # the old form
        level = {"confidence": claim.confidence} if asks else {}
        return test(handed(zoo), **(dict(claim.given) | dict(given or {})), **level)

    return Worlds(
        file,
        card,
        false=lambda m: estimate(m, (false_world or world)(effect=false, generator=rng(f"{card} false"))),
        small=lambda m: estimate(m, world(effect=true, generator=rng(f"{card} small"), seeds=few)),
        calibration=Calibration(file, card, world, estimate, effects, at, at_says, **calibration),
    )


def asked(zoo: Any) -> Callable[..., Any]:
    """Hand a test that asks for its population, by name or by none, always the same one."""
    return lambda *_: zoo


def quality(scores, load: float) -> dict[str, dict[str, float]]:
    """Let some scores see one hidden quality of a model, all with the same weight."""
    return {score: {"quality": load} for score in scores}


def loaded(loads: Loads, **zoo: Any) -> SimulatedPopulation:
    """Draw a zoo from the weights of hidden qualities in its scores, against noise of 1 and a small seed effect."""
    return simulated_zoo({score: Law(loads=weights, seed=0.2) for score, weights in loads.items()}, **zoo)


def loaded_by(loads_at: Callable[[float], Loads]) -> Callable[..., SimulatedPopulation]:
    """Turn weights as a function of the effect into the worlds of a calibration."""
    return lambda effect, **zoo: loaded(loads_at(effect), **zoo)
