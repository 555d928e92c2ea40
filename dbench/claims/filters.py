"""What a filter on models removes, for the record: a judgement 'without collapsed models' may be that with all."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dbench.claims.population import Population
from dbench.claims.zoo_among import Among
from dbench.claims.zoo_statistics import settings_of

__all__ = ["removed", "removed_text"]


def removed(population: Population, among: Among | None, *, objectives: list[str] | None = None) -> tuple[str, ...]:
    """Say how many models a filter removes, as a deviation to put beside the population's.

    Args:
        population: the evidence table; its complete seeds count.
        among: a score and the least value that a model must have to be counted; nothing is said where no filter is.
        objectives: which objectives' models; all by default.

    Example:
        >>> from dbench.claims.simulation import Law, simulated_zoo
        >>> from dbench.claims.zoo_among import SEVERAL_ACTIVE
        >>> zoo = simulated_zoo({"kl.informative": Law(mean=3, noise=0)}, generator=np.random.default_rng(0), seeds=5)
        >>> removed(zoo, SEVERAL_ACTIVE)
        ('The filter removes none of the 180 models: the same judgement as with all.',)
    """
    if among is None:
        return ()
    return (removed_text(settings_of(population, among[0], objectives=objectives) >= among[1]),)


def removed_text(kept: ArrayLike, what: str = "models") -> str:
    """Say of how many of a filter's candidates it removes how many.

    Args:
        kept: whether each is counted, in any shape.
        what: what they are, in the plural.
    """
    every = np.asarray(kept, dtype=bool)
    gone = int((~every).sum())
    if not gone:
        return f"The filter removes none of the {every.size} {what}: the same judgement as with all."
    return f"The filter removes {gone} of the {every.size} {what}."
