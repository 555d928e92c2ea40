"""Mutual information gap (Chen et al. 2018). Higher is better."""

import numpy as np

from dbench.codes import Sample
from dbench.metrics.aggregations import gap_per_factor
from dbench.metrics.ceilings import between, informations
from dbench.metrics.inputs import require_varying
from dbench.metrics.registry import IN_NATS, Score, metric
from dbench.metrics.relations import classes, entropy
from dbench.seeds import given_generator


@metric(
    needs="sample",
    bounds=(0, 1),
    cite="chen2018",
    label="MIG",
    wide=True,
    picture=IN_NATS,
)
def mig(
    sample: Sample, *, bins: int = 20, corrected: bool = False, generator: np.random.Generator | None = None
) -> Score:
    """Gap between the two codes that know most about a factor, by its entropy, averaged over factors.

    A Sober Look, section 4.2.3: codes are cut into equal-width bins from min to max. Continuous factors are binned too;
    discrete ones are not (a convention: the paper bins them, which only matters above 20 values). Bounds 0 and 1;
    independent codes score about 0. An exact copy of a factor with more values than bins cannot reach 1. A value on the
    edge of two bins falls into the right one, so a change of sign can change the score of codes that take few values.

    Args:
        sample: n observations.
        bins: equal-width bins of each code, and of each continuous factor.
        corrected: whether to rescale each factor's gap so that ``chance`` becomes 0 and ``ceiling`` 1, clipped at
            both ends: independent codes then average a little above 0. The two details are not rescaled.
        generator: shuffles the codes for ``chance``; by default the metric's own.

    Returns:
        Score with per-factor values and the mutual information in nats as relation. With a single code the
        second largest information is 0. Constant codes have no information. Details ``ceiling`` (of one exact copy
        of each factor), ``chance`` (of the same codes, shuffled) and ``bins``.

    Raises:
        InvalidInput: a factor that does not vary, or fewer than 1 bin, 2 where a factor is continuous.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(mig(codes, factors).value, 2))
        1.0
        0.23
        0.01

    See Also:
        :func:`mig_sup`, :func:`posterior_mig`, :func:`sap`; https://doi.org/10.48550/arXiv.1802.04942
    """
    require_varying(sample)
    generator = given_generator(generator, metric="mig")
    entropies = entropy(classes(sample, bins))
    information, copied, of_shuffled = informations(sample, generator, bins=bins)
    # Information exceeds entropy by rounding only.
    gaps, ceiling, chance = (
        np.minimum(gap_per_factor(matrix) / entropies, 1.0) for matrix in (information, copied, of_shuffled)
    )
    per_factor = between(gaps, chance, ceiling) if corrected else gaps
    return Score(
        "mig[corrected]" if corrected else "mig",
        float(per_factor.mean()),
        per_factor=per_factor,
        relation=information,
        details={"ceiling": float(ceiling.mean()), "chance": float(chance.mean()), "bins": bins},
    )
