"""Mutual information gap (Chen et al. 2018). Higher is better."""

from math import log2

import numpy as np

from dbench.codes import Sample
from dbench.metrics.aggregations import gap_per_factor
from dbench.metrics.ceilings import between, informations
from dbench.metrics.inputs import require_varying
from dbench.metrics.registry import IN_NATS, Known, Score, metric
from dbench.metrics.relations import classes, entropy
from dbench.seeds import given_generator


@metric(
    needs="sample",
    bounds=(0, 1),
    cite="chen2018",
    label="MIG",
    wide=True,
    known=(Known(noisy=0.75 * log2(3) - 1, shared=1 / 2),),
    picture=IN_NATS,
    pitfalls={
        "20 bins keep exact copies at 0.90": "test_exact_copies_reach_the_ceiling_that_is_stated_and_1_when_corrected",
        "factors are binned too, or not": "test_discrete_factors_are_not_binned_and_continuous_ones_are",
        "divided by the entropy of the code": "test_gaps_are_taken_along_factors_and_divided_by_entropy",
        "information is estimated too high": "test_noise_scores_what_is_stated_for_chance_and_nearly_0_when_corrected",
        "rounding puts values on a cut left or right of it: 0.98 or 0.87 of one code": (
            "test_values_on_the_cuts_fall_to_their_right_at_any_scale_and_shift"
        ),
        "a constant code gives NaN": "test_one_dead_code_does_not_turn_a_score_into_nan",
        "a constant factor gives 0/0": "test_a_factor_that_does_not_vary_is_refused_by_name",
        "draws reshaped instead of transposed: scores above 1": "test_many_models_at_once_give_what_each_gives_alone",
    },
)
def mig(
    sample: Sample, *, bins: int = 20, corrected: bool = False, generator: np.random.Generator | None = None
) -> Score:
    """Gap between the two codes that know most about a factor, by its entropy, averaged over factors.

    A Sober Look, section 4.2.3: codes are cut into equal-width bins from min to max; discrete factors are
    not binned (a convention: the text bins them too, which only matters above 20 values), continuous ones
    are. Bounds 0 and 1; independent codes score about 0. An exact copy of a factor with more values than
    bins cannot reach 1. Values exactly on a cut fall to its right, so a change of sign can move a score where codes
    take few values. ``corrected`` puts every factor's gap on the scale from chance (0) to that of exact copies (1).

    Returns:
        Score with per-factor values and the mutual information in nats as relation. With a single code the
        second best is 0. Constant codes have no information. Details ``ceiling`` (of one exact copy of each
        factor), ``chance`` (of the same codes, shuffled) and ``bins``.

    Raises:
        InvalidInput: a factor that does not vary.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(mig(codes, factors).value, 2))
        1.0
        0.23
        0.01
    """
    require_varying(sample)
    generator = given_generator(generator, metric="mig")
    entropies = entropy(classes(sample, bins))
    information, copied, dealt = informations(sample, generator, bins=bins)
    # Information cannot exceed entropy, but for rounding.
    gaps, ceiling, chance = (
        np.minimum(gap_per_factor(matrix) / entropies, 1.0) for matrix in (information, copied, dealt)
    )
    per_factor = between(gaps, chance, ceiling) if corrected else gaps
    return Score(
        "mig[corrected]" if corrected else "mig",
        float(per_factor.mean()),
        per_factor=per_factor,
        relation=information,
        details={"ceiling": float(ceiling.mean()), "chance": float(chance.mean()), "bins": bins},
    )
