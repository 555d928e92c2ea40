"""Relation matrices of trained models, statistics of them, and scores of every single code."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dbench.estimates.population import Population
from dbench.estimates.zoo_statistics import arrays_of
from dbench.metrics.aggregations import disentanglement_per_code
from dbench.metrics.modularity import modularity_per_code
from dbench.metrics.posterior import ACTIVE as INFORMATIVE

# Nats. Ten codes of 20 bins that know nothing of a factor of 32 values have no mutual information above 0.04 with it in
# a sample of 10,000, which permuting the labels shows (tests/judges/test_relations.py).
HELD = 0.1


def relations_of(population: Population, kind: str, *, objectives: Sequence[str] | None = None) -> NDArray[np.float64]:
    """Return the relation matrix of every model: seeds x settings x codes x factors.

    The kind is ``mutual_information``, ``importance``, ``predictability`` or ``importance_single``. Settings are as
    :func:`dbench.estimates.zoo_statistics.settings_of` has them.

    Raises:
        EvidenceLacking: there is no such matrix.
    """
    return arrays_of(population, f"relation.{kind}", objectives=objectives)


def freely_misaligned(relations: NDArray[np.float64], informative: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether two factors that are held share their most informative code, though codes enough are informative.

    A factor is held where some code has more than :data:`HELD` nats of mutual information with it: the most
    informative of ten codes that know nothing of a factor is one of them by chance. Sharing is forced, and does not
    count, where fewer codes are informative than factors are held.

    Takes the mutual information in nats, ... x codes x factors, and the number of informative codes of each model.
    """
    held = relations.max(axis=-2) > HELD
    best = relations.argmax(axis=-2)
    n_factors = held.shape[-1]
    same = (best[..., :, None] == best[..., None, :]) & held[..., :, None] & held[..., None, :]
    shared = (same & ~np.eye(n_factors, dtype=bool)).any(axis=(-2, -1))
    return np.asarray(shared & (informative >= held.sum(axis=-1)), dtype=np.bool_)


def informative_codes(population: Population) -> NDArray[np.bool_]:
    """Return which codes' divergence from the prior exceeds 0.01 nats, seeds x settings x codes.

    Informative as Duan et al. (2020, equation 3) have it, and :func:`dbench.metrics.informative_codes`.
    """
    return np.asarray(arrays_of(population, "kl.code") > INFORMATIVE)


def information_scores(population: Population) -> NDArray[np.float64]:
    """Return the mutual information score of every code (Ridgeway and Mozer 2018), seeds x settings x codes."""
    relations = relations_of(population, "mutual_information")
    return modularity_per_code(relations.reshape(-1, relations.shape[-1])).reshape(relations.shape[:-1])


def importance_scores(population: Population) -> NDArray[np.float64]:
    """Return the feature importance score of every code (Eastwood and Williams 2018), seeds x settings x codes.

    The importances are those of the forest with one candidate a split, as Suter et al. have it.
    """
    relations = relations_of(population, "importance_single")
    return disentanglement_per_code(relations.reshape(-1, relations.shape[-1])).reshape(relations.shape[:-1])
