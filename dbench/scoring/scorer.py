"""A metric as a scikit-learn scorer, for model selection."""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

from dbench.errors import InvalidInput
from dbench.metrics.registry import find_variant
from dbench.scoring.encoders import answer


def scorer(
    metric: str, *, continuous: Collection[str] = (), discrete: Collection[str] = (), **options: Any
) -> Callable[[Any, Any, Any], float]:
    """Return ``score(estimator, X, y)``: the metric of ``estimator.transform(X)`` as codes and ``y`` as factors.

    An estimator without ``transform`` is called: a function of X, or a torch module, in evaluation mode. Greater is
    always better: metrics for which lower is better change sign. The metric is one of samples, such as ``mig`` or
    ``dci[forest]``; the options are passed to it. ``continuous`` and ``discrete`` name factors, or patterns of names,
    whose kind is not what it looks like (:mod:`dbench.codes.factors`); columns of an array are ``factor_0`` and so on.

    Raises:
        UnknownName: no such metric; when scoring, a name that fits no factor.
        InvalidInput: a metric that needs more than codes and factors, or an option that it does not have.

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
    function = metric_of_samples(metric, options)
    sign = -1.0 if function.card.better == "lower" else 1.0

    def score(estimator: Any, x: Any, y: Any) -> float:
        codes = estimator.transform(x) if hasattr(estimator, "transform") else answer(estimator, x)
        return sign * float(function(codes, y, continuous=continuous, discrete=discrete, **options))

    return score


def metric_of_samples(name: str, options: Mapping[str, Any]) -> Any:
    """Return the metric of that name; refuse one that needs more than codes and factors or lacks these options."""
    function: Any = find_variant(name)
    if function.card.needs != "sample":
        raise InvalidInput(f"metric must be one of codes and factors alone, got {name!r}")
    signature = inspect.signature(function)
    try:
        signature.bind(None, **options)
    except TypeError:
        _, *known = signature.parameters  # the first parameter is the sample
        raise InvalidInput(f"options of {name} must be among {', '.join(known)}, got {', '.join(options)}") from None
    return function
