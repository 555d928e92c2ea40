"""What the files of counter-worlds share: the entry for one card, a generator by name, a simulated population."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from calibration import Calibration
from simulation import Law, SimulatedPopulation, simulated_population, simulated_zoo

from dbench.claims import CARD_ATTRIBUTE, Claim
from dbench.seeds import generator
from dbench.stats import Estimate

Build = Callable[[ModuleType], Estimate]
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
    """

    file: str
    card: str
    false: Build
    small: Build | str


def by_test(*rows: tuple[str, str, Mapping[str, Any], Mapping[str, Any] | str]) -> list[Worlds]:
    """Build entries from rows: claim file, card, what its test is given where it is false, and where too small.

    The card's own test makes the estimate, with the card's confidence where it asks for one.
    """

    def call(card: str, given: Mapping[str, Any]) -> Build:
        def build(module: ModuleType) -> Estimate:
            claim = card_of(module, card)
            test = test_of(module, claim)
            asks = "confidence" in inspect.signature(test).parameters
            return test(**given, **({"confidence": claim.confidence} if asks else {}))

        return build

    return [
        Worlds(file, card, call(card, false), small if isinstance(small, str) else call(card, small))
        for file, card, false, small in rows
    ]


def card_of(module: ModuleType, expression: str):
    """Find a card in its claim file by the expression of an entry."""
    name, _, key = expression.partition("[")
    found = getattr(module, name)
    return found[key.strip("]'")] if key else found


def test_of(module: ModuleType, claim: Claim) -> Callable[..., Estimate]:
    """Find the first test that covers a card."""
    return next(found for found in vars(module).values() if getattr(found, CARD_ATTRIBUTE, None) is claim)


def rng(name: str) -> np.random.Generator:
    """Return the generator of one world."""
    return generator(test="counter-worlds", world=name)


def calibrated(
    file: str,
    card: str,
    world: Callable[..., Any],
    *,
    false: float,
    true: float,
    few: int = 2,
    effects: tuple[float, float] | None = None,
    given: Mapping[str, Any] | None = None,
    handed: Callable[[Any], Any] = lambda zoo: zoo,
    estimated: Callable[[ModuleType, Any, float], Estimate] | None = None,
    false_world: Callable[..., Any] | None = None,
    **calibration: Any,
) -> tuple[Worlds, Calibration]:
    """Build both entries of a card over zoos from one family of worlds and the card's own test.

    Args:
        file: claim file.
        card: name of its card; the evidence is the first parameter of its test.
        world: as for the calibration; with defaults for ``seeds`` and ``point_only``.
        false: effect at which the finding is false.
        true: effect at which it holds, but is not seen for want of seeds.
        few: too few seeds.
        effects: as for the calibration; false and true unless given.
        given: other parameters of the test.
        handed: makes of a world what the test expects: a fixture that is called, for one.
        estimated: takes the claim file, a world and a confidence, in place of a test that reads more than its models.
        false_world: family of the world where the finding is false, if another.
        calibration: everything else of the calibration.
    """

    def estimate(module: ModuleType, zoo: Any) -> Estimate:
        claim = card_of(module, card)
        if estimated:
            return estimated(module, zoo, claim.confidence)
        return test_of(module, claim)(handed(zoo), **(given or {}), confidence=claim.confidence)

    worlds = Worlds(
        file,
        card,
        false=lambda m: estimate(m, (false_world or world)(effect=false, generator=rng(f"{card} false"))),
        small=lambda m: estimate(m, world(effect=true, generator=rng(f"{card} small"), seeds=few)),
    )
    ends = effects or (false, true)
    return worlds, Calibration(file=file, card=card, world=world, estimate=estimate, effects=ends, **calibration)


def asked(zoo: Any) -> Callable[..., Any]:
    """Hand a test that asks for its population by name always the same one."""
    return lambda *_: zoo


def population(seeds: int = 10, **effects):
    """Simulate the runs table of a population whose scores are these functions."""
    return simulated_population(effects, generator=rng(",".join(effects)), seeds=seeds)


def trend(slope: float, noise: float = 1.0):
    """Let a score rise with the strength."""
    return lambda objective, strengths, stream: slope * strengths + noise * stream.standard_normal(len(strengths))


def quality(scores, load: float) -> dict[str, dict[str, float]]:
    """Let some scores see one hidden quality of a model, all with the same weight."""
    return {score: {"quality": load} for score in scores}


def loaded(
    loads: Loads, stream: np.random.Generator | str, *, seeds: int = 10, point_only: bool = False
) -> SimulatedPopulation:
    """Draw a zoo from the weights of hidden qualities in its scores, against noise of 1 and a small seed effect.

    Args:
        loads: weights of the qualities in each score.
        stream: the generator, or the name of the world.
        seeds: seeds of each setting.
        point_only: as of ``simulated_zoo``.
    """
    laws = {score: Law(loads=weights, seed=0.2) for score, weights in loads.items()}
    drawn = rng(stream) if isinstance(stream, str) else stream
    return simulated_zoo(laws, generator=drawn, seeds=seeds, point_only=point_only)


def loaded_by(loads_at: Callable[[float], Loads]) -> Callable[..., SimulatedPopulation]:
    """Turn weights as a function of the effect into the worlds of a calibration."""
    return lambda effect, generator, seeds=10, point_only=False: loaded(
        loads_at(effect), generator, seeds=seeds, point_only=point_only
    )
