"""InfoC (Hsu et al. 2023): compactness, the share of a factor's information that is in one code. Higher is better."""

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.metrics.ceilings import normalised_informations
from dbench.metrics.infom import largest_share
from dbench.metrics.inputs import require_varying
from dbench.metrics.registry import BY_ENTROPY, Score, metric
from dbench.seeds import given_generator


def _shares(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each factor; of codes without information none counts as one that could hold it."""
    active = matrix[matrix.any(axis=1)]
    return largest_share(active.T) if len(active) else np.zeros(matrix.shape[1])


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

    Hsu et al. (section 4): as :func:`dbench.metrics.infom` along the other side; for each factor the largest mutual
    information by the sum over the d codes that vary, less 1/d, by 1 - 1/d. Each noise code adds its bias to the sum,
    so exact copies beside many of them score low. Bounds 0 and 1.

    Returns:
        Score with per-factor values and the normalised information as relation; details ``chance`` (of the same codes,
        shuffled), ``ceiling`` (of one exact copy of each factor), ``active`` (codes with information) and ``bins``.
        Codes that are all constant score 0; a single code holds all there is, 1.

    Raises:
        InvalidInput: a factor that does not vary, or fewer than 1 bin.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(infoc(codes, factors).value, 2))
        1.0
        0.61
        0.06
    """
    require_varying(sample)
    generator = given_generator(generator, metric="infoc")
    own, copied, dealt = normalised_informations(sample, generator, bins=bins)
    per_factor, ceiling, chance = map(_shares, (own, copied, dealt))
    active = int(own.any(axis=1).sum())
    return Score(
        "infoc",
        float(per_factor.mean()),
        per_factor=per_factor,
        relation=own,
        details={"ceiling": ceiling.mean(), "chance": chance.mean(), "active": active, "bins": bins},
    )
