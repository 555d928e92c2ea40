"""Worlds for section 5.4 of A Sober Look: rules for choosing models, and whether good settings transfer."""

from functools import partial

import numpy as np
from counter_worlds import Worlds, rng

from dbench.claims.calibration import Calibration
from dbench.claims.population import PopulationPair
from dbench.claims.simulation import OBJECTIVES, Law, simulated_zoo

RECIPES, TRANSFER = "sober/test_5_4_recipes", "sober/test_5_4_transfer"
METRICS = ("beta_vae_metric", "dci", "factor_vae", "mig", "modularity", "sap", "irs")
TRAINING = ("elbo", "gaussian_tc.sampled", "kl", "reconstruction")
# One model in six has fewer than two informative codes.
SOME_COLLAPSED = Law(mean=1.0, shape=lambda hidden: np.where(hidden > 0, 3.0, 1.0))


def settings_levels(name: str, orthogonal_to=()) -> np.ndarray:
    """Levels of 6 x 6 settings: mean 0, standard deviation 1, uncorrelated with those given."""
    levels = rng(f"levels {name}").standard_normal(36)
    for other in (np.ones(36), *(o.ravel() for o in orthogonal_to)):
        levels = levels - other * (levels @ other) / (other @ other)
    return (levels / levels.std()).reshape(6, 6)


COMMON = settings_levels("common")
OTHER = settings_levels("other", [COMMON])


def at_settings(levels: np.ndarray):
    """The mean of a law, from levels of objectives x strengths."""
    places = {objective: i for i, objective in enumerate(sorted(OBJECTIVES))}
    return lambda objective, strengths: levels[places[objective]]


def zoo_of(laws, *, generator, seeds, point_only):
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def method_ahead(effect, *, generator, seeds=10, point_only=False):
    """beta-VAE lies above the others on every metric, against noise of 1."""
    laws = {metric: Law(mean={"beta_vae": effect}, seed=0.2) for metric in METRICS}
    return zoo_of(laws, generator=generator, seeds=seeds, point_only=point_only)


def strength_ahead(effect, *, generator, seeds=10, point_only=False):
    """The third strength lies above the others on every metric, against noise of 1."""
    laws = {metric: Law(mean=lambda o, s: effect * (s == s[2]), seed=0.2) for metric in METRICS}
    return zoo_of(laws, generator=generator, seeds=seeds, point_only=point_only)


def telling(effect, *, generator, seeds=10, point_only=False):
    """All metrics see one quality; a score of training sees as much of it as the effect says."""
    laws = {metric: Law(loads={"quality": 1.0}, noise=0.5, seed=0.1) for metric in METRICS}
    laws["elbo"] = Law(loads={"quality": effect}, seed=0.1)
    laws["gaussian_tc.sampled.active"], laws["kl.informative"] = laws["elbo"], SOME_COLLAPSED
    return zoo_of(laws, generator=generator, seeds=seeds, point_only=point_only)


def irs_follows(effect, *, generator, seeds=10, point_only=False):
    """IRS sees as much of what the scores of training have in common as the effect says, the others a little."""
    laws = {score: Law(loads={"fit": 1.0}, noise=0.5, seed=0.1) for score in TRAINING}
    laws |= {metric: Law(loads={"fit": effect if metric == "irs" else 0.3}, seed=0.1) for metric in METRICS}
    return zoo_of(laws, generator=generator, seeds=seeds, point_only=point_only)


def settings_matter(effect, *, generator, seeds=10, point_only=False):
    """Every metric prefers the same settings, by so many standard deviations of its noise."""
    laws = {metric: Law(mean=at_settings(effect * COMMON), seed=0.2) for metric in METRICS}
    return zoo_of(laws, generator=generator, seeds=seeds, point_only=point_only)


def own_settings(effect, *, generator, seeds=10, point_only=False, data=""):
    """Every metric prefers settings of its own."""
    laws = {metric: Law(mean=at_settings(effect * settings_levels(metric + data)), seed=0.2) for metric in METRICS}
    return zoo_of(laws, generator=generator, seeds=seeds, point_only=point_only)


def two(world, effect, *, generator, seeds=5, point_only=False):
    """Draw the same world on two data sets."""
    both = [world(effect, generator=generator, seeds=seeds, point_only=point_only) for _ in range(2)]
    return PopulationPair(*both)


def own_data(effect, *, generator, seeds=5, point_only=False):
    """Every metric prefers settings of its own on every data set."""
    drawn = {"generator": generator, "seeds": seeds, "point_only": point_only}
    return PopulationPair(*(own_settings(effect, data=data, **drawn) for data in (" first", " second")))


def alike(effect, *, generator, seeds=5, point_only=False):
    """What is good on the second data set is what is good on the first, times the effect, and something else."""
    zoos = []
    for levels in (COMMON, (effect * COMMON + OTHER) / np.sqrt(effect**2 + 1)):
        laws = {metric: Law(mean=at_settings(2 * levels), seed=0.2) for metric in METRICS}
        zoos.append(zoo_of(laws, generator=generator, seeds=seeds, point_only=point_only))
    return PopulationPair(*zoos)


