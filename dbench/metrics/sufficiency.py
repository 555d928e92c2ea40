"""Sufficiency (Almudévar and Ortega 2024): whether one code determines a factor. Higher is better."""

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.metrics.ceilings import information_score
from dbench.metrics.registry import IN_NATS, Score, metric
from dbench.metrics.relations import classes, entropy


@metric(
    needs="sample",
    bounds=(0, 1),
    family="identifiability",
    cite="almudevar2024",
    label="Sufficiency",
    wide=True,
    picture=IN_NATS,
)
def sufficiency(sample: Sample, *, bins: int = 20, generator: np.random.Generator | None = None) -> Score:
    """Share of a factor's entropy that its best code tells, averaged over factors.

    Almudévar and Ortega (section 4): the largest mutual information of a factor with a code, divided by the factor's
    entropy: MIG without the second code. It is 1 if one code determines the factor, whatever else that code holds and
    however the factors depend on each other: read :func:`dbench.metrics.minimality` beside it. Codes are cut into
    equal-width bins and discrete factors taken by label, so copies of a factor with more values than bins stay below 1.
    Bounds 0 and 1; independent codes score above 0, since the largest of d upwards biased estimates counts.

    Args:
        sample: n observations.
        bins: equal-width bins of each code, and of each continuous factor.
        generator: shuffles the codes for ``chance``; by default the metric's own.

    Returns:
        Score with per-factor values and the mutual information in nats as relation; details ``chance`` (of the same
        codes, shuffled), ``ceiling`` (of one exact copy of each factor) and ``bins``. Constant codes score 0.

    Raises:
        InvalidInput: a factor that does not vary, or fewer than 1 bin, 2 where a factor is continuous.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(sufficiency(codes, factors).value, 2))
        1.0
        0.31
        0.07

    See Also:
        :func:`minimality`, :func:`mig`; https://doi.org/10.48550/arXiv.2408.07016
    """
    entropies = entropy(classes(sample, bins))

    def aggregate(matrix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        # Information exceeds entropy by rounding only.
        per_factor = np.minimum(matrix.max(axis=0) / entropies, 1.0)
        return float(per_factor.mean()), per_factor

    return information_score("sufficiency", sample, aggregate, each="factor", bins=bins, generator=generator)
