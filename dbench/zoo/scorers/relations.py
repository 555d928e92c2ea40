"""Relation matrices, and every aggregation of each (A Sober Look, section 6.1.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbench.metrics.blend import AGGREGATIONS
from dbench.metrics.relations import entropy
from dbench.zoo.scorers.subject import Scores, Subject

__all__ = ["relations"]


def relations(subject: Subject) -> Scores:
    """The matrices behind mig, dci and sap, and their aggregations.

    Returns:
        ``relation.<kind>``, codes x factors, in nats, shares of a factor's importance, and test accuracies; and
        ``blend.<kind>.<aggregation>``, so that ``blend.mutual_information.mig`` is ``mig``,
        ``blend.importance.dci_disentanglement`` is ``dci`` and ``blend.predictability.sap`` is ``sap``.
    """
    kinds = {"mutual_information": subject.mig, "importance": subject.dci, "predictability": subject.sap}
    entropies, scores = entropy(subject.train.factors), dict[str, float | NDArray[np.float64]]()
    for kind, score in kinds.items():
        assert score.relation is not None
        scores[f"relation.{kind}"] = score.relation
        for name, aggregate in AGGREGATIONS.items():
            scores[f"blend.{kind}.{name}"] = float(aggregate(score.relation, entropies))
    return scores
