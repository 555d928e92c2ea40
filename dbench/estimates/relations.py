"""Relation matrices of trained models, statistics of these matrices, and scores of single codes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dbench.estimates.population import Population
from dbench.estimates.zoo_statistics import arrays_of
from dbench.metrics.aggregations import disentanglement_per_code
from dbench.metrics.modularity import modularity_per_code
from dbench.metrics.posterior import ACTIVE as INFORMATIVE

# Mutual information in nats above which a code holds a factor. In a sample of 10,000, none of ten codes of 20 bins that
# are independent of a factor of 32 values exceeds 0.04, as permuted labels show (tests/judges/test_relations.py).
HELD = 0.1


def relations_of(population: Population, kind: str, *, objectives: Sequence[str] | None = None) -> NDArray[np.float64]:
    """Return the relation matrix of every model: seeds x settings x codes x factors.

    The kind is ``mutual_information``, ``importance``, ``predictability`` or ``importance_single``. Settings are in the
    order of :func:`dbench.estimates.zoo_statistics.settings_of`.

    Raises:
        EvidenceLacking: the population has no such matrix.
    """
    return arrays_of(population, f"relation.{kind}", objectives=objectives)


def freely_misaligned(relations: NDArray[np.float64], informative: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which models let two factors share their most informative code although they need not.

    Only factors that are held count: some code has more than :data:`HELD` nats of mutual information with them. For
    any other factor the most informative code is a matter of chance. A model that holds more factors than it has
    informative codes is forced to share, and does not count.

    Args:
        relations: mutual information in nats, ... x codes x factors.
        informative: number of informative codes of each model.
    """
    held = relations.max(axis=-2) > HELD
    best = relations.argmax(axis=-2)
    n_factors = held.shape[-1]
    same = (best[..., :, None] == best[..., None, :]) & held[..., :, None] & held[..., None, :]
    shared = (same & ~np.eye(n_factors, dtype=bool)).any(axis=(-2, -1))
    return np.asarray(shared & (informative >= held.sum(axis=-1)), dtype=np.bool_)


def informative_codes(population: Population) -> NDArray[np.bool_]:
    """Return which codes are informative, seeds x settings x codes: their KL from the prior exceeds 0.01 nats.

    This is the definition of Duan et al. (2020, equation 3) and of :func:`dbench.metrics.informative_codes`.
    """
    return np.asarray(arrays_of(population, "kl.code") > INFORMATIVE)


def information_scores(population: Population) -> NDArray[np.float64]:
    """Return the mutual information score of every code (Ridgeway and Mozer 2018), seeds x settings x codes."""
    relations = relations_of(population, "mutual_information")
    return modularity_per_code(relations.reshape(-1, relations.shape[-1])).reshape(relations.shape[:-1])


def importance_scores(population: Population) -> NDArray[np.float64]:
    """Return the feature importance score of every code (Eastwood and Williams 2018), seeds x settings x codes.

    The importances are those of a forest that considers one feature at each split, as in Suter et al.
    """
    relations = relations_of(population, "importance_single")
    return disentanglement_per_code(relations.reshape(-1, relations.shape[-1])).reshape(relations.shape[:-1])
