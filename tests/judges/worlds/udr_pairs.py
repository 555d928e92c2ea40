"""Worlds for what Duan et al. say of single comparisons, of informative codes, and of seeds that matter."""

from functools import partial

import numpy as np
from counter_worlds import calibrated
from simulation import OBJECTIVES, Law, SimulatedPopulation, simulated_zoo

INFORMATIVE, COMPARISONS = "udr/test_4_informative", "udr/test_4_comparisons"
METRICS = ("beta_vae_metric", "factor_vae", "mig", "dci")


# ------------------------------------------------------------------ single comparisons
def pairs(clear, noise, *, generator, seeds=10, point_only=False, objectives=("beta_vae",)):
    """Build a zoo in whose every comparison a model's quality shows as clearly as this, under noise of this size."""
    scores, strengths = {}, {o: OBJECTIVES[o] for o in objectives}
    for objective, values in strengths.items():
        quality = generator.standard_normal((len(values), seeds))
        found = clear * quality.ravel()[:, None] + noise * generator.standard_normal((quality.size, quality.size))
        for n in range(quality.size):
            scores[f"udr.lasso.with.{n}", objective] = found[:, n].reshape(quality.shape).T
        for metric in METRICS:
            scores[metric, objective] = (quality + 0.5 * generator.standard_normal(quality.shape)).T
        scores["kl.informative", objective] = np.full((seeds, len(values)), 5.0)
    return SimulatedPopulation(scores, strengths, point_only=point_only)


def seen(effect, **zoo):
    return pairs(effect, 1.0, **zoo)


def noisy(effect, **zoo):
    return pairs(1.0, effect, **zoo)


# ------------------------------------------------------------------ informative codes, seeds
def apart(effect, **zoo):
    """Codes lie as many powers of ten from the threshold as the effect says, on either side."""
    law = Law(shape=lambda x: 0.01 * 10 ** (effect * x).clip(-12, 4))
    return simulated_zoo({f"kl.{code}": law for code in range(10)}, **zoo)


def few_codes(effect, **zoo):
    """UDR follows the number of informative codes as the effect says."""
    count = Law(mean=5.0, loads={"number": 1.5}, noise=0.0, shape=lambda x: np.rint(x).clip(0, 10))
    return simulated_zoo({"kl.informative": count, "udr.lasso": Law(loads={"number": effect})}, **zoo)


def chosen(effect, **zoo):
    """Settings lie a step of the effect apart from one another."""
    order = {objective: 6 * n for n, objective in enumerate(sorted(OBJECTIVES))}
    law = Law(mean=lambda objective, strengths: effect * (order[objective] + strengths))
    return simulated_zoo(dict.fromkeys(METRICS, law), **zoo)


# The table of pairs grows with the square of the seeds.
compared = partial(calibrated, COMPARISONS, truth_seeds=40)
pooled = partial(compared, given={"pool": "all to all"})
informative = partial(calibrated, INFORMATIVE)
count = partial(informative, given={"variant": "udr.lasso", "models": "all"})

WORLDS = [
    pooled("FIVE", seen, 0.0, 3.0, (0.0, 4.0), 0.51, "printed"),
    pooled("FIVE_OF_MANY", noisy, 5.0, 0.1, (0.0, 3.0), 0.51 - 0.75 * 0.61, "printed", few=9),
    compared("GROWS", noisy, 0.1, 3.0, (0.0, 3.0), 0.1, "printed", few=9),
    # A good model shows among bad ones.
    compared("LONE", partial(seen, objectives=tuple(OBJECTIVES)), 3.0, 0.0, (-2.0, 4.0), 0.1, "chance", few=9,
             given={"models": "all"}),
    informative("GAP", apart, 1.0, 50.0, (1.0, 50.0), 0.05, "one code in twenty"),
    informative("NOT_DELICATE", apart, 2.0, 200.0, (1.0, 200.0), 0.05, "one model in twenty"),
    count("HIGHER", few_codes, 1.0, -1.0, (2.0, -2.0), -0.4, "a moderate correlation"),
    count("NOT_PUNISHED", few_codes, 1.0, -1.0, (2.0, -2.0), 0.0, "no correlation"),
    informative("TRANSFER", chosen, 0.0, 0.1, (0.0, 5.0), 0.807, "printed"),
]  # fmt: skip
