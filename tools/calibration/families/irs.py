"""Families for what Suter et al. find of trained models."""

from functools import partial

import numpy as np
from scipy.special import expit

from calibration.row import Row
from dbench.estimates.simulated import Law, simulated_zoo

COMPLEMENTARY, LINES = "irs/test_6_2_complementary", "irs/test_6_3_flat_lines"
METHODS, MEASURES = "irs/test_6_1_methods", "irs/test_d_1_measures"
CODES = 10
OBJECTIVES = {
    "annealed_vae": (0.5, 4.0),
    "beta_tcvae": (1.0, 6.0),
    "beta_vae": (0.5, 1.0),
    "dip_vae_i": (1.0, 10.0),
    "factor_vae": (10.0, 20.0),
}
# Of every model: a code that is informative, or a relation that is full.
ONE = Law(mean=1.0, noise=0.0)


# ------------------------------------------------------------------ codes: looks, robustness
def by_looks(kind: str, i: int, looks: dict[str, float]) -> dict[str, Law]:
    """Relations of code i with two factors, the less of the second the better it looks."""
    loads = {name: -load for name, load in looks.items()}
    return {f"relation.{kind}.0.{i}": ONE, f"relation.{kind}.1.{i}": Law(loads=loads, noise=0.3, shape=expit)}


def codes_by(robust, second=None):
    """Build zoos whose codes look good by a quality of each; ``robust`` and ``second`` take the effect and a code."""

    def world(effect, **zoo):
        laws = {}
        for i in range(CODES):
            laws |= by_looks("mutual_information", i, {f"looks {i}": 1.0})
            laws |= by_looks("importance_single", i, {f"looks {i}": 1.0})
            laws |= {f"irs.code.{i}": robust(effect, i), f"kl.{i}": ONE}
            if second is not None:
                laws |= {f"{name}.{i}": second(effect, i) for name in ("irs.mean", "irs.one_nuisance")}
        return simulated_zoo(laws, objectives=OBJECTIVES, **zoo)

    return world


alike = codes_by(lambda effect, i: Law(loads={f"looks {i}": effect}, seed=0.1))
unlike = codes_by(
    lambda effect, i: Law(loads={f"looks {i}": 0.3}),
    lambda effect, i: Law(mean=0.5, loads={f"looks {i}": effect}, noise=0.1, seed=0.02),
)


# ------------------------------------------------------------------ lines
def lines(robust: float, flat: float, by: str):
    """Build zoos of codes about as robust and as flat as this; the effect raises one of the two."""

    def world(effect, **zoo):
        laws = {}
        for i in range(CODES):
            for name, level in {"irs.code": robust, "irs.one_nuisance": flat}.items():
                laws[f"{name}.{i}"] = Law(mean=level + (effect if name == by else 0.0), noise=0.05, seed=0.02)
            laws[f"kl.{i}"] = ONE
        return simulated_zoo(laws, **zoo)

    return world


# ------------------------------------------------------------------ methods
def methods(laws):
    """Build zoos of the five methods from the laws of their scores as functions of the effect."""
    return lambda effect, **zoo: simulated_zoo(laws(effect), objectives=OBJECTIVES, **zoo)


def unless(of, level, rest):
    """A level of one method, and that of all others."""
    return dict.fromkeys(OBJECTIVES, rest) | {of: level}


def first_by_irs(effect, of="beta_tcvae", sign=1.0):
    return {"irs": Law(mean=unless(of, 0.5 + sign * effect, 0.5), noise=0.05, seed=0.05)}


def last_by_importance(effect):
    """Two codes that look the better the less they know of the second factor; those of beta-TCVAE look worse."""
    law = Law(mean=unless("beta_tcvae", -1.0 + effect, -1.0), noise=0.3, seed=0.1, shape=expit)
    return {f"relation.importance_single.{factor}.{i}": law if factor else ONE for i in range(2) for factor in range(2)}


def metrics_alike(effect):
    """IRS and MI see a quality, and feature importance sees it as the effect says."""
    laws = {name: Law(loads={"quality": 50.0}, seed=0.2) for name in ("irs", "modularity")}
    return laws | by_looks("importance_single", 0, {"quality": effect})


def robust_and_ignorant(effect):
    informed = Law(mean=unless("beta_tcvae", 0.8 - effect, 0.8), noise=0.03, seed=0.03)
    return {"irs": Law(mean=unless("beta_tcvae", 0.9, 0.5), noise=0.05), "dci.single.informativeness": informed}


def traded(effect, **zoo):
    laws = {
        "irs": Law(loads={"quality": 1.0}, seed=0.2),
        "dci.single.informativeness": Law(loads={"quality": -effect}, seed=0.2),
        "kl.informative": Law(mean=4.0, noise=0.0),
    }
    return simulated_zoo(laws, **zoo)


