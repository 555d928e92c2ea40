"""Relation matrices entry by entry, and every aggregation of each (A Sober Look, section 6.1.2)."""

from __future__ import annotations

from dbench.metrics.blend import AGGREGATIONS
from dbench.metrics.relations import entropy
from dbench.zoo.scorers.subject import Subject

__all__ = ["relations"]


def relations(subject: Subject) -> dict[str, float]:
    """The matrices behind mig, dci and sap, and their aggregations.

    Returns:
        ``relation.<kind>.<factor>.<code>``, in nats, shares of a factor's importance, and test accuracies; and
        ``blend.<kind>.<aggregation>``, so that ``blend.mutual_information.mig`` is ``mig``,
        ``blend.importance.dci_disentanglement`` is ``dci`` and ``blend.predictability.sap`` is ``sap``.
    """
    kinds = {"mutual_information": subject.mig, "importance": subject.dci, "predictability": subject.sap}
    entropies, scores = entropy(subject.train.factors), {}
    for kind, score in kinds.items():
        assert score.relation is not None
        for (code, factor), value in zip(_positions(*score.relation.shape), score.relation.flat, strict=True):
            scores[f"relation.{kind}.{factor}.{code}"] = float(value)
        for name, aggregate in AGGREGATIONS.items():
            scores[f"blend.{kind}.{name}"] = float(aggregate(score.relation, entropies))
    return scores


def _positions(codes: int, factors: int) -> list[tuple[int, int]]:
    return [(code, factor) for code in range(codes) for factor in range(factors)]
