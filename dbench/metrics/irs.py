"""Interventional robustness score (Suter et al. 2019). Higher is better."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.ceilings import between, exact_copies, shuffled
from dbench.metrics.inputs import numbers_of, require_distinct, require_varying
from dbench.metrics.interventions import crossed_empida, empida
from dbench.metrics.registry import Score, metric
from dbench.metrics.relations import quantise
from dbench.seeds import given_generator

Array = NDArray[np.float64]


def _classes(sample: Sample, bins: int | None) -> NDArray[np.int64]:
    """Labels of the factors; continuous ones are cut into bins, 20 if not said."""
    # Labels are cut by rank: equal-width bins of arbitrary labels would depend on how they are numbered.
    numbers = numbers_of(sample)
    cut = [kind == "continuous" or (kind == "discrete" and bins is not None) for kind in sample.kinds]
    return np.where(cut, quantise(numbers, 20 if bins is None else bins), numbers).astype(np.int64)


def _scaled(codes: Array, blocks: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Centre codes and divide each group by its largest deviation, which no ratio of distances notices.

    Constant codes become exactly 0. Also returned is what each group was divided by, relative to the largest.
    """
    small = codes * 2.0**-24  # keeps sums finite
    centred = small - small.mean(axis=0)
    largest = np.abs(centred).max(axis=0)
    centred[:, (largest <= 1e-12 * np.abs(small).max(axis=0))] = 0.0
    unit = np.array([np.abs(centred[:, list(block)]).max() for block in blocks])
    for block, top in zip(blocks, unit, strict=True):
        centred[:, list(block)] /= top if top > 0 else 1.0
    return centred, unit / (unit.max() if unit.any() else 1.0)


def _require_quantile(quantile: float) -> None:
    if not 0 < quantile <= 1:
        raise InvalidInput(f"quantile must lie above 0 and be at most 1, got {quantile}")


def _ratio(part: Array, whole: Array) -> Array:
    """One minus part / whole, 0 where there is nothing to disagree about."""
    alive = whole > 0
    return np.where(alive, 1 - np.divide(part, whole, out=np.zeros_like(part), where=alive), 0.0)


def interventional_robustness(
    sample: Sample,
    codes: Sequence[int],
    held: Sequence[int],
    changed: Sequence[int],
    *,
    bins: int | None = None,
    quantile: float = 1.0,
    reweight: bool = True,
) -> float:
    """IRS(L | I, J): how little codes L, read as one vector, move when factors J change and factors I are held.

    1 - EMPIDA(L|I, J) / EMPIDA(L|none, all) (equation 2, algorithm 1; see :mod:`dbench.metrics.interventions`).
    At most 1 (no change of J moves the codes' mean), at least -1 by the triangle inequality; the paper names 0
    as no robustness, but the mean given I can lie off the overall one. Codes that are all constant get 0.
    ``held`` may be none. Other options are those of :func:`irs`.

    Raises:
        InvalidInput: numbers that do not exist, overlap of held and changed, a factor that does not vary.
    """
    require_varying(sample)
    _require_quantile(quantile)
    block = require_distinct("codes", codes, sample.n_codes)
    fixed = require_distinct("held", held, sample.n_factors, least=0)
    moved = require_distinct("changed", changed, sample.n_factors)
    if set(fixed) & set(moved):
        raise InvalidInput(f"held and changed must not overlap, got {fixed} and {moved}")
    values, factors = _scaled(sample.codes, [block])[0], _classes(sample, bins)
    part = empida(values, factors, [block], fixed, moved, quantile=quantile, reweight=reweight)
    whole = empida(values, factors, [block], [], range(sample.n_factors))
    return float(_ratio(part, whole)[0])


def domain_shift_robustness(
    sample: Sample,
    codes: Sequence[int],
    domain: Sequence[int],
    *,
    bins: int | None = None,
    quantile: float = 1.0,
    reweight: bool = True,
) -> float:
    """IRS(L | all other factors, S): how little codes L move when the domain S shifts (section 4).

    S are the factors that tell domains apart; ``reweight`` corrects for domains that come with other values of the
    factors held. Where no combination of the other factors was seen in two domains the score is 1.
    """
    domain = require_distinct("domain", domain, sample.n_factors)
    held = [factor for factor in range(sample.n_factors) if factor not in domain]
    return interventional_robustness(sample, codes, held, domain, bins=bins, quantile=quantile, reweight=reweight)


