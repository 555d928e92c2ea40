"""Rank the models of a panel by a user's metric, and compare the ranking with those of dbench's metrics."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.audit.audit import load_metric
from dbench.audit.subject import MetricFailed, Subject
from dbench.errors import InvalidInput
from dbench.metrics.registry import MetricCard
from dbench.seeds import generator
from dbench.stats import Interval, bootstrap, rank_correlation
from dbench.stats.ranks import ranks
from dbench.zoo.panel import Panel
from dbench.zoo.progress import ProgressBar

BESIDE = ("dci[forest]", "mig", "sap", "modularity", "factor_vae", "beta_vae_metric")
"""Metrics of dbench that a metric is compared with."""


class Disagreement(NamedTuple):
    """A model, by its number in the panel, and its ranks by two metrics; rank 1 is the best."""

    model: int
    rank: float
    other: float


def score_panel(
    panel: Panel,
    metrics: Sequence[str],
    *,
    observations: int = 5_000,
    less_is_better: bool = False,
    bar: ProgressBar | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Score every model of a panel with every metric, named as in dbench or as ``module:attribute``.

    Metrics are called as :func:`dbench.audit.audit` calls them. Those that take a sample get ``observations`` points,
    the same for every model. Scores are negated where lower is better: for a metric of dbench if its card says so, for
    others if ``less_is_better``.

    Returns:
        Metric -> m scores, higher is better.

    Raises:
        UnknownName: a metric that does not exist.
        InvalidInput: a metric that cannot be called, takes something else than one model's codes and factors, or
            returns no finite number for a model.
    """
    subjects = {name: Subject(load_metric(name), name=name, observations=observations) for name in metrics}
    for name, subject in subjects.items():  # refuse metrics of several models or of posteriors
        if subject.needs in ("models", "posterior", "sample+logvar"):
            raise InvalidInput(f"metric must take one model's codes and factors, got {name}, of {subject.needs}")
    signs = {name: _sign(subject, less_is_better) for name, subject in subjects.items()}
    scores: dict[str, list[float]] = {name: [] for name in metrics}
    for number in range(len(panel.keys)):
        source = panel.source(number)
        for name, subject in subjects.items():
            try:
                value = subject.fresh_score(source)
            except MetricFailed as error:
                raise InvalidInput(f"metric {name} {error} on model {number}, {panel.keys[number]}") from error
            scores[name].append(signs[name] * value)
        if bar is not None:
            bar.advance(runs=1, units=1)
    return {name: np.array(values) for name, values in scores.items()}


def _sign(subject: Subject, less_is_better: bool) -> float:
    card: MetricCard | None = getattr(subject.metric, "card", None)
    lower = less_is_better if card is None else card.better == "lower"
    return -1.0 if lower else 1.0


def agreement(scores: Mapping[str, NDArray[np.float64]], first: str, second: str) -> Interval:
    """Return Spearman's correlation of two metrics over the models, with a 95% bootstrap interval over models."""
    a, b = scores[first], scores[second]
    stream = generator(task="rank", first=first, second=second)
    return bootstrap(lambda rows: rank_correlation(a[rows], b[rows]), len(a), generator=stream).at(0.95)


def disagreements(scores: Mapping[str, NDArray[np.float64]], first: str, second: str, most: int) -> list[Disagreement]:
    """Return the ``most`` models that two metrics rank farthest apart, the farthest first."""
    rank, other = ranks(-scores[first]), ranks(-scores[second])
    order = np.argsort(-np.abs(rank - other), kind="stable")[:most]
    return [Disagreement(int(i), float(rank[i]), float(other[i])) for i in order]
