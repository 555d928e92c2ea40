"""Simulated populations: worlds in which we know whether a finding holds, to try a rule on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dbench.claims.population import Population
from dbench.errors import InvalidInput

__all__ = ["Effect", "simulated_population"]

# Takes the objective, its strengths and a generator; returns one seed's scores, one for each strength.
Effect = Callable[[str, NDArray[np.float64], np.random.Generator], NDArray[np.float64]]


def simulated_population(
    effects: Mapping[str, Effect],
    *,
    generator: np.random.Generator,
    seeds: int = 10,
    objectives: Sequence[str] = ("beta_tcvae", "beta_vae"),
    strengths: Sequence[float] = (1, 2, 3, 4, 6, 8),
) -> Population:
    """Draw a population in the shape of an evidence table, seeds independent.

    Args:
        effects: how each score comes about.
        generator: draws the scores.
        seeds: seeds of each setting.
        objectives: names of the objectives.
        strengths: strengths of every objective.
    """
    if not effects or seeds < 1:
        raise InvalidInput(f"a population needs effects and at least one seed, got {len(effects)} and {seeds}")
    values = np.asarray(strengths, dtype=np.float64)
    frames = [
        pd.DataFrame(
            {
                "run": [f"{objective}-{strength:g}-{seed}" for strength in values],
                "objective": objective,
                "strength": values,
                "seed": seed,
                "status": "done",
                "score": score,
                "value": effect(objective, values, generator),
            }
        )
        for score, effect in effects.items()
        for objective in objectives
        for seed in range(seeds)
    ]
    return Population("simulated", pd.concat(frames, ignore_index=True))
