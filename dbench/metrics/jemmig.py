"""JEMMIG (Do and Tran 2020): joint entropy less the mutual information gap, normalised. Higher is better."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.metrics.ceilings import exact_copies, information_score
from dbench.metrics.registry import IN_NATS, Score, metric
from dbench.metrics.relations import classes, entropy

Array = NDArray[np.float64]

TIE = 1e-12  # nats; information that differs by no more counts as equal, since rounding can cause it


def _per_factor(information: Array, *, of_codes: Array, of_factors: Array, bins: int) -> tuple[float, Array]:
    """Mean over factors, and each factor's JEMMIG: 1 - (H(z, y) - I(z, y) + I(z', y)) / (H(y) + log(bins))."""
    largest = information.max(axis=0)
    joint = of_codes[:, None] + of_factors - information
    tied = information >= largest - TIE
    # Among equally informative codes, the one of the smallest joint entropy is the best.
    joint = np.where(tied, joint, np.inf).min(axis=0)
    second = np.sort(information, axis=0)[-2] if len(information) > 1 else np.zeros_like(largest)
    value = 1 - (joint - largest + second) / (of_factors + np.log(bins))
    per_factor = np.where(largest > 0, np.clip(value, 0.0, 1.0), 0.0)
    return float(per_factor.mean()), per_factor


@metric(
    needs="sample",
    bounds=(0, 1),
    family="identifiability",
    cite="do2020",
    label="JEMMIG",
    wide=True,
    picture=IN_NATS,
)
def jemmig(sample: Sample, *, bins: int = 20, generator: np.random.Generator | None = None) -> Score:
    """Whether a factor's best code knows it alone and holds nothing else, averaged over factors.

    Do and Tran (section 4): H(z, y) - I(z, y) + I(z', y), for a factor y, its most informative code z and the second
    most informative one z'; smaller is better. It is normalised as by Carbonneau et al. (2020): divided by its largest
    value, H(y) + log(bins), and subtracted from 1. Codes are cut into equal-width bins; discrete factors are taken by
    label. Bounds 0 and 1. Whatever a code holds beside the factor lowers the score, noise too: continuous codes stay
    below 1, and so do copies of a factor with several values in a bin. Codes that use few of the bins score above 0
    whatever they hold (``chance``).

    Returns:
        Score with per-factor values and the mutual information in nats as relation; details ``chance`` (of the same
        codes, shuffled), ``ceiling`` (of one exact copy of each factor) and ``bins``. With a single code the second
        most informative one counts as 0. A factor that no code is informative about gets 0; so constant codes score 0.

    Raises:
        InvalidInput: a factor that does not vary, or fewer than 1 bin, 2 where a factor is continuous.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(jemmig(codes, factors).value, 2))
        1.0
        0.23
        0.15

    See Also:
        :func:`mig`; https://doi.org/10.48550/arXiv.1908.09961
    """
    of_factors = entropy(classes(sample, bins))
    own, copied = (
        partial(_per_factor, of_codes=entropy(part.codes, bins=bins), of_factors=of_factors, bins=bins)
        for part in (sample, exact_copies(sample))
    )
    return information_score("jemmig", sample, own, of_copies=copied, each="factor", bins=bins, generator=generator)
