"""Scores of every single code of trained models."""

import numpy as np
from numpy.typing import NDArray

from dbench.estimates.population import Population
from dbench.estimates.relations import relations_of
from dbench.estimates.zoo_statistics import arrays_of
from dbench.metrics.aggregations import disentanglement_per_code
from dbench.metrics.modularity import modularity_per_code
from dbench.metrics.posterior import ACTIVE as INFORMATIVE


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
