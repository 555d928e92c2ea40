"""Statistical efficiency of a representation (A Sober Look, section 7). Higher is better."""

import numpy as np

from dbench.codes import Sample
from dbench.metrics.downstream import Model, downstream_accuracy
from dbench.metrics.inputs import labels_alone, require_count
from dbench.metrics.registry import Score, metric
from dbench.seeds import given_generator


@metric(
    needs="sample",
    bounds=(0, None),
    cite="locatello2020",
    label="Efficiency",
    labels=True,
    learned=True,
    speed="slow",
    varies={"scale": "weights on codes that are not standardised are penalised"},
    tolerance=0.05,
    quick={"few": 10, "many": 60},
    variants={"gbt": {"speed": "by name"}},
)
def statistical_efficiency(
    sample: Sample,
    *,
    few: int = 100,
    many: int = 10_000,
    model: Model = "logistic",
    test: int | None = None,
    generator: np.random.Generator | None = None,
) -> Score:
    """Downstream accuracy with few training observations, divided by that with many.

    The score is a ratio of averages over factors, not an average of ratios. Bounds 0 and infinity: it exceeds 1 only
    by chance. Uninformative codes score about 1 and so look efficient (section 7): read the score beside
    ``accuracy.many``. Defaults are the paper's; ``model`` and ``test`` are those of :func:`dbench.metrics.downstream`.

    Returns:
        Score with the ratio for each factor; details ``accuracy.few`` and ``accuracy.many``, means over factors.
        0 where the accuracy with many observations is 0.

    Raises:
        InvalidInput: too few observations, a factor that does not vary, continuous factors, or codes beyond 1e140.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     score = statistical_efficiency(codes, factors, few=20, many=200)
        ...     print(round(score.value, 2), round(score.details["accuracy.many"], 2))
        1.0 1.0
        0.67 0.56
        0.98 0.33

    See Also:
        :func:`downstream`; https://doi.org/10.3929/ethz-b-000450167
    """
    sample = labels_alone(sample, "statistical_efficiency")
    for name, size in (("few", few), ("many", many)):
        require_count(name, size, 1)
    generator = given_generator(generator, metric="statistical_efficiency")
    low, high = downstream_accuracy(sample, [few, many], model=model, test=test, generator=generator)
    ratios = np.divide(low, high, out=np.zeros_like(low), where=high > 0)
    return Score(
        f"statistical_efficiency[{model}]",
        low.mean() / high.mean() if high.any() else 0.0,
        per_factor=ratios,
        factor_names=sample.factor_names,
        details={"accuracy.few": float(low.mean()), "accuracy.many": float(high.mean())},
    )
