"""Groups of scores of a run; metrics have their defaults unless the protocol says otherwise.

In this order: scores without factors; the papers' metrics, which compare codes with factors; the study's metrics again,
on other points and on few points (A Sober Look, section 6.2, Figures 21 and 22); and downstream accuracy of classifiers
(A Sober Look, sections 4.2.8 and 7; Mahon et al., section 5.2).
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.data import HeldOut
from dbench.metrics.aggregations import alignment_collisions
from dbench.metrics.beta_vae_metric import beta_vae_metric
from dbench.metrics.blend import AGGREGATIONS
from dbench.metrics.code_mutual_information import code_mutual_information
from dbench.metrics.dci import dci
from dbench.metrics.downstream import Model, downstream_accuracy
from dbench.metrics.explicitness import explicitness
from dbench.metrics.factor_vae import factor_vae
from dbench.metrics.gaussian_total_correlation import gaussian_total_correlation
from dbench.metrics.irs import irs
from dbench.metrics.linear_accuracy import adjusted_accuracy, linear_accuracies
from dbench.metrics.med import med
from dbench.metrics.mig import mig
from dbench.metrics.modularity import modularity
from dbench.metrics.nk import nk
from dbench.metrics.novel_combinations import novel_combinations
from dbench.metrics.registry import Score
from dbench.metrics.relations import entropy
from dbench.metrics.sap import sap
from dbench.metrics.snc import snc
from dbench.zoo.scorers import protocol
from dbench.zoo.scorers.encoded_run import EncodedRun, Scores
from dbench.zoo.scorers.interventions import interventions

Scorer = Callable[[EncodedRun], Scores]


def _posterior(run: EncodedRun) -> Scores:
    """Scores from training, the divergence of each code (``kl.code``), and the number of informative codes."""
    return {**run.trained, "kl.code": run.kl, "kl.informative": float(len(run.active))}


def _gaussian_tc(run: EncodedRun) -> dict[str, float]:
    """Gaussian total correlation of mean and of sampled codes, over all codes and over the informative ones."""
    scores = {}
    for name, sample in (("mean", run.train), ("sampled", run.sampled)):
        scores[f"gaussian_tc.{name}"] = gaussian_total_correlation(sample.codes).value
        # A single code, or none, has no total correlation.
        active = sample.codes[:, run.active]
        several = active.shape[1] > 1
        scores[f"gaussian_tc.{name}.active"] = gaussian_total_correlation(active).value if several else 0.0
    return scores


def _mutual_information(run: EncodedRun) -> dict[str, float]:
    """Average pairwise mutual information of mean and of sampled codes."""
    kinds = {"mean": run.train, "sampled": run.sampled}
    return {f"mutual_information.{name}": code_mutual_information(sample).value for name, sample in kinds.items()}


def _of(part: str, metric: Callable[..., Score]) -> Scorer:
    """Return a scorer that applies a metric to ``run.<part>``: ``source``, ``sample`` or ``train``."""
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
    # Not by the metric itself, which spends half of its time on a ceiling that the table does not hold.
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
    # The classifiers that nk trains on all codes also give mlp_accuracy, on the same split.
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


def _of_whole_sets(scorer: Callable[..., Scores]) -> Callable[..., Scores]:
    """Return a scorer that gives no scores if the data set holds out a combination: no finding needs them there."""
    return lambda run, *options: {} if isinstance(run.data, HeldOut) else scorer(run, *options)


@_of_whole_sets
def _seven(run: EncodedRun, stream: str, train: int, test: int) -> Scores:
    """The study's metrics on a new sample; ``train`` and ``test`` are the numbers of points, or of votes."""
    sample = run.draw(stream, train + test)
    train_sample = sample.take(np.arange(train))

    def generator(metric: str) -> np.random.Generator:
        return run.key.generator(f"{stream}.{metric}")

    scores = {
        "beta_vae_metric": beta_vae_metric(
            run.source, train_points=train, test_points=test, generator=generator("beta_vae_metric")
        ),
        "factor_vae": factor_vae(
            run.source, train_votes=train, test_votes=test, variance_draws=train, generator=generator("factor_vae")
        ),
        "mig": mig(train_sample),
        "dci": dci(sample, estimator="forest", generator=generator("dci")),
        "sap": sap(sample, generator=generator("sap")),
        "irs": irs(train_sample, generator=generator("irs")),
        "modularity": modularity(train_sample, generator=generator("modularity")),
    }
    return {f"{stream}.{metric}": score.value for metric, score in scores.items()}


@_of_whole_sets
def _downstream(run: EncodedRun, name: str, model: Model, sizes: Sequence[int], tuning: int | None = None) -> Scores:
    """Mean accuracy over factors for each training size, and its ratio to that of the largest size (0 if that is 0)."""
    generator = run.key.generator(f"downstream.{name}")
    rows = downstream_accuracy(run.sample, sizes, model=model, test=protocol.TEST, tuning=tuning, generator=generator)
    accuracy = {size: float(row.mean()) for size, row in zip(sizes, rows, strict=True)}
    largest = max(sizes)
    scores = {f"downstream.{name}.{size}": value for size, value in accuracy.items()}
    for size in sizes:
        if 100 <= size < largest:
            scores[f"efficiency.{name}.{size}"] = accuracy[size] / accuracy[largest] if accuracy[largest] else 0.0
    return scores


def _novel(run: EncodedRun) -> dict[str, float]:
    """``novel`` and its details as ``novel.<detail>``; empty if the data set holds out no combination."""
    if not isinstance(run.data, HeldOut):
        return {}
    held_out = run.data.held_out()
    score = novel_combinations(
        run.grid,
        held_out,
        run.data.combined,
        train=min(protocol.NOVEL, int((~held_out).sum())),
        epochs=protocol.EPOCHS,
        generator=run.key.generator("novel"),
    )
    return {"novel": score.value, **{f"novel.{name}": value for name, value in score.details.items()}}


SCORERS: dict[str, Scorer] = {
    "posterior": _posterior,
    "gaussian_tc": _gaussian_tc,
    "mutual_information": _mutual_information,
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
    "interventions": _of_whole_sets(interventions),
    "downstream.logistic": lambda run: _downstream(run, "logistic", "logistic", protocol.DOWNSTREAM, protocol.TUNING),
    "downstream.trees": lambda run: _downstream(run, "trees", "gbt", protocol.TREES),
    "again": lambda run: _seven(run, "again", protocol.TRAIN, protocol.TEST),
    "small": lambda run: {
        name: value
        for stream in ("small", "small_again")
        for name, value in _seven(run, stream, protocol.FEW, protocol.FEW_TEST).items()
    },
    "novel": _novel,
}
"""Name of a group of scores -> function that computes it."""