@metric(
    needs="sample",
    bounds=(-1, 1),
    perfect=1.0,
    cite="suter2019",
    label="IRS",
    mixes=True,
    varies={"scale": "codes are weighted by their largest deviation"},
    variants={
        "crossed": {
            "needs": "grid",
            "picture": ("interventional_robustness_crossed", "Interventional robustness, crossed"),
        }
    },
    picture=("interventional_robustness", "Interventional robustness"),
)
def irs(
    sample: Sample,
    *,
    bins: int | None = None,
    quantile: float = 1.0,
    reweight: bool = True,
    crossed: bool = False,
    corrected: bool = False,
    generator: np.random.Generator | None = None,
) -> Score:
    """How little does each code move while its own factor is held and all others change, at worst?

    R_li = IRS({l} | {i}, all but i), D_l = max_i R_li (equation 3), and their mean weighted by the largest
    deviation of each code from its mean, in units of the codes as they are (section 6.1). Estimated by
    algorithm 1 with confounding weights, or by the ``crossed`` special case (Appendix A.1): each observation is
    its own combination of factors, values of a factor count alike, no weights. Both agree on a grid whose
    every combination was seen once.

    Exact copies score 1 as long as factors are not binned; values that share a bin cost them (``ceiling``).
    Noise scores well above 0, the more so the fewer observations a value has (``chance``). For one value held, the
    mean can lie off the overall one, so that the worst case exceeds the normaliser; the bounds are -1 and 1.

    Factors are cut into equal-width ``bins``, discrete ones by rank and text never; by default discrete ones are not,
    continuous ones into 20. ``quantile`` is that of the disagreements, 1.0 the paper's supremum; the normaliser is
    always the maximum. ``corrected`` puts the value of every code on the scale from chance (0) to ceiling (1) before
    averaging.

    Returns:
        Score with per-code values and the matrix R (d x k) as relation; details ``ceiling`` (of one exact copy of each
        factor), ``chance`` (of the same codes, shuffled), ``active`` (codes that vary). Constant codes have value 0 and
        weight 0; if all are, the score is 0. With a single factor every active code scores 1,
        corrected 0.

    Raises:
        InvalidInput: a factor that does not vary, or a wrong option.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(irs(codes, factors).value, 2))
        1.0
        0.83
        0.55

    See Also:
        :func:`interventional_robustness`, :func:`domain_shift_robustness`; https://doi.org/10.48550/arXiv.1811.00007
    """
    require_varying(sample)
    _require_quantile(quantile)
    generator = given_generator(generator, metric="irs")
    factors, d, k = _classes(sample, bins), sample.n_codes, sample.n_factors
    # Codes, the same codes shuffled, and exact copies go through the estimate together.
    codes = np.concatenate([sample.codes, shuffled(sample, generator).codes, exact_copies(sample).codes], axis=1)
    every = [[code] for code in range(2 * d + k)]
    scaled, unit = _scaled(codes, every)
    estimate = crossed_empida if crossed else partial(empida, reweight=reweight)
    parts = [
        estimate(scaled, factors, every, [held], [j for j in range(k) if j != held], quantile=quantile)
        if k > 1
        else np.zeros(len(every))
        for held in range(k)
    ]
    whole = estimate(scaled, factors, every, [], range(k))
    matrix = _ratio(np.stack(parts, axis=1), whole[:, None])
    best, weights = matrix.max(axis=1), unit * whole
    chance = _average(best[d : 2 * d], weights[d : 2 * d])
    ceiling = _average(best[2 * d :], weights[2 * d :])
    per_code = np.where(whole[:d] > 0, between(best[:d], chance, ceiling), 0.0) if corrected else best[:d]
    return Score(
        "irs[corrected]" if corrected else "irs",
        _average(per_code, weights[:d]),
        per_code=per_code,
        relation=matrix[:d],
        details={"ceiling": ceiling, "chance": chance, "active": int((whole[:d] > 0).sum())},
    )


def _average(values: Array, weights: Array) -> float:
    """Weighted mean; 0 where all weights are."""
    return float(values @ weights / weights.sum()) if weights.any() else 0.0
