"""The metrics of the papers that compare codes with factors, each with its defaults unless the protocol says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dbench.codes import GridSource, Sample
from dbench.metrics.alignment import alignment_collisions
from dbench.metrics.beta_vae_metric import beta_vae_metric
from dbench.metrics.explicitness import explicitness
from dbench.metrics.factor_vae import factor_vae
from dbench.metrics.irs import irs
from dbench.metrics.linear_accuracy import adjusted_accuracy, linear_accuracies
from dbench.metrics.med import med
from dbench.metrics.modularity import modularity
from dbench.metrics.nk import nk
from dbench.metrics.registry import Score
from dbench.metrics.sap import sap
from dbench.metrics.snc import snc
from dbench.zoo.scorers import protocol
from dbench.zoo.scorers.subject import Scores, Subject

__all__ = ["SCORERS"]


def _mig(subject: Subject) -> dict[str, float]:
    relation = subject.mig.relation
    assert relation is not None
    return {"mig": subject.mig.value, "alignment.collisions": float(alignment_collisions(relation))}


def _dci(subject: Subject) -> dict[str, float]:
    parts = {f"dci.{name}": subject.dci.details[name] for name in ("completeness", "informativeness")}
    return {"dci": subject.dci.value, **parts}


def _sap(subject: Subject) -> dict[str, float]:
    return {"sap": subject.sap.value}


def _sap_r2(subject: Subject) -> dict[str, float]:
    return {"sap.r2": sap(subject.train, relation="r2").value}


def _of_source(metric: Callable[..., Score]) -> Callable[[Subject], dict[str, float]]:
    def score(subject: Subject) -> dict[str, float]:
        source: GridSource = subject.source
        name = metric.__name__
        return {name: metric(source, generator=subject.key.generator(name)).value}

    return score


def _of_train(metric: Callable[..., Score]) -> Callable[[Subject], dict[str, float]]:
    def score(subject: Subject) -> dict[str, float]:
        sample: Sample = subject.train
        name = metric.__name__
        return {name: metric(sample, generator=subject.key.generator(name)).value}

    return score


def _explicitness(subject: Subject) -> dict[str, float]:
    return {"explicitness": explicitness(subject.sample, generator=subject.key.generator("explicitness")).value}


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


SCORERS: dict[str, Callable[[Subject], Scores]] = {
    "mig": _mig,
    "dci": _dci,
    "sap": _sap,
    "sap.r2": _sap_r2,
    "factor_vae": _of_source(factor_vae),
    "beta_vae_metric": _of_source(beta_vae_metric),
    "irs": _of_train(irs),
    "modularity": _of_train(modularity),
    "med": _of_train(med),
    "explicitness": _explicitness,
    "linear_accuracy": _linear_accuracy,
    "snc": _snc,
    "nk": _nk,
}
"""Name of a group of scores -> what computes it."""
