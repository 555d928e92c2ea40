"""Minimality (Almudévar and Ortega 2024): whether a code holds one factor and nothing else. Higher is better."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.metrics.ceilings import exact_copies, information_score
from dbench.metrics.registry import IN_NATS, Score, metric
from dbench.metrics.relations import entropy

Array = NDArray[np.float64]


def _shares(information: Array, *, of_codes: Array) -> tuple[float, Array]:
    """Mean over the codes that vary, and each code's largest information over its entropy (0 for a constant code)."""
    varies = of_codes > 0
    largest = information.max(axis=1)
    share = np.divide(largest, of_codes, out=np.zeros_like(largest), where=varies)
    share = np.minimum(share, 1.0)  # information exceeds entropy by rounding only
    return float(share[varies].mean()) if varies.any() else 0.0, share


@metric(
    needs="sample",
    bounds=(0, 1),
    family="identifiability",
    cite="almudevar2024",
    label="Minimality",
    wide=True,
    picture=IN_NATS,
)
def minimality(sample: Sample, *, bins: int = 20, generator: np.random.Generator | None = None) -> Score:
    """Share of a code's entropy that one factor explains, averaged over codes.

    Almudévar and Ortega (section 4): the largest mutual information of a code with a factor, divided by the code's
    entropy. It is 1 if a code is a function of one factor, even if factors depend on each other, which lowers the
    metrics that compare factors. Codes are cut into equal-width bins; discrete factors are taken by label. Noise in a
    continuous code adds entropy that no factor explains. Bounds 0 and 1. A code that holds a coarse part of a factor is
    minimal: read :func:`dbench.metrics.sufficiency` beside it.

    Returns:
        Score with per-code values and the mutual information in nats as relation; details ``chance`` (of the same
        codes, shuffled), ``ceiling`` (of one exact copy of each factor) and ``bins``. Constant codes are left out; if
        all are constant, the score is 0.

    Raises:
        InvalidInput: a factor that does not vary, or fewer than 1 bin, 2 where a factor is continuous.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(minimality(codes, factors).value, 2))
        1.0
        0.14
        0.04

    See Also:
        :func:`sufficiency`, :func:`modularity`; https://doi.org/10.48550/arXiv.2408.07016
    """
    own, copied = (partial(_shares, of_codes=entropy(part.codes, bins=bins)) for part in (sample, exact_copies(sample)))
    return information_score("minimality", sample, own, of_copies=copied, each="code", bins=bins, generator=generator)