# ------------------------------------------------------------------ bins and candidates
def shifted(effect, **zoo):
    """More bins raise the score of every model by the effect, give or take something of their own."""
    means = {"modularity": 0.8, "modularity.bins.50": 0.8 + effect}
    laws = {name: Law(mean=m, loads={"quality": 0.05}, noise=0.01, seed=0.02) for name, m in means.items()}
    return simulated_zoo(laws, **zoo)


def ranked(effect, **zoo):
    law = Law(loads={"quality": effect}, seed=0.2, noise=0.3)
    return simulated_zoo({"modularity": law, "modularity.bins.50": law}, **zoo)


def candidates(effect, **zoo):
    """One factor, held well by one code, half as well by the next, by two others not at all."""
    laws = {}
    for i, held in enumerate((1.0, 0.5, 0.02, 0.02)):
        laws |= {f"relation.mutual_information.0.{i}": Law(mean=held, noise=0.005), f"kl.{i}": ONE}
    for kind, importance in (("importance", 0.33 - effect), ("importance_single", 0.33 - effect / 4)):
        law = Law(mean=importance, noise=0.05, seed=0.015, shape=lambda x: np.clip(x, 0.0, 1.0))
        laws |= {f"relation.{kind}.0.{i}": law for i in range(4)}
    return simulated_zoo(laws, **zoo)


complementary = partial(Row, COMPLEMENTARY, given={"codes": "all"}, truth_seeds=200)
line = partial(Row, LINES, truth_seeds=200)
printed = partial(Row, METHODS, given={"strengths": "printed"})
of_bins = partial(Row, MEASURES, given={"bins": 50, "codes": "all"})
TENTH, NINETEEN, FORTY_NINE = "a tenth of the spread", "nineteen codes in twenty", "forty-nine codes in fifty"

ROWS = [
    complementary("CORRELATE", alike, effects=(0.0, 2.0), at=0.7, at_says="a strong correlation"),
    complementary("EXCEPTIONS", alike, effects=(6.0, 0.3), at=0.05, at_says="one code in twenty"),
    complementary("AS_PRINTED", alike, effects=(6.0, -1.0), at=0.9, at_says="nine seeds in ten"),
    complementary("RARE", unlike, effects=(0.0, 0.5), at=0.1, at_says=TENTH),
    complementary("CUMULATIVE", unlike, effects=(0.0, 0.5), at=0.1, at_says=TENTH),
    line("STAY", lines(0.85, 0.85, "irs.one_nuisance"), effects=(0.0, 0.3), at=0.98, at_says=FORTY_NINE),
    line("SLOPE", lines(0.4, 1.05, "irs.one_nuisance"), effects=(0.0, -0.4), at=0.98, at_says=FORTY_NINE),
    line("CONVERSE", lines(0.7, 0.95, "irs.code"), effects=(0.0, 0.3), at=0.95, at_says=NINETEEN),
    printed("DIFFER", methods(metrics_alike), effects=(50.0, -50.0), at=-0.3, at_says="as printed"),
    printed("LEADS", methods(first_by_irs), effects=(-0.1, 0.3), at=0.15, at_says="as printed"),
    printed(
        "TRAILS",
        methods(last_by_importance),
        effects=(-1.0, 3.0),
        at=0.07,
        at_says="as printed",
        given={"strengths": "printed", "average": "plain"},
    ),
    printed(
        "LAST",
        methods(lambda effect: first_by_irs(effect, of="beta_vae", sign=-1.0)),
        effects=(-0.1, 0.3),
        at=0.1,
        at_says="as printed",
    ),
    Row(
        METHODS,
        "TRADE_OFF",
        traded,
        effects=(-0.5, 2.0),
        at=-0.4,
        at_says="a middling correlation",
        given={"models": "all"},
    ),
    Row(METHODS, "OFTEN", traded, effects=(-0.5, 2.0), at=-0.4, at_says="a middling correlation"),
    Row(METHODS, "EXAMPLE", methods(robust_and_ignorant), effects=(-0.1, 0.2), at=0.08, at_says="as printed"),
    of_bins("SCORES", shifted, effects=(-0.15, 0.15), at=0.0, at_says="no change"),
    of_bins("RANKS", ranked, effects=(0.0, 3.0), at=0.95, at_says="all but the same order"),
    Row(MEASURES, "UNDERESTIMATES", candidates, effects=(-0.1, 0.3), at=-0.1, at_says="a tenth of all importance"),
    Row(MEASURES, "AVOIDED", candidates, effects=(0.6, 0.0), at=-0.005, at_says="a quarter of what counts"),
]
