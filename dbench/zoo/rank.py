"""A user's metric on the models of a panel: how well its order of them agrees with ours, and where it does not."""

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
"""Our metrics that a metric is compared with."""


class Disagreement(NamedTuple):
    """A model, by its number in the panel, and its ranks by two metrics; 1 is the best."""

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
    """Score every model of a panel with every metric, of dbench or ``module:attribute``.

    Metrics are called as :func:`dbench.audit.audit` calls them; those of samples see so many observations, the same
    points of every model. Scores of which less is better change their sign: those whose card says so, and with
    ``less_is_better`` those that are not dbench's.

    Returns:
        Name -> m scores, higher is better.

    Raises:
        UnknownName: a metric that does not exist.
        InvalidInput: a metric that cannot be called, that is not of one model's codes and factors, or that gives no
            finite number of a model.
    """
    subjects = {name: Subject(load_metric(name), name=name, observations=observations) for name in metrics}
    for name, subject in subjects.items():  # none of several models, or of what a panel does not hold
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
    """Spearman's correlation of two metrics over the models, with the interval of resampled models."""
    a, b = scores[first], scores[second]
    stream = generator(task="rank", first=first, second=second)
    return bootstrap(lambda kept: rank_correlation(a[kept], b[kept]), len(a), generator=stream).at(0.95)


def disagreements(scores: Mapping[str, NDArray[np.float64]], first: str, second: str, most: int) -> list[Disagreement]:
    """Return the models that two metrics rank farthest apart, worst first."""
    own, other = ranks(-scores[first]), ranks(-scores[second])
    order = np.argsort(-np.abs(own - other), kind="stable")[:most]
    return [Disagreement(int(i), float(own[i]), float(other[i])) for i in order]