def irs_transfers(effect, *, generator, seeds=5, point_only=False):
    """IRS prefers the same settings on both data sets, the other metrics none."""
    laws = {m: Law(mean=at_settings(effect * COMMON) if m == "irs" else 0.0, seed=0.2) for m in METRICS}
    drawn = {"generator": generator, "seeds": seeds, "point_only": point_only}
    return PopulationPair(*(zoo_of(laws, **drawn) for _ in range(2)))


# Seeds that both data sets have: the coloured sprites have five.
SHARED = 5

CASES = [
    {"file": RECIPES, "card": "NO_METHOD", "world": method_ahead, "false": 6.0, "effects": (0.0, 6.0),
     "estimate": lambda m, zoo: m.best_of_methods(zoo), "at": 0.25, "at_says": "best in one seed of four"},
    {"file": RECIPES, "card": "NO_STRENGTH", "world": strength_ahead, "false": 6.0, "effects": (0.0, 6.0),
     "estimate": lambda m, zoo: m.best_strength(zoo, "beta_vae"), "at": 0.55, "at_says": "hardly a difference",
     "truth_seeds": 200},
    {"file": RECIPES, "card": "NO_STRENGTH_ACROSS", "world": partial(two, strength_ahead), "seeds": SHARED,
     "false": 6.0, "effects": (0.0, 6.0), "estimate": lambda m, pair: m.best_across(pair, "beta_vae"), "at": 0.55,
     "at_says": "hardly a difference", "truth_seeds": 200},
    {"file": RECIPES, "card": "USELESS", "world": telling, "false": 5.0, "effects": (0.0, 5.0),
     "estimate": lambda m, zoo: m.consistent_correlation(zoo, "elbo", "five, within objectives"), "at": 0.1,
     "at_says": "a correlation of 0.1"},
    {"file": RECIPES, "card": "IRS_FOLLOWS", "world": irs_follows, "false": 0.0, "effects": (0.0, 5.0),
     "estimate": lambda m, zoo: m.lead_of_irs(zoo), "at": 0.2, "at_says": "0.2 more"},
    {"file": TRANSFER, "card": "SAME", "world": settings_matter, "false": 0.0, "effects": (0.0, 5.0),
     "estimate": lambda m, zoo: m.above_chance(zoo), "at": 0.305, "at_says": "printed", "truth_seeds": 200},
    {"file": TRANSFER, "card": "OTHER_METRIC", "world": own_settings, "false": 0.0, "effects": (0.0, 5.0),
     "estimate": lambda m, zoo: m.lost_by_metric(zoo), "at": 0.198, "at_says": "printed", "truth_seeds": 200},
    {"file": TRANSFER, "card": "OTHER_DATA", "seeds": SHARED, "world": own_data, "false": 5.0,
     "false_world": partial(two, settings_matter), "effects": (0.0, 5.0),
     "estimate": lambda m, pair: m.lost_by_data(pair), "at": 0.223, "at_says": "printed", "truth_seeds": 200},
    {"file": TRANSFER, "card": "BOTH", "seeds": SHARED, "world": partial(two, settings_matter), "false": 5.0,
     "effects": (0.0, 5.0),
     "estimate": lambda m, pair: m.above_chance_across(pair), "at": 0.013, "at_says": "printed", "truth_seeds": 200},
    {"file": TRANSFER, "card": "TO_COLOR", "seeds": SHARED, "world": alike, "false": 0.0, "effects": (0.0, 10.0),
     "estimate": lambda m, pair: m.agreement_of_settings(pair, "mig"), "at": 0.8, "at_says": "clear to the eye"},
    {"file": TRANSFER, "card": "NOT_ELSEWHERE", "seeds": SHARED, "world": alike, "false": 10.0, "effects": (0.0, 10.0),
     "estimate": lambda m, pair: m.least_agreement(pair), "at": 0.1, "at_says": "a correlation of 0.1"},
    {"file": TRANSFER, "card": "IRS_TRANSFERS", "seeds": SHARED, "world": irs_transfers, "false": 5.0,
     "false_world": partial(two, settings_matter), "effects": (0.0, 5.0),
     "estimate": lambda m, pair: m.lead_of_irs(pair), "at": 0.2, "at_says": "one trial in five more",
     "truth_seeds": 200},
]  # fmt: skip


def worlds_of(case) -> Worlds:
    estimate, card = case["estimate"], case["card"]
    false, small = case.get("false_world", case["world"]), case["world"]
    return Worlds(
        case["file"],
        card,
        false=lambda m: estimate(m, false(case["false"], generator=rng(f"{card} false"))),
        small=lambda m: estimate(m, small(1.0, generator=rng(f"{card} small"), seeds=2)),
    )


WORLDS = [worlds_of(case) for case in CASES]
CALIBRATIONS = [
    Calibration(**{name: value for name, value in case.items() if not name.startswith("false")}) for case in CASES
]
