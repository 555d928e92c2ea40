"""How many models or codes a filter removes: a result 'without collapsed models' may be that with all of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dbench.errors import DbenchError
from dbench.estimates.population import Population
from dbench.estimates.zoo_among import Among
from dbench.estimates.zoo_statistics import settings_of
from dbench.stats import Estimate, Interval


class NothingLeftOut(DbenchError):
    """A filter removes nothing, so that the judgement would repeat the one without it."""


def kept_by(population: Population, among: Among, *, objectives: Sequence[str] | None = None) -> np.ndarray:
    """Return which models of the complete seeds a filter keeps."""
    return np.asarray(settings_of(population, among[0], objectives=objectives) >= among[1])


def filtered(estimate: Estimate | Interval, kept: ArrayLike) -> Any:
    """Return an estimate over the candidates kept, an array of any shape, with the number that a filter removed.

    Raises:
        NothingLeftOut: every candidate is kept.

    Example:
        >>> from dbench.stats import exact
        >>> filtered(exact(0.5), [True, False, True]).left_out
        (1, 3)
    """
    every = np.asarray(kept, dtype=bool)
    if every.all():
        raise NothingLeftOut(f"the filter removes none of {every.size}: the same judgement as without it")
    return replace(estimate, left_out=(int((~every).sum()), every.size))
