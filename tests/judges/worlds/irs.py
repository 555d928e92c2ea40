"""Worlds in which findings of Suter et al. about trained models are false, or too small to tell."""

import numpy as np
from counter_worlds import calibrated
from scipy.special import expit
from simulation import Law, simulated_zoo

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


# ------------------------------------------------------------------ codes: looks, robustness
def by_looks(kind: str, i: int, looks: dict[str, float]) -> dict[str, Law]:
    """Relations of code i with two factors, the less of the second the better it looks."""
    loads = {name: -load for name, load in looks.items()}
    return {
        f"relation.{kind}.0.{i}": Law(mean=1.0, noise=0.0),
        f"relation.{kind}.1.{i}": Law(loads=loads, noise=0.3, shape=expit),
    }


def codes_by(robust, second=None):
    """Build zoos whose codes look good by a quality of each; ``robust`` and ``second`` take the effect and a code."""

    def world(effect, generator, seeds=10, point_only=False):
        laws = {}
        for i in range(CODES):
            laws |= by_looks("mutual_information", i, {f"looks {i}": 1.0})
            laws |= by_looks("importance_single", i, {f"looks {i}": 1.0})
            laws[f"irs.code.{i}"] = robust(effect, i)
            laws[f"kl.{i}"] = Law(mean=1.0, noise=0.0)
            if second is not None:
                laws |= {f"{name}.{i}": second(effect, i) for name in ("irs.mean", "irs.one_nuisance")}
        return simulated_zoo(laws, generator=generator, seeds=seeds, objectives=OBJECTIVES, point_only=point_only)

    return world


alike = codes_by(lambda effect, i: Law(loads={f"looks {i}": effect}, seed=0.1))
unlike = codes_by(
    lambda effect, i: Law(loads={f"looks {i}": 0.3}),
    lambda effect, i: Law(mean=0.5, loads={f"looks {i}": effect}, noise=0.1, seed=0.02),
)


# ------------------------------------------------------------------ lines
def lines(robust: float, flat: float, by: str):
    """Build zoos of codes about as robust and as flat as this; the effect raises one of the two."""

    def world(effect, generator, seeds=10, point_only=False):
        laws = {}
        for i in range(CODES):
            shifts = {"irs.code": robust, "irs.one_nuisance": flat}
            for name, level in shifts.items():
                mean = level + (effect if name == by else 0.0)
                laws[f"{name}.{i}"] = Law(mean=mean, noise=0.05, seed=0.02)
            laws[f"kl.{i}"] = Law(mean=1.0, noise=0.0)
        return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)

    return world


# ------------------------------------------------------------------ methods
def methods(laws):
    """Build zoos of the five methods from the laws of their scores as functions of the effect."""
    return lambda effect, generator, seeds=10, point_only=False: simulated_zoo(
        laws(effect), generator=generator, seeds=seeds, objectives=OBJECTIVES, point_only=point_only
    )


def first_by_irs(effect, of="beta_tcvae", sign=1.0):
    return {"irs": Law(mean={of: 0.5 + sign * effect} | {o: 0.5 for o in OBJECTIVES if o != of}, noise=0.05, seed=0.05)}


def last_by_importance(effect):
    """Two codes that look the better the less they know of the second factor; those of beta-TCVAE look worse."""
    level = {o: -1.0 + effect * (o == "beta_tcvae") for o in OBJECTIVES}
    laws = {}
    for i in range(2):
        laws[f"relation.importance_single.0.{i}"] = Law(mean=1.0, noise=0.0)
        laws[f"relation.importance_single.1.{i}"] = Law(mean=level, noise=0.3, seed=0.1, shape=expit)
    return laws


def metrics_alike(effect):
    names = ("irs", "modularity", "dci.single.informativeness")
    laws = {name: Law(loads={"quality": effect}, seed=0.2) for name in names}
    return laws | by_looks("importance_single", 0, {"quality": effect})


def robust_and_ignorant(effect):
    return {
        "irs": Law(mean={"beta_tcvae": 0.9} | {o: 0.5 for o in OBJECTIVES if o != "beta_tcvae"}, noise=0.05),
        "dci.single.informativeness": Law(
            mean={"beta_tcvae": 0.8 - effect} | {o: 0.8 for o in OBJECTIVES if o != "beta_tcvae"}, noise=0.03, seed=0.03
        ),
    }


def traded(effect, generator, seeds=10, point_only=False):
    laws = {
        "irs": Law(loads={"quality": 1.0}, seed=0.2),
        "dci.single.informativeness": Law(loads={"quality": -effect}, seed=0.2),
        "kl.informative": Law(mean=4.0, noise=0.0),
    }
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


