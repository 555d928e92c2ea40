"""What the files of counter-worlds share: the entry for one card, a generator by name, a simulated population."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from dbench.claims.simulation import simulated_population
from dbench.seeds import generator
from dbench.stats import Estimate

__all__ = ["EXACT", "Worlds", "card_of", "population", "rng", "trend"]

Build = Callable[[ModuleType], Estimate]
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


def card_of(module: ModuleType, expression: str):
    """Find a card in its claim file by the expression of an entry."""
    name, _, key = expression.partition("[")
    found = getattr(module, name)
    return found[key.strip("]'")] if key else found


def rng(name: str) -> np.random.Generator:
    """Return the generator of one world."""
    return generator(test="counter-worlds", world=name)


def population(seeds: int = 10, **effects):
    """Simulate the runs table of a population whose scores are these functions."""
    return simulated_population(effects, generator=rng(",".join(effects)), seeds=seeds)


def trend(slope: float, noise: float = 1.0):
    """Let a score rise with the strength."""
    return lambda objective, strengths, stream: slope * strengths + noise * stream.standard_normal(len(strengths))
