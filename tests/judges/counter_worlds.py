"""What the files of counter-worlds share: the entry for one card, a generator by name, zoos from a few numbers."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
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
    """The world of one card where its finding is false.

    Attributes:
        file: claim file, as its path below claims/ without the suffix.
        card: name of the card in that file.
        false: takes the claim file, returns the estimate of a world where the finding is false.
    """

    file: str
    card: str
    false: Build


def rows(*table) -> list[Worlds]:
    """Build entries from rows: claim file, card, what its test is given where it is false."""

    def call(card: str, given: Mapping[str, Any] | Build) -> Build:
        if not isinstance(given, Mapping):
            return given

        def build(module: ModuleType) -> Interval:
            claim = card_of(module, card)
            test = test_of(module, claim)
            asks = "confidence" in inspect.signature(test).parameters
            return test(**given, **({"confidence": claim.confidence} if asks else {}))

        return build

    return [Worlds(file, card, call(card, false)) for file, card, false, *_ in table]


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
    *_: Any,
    given: Mapping[str, Any] | None = None,
    handed: Callable[[Any], Any] = lambda zoo: zoo,
    estimated: Callable[[ModuleType, Any, float], Interval] | None = None,
    false_world: Callable[..., Any] | None = None,
    **__: Any,
) -> Worlds:
    """Build the entry of a card over trained models; what else stands in a row is the calibration's."""

    def estimate(module: ModuleType, zoo: Any) -> Estimate | Interval:
        claim = card_of(module, card)
        if estimated:
            return estimated(module, zoo, claim.confidence)
        test = test_of(module, claim)
        asks = "confidence" in inspect.signature(test).parameters  # the old form
        level = {"confidence": claim.confidence} if asks else {}
        return test(handed(zoo), **(dict(claim.given) | dict(given or {})), **level)

    return Worlds(
        file, card, lambda m: estimate(m, (false_world or world)(effect=false, generator=rng(f"{card} false")))
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
