"""What a trained run is scored on, from the codes of every grid point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes import GridSource, Sample
from dbench.data import DataSet
from dbench.metrics.alignment import alignment_collisions
from dbench.metrics.dci import dci
from dbench.metrics.factor_vae import factor_vae
from dbench.metrics.gaussian_total_correlation import gaussian_total_correlation
from dbench.metrics.linear_accuracy import adjusted_accuracy
from dbench.metrics.mig import mig
from dbench.metrics.nk import nk
from dbench.metrics.posterior import kl_per_code
from dbench.metrics.sap import sap
from dbench.metrics.snc import snc
from dbench.zoo.keys import RunKey

__all__ = ["ACTIVE", "SCORERS", "SCORING", "SCORING_SCHEMA", "VERSIONS", "Subject", "subject_of"]

SCORING_SCHEMA = 1
"""Raised when the scores of every group change, or the form they are stored in; all are computed again."""

ACTIVE = 0.01
"""Nats of divergence from the prior above which a code counts as informative (Duan et al. 2020, equation 3)."""

_TRAIN, _TEST, _NK_EPOCHS = 10_000, 5_000, 75

SCORING: dict[str, str] = {
    "sample": f"{_TRAIN} + {_TEST} points drawn with replacement from the grid, mean codes",
    "dci": "a small random forest instead of boosted trees",
    "sap": "linear support vector machines",
    "snc": "every point of the grid",
    "nk": f"{_NK_EPOCHS} epochs as in the paper, in batches of 128, which it does not give",
    "mlp_accuracy": "the classifiers of all codes that nk trains, so the same split and batches",
    "gaussian_tc": f"{_TRAIN} points; sampled codes are one draw from each posterior",
    "active": f"codes with more than {ACTIVE} nats of divergence from the prior, over the grid",
    "udr": "10000 points, the same for all models of a data set; all: all models of one objective",
}
"""Choices behind the scores of the table that the papers leave open or make otherwise."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A run as its scorers see it.

    Attributes:
        key: which run.
        source: its mean codes, to be asked for any factors.
        grid: mean codes and factors of every grid point.
        sample: mean codes of 15,000 random points.
        train: the first 10,000 of them.
        sampled: codes drawn from the posteriors of the points of ``train``.
        kl: divergence from the prior of each code, over the grid.
        trained: scores that training itself gave.
    """

    key: RunKey
    source: GridSource
    grid: Sample
    sample: Sample
    train: Sample
    sampled: Sample
    kl: NDArray[np.float64]
    trained: Mapping[str, float]

    @property
    def active(self) -> NDArray[np.int64]:
        """Positions of the informative codes."""
        return np.flatnonzero(self.kl > ACTIVE)


def subject_of(key: RunKey, data: DataSet, codes: Mapping[str, NDArray[Any]], trained: Mapping[str, float]) -> Subject:
    """Prepare a run for scoring.

    Args:
        key: which run; its generators draw the points and the noise.
        data: the data set it was trained on.
        codes: ``mean`` and ``logvar`` of every grid point, N x d.
        trained: scores from training.
    """
    mean, logvar = (codes[name].astype(np.float64) for name in ("mean", "logvar"))
    factors, names = data.grid(), data.factor_names
    rows = key.generator("score").integers(len(factors), size=_TRAIN + _TEST)
    first = rows[:_TRAIN]
    noise = key.generator("sampled").standard_normal((_TRAIN, mean.shape[1]))
    return Subject(
        key=key,
        source=GridSource(mean, data.factor_sizes, names),
        grid=Sample(mean, factors, names),
        sample=Sample(mean[rows], factors[rows], names),
        train=Sample(mean[first], factors[first], names),
        sampled=Sample(mean[first] + np.exp(logvar[first] / 2) * noise, factors[first], names),
        kl=kl_per_code(mean, logvar),
        trained=trained,
    )


def _posterior(subject: Subject) -> dict[str, float]:
    per_code = {f"kl.{i}": float(value) for i, value in enumerate(subject.kl)}
    return {**subject.trained, **per_code, "kl.informative": float(len(subject.active))}


def _gaussian_tc(subject: Subject) -> dict[str, float]:
    scores = {}
    for name, sample in (("mean", subject.train), ("sampled", subject.sampled)):
        scores[f"gaussian_tc.{name}"] = gaussian_total_correlation(sample.codes).value
        # One code alone, or none, has no total correlation.
        active = sample.codes[:, subject.active]
        several = active.shape[1] > 1
        scores[f"gaussian_tc.{name}.active"] = gaussian_total_correlation(active).value if several else 0.0
    return scores


def _mig(subject: Subject) -> dict[str, float]:
    score = mig(subject.train)
    assert score.relation is not None
    return {"mig": score.value, "alignment.collisions": float(alignment_collisions(score.relation))}


def _dci(subject: Subject) -> dict[str, float]:
    score = dci(subject.sample, estimator="forest", generator=subject.key.generator("dci"))
    parts = {f"dci.{name}": score.details[name] for name in ("completeness", "informativeness")}
    return {"dci": score.value, **parts}


def _sap(subject: Subject) -> dict[str, float]:
    return {"sap": sap(subject.sample, generator=subject.key.generator("sap")).value}


def _factor_vae(subject: Subject) -> dict[str, float]:
    return {"factor_vae": factor_vae(subject.source, generator=subject.key.generator("factor_vae")).value}


def _per_factor(name: str, values: NDArray[np.float64] | None) -> dict[str, float]:
    assert values is not None
    return {f"{name}.{j}": float(value) for j, value in enumerate(values)}


def _snc(subject: Subject) -> dict[str, float]:
    score = snc(subject.grid)
    return {"snc": score.value, **_per_factor("snc", score.per_factor)}


def _nk(subject: Subject) -> dict[str, float]:
    score = nk(subject.sample, epochs=_NK_EPOCHS, generator=subject.key.generator("nk"))
    # Its classifiers of all codes are those of mlp_accuracy, trained on the same split.
    full = np.array([score.details[f"accuracy.{j}"] for j in range(subject.sample.n_factors)])
    adjusted, _ = adjusted_accuracy(full, subject.sample.factors.astype(np.int64))
    return {
        "nk": score.value,
        **_per_factor("nk", score.per_factor),
        "mlp_accuracy": float(adjusted.mean()),
        **_per_factor("mlp_accuracy", adjusted),
    }


SCORERS: dict[str, Callable[[Subject], dict[str, float]]] = {
    "posterior": _posterior,
    "gaussian_tc": _gaussian_tc,
    "mig": _mig,
    "dci": _dci,
    "sap": _sap,
    "factor_vae": _factor_vae,
    "snc": _snc,
    "nk": _nk,
}
"""Name of a group of scores -> what computes it; each draws from generators of the run's key only."""

VERSIONS: dict[str, int] = {"snc": 2, "nk": 2}
"""Group -> version of what it computes, 1 where it is not named; stored groups of another version are not used."""
