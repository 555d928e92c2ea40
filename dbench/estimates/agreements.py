"""Comparisons of UDR, model by model: claims draw partners among them, and leave a seed out as a partner too."""

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput
from dbench.estimates.partly_scored import PartlyScored
from dbench.estimates.population import Population
from dbench.metrics.udr import Relation, udr_scores
from dbench.seeds import generator
from dbench.zoo.arrays import AGREEMENTS


def agreements_of(population: Population, objective: str) -> NDArray[np.float64]:
    """Return the agreement (equation 2, Lasso) of every model of an objective with every other.

    Returns:
        Seeds x strengths x seeds x strengths, complete seeds of the population: model, then its partner. Not
        symmetric; a model's agreement with itself is there too.

    Raises:
        EvidenceLacking: there are no comparisons, or not this objective.
        PartlyScored: not all of these models were compared with each other.
    """
    kept, strengths = population.seeds(), population.strengths(objective)
    place = {run: n for n, run in enumerate(population.done(objective))}
    wanted = [place[float(strength), int(seed)] for seed in kept for strength in strengths]
    models = (len(kept), len(strengths))
    found = population.agreements(objective)[np.ix_(wanted, wanted)].astype(np.float64)
    if np.isnan(found).any():
        raise PartlyScored(population.name, AGREEMENTS)
    return found.reshape(*models, *models)


def median_agreement(
    agreements: NDArray[np.float64],
    *,
    within: NDArray[np.bool_] | None = None,
    comparisons: int | None = None,
    priority: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Score models as :func:`dbench.metrics.udr_scores` does, by the median of their comparisons.

    Args:
        agreements: models x models.
        within: models x models, which pairs may be compared; none of a model with itself.
        comparisons: how many partners each model has, those of the lowest priority; all that it may have by default.
        priority: ... x models x models. Drawn at random, the partners are a sample without replacement; leaving a
            model out changes one of them at most.

    Returns:
        ... x models.

    Raises:
        InvalidInput: a model that may be compared with none, or priorities without a number of comparisons.
    """
    n_models = len(agreements)
    allowed = ~np.eye(n_models, dtype=bool) if within is None else within & ~np.eye(n_models, dtype=bool)
    if not allowed.any(axis=-1).all():
        raise InvalidInput(f"within must leave every model a partner, got none for {(~allowed.any(axis=-1)).sum()}")
    if (comparisons is None) != (priority is None):
        raise InvalidInput("comparisons and priority must be given together, got one of them alone")
    if comparisons is not None and priority is not None:
        order = np.where(allowed, priority, np.inf)
        limit = np.sort(order, axis=-1)[..., [min(comparisons, n_models) - 1]]
        allowed = allowed & (order <= limit)
    count = allowed.sum(axis=-1)[..., None]
    inorder = np.sort(np.where(allowed, agreements, np.inf), axis=-1)  # a tenth of the time of nanmedian
    middle = [np.take_along_axis(inorder, place, axis=-1)[..., 0] for place in ((count - 1) // 2, count // 2)]
    return np.asarray((middle[0] + middle[1]) / 2, dtype=np.float64)


def mean_udr(codes: NDArray[np.float64], relation: Relation, informative: NDArray[np.bool_] | None = None) -> float:
    """Mean UDR of models x observations x codes, all informative by default."""
    flags = np.ones(codes.shape[::2], dtype=np.bool_) if informative is None else informative
    return float(udr_scores(codes, flags, relation=relation, generator=generator(claim="udr")).mean())
