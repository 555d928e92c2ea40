"""Worlds for section 5.4 of A Sober Look: rules for choosing models, and whether good settings transfer."""

from functools import partial

import numpy as np
from counter_worlds import calibrated, rng
from simulation import OBJECTIVES, Law, simulated_zoo

from dbench.claims.population import PopulationPair

RECIPES, TRANSFER, FOLLOWS = (f"sober/test_5_4_{name}" for name in ("recipes", "transfer", "irs"))
METRICS = ("beta_vae_metric", "dci", "factor_vae", "mig", "modularity", "sap", "irs")
TRAINING = ("elbo", "gaussian_tc.sampled", "kl", "reconstruction")


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


def two(world, effect, *, generator, seeds=5, point_only=False):
    """Draw the same world on two data sets."""
    return PopulationPair(*(world(effect, generator=generator, seeds=seeds, point_only=point_only) for _ in range(2)))


def strength_ahead(effect, *, generator, seeds=10, point_only=False):
    """The third strength lies above the others on every metric, against noise of 1."""
    laws = {metric: Law(mean=lambda o, s: effect * (s == s[2]), seed=0.2) for metric in METRICS}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def telling(effect, *, generator, seeds=10, point_only=False):
    """All metrics see one quality; a score of training sees as much of it as the effect says, the others nothing."""
    laws = {metric: Law(loads={"quality": 1.0}, noise=0.5, seed=0.1) for metric in METRICS}
    laws |= {score: Law(loads={"quality": effect * (score == "elbo")}, seed=0.1) for score in TRAINING}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def settings_matter(effect, *, generator, seeds=10, point_only=False):
    """Every metric prefers the same settings, by so many standard deviations of its noise."""
    laws = {metric: Law(mean=at_settings(effect * COMMON), seed=0.2) for metric in METRICS}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def own_settings(effect, *, generator, seeds=10, point_only=False, data=""):
    """Every metric prefers settings of its own."""
    laws = {metric: Law(mean=at_settings(effect * settings_levels(metric + data)), seed=0.2) for metric in METRICS}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def own_data(effect, *, generator, seeds=5, point_only=False):
    """Every metric prefers settings of its own on every data set."""
    drawn = {"generator": generator, "seeds": seeds, "point_only": point_only}
    return PopulationPair(*(own_settings(effect, data=data, **drawn) for data in (" first", " second")))


def alike(effect, *, generator, seeds=5, point_only=False):
    """What is good on the second data set is what is good on the first, times the effect, and something else."""
    zoos = []
    for levels in (COMMON, (effect * COMMON + OTHER) / np.sqrt(effect**2 + 1)):
        laws = {metric: Law(mean=at_settings(2 * levels), seed=0.2) for metric in METRICS}
        zoos.append(simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only))
    return PopulationPair(*zoos)


def irs_ahead(effect, *, generator, seeds=10, point_only=False):
    """Scores of training depend on the settings; IRS as much as the effect says, the other metrics a little."""
    laws = {score: Law(mean=at_settings(COMMON), seed=0.1) for score in TRAINING}
    laws |= {m: Law(mean=at_settings((effect if m == "irs" else 0.5) * COMMON), seed=0.1) for m in METRICS}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def called(pair):
    """A fixture that is called for both data sets."""
    return lambda: pair


def named(pair):
    """A fixture that is called with the name of a data set."""
    return lambda name: pair.source if name == "dsprites" else pair.target


# Seeds that both data sets have: the coloured sprites have five.
SHARED = {"seeds": 5, "true": 1.0}
ALONE = {"true": 1.0}
NO_RULE = {"false": 2.5, "effects": (0.0, 6.0), "at": -0.2, "at_says": "a probability of 0.55", "truth_seeds": 100}
USELESS = {"false": 5.0, "effects": (0.0, 5.0), "at": 0.1, "at_says": "a correlation of 0.1", "truth_seeds": 200}
PRINTED = {"false": 0.0, "effects": (0.0, 5.0), "at_says": "printed", "truth_seeds": 200}
# Where every metric likes the same settings on both data sets, nothing is lost between them.
NOTHING_LOST = {"false": 5.0, "false_world": partial(two, settings_matter)}
COLOR = {"false": 0.0, "effects": (0.0, 10.0), "at": 0.8, "at_says": "clear to the eye", "handed": named}
BOTH_CLEAR = {"at": 1.5, "at_says": "both clear to the eye"}
IRS = {"false": 0.0, "effects": (0.0, 5.0), "at": 0.15, "at_says": "a lead plain to see", "truth_seeds": 200}

ROWS = [
    calibrated(RECIPES, "NO_RULE", partial(two, strength_ahead),
               handed=called, **NO_RULE, **SHARED),
    calibrated(RECIPES, "ONE_KIND", partial(two, strength_ahead),
               given={"objective": "beta_vae"}, handed=called, **NO_RULE, **SHARED),
    calibrated(RECIPES, "ONE_DATA_SET", strength_ahead, **NO_RULE, **ALONE),
    calibrated(RECIPES, "USELESS", telling, **USELESS, **ALONE),
    calibrated(RECIPES, "ONE_SCORE", telling,
               given={"score": "elbo"}, **USELESS, **ALONE),
    calibrated(RECIPES, "SEVEN_METRICS", telling,
               **USELESS, **ALONE),
    calibrated(RECIPES, "OTHERWISE", telling,
               given={"reading": "within objectives"}, **USELESS, **ALONE),
    calibrated(TRANSFER, "TABLE", own_data, handed=named,
               at=1.05, **SHARED, **(PRINTED | NOTHING_LOST | {"at_says": "five trials in a hundred"})),
    calibrated(TRANSFER, "SAME", settings_matter, at=0.305, **PRINTED,
               **ALONE),
    calibrated(TRANSFER, "OTHER_METRIC", own_settings, at=0.198,
               **PRINTED, **ALONE),
    calibrated(TRANSFER, "OTHER_DATA", own_data, handed=named,
               at=0.223, **SHARED, **(PRINTED | NOTHING_LOST)),
    calibrated(TRANSFER, "BOTH", partial(two, settings_matter), handed=named, at=0.013, **SHARED,
               **(PRINTED | {"false": 5.0})),
    calibrated(TRANSFER, "TO_COLOR", alike, **SHARED, **(COLOR | BOTH_CLEAR)),
    calibrated(TRANSFER, "BY_METRIC", alike,
               given={"metric": "mig"}, **COLOR, **SHARED),
    calibrated(TRANSFER, "NOT_ELSEWHERE", alike, **SHARED,
               **(COLOR | {"false": 10.0, "at": 0.1, "at_says": "a correlation of 0.1"})),
    calibrated(FOLLOWS, "IRS_FOLLOWS", partial(two, irs_ahead),
               handed=called, **IRS, **SHARED),
    calibrated(FOLLOWS, "IRS_CORRELATED", irs_ahead, **IRS, **ALONE),
    calibrated(FOLLOWS, "IRS_TRANSFERS", partial(two, irs_ahead),
               handed=called, **IRS, **SHARED),
]  # fmt: skip
WORLDS, CALIBRATIONS = map(list, zip(*ROWS, strict=True))
