"""Modularity (Ridgeway and Mozer 2018). Higher is better: each code knows about one factor at most."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.ceilings import information_score
from dbench.metrics.inputs import require_matrix
from dbench.metrics.registry import IN_NATS, Score, metric

Idle = Literal["skip", "zero"]


def modularity_per_code(matrix: ArrayLike) -> NDArray[np.float64]:
    """One minus the squared deviation of a code's relations from a template that holds its strongest relation alone.

    A Sober Look, section 4.2.4: 1 - sum of m_f^2 over the other factors / (theta^2 (k - 1)), where m is the code's row
    of the d x k matrix and theta its largest entry.

    Returns:
        d values from 0 (related to all factors alike) to 1 (to one only). A code related to nothing, 0/0 in the
        formula, gets 0; with a single factor every other code gets 1.

    Example:
        >>> modularity_per_code([[0.5, 0.0], [0.5, 0.25], [0.5, 0.5], [0.0, 0.0]]).tolist()
        [1.0, 0.75, 0.0, 0.0]
    """
    checked = require_matrix("matrix", matrix)
    largest = checked.max(axis=1, keepdims=True)
    share = np.divide(checked, largest, out=np.zeros_like(checked), where=largest > 0)
    # After division the largest entry is 1, so the squares of the other entries sum to the total minus 1.
    excess = np.maximum((share**2).sum(axis=1) - 1, 0.0) / max(checked.shape[1] - 1, 1)
    return np.asarray(np.where(largest[:, 0] > 0, 1 - excess, 0.0))


def mean_modularity(matrix: ArrayLike, *, idle: Idle = "skip") -> float:
    """Mean of :func:`modularity_per_code` over codes; 0 if all codes are idle, that is related to no factor.

    ``skip`` leaves idle codes out; ``zero`` counts them as 0, as the study behind A Sober Look did.
    """
    if idle not in ("skip", "zero"):
        raise InvalidInput(f"idle must be 'skip' or 'zero', got {idle!r}")
    checked = require_matrix("matrix", matrix)
    counted = checked.any(axis=1) if idle == "skip" else np.ones(len(checked), dtype=bool)
    return float(modularity_per_code(checked)[counted].mean()) if counted.any() else 0.0


@metric(
    needs="sample",
    bounds=(0, 1),
    cite="ridgeway2018",
    label="Modularity",
    mixes=True,
    wide=True,
    picture=IN_NATS,
)
def modularity(
    sample: Sample, *, bins: int = 20, idle: Idle = "skip", generator: np.random.Generator | None = None
) -> Score:
    """Does each code share information with one factor only, averaged over codes?

    A Sober Look, section 4.2.4: :func:`modularity_per_code` of the mutual information; codes are cut into
    equal-width bins, discrete factors taken by label. The mean over codes is not weighted, so noise codes count as
    much as others: their estimated information is bias, about (bins - 1)(values - 1) / 2n nats, which grows
    with the number of values of a factor and makes noise look modular (``chance``). Bounds 0 and 1. ``idle``
    says how codes without information, that is constant ones, count (:func:`mean_modularity`).

    Returns:
        Score with per-code values and the mutual information in nats as relation; details ``chance`` (of the
        same codes, shuffled), ``ceiling`` (of one exact copy of each factor), ``active`` (codes with
        information) and ``bins``. Codes that are all constant score 0.

    Raises:
        InvalidInput: a factor that does not vary, or a wrong option.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(modularity(codes, factors).value, 2))
        1.0
        0.94
        0.3

    See Also:
        :func:`explicitness`, :func:`infom`; https://doi.org/10.48550/arXiv.1802.05312
    """

    def aggregate(matrix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        return mean_modularity(matrix, idle=idle), modularity_per_code(matrix)

    return information_score("modularity", sample, aggregate, each="code", bins=bins, generator=generator, active=True)
