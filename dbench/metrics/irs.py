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
    """Class numbers of the factors: continuous ones are binned (20 by default), discrete ones if ``bins`` is set."""
    # Labels are binned by rank: equal-width bins of the labels themselves would depend on how they are numbered.
    numbers = numbers_of(sample)
    binned = [kind == "continuous" or (kind == "discrete" and bins is not None) for kind in sample.kinds]
    return np.where(binned, quantise(numbers, 20 if bins is None else bins), numbers).astype(np.int64)


def _scaled(codes: Array, blocks: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Centre codes and divide each group by its largest deviation, which leaves ratios of distances unchanged.

    Constant codes become exactly 0. Also returns the divisor of each group, relative to the largest divisor.
    """
    shrunk = codes * 2.0**-24  # keeps sums finite
    centred = shrunk - shrunk.mean(axis=0)
    largest = np.abs(centred).max(axis=0)
    centred[:, (largest <= 1e-12 * np.abs(shrunk).max(axis=0))] = 0.0
    deviations = np.array([np.abs(centred[:, list(block)]).max() for block in blocks])
    for block, deviation in zip(blocks, deviations, strict=True):
        centred[:, list(block)] /= deviation if deviation > 0 else 1.0
    return centred, deviations / (deviations.max() if deviations.any() else 1.0)


def _require_quantile(quantile: float) -> None:
    if not 0 < quantile <= 1:
        raise InvalidInput(f"quantile must lie above 0 and be at most 1, got {quantile}")


def _ratio(disagreement: Array, total: Array) -> Array:
    """One minus disagreement / total; 0 where the total is 0."""
    alive = total > 0
    return np.where(alive, 1 - np.divide(disagreement, total, out=np.zeros_like(disagreement), where=alive), 0.0)


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
    At most 1 (no change of J moves the mean of the codes), at least -1 by the triangle inequality. The paper gives 0
    for no robustness, but the mean given I can differ from the overall mean. Codes that are all constant get 0.
    ``held`` may be empty. Other options are those of :func:`irs`.

    Raises:
        InvalidInput: a code or factor number that does not exist, a factor that is both held and changed, or one that
            does not vary.
    """
    require_varying(sample)
    _require_quantile(quantile)
    block = require_distinct("codes", codes, sample.n_codes)
    holding = require_distinct("held", held, sample.n_factors, least=0)
    changing = require_distinct("changed", changed, sample.n_factors)
    if set(holding) & set(changing):
        raise InvalidInput(f"held and changed must not overlap, got {holding} and {changing}")
    values, factors = _scaled(sample.codes, [block])[0], _classes(sample, bins)
    disagreement = empida(values, factors, [block], holding, changing, quantile=quantile, reweight=reweight)
    total = empida(values, factors, [block], [], range(sample.n_factors))
    return float(_ratio(disagreement, total)[0])


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

    S are the factors that distinguish domains; ``reweight`` corrects for domains in which the held factors are
    distributed differently. The score is 1 if no combination of the other factors was seen in two domains.
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
    algorithm 1 with confounding weights, or by the ``crossed`` special case (Appendix A.1), in which each observation
    is its own combination of factors, all values of a factor have equal weight, and nothing is reweighted. Both agree
    on a grid in which every combination was seen once.

    Exact copies score 1 unless factors are binned and values share a bin (``ceiling``). Noise scores well above 0,
    the more so the fewer observations a value has (``chance``). When one value is held, the mean can differ from the
    overall mean, so that the worst case exceeds the normaliser; the bounds are -1 and 1.

    Factors are cut into equal-width ``bins``, discrete ones by rank; text is never binned. By default only continuous
    ones are binned, into 20. ``quantile`` is that of the disagreements, 1.0 the paper's supremum; the normaliser is
    always the maximum. ``corrected`` rescales the value of every code so that chance is 0 and the ceiling 1, before
    averaging.

    Returns:
        Score with per-code values and the matrix R (d x k) as relation; details ``ceiling`` (of one exact copy of each
        factor), ``chance`` (of the same codes, shuffled), ``active`` (number of codes that vary). Constant codes have
        value 0 and weight 0; if all codes are constant, the score is 0. With a single factor every active code scores
        1, corrected 0.

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
    # Codes, shuffled codes and exact copies are estimated in one call.
    codes = np.concatenate([sample.codes, shuffled(sample, generator).codes, exact_copies(sample).codes], axis=1)
    blocks = [[code] for code in range(2 * d + k)]
    scaled, deviations = _scaled(codes, blocks)
    estimate = crossed_empida if crossed else partial(empida, reweight=reweight)

    def disagreement(held: int) -> Array:
        changed = [factor for factor in range(k) if factor != held]
        if not changed:  # a single factor
            return np.zeros(len(blocks))
        return estimate(scaled, factors, blocks, [held], changed, quantile=quantile)

    total = estimate(scaled, factors, blocks, [], range(k))
    matrix = _ratio(np.stack([disagreement(held) for held in range(k)], axis=1), total[:, None])
    best, weights = matrix.max(axis=1), deviations * total
    chance = _average(best[d : 2 * d], weights[d : 2 * d])
    ceiling = _average(best[2 * d :], weights[2 * d :])
    per_code = np.where(total[:d] > 0, between(best[:d], chance, ceiling), 0.0) if corrected else best[:d]
    return Score(
        "irs[corrected]" if corrected else "irs",
        _average(per_code, weights[:d]),
        per_code=per_code,
        relation=matrix[:d],
        details={"ceiling": ceiling, "chance": chance, "active": int((total[:d] > 0).sum())},
    )


def _average(values: Array, weights: Array) -> float:
    """Weighted mean; 0 if all weights are 0."""
    return float(values @ weights / weights.sum()) if weights.any() else 0.0
