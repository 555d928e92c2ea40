"""Worlds for what Duan et al. say of single comparisons, of informative codes, and of seeds that matter."""

import numpy as np
from counter_worlds import calibrated
from simulation import OBJECTIVES, Law, SimulatedPopulation, simulated_zoo

INFORMATIVE, COMPARISONS = "udr/test_4_informative", "udr/test_4_comparisons"
METRICS = ("beta_vae_metric", "factor_vae", "mig", "dci")
# The table of pairs grows with the square of the seeds.
FEW_SEEDS = 40


# ------------------------------------------------------------------ single comparisons
def pairs(agree, *, generator, seeds, point_only, objectives=("beta_vae",)):
    """Build a zoo with every comparison; ``agree`` takes the qualities of the models and gives models x models."""
    scores, strengths = {}, {o: OBJECTIVES[o] for o in objectives}
    for objective, values in strengths.items():
        quality = generator.standard_normal((len(values), seeds))
        found = agree(quality.ravel(), generator).reshape(*quality.shape, -1)
        for n in range(quality.size):
            scores[f"udr.lasso.with.{n}", objective] = found[:, :, n].T
        for metric in METRICS:
            scores[metric, objective] = (quality + 0.5 * generator.standard_normal(quality.shape)).T
        scores["kl.informative", objective] = np.full((seeds, len(values)), 5.0)
    return SimulatedPopulation(scores, strengths, point_only=point_only)


def seen(effect, *, generator, seeds=10, point_only=False):
    """Each comparison shows the model's quality as clearly as the effect says."""

    def agree(quality, stream):
        return effect * quality[:, None] + stream.standard_normal((len(quality), len(quality)))

    return pairs(agree, generator=generator, seeds=seeds, point_only=point_only)


def noisy(effect, *, generator, seeds=10, point_only=False):
    """Each comparison shows the model's quality, under noise of this size."""

    def agree(quality, stream):
        return quality[:, None] + effect * stream.standard_normal((len(quality), len(quality)))

    return pairs(agree, generator=generator, seeds=seeds, point_only=point_only)


def company(effect, *, generator, seeds=10, point_only=False):
    """A good model shows among bad ones, as clearly as the effect says."""

    def agree(quality, stream):
        return effect * quality[:, None] + stream.standard_normal((len(quality), len(quality)))

    return pairs(agree, generator=generator, seeds=seeds, point_only=point_only, objectives=tuple(OBJECTIVES))


# ------------------------------------------------------------------ informative codes, seeds
def apart(effect, *, generator, seeds=10, point_only=False):
    """Codes lie as many powers of ten from the threshold as the effect says, on either side."""
    law = Law(shape=lambda x: 0.01 * 10 ** (effect * x).clip(-12, 4))
    laws = {f"kl.{code}": law for code in range(10)}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def few_codes(effect, *, generator, seeds=10, point_only=False):
    """UDR follows the number of informative codes as the effect says."""
    count = Law(mean=5.0, loads={"number": 1.5}, noise=0.0, shape=lambda x: np.rint(x).clip(0, 10))
    laws = {"kl.informative": count, "udr.lasso": Law(loads={"number": effect})}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def chosen(effect, *, generator, seeds=10, point_only=False):
    """Settings lie a step of the effect apart from one another."""
    order = {objective: 6 * n for n, objective in enumerate(sorted(OBJECTIVES))}
    law = Law(mean=lambda objective, strengths: effect * (order[objective] + strengths))
    return simulated_zoo(dict.fromkeys(METRICS, law), generator=generator, seeds=seeds, point_only=point_only)


POOLED = {"given": {"pool": "all to all"}, "at_says": "printed", "truth_seeds": FEW_SEEDS}
FLAGS = {"variant": "udr.lasso", "models": "all"}
COUNT = {"given": FLAGS, "false": 1.0, "true": -1.0, "effects": (2.0, -2.0)}

ROWS = [
    calibrated(COMPARISONS, "FIVE", seen, **POOLED, false=0.0, true=3.0, effects=(0.0, 4.0), at=0.51),
    calibrated(COMPARISONS, "FIVE_OF_MANY", noisy, **POOLED, false=5.0, true=0.1, few=9, effects=(0.0, 3.0),
               at=0.51 - 0.75 * 0.61),
    calibrated(COMPARISONS, "GROWS", noisy, false=0.1, true=3.0, few=9, effects=(0.0, 3.0), at=0.1, at_says="printed",
               truth_seeds=FEW_SEEDS),
    calibrated(COMPARISONS, "LONE", company, given={"models": "all"}, false=3.0, true=0.0, few=9, effects=(-2.0, 4.0),
               at=0.1, at_says="chance", truth_seeds=FEW_SEEDS),
    calibrated(INFORMATIVE, "GAP", apart, false=1.0, true=50.0, at=0.05, at_says="one code in twenty"),
    calibrated(INFORMATIVE, "NOT_DELICATE", apart, false=2.0, true=200.0, effects=(1.0, 200.0), at=0.05,
               at_says="one model in twenty"),
    calibrated(INFORMATIVE, "HIGHER", few_codes, **COUNT, at=-0.4, at_says="a moderate correlation"),
    calibrated(INFORMATIVE, "NOT_PUNISHED", few_codes, **COUNT, at=0.0, at_says="no correlation"),
    calibrated(INFORMATIVE, "TRANSFER", chosen, false=0.0, true=0.1, effects=(0.0, 5.0), at=0.807, at_says="printed"),
]  # fmt: skip
WORLDS, CALIBRATIONS = map(list, zip(*ROWS, strict=True))
