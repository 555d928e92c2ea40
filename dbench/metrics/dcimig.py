"""DCIMIG (Sepliarskaia et al. 2019): gaps of codes, the best for each factor. Higher is better."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.metrics.aggregations import gap_per_factor
from dbench.metrics.ceilings import information_score
from dbench.metrics.inputs import require_matrix
from dbench.metrics.registry import IN_NATS, Score, metric
from dbench.metrics.relations import classes, entropy


def best_gap_per_factor(matrix: ArrayLike) -> NDArray[np.float64]:
    """For each factor, the largest gap among the codes most related to it (d x k matrix); 0 if there is no such code.

    Example:
        >>> best_gap_per_factor([[3.0, 1.0], [1.0, 0.5], [1.0, 1.0]]).tolist()
        [2.0, 0.0]
    """
    checked = require_matrix("matrix", matrix)
    largest_gaps = np.zeros(checked.shape[1])
    np.maximum.at(largest_gaps, checked.argmax(axis=1), gap_per_factor(checked.T))
    return largest_gaps


@metric(
    needs="sample",
    bounds=(0, 1),
    family="identifiability",
    cite="sepliarskaia2019",
    label="DCIMIG",
    wide=True,
    picture=IN_NATS,
)
def dcimig(sample: Sample, *, bins: int = 20, generator: np.random.Generator | None = None) -> Score:
    """Information that factors have in a code of their own beyond what that code has of others, by all entropy.

    Sepliarskaia et al. (section 4, there 3CharM): each code belongs to the factor it is most informative about; its gap
    is that mutual information minus its second largest. A factor gets the largest gap of its codes. The sum over
    factors is divided by the sum of their entropies, so that factors are weighted by entropy. Codes are cut into
    equal-width bins; discrete factors are taken by label. Bounds 0 and 1. Unlike MIG, a code that holds two factors
    lowers the score, and a factor held by two codes does not.

    Returns:
        Score with per-factor values (gap by entropy) and the mutual information in nats as relation; details ``chance``
        (of the same codes, shuffled), ``ceiling`` (of one exact copy of each factor) and ``bins``. With a single factor
        the second largest information is 0. Constant codes have no information.

    Raises:
        InvalidInput: a factor that does not vary, or fewer than 1 bin, 2 where a factor is continuous.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(dcimig(codes, factors).value, 2))
        1.0
        0.23
        0.01

    See Also:
        :func:`mig`, :func:`mig_sup`; https://doi.org/10.48550/arXiv.1910.05587
    """
    entropies = entropy(classes(sample, bins))

    def aggregate(matrix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        # Information exceeds entropy by rounding only.
        gaps = np.minimum(best_gap_per_factor(matrix), entropies)
        return float(gaps.sum() / entropies.sum()), gaps / entropies

    return information_score("dcimig", sample, aggregate, each="factor", bins=bins, generator=generator)
