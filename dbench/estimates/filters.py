"""Filters and how many models or codes they remove: 'without collapsed models' may turn out to mean all models."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from dbench.estimates.population import Population
from dbench.estimates.zoo_among import Among
from dbench.estimates.zoo_statistics import settings_of
from dbench.stats import Estimate


def kept_by(population: Population, among: Among, *, objectives: Sequence[str] | None = None) -> np.ndarray:
    """Return which models of the complete seeds a filter keeps, seeds x settings."""
    return np.asarray(settings_of(population, among[0], objectives=objectives) >= among[1])


def filtered(estimate: Estimate, kept: ArrayLike) -> Estimate:
    """Return an estimate with the number of candidates that a filter removed; ``kept`` has any shape, True for kept.

    Example:
        >>> from dbench.stats import exact
        >>> filtered(exact(0.5), [True, False, True]).left_out
        (1, 3)
        >>> filtered(exact(0.5), [True, True]).left_out
    """
    mask = np.asarray(kept, dtype=bool)
    return estimate if mask.all() else replace(estimate, left_out=(int((~mask).sum()), mask.size))
