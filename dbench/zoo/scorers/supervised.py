"""The metrics of the papers that compare codes with factors, each with its defaults unless the protocol says."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.metrics.aggregations import alignment_collisions
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
from dbench.zoo.scorers.encoded_run import EncodedRun, Scores


def _of(part: str, metric: Callable[..., Score]) -> Callable[[EncodedRun], Scores]:
    """Score a part of a run (``source``, ``sample`` or ``train``) by a metric, with the generator of its name."""
    name = metric.__name__

    def score(run: EncodedRun) -> Scores:
        return {name: metric(getattr(run, part), generator=run.key.generator(name)).value}

    return score


def _mig(run: EncodedRun) -> Scores:
    relation = run.mig.relation
    assert relation is not None
    return {"mig": run.mig.value, "alignment.collisions": float(alignment_collisions(relation))}


def _dci(run: EncodedRun) -> Scores:
    parts = {f"dci.{name}": run.dci.details[name] for name in ("completeness", "informativeness")}
    return {"dci": run.dci.value, **parts}


def _linear_accuracy(run: EncodedRun) -> Scores:
    # Not by the metric, half of whose time goes to a ceiling that no table holds.
    train, test = run.sample.split(1 / 3, run.key.generator("linear_accuracy"))
    return _adjusted("linear_accuracy", linear_accuracies(train, test), run.sample)


def _adjusted(name: str, accuracy: NDArray[np.float64], sample: Sample) -> Scores:
    adjusted, _ = adjusted_accuracy(accuracy, sample.factors.astype(np.int64))
    return {name: float(adjusted.mean()), f"{name}.factor": adjusted}


def _snc(run: EncodedRun) -> Scores:
    score = snc(run.grid)
    assert score.per_factor is not None
    return {"snc": score.value, "snc.factor": score.per_factor}


def _nk(run: EncodedRun) -> Scores:
    score = nk(
        run.sample,
        epochs=protocol.KNOCKOUT_EPOCHS,
        falling_from=protocol.KNOCKOUT_RATE,
        generator=run.key.generator("nk"),
    )
    # Its classifiers of all codes are those of mlp_accuracy, trained on the same split.
    full = np.array([score.details[f"accuracy.{j}"] for j in range(run.sample.n_factors)])
    assert score.per_factor is not None
    return {"nk": score.value, "nk.factor": score.per_factor, **_adjusted("mlp_accuracy", full, run.sample)}


def _relations(run: EncodedRun) -> Scores:
    """The matrices behind mig, dci and sap, and every aggregation of each (A Sober Look, section 6.1.2).

    ``relation.<kind>`` is codes x factors: nats, shares of a factor's importance, and test accuracies.
    """
    kinds = {"mutual_information": run.mig, "importance": run.dci, "predictability": run.sap}
    entropies, scores = entropy(run.train.factors), dict[str, float | NDArray[np.float64]]()
    for kind, score in kinds.items():
        assert score.relation is not None
        scores[f"relation.{kind}"] = score.relation
        for name, aggregate in AGGREGATIONS.items():
            scores[f"blend.{kind}.{name}"] = float(aggregate(score.relation, entropies))
    return scores


SCORERS: dict[str, Callable[[EncodedRun], Scores]] = {
    "mig": _mig,
    "dci": _dci,
    "sap": lambda run: {"sap": run.sap.value},
    "sap.r2": lambda run: {"sap.r2": sap(run.train, relation="r2").value},
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
