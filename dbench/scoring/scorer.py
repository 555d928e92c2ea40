"""A metric as a scikit-learn scorer, to choose among models by it."""

from collections.abc import Callable
from typing import Any

from dbench.codes.arrays import read_arrays
from dbench.errors import InvalidInput
from dbench.metrics.registry import find_variant


def scorer(metric: str, **options: Any) -> Callable[[Any, Any, Any], float]:
    """Return ``score(estimator, X, y)``: the metric of ``estimator.transform(X)`` as codes and ``y`` as factors.

    What has no ``transform`` is called: a function of X, or a torch module. Greater is always better: metrics of
    which less is better change sign. The metric is one of samples, such as ``mig`` or ``dci[forest]``; the options are
    its own.

    Raises:
        UnknownName: no such metric.
        InvalidInput: a metric that needs more than codes and factors.

    Example:
        >>> import numpy as np
        >>> from sklearn.decomposition import PCA
        >>> from sklearn.model_selection import GridSearchCV
        >>> rng = np.random.default_rng(0)
        >>> factors = rng.integers(4, size=(600, 2))
        >>> x = np.hstack([factors * [3, 1], 0.01 * rng.normal(size=(600, 3))])
        >>> search = GridSearchCV(PCA(), {"n_components": [1, 2]}, scoring=scorer("sap[r2]"), cv=3).fit(x, factors)
        >>> search.best_params_
        {'n_components': 2}
    """
    function = metric_of_samples(metric)
    sign = -1.0 if function.card.better == "lower" else 1.0

    def score(estimator: Any, x: Any, y: Any) -> float:
        codes = estimator.transform(x) if hasattr(estimator, "transform") else estimator(x)
        return sign * float(function(read_arrays(codes, y).sample, **options))

    return score


def metric_of_samples(name: str) -> Any:
    """Return the metric of that name, if it needs no more than codes and factors."""
    function: Any = find_variant(name)
    if function.card.needs != "sample":
        raise InvalidInput(f"metric must be one of codes and factors alone, got {name!r}")
    return function
