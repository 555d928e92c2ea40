"""MIG-sup (Li et al. 2020): the mutual information gap along codes instead of factors. Higher is better."""

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.metrics.aggregations import gap_per_factor
from dbench.metrics.ceilings import information_score, mean_of_active
from dbench.metrics.registry import BY_ENTROPY, Score, metric


def _gaps(matrix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    per_code = gap_per_factor(matrix.T)
    return mean_of_active(per_code, matrix), per_code


@metric(
    needs="sample",
    bounds=(0, 1),
    family="identifiability",
    cite="li2020",
    label="MIG-sup",
    mixes=True,
    wide=True,
    picture=BY_ENTROPY,
)
def mig_sup(sample: Sample, *, bins: int = 20, generator: np.random.Generator | None = None) -> Score:
    """Gap between the two factors that a code knows most about, averaged over codes.

    Li et al. (section 4): mutual information is divided by the factor's entropy; a code's gap is its largest entry
    minus the second largest. The score complements MIG, which does not notice a code that holds two factors. The mean
    is over all codes that vary: constant ones are left out; noise codes count, with a gap near 0, so idle codes lower
    the score. Codes are cut into equal-width bins; discrete factors are taken by label. Bounds 0 and 1.

    Returns:
        Score with per-code values and the normalised information as relation; details ``chance`` (of the same codes,
        shuffled), ``ceiling`` (of one exact copy of each factor), ``active`` (codes with information) and ``bins``.
        With a single factor the second largest entry is 0. Codes that are all constant score 0.

    Raises:
        InvalidInput: a factor that does not vary, or fewer than 1 bin, 2 where a factor is continuous.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(mig_sup(codes, factors).value, 2))
        1.0
        0.23
        0.01

    See Also:
        :func:`mig`, :func:`dcimig`; https://doi.org/10.48550/arXiv.2002.10549
    """
    return information_score(
        "mig_sup", sample, _gaps, each="code", bins=bins, generator=generator, by_entropy=True, active=True
    )
