"""What the families of simulated models share: qualities that scores see, a generator by name."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from dbench.estimates.simulated import Law, SimulatedPopulation, simulated_zoo
from dbench.seeds import generator

# Weights of hidden qualities by name, for each score.
Loads = Mapping[str, Mapping[str, float]]


def rng(name: str) -> np.random.Generator:
    """Return the generator of what is the same in every world."""
    return generator(test="counter-worlds", world=name)  # its name when the page was first written


def quality(scores: Iterable[str], load: float) -> dict[str, dict[str, float]]:
    """Let some scores see one hidden quality of a model, all with the same weight."""
    return {score: {"quality": load} for score in scores}


def loaded(loads: Loads, **zoo: Any) -> SimulatedPopulation:
    """Draw models from the weights of hidden qualities in their scores, against noise of 1 and a small seed effect."""
    return simulated_zoo({score: Law(loads=weights, seed=0.2) for score, weights in loads.items()}, **zoo)


def loaded_by(loads_at: Callable[[float], Loads]) -> Callable[..., SimulatedPopulation]:
    """Turn weights as a function of the effect into a family."""

    def world(effect: float, **zoo: Any) -> SimulatedPopulation:
        return loaded(loads_at(effect), **zoo)

    return world
