"""The metrics of the papers that compare codes with factors, each with its defaults unless the protocol says."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.metrics.alignment import alignment_collisions
from dbench.metrics.beta_vae_metric import beta_vae_metric
from dbench.metrics.blend import AGGREGATIONS
from dbench.metrics.explicitness import explicitness
from dbench.metrics.factor_vae import factor_vae
from dbench.metrics.irs import irs
from dbench.metrics.linear_accuracy import adjusted_accuracy, linear_accuracies
from dbench.metrics.med import med
from dbench.metrics.modularity import modularity
from dbench.metrics.nk import nk
from dbench.metrics.registry import Score
from dbench.metrics.relations import entropy
from dbench.metrics.sap import sap
from dbench.metrics.snc import snc
from dbench.zoo.scorers import protocol
from dbench.zoo.scorers.subject import Scores, Subject


def _of(part: str, metric: Callable[..., Score]) -> Callable[[Subject], Scores]:
    """Score a part of a subject (``source``, ``sample`` or ``train``) by a metric, with the generator of its name."""
    name = metric.__name__

    def score(subject: Subject) -> Scores:
        return {name: metric(getattr(subject, part), generator=subject.key.generator(name)).value}

    return score


def _mig(subject: Subject) -> Scores:
    relation = subject.mig.relation
    assert relation is not None
    return {"mig": subject.mig.value, "alignment.collisions": float(alignment_collisions(relation))}


def _dci(subject: Subject) -> Scores:
    parts = {f"dci.{name}": subject.dci.details[name] for name in ("completeness", "informativeness")}
    return {"dci": subject.dci.value, **parts}


def _linear_accuracy(subject: Subject) -> Scores:
    # Not by the metric, half of whose time goes to a ceiling that no table holds.
    train, test = subject.sample.split(1 / 3, subject.key.generator("linear_accuracy"))
    return _adjusted("linear_accuracy", linear_accuracies(train, test), subject.sample)


def _adjusted(name: str, accuracy: NDArray[np.float64], sample: Sample) -> Scores:
    adjusted, _ = adjusted_accuracy(accuracy, sample.factors.astype(np.int64))
    return {name: float(adjusted.mean()), f"{name}.factor": adjusted}


def _snc(subject: Subject) -> Scores:
    score = snc(subject.grid)
    assert score.per_factor is not None
    return {"snc": score.value, "snc.factor": score.per_factor}


def _nk(subject: Subject) -> Scores:
    score = nk(
        subject.sample,
        epochs=protocol.KNOCKOUT_EPOCHS,
        falling_from=protocol.KNOCKOUT_RATE,
        generator=subject.key.generator("nk"),
    )
    # Its classifiers of all codes are those of mlp_accuracy, trained on the same split.
    full = np.array([score.details[f"accuracy.{j}"] for j in range(subject.sample.n_factors)])
    assert score.per_factor is not None
    return {"nk": score.value, "nk.factor": score.per_factor, **_adjusted("mlp_accuracy", full, subject.sample)}


def _relations(subject: Subject) -> Scores:
    """The matrices behind mig, dci and sap, and every aggregation of each (A Sober Look, section 6.1.2).

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


SCORERS: dict[str, Callable[[Subject], Scores]] = {
    "mig": _mig,
    "dci": _dci,
    "sap": lambda subject: {"sap": subject.sap.value},
    "sap.r2": lambda subject: {"sap.r2": sap(subject.train, relation="r2").value},
    "factor_vae": _of("source", factor_vae),
    "beta_vae_metric": _of("source", beta_vae_metric),
    "irs": _of("train", irs),
    "modularity": _of("train", modularity),
    "med": _of("train", med),
    "explicitness": _of("sample", explicitness),
    "linear_accuracy": _linear_accuracy,
    "snc": _snc,
    "nk": _nk,
    "relations": _relations,
}
"""Name of a group of scores -> what computes it."""