# ------------------------------------------------------------------ bins and candidates
def shifted(effect, generator, seeds=10, point_only=False):
    """More bins raise the score of every model by the effect, give or take something of their own."""
    score = {"quality": 0.05}
    laws = {
        "modularity": Law(mean=0.8, loads=score, noise=0.01, seed=0.02),
        "modularity.bins.50": Law(mean=0.8 + effect, loads=score, noise=0.01, seed=0.02),
    }
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def ranked(effect, generator, seeds=10, point_only=False):
    laws = {name: Law(loads={"quality": effect}, seed=0.2, noise=0.3) for name in ("modularity", "modularity.bins.50")}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def candidates(effect, generator, seeds=10, point_only=False):
    """One factor, held well by one code, half as well by the next, by two others not at all."""
    laws = {}
    for i, held in enumerate((1.0, 0.5, 0.02, 0.02)):
        laws[f"relation.mutual_information.0.{i}"] = Law(mean=held, noise=0.005)
        laws[f"kl.{i}"] = Law(mean=1.0, noise=0.0)
    for kind, importance in (("importance", 0.33 - effect), ("importance_single", 0.33 - effect / 4)):
        law = Law(mean=importance, noise=0.05, seed=0.015, shape=lambda x: np.clip(x, 0.0, 1.0))
        laws |= {f"relation.{kind}.0.{i}": law for i in range(4)}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


ALL = {"given": {"codes": "all"}, "truth_seeds": 200}
BINS = {"given": {"bins": 50, "codes": "all"}}
TENTH = {"at": 0.1, "at_says": "a tenth of the spread"}
LINE = {"at": 0.95, "at_says": "nineteen codes in twenty", "truth_seeds": 200}
PRINTED = {"strengths": "printed"}

ROWS = [
    calibrated(COMPLEMENTARY, "CORRELATE", alike, false=0.0, true=2.0, at=0.7, at_says="a strong correlation", **ALL),
    calibrated(COMPLEMENTARY, "EXCEPTIONS", alike, false=2.5, true=0.3, effects=(6.0, 0.3), at=0.05,
               at_says="one code in twenty", **ALL),
    calibrated(COMPLEMENTARY, "AS_PRINTED", alike, false=6.0, true=-1.0, at=0.9, at_says="nine seeds in ten", **ALL),
    calibrated(COMPLEMENTARY, "RARE", unlike, false=0.0, true=0.5, **TENTH, **ALL),
    calibrated(COMPLEMENTARY, "CUMULATIVE", unlike, false=0.0, true=0.5, **TENTH, **ALL),
    calibrated(LINES, "STAY", lines(0.85, 0.85, "irs.one_nuisance"), false=0.0, true=0.3, **LINE),
    calibrated(LINES, "SLOPE", lines(0.4, 1.05, "irs.one_nuisance"), false=0.0, true=-0.4, **LINE),
    calibrated(LINES, "CONVERSE", lines(0.7, 0.95, "irs.code"), false=0.0, true=0.3, **LINE),
    calibrated(METHODS, "DIFFER", methods(metrics_alike), given=PRINTED, false=50.0, true=0.0, at=0.5,
               at_says="half of the order in common"),
    calibrated(METHODS, "LEADS", methods(first_by_irs), given=PRINTED, false=-0.1, true=0.3, at=0.15,
               at_says="as printed"),
    calibrated(METHODS, "TRAILS", methods(last_by_importance), given=PRINTED | {"average": "plain"},
               false=-1.0, true=3.0, at=0.07, at_says="as printed"),
    calibrated(METHODS, "LAST", methods(lambda effect: first_by_irs(effect, of="beta_vae", sign=-1.0)), given=PRINTED,
               false=-0.1, true=0.3, at=0.1, at_says="as printed"),
    calibrated(METHODS, "TRADE_OFF", traded, given={"models": "all"}, false=0.0, true=2.0, at=-0.4,
               at_says="a middling correlation"),
    calibrated(METHODS, "EXAMPLE", methods(robust_and_ignorant), false=-0.1, true=0.2, at=0.08, at_says="as printed"),
    calibrated(MEASURES, "SCORES", shifted, **BINS, false=0.15, true=0.0, effects=(-0.15, 0.15), at=0.0,
               at_says="no change"),
    calibrated(MEASURES, "RANKS", ranked, **BINS, false=0.0, true=3.0, at=0.95, at_says="all but the same order"),
    calibrated(MEASURES, "UNDERESTIMATES", candidates, false=0.0, true=0.3, at=-0.1, at_says="twice what counts"),
    calibrated(MEASURES, "AVOIDED", candidates, false=0.6, true=0.0, at=-0.02,
               at_says="less than half of what counts"),
    calibrated(MEASURES, "MORE", candidates, false=0.0, true=0.3, at=0.1, at_says="twice what counts"),
]  # fmt: skip
WORLDS, CALIBRATIONS = map(list, zip(*ROWS, strict=True))
