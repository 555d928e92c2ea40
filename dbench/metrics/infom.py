"""InfoM (Hsu et al. 2023): modularity, the share of a code's information that is of one factor. Higher is better."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.metrics.ceilings import information_score, mean_of_active
from dbench.metrics.inputs import require_matrix
from dbench.metrics.registry import BY_ENTROPY, Score, metric


def largest_share(matrix: ArrayLike) -> NDArray[np.float64]:
    """Largest entry of each row by the row's sum, rescaled so that 1 / columns becomes 0 and 1 stays 1.

    The matrix is non-negative. A row of zeros gets 0; with a single column every other row gets 1.

    Example:
        >>> largest_share([[3.0, 1.0], [1.0, 1.0], [0.0, 0.0]]).tolist()
        [0.5, 0.0, 0.0]
    """
    checked = require_matrix("matrix", matrix)
    largest, total = checked.max(axis=1), checked.sum(axis=1)
    known = total > 0
    share = np.divide(largest, total, out=np.zeros_like(total), where=known)
    columns = checked.shape[1]
    if columns == 1:
        return np.asarray(known, dtype=np.float64)
    scaled = np.clip((share - 1 / columns) / (1 - 1 / columns), 0.0, 1.0)
    return np.asarray(np.where(known, scaled, 0.0))


def _shares(matrix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    per_code = largest_share(matrix)
    return mean_of_active(per_code, matrix), per_code


@metric(
    needs="sample",
    bounds=(0, 1),
    family="identifiability",
    cite="hsu2023",
    label="InfoM",
    mixes=True,
    wide=True,
    picture=BY_ENTROPY,
)
def infom(sample: Sample, *, bins: int = 20, generator: np.random.Generator | None = None) -> Score:
    """Share of a code's normalised information that is of its first factor, averaged over codes.

    Hsu et al. (section 4): mutual information is divided by the factor's entropy; s is a code's largest entry over its
    sum over k factors, and the code's value is (s - 1/k) / (1 - 1/k). Codes are cut into equal-width bins and discrete
    factors taken by label (the authors' estimate for discrete codes; for continuous ones they use nearest neighbours).
    The mean is over all codes that vary; the authors leave out codes with a range below a twentieth of the largest,
    which depends on units. It is not weighted: a noise code, whose information is bias, has full weight (``chance``).

    Returns:
        Score with per-code values and the normalised information as relation; details ``chance`` (of the same codes,
        shuffled), ``ceiling`` (of one exact copy of each factor), ``active`` (codes with information) and ``bins``.
        Codes that are all constant score 0; with one factor every code with information gets 1.

    Raises:
        InvalidInput: a factor that does not vary, or fewer than 1 bin, 2 where a factor is continuous.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(infom(codes, factors).value, 2))
        1.0
        0.61
        0.06

    See Also:
        :func:`modularity`, :func:`infoc`, :func:`infoe`; https://doi.org/10.48550/arXiv.2305.18378
    """
    return information_score(
        "infom", sample, _shares, each="code", bins=bins, generator=generator, by_entropy=True, active=True
    )
