"""InfoC (Hsu et al. 2023): compactness, the share of a factor's information that is in one code. Higher is better."""

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.metrics.ceilings import information_score
from dbench.metrics.infom import largest_share
from dbench.metrics.registry import BY_ENTROPY, Score, metric


def _shares(matrix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Mean over factors, and each factor's value; codes without information are left out of d."""
    active = matrix[matrix.any(axis=1)]
    per_factor = largest_share(active.T) if len(active) else np.zeros(matrix.shape[1])
    return float(per_factor.mean()), per_factor


@metric(
    needs="sample",
    bounds=(0, 1),
    family="identifiability",
    cite="hsu2023",
    label="InfoC",
    wide=True,
    picture=BY_ENTROPY,
)
def infoc(sample: Sample, *, bins: int = 20, generator: np.random.Generator | None = None) -> Score:
    """Share of a factor's information that its first code holds, averaged over factors.

    Hsu et al. (section 4): :func:`dbench.metrics.infom` with codes and factors exchanged. With s a factor's largest
    mutual information over its sum over the d codes that vary, its value is (s - 1/d) / (1 - 1/d). Each noise code adds
    its bias to the sum, so exact copies beside many noise codes score low. Bounds 0 and 1.

    Returns:
        Score with per-factor values and the normalised information as relation; details ``chance`` (of the same codes,
        shuffled), ``ceiling`` (of one exact copy of each factor), ``active`` (codes with information) and ``bins``.
        Codes that are all constant score 0; a single code that varies scores 1.

    Raises:
        InvalidInput: a factor that does not vary, or fewer than 1 bin, 2 where a factor is continuous.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(infoc(codes, factors).value, 2))
        1.0
        0.61
        0.06

    See Also:
        :func:`infom`, :func:`infoe`; https://doi.org/10.48550/arXiv.2305.18378
    """
    return information_score(
        "infoc", sample, _shares, each="factor", bins=bins, generator=generator, by_entropy=True, active=True
    )
