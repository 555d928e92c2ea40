"""Mean correlation coefficient (Khemakhem et al. 2020): each factor beside a code of its own. Higher is better."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.ceilings import exact_copies
from dbench.metrics.inputs import numbers_of, ordered_alone, require_varying
from dbench.metrics.registry import Score, metric
from dbench.metrics.relations.predictability import CELLS
from dbench.metrics.relations.predictability import correlation as correlations
from dbench.seeds import given_generator

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
Correlation = Literal["pearson", "spearman"]


def _halves(codes: Array, factors: Array, rows: tuple[Rows, Rows], correlation: Correlation) -> tuple[Array, Array]:
    """Return the correlations (codes x factors) in each half of the rows; wide codes are processed in blocks."""
    step = max(CELLS // len(codes), 1)
    blocks = [codes[:, start : start + step] for start in range(0, codes.shape[1], step)]
    ranks = correlation == "spearman"
    first, second = (
        np.concatenate([correlations(block[half], factors[half], ranks=ranks) for block in blocks]) for half in rows
    )
    return first, second


def _held_out_values(matching: Array, reading: Array) -> Array:
    """Match codes to factors by the first matrix (codes x factors); return the second's entries, with its signs."""
    codes, factors = linear_sum_assignment(np.abs(matching), maximize=True)
    values = np.zeros(matching.shape[1])
    values[factors] = np.sign(matching[codes, factors]) * reading[codes, factors]
    return values


def _per_factor(first_half: Array, second_half: Array) -> Array:
    return np.clip(
        (_held_out_values(first_half, second_half) + _held_out_values(second_half, first_half)) / 2, -1.0, 1.0
    )


@metric(
    needs="sample",
    bounds=(-1, 1),
    family="identifiability",
    perfect=1.0,
    cite="khemakhem2020",
    label="MCC",
    ordered=True,
    learned=True,
    wide=True,
    variants={"spearman": {"picture": None}},
    picture=("correlation", "Correlation, absolute"),
)
def mcc(sample: Sample, *, correlation: Correlation = "pearson", generator: np.random.Generator | None = None) -> Score:
    """Absolute correlation of each factor with a code of its own, averaged over factors.

    Codes and factors are matched one to one so that the sum of absolute correlations is largest
    (:func:`scipy.optimize.linear_sum_assignment`). Khemakhem et al. (section 5.1) match and correlate on the same rows,
    where the best of many noise codes looks correlated. Here one half of the rows chooses pairs and signs and the other
    half gives the correlations; then the halves swap roles. Independent codes score 0 on average, whatever their
    number, and ``bounds`` reach below 0. Labels are replaced by their ranks; text of more than two values, which has no
    order, is left out. ``mcc[spearman]`` correlates ranks, so that monotone maps of a code change nothing.

    Returns:
        Score with per-factor values (0 for a factor without a code) and the mean absolute correlations of the halves as
        relation; details ``chance`` (0) and ``ceiling`` (of one exact copy of each factor). Constant codes correlate 0.

    Raises:
        InvalidInput: a factor that does not vary, or a correlation that does not exist.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(abs(mcc(codes, factors).value), 1))
        1.0
        0.7
        0.0

    See Also:
        :func:`r2`; https://doi.org/10.48550/arXiv.1907.04809
    """
    require_varying(sample)
    if correlation not in ("pearson", "spearman"):
        raise InvalidInput(f"correlation must be 'pearson' or 'spearman', got {correlation!r}")
    name = "mcc" if correlation == "pearson" else f"mcc[{correlation}]"
    sample = ordered_alone(sample, name)
    generator = given_generator(generator, metric="mcc")
    order, factors = generator.permutation(len(sample)), numbers_of(sample)
    rows = order[len(sample) // 2 :], order[: len(sample) // 2]
    halves = _halves(sample.codes, factors, rows, correlation)
    copied = _halves(exact_copies(sample).codes, factors, rows, correlation)
    per_factor = _per_factor(*halves)
    return Score(
        name,
        float(per_factor.mean()),
        per_factor=per_factor,
        relation=(np.abs(halves[0]) + np.abs(halves[1])) / 2,
        details={"chance": 0.0, "ceiling": float(_per_factor(*copied).mean())},
        factor_names=sample.factor_names,
    )
