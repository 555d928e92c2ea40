"""Families for section 5.4 of A Sober Look: rules for choosing models, and whether good settings transfer."""

from functools import partial

import numpy as np

from calibration.models import rng
from calibration.row import Row
from dbench.estimates.simulated import OBJECTIVES, Law, SimulatedPair, simulated_zoo

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


def two(world, effect, *, seeds=5, **zoo):
    """Draw the same world on two data sets."""
    return SimulatedPair(*(world(effect, seeds=seeds, **zoo) for _ in range(2)))


def strength_ahead(effect, **zoo):
    """The third strength lies above the others on every metric, against noise of 1."""
    return simulated_zoo(dict.fromkeys(METRICS, Law(mean=lambda o, s: effect * (s == s[2]), seed=0.2)), **zoo)


def telling(effect, **zoo):
    """All metrics see one quality; a score of training sees as much of it as the effect says, the others nothing."""
    laws = {metric: Law(loads={"quality": 1.0}, noise=0.5, seed=0.1) for metric in METRICS}
    laws |= {score: Law(loads={"quality": effect * (score == "elbo")}, seed=0.1) for score in TRAINING}
    return simulated_zoo(laws, **zoo)


def preferring(levels, **zoo):
    """Every metric prefers the same settings, by these levels."""
    return simulated_zoo(dict.fromkeys(METRICS, Law(mean=at_settings(levels), seed=0.2)), **zoo)


def settings_matter(effect, **zoo):
    """Every metric prefers the same settings, by so many standard deviations of its noise."""
    return preferring(effect * COMMON, **zoo)


def own_settings(effect, *, data="", **zoo):
    """Every metric prefers settings of its own."""
    laws = {metric: Law(mean=at_settings(effect * settings_levels(metric + data)), seed=0.2) for metric in METRICS}
    return simulated_zoo(laws, **zoo)


def own_data(effect, *, seeds=5, **zoo):
    """Every metric prefers settings of its own on every data set."""
    return SimulatedPair(*(own_settings(effect, data=data, seeds=seeds, **zoo) for data in (" first", " second")))


def alike(effect, *, seeds=5, **zoo):
    """What is good on the second data set is what is good on the first, times the effect, and something else."""
    levels = COMMON, (effect * COMMON + OTHER) / np.sqrt(effect**2 + 1)
    return SimulatedPair(*(preferring(2 * level, seeds=seeds, **zoo) for level in levels))


def irs_ahead(effect, **zoo):
    """Scores of training depend on the settings; IRS as much as the effect says, the other metrics a little."""
    laws = {score: Law(mean=at_settings(COMMON), seed=0.1) for score in TRAINING}
    laws |= {m: Law(mean=at_settings((effect if m == "irs" else 0.5) * COMMON), seed=0.1) for m in METRICS}
    return simulated_zoo(laws, **zoo)


row = partial(Row, truth_seeds=200)
# Seeds that both data sets have: the coloured sprites have five.
both = partial(row, seeds=5)
transfer = partial(both, TRANSFER)
color = partial(transfer, truth_seeds=500)
# Where every metric likes the same settings on both data sets, nothing is lost between them.
settings_of_both = partial(two, settings_matter)
NO_RULE = dict(effects=(0.0, 6.0), at=-0.2, at_says="three cases in ten")
USELESS = dict(effects=(0.0, 5.0), at=0.1, at_says="a correlation of 0.1")
IRS = dict(effects=(0.0, 5.0), at=0.15, at_says="a lead plain to see")

ROWS = [
    both(RECIPES, "NO_RULE", partial(two, strength_ahead), **NO_RULE, truth_seeds=100),
    both(
        RECIPES, "ONE_KIND", partial(two, strength_ahead), **NO_RULE, given={"objective": "beta_vae"}, truth_seeds=100
    ),
    row(RECIPES, "ONE_DATA_SET", strength_ahead, **NO_RULE, truth_seeds=100),
    row(RECIPES, "USELESS", telling, **USELESS),
    row(RECIPES, "ONE_SCORE", telling, **USELESS, given={"score": "elbo"}),
    row(RECIPES, "SEVEN_METRICS", telling, **USELESS),
    row(RECIPES, "OTHERWISE", telling, **USELESS, given={"reading": "within objectives"}),
    transfer("TABLE", own_data, effects=(0.0, 5.0), at=1.02, at_says="nearly the largest of these worlds"),
    row(TRANSFER, "SAME", settings_matter, effects=(0.0, 5.0), at=0.35, at_says="seven trials in eight"),
    row(
        TRANSFER,
        "OTHER_METRIC",
        own_settings,
        effects=(0.0, 5.0),
        at=0.25,
        at_says="five trials in a hundred more than printed",
    ),
    transfer("OTHER_DATA", own_data, effects=(0.0, 5.0), at=0.27, at_says="five trials in a hundred more than printed"),
    transfer("BOTH", settings_of_both, effects=(0.0, 5.0), at=0.005, at_says="next to chance"),
    color("TO_COLOR", alike, effects=(0.0, 10.0), at=1.2, at_says="both plainly past their bounds"),
    color("BY_METRIC", alike, effects=(0.0, 10.0), at=0.8, at_says="clear to the eye", given={"metric": "mig"}),
    color(
        "NOT_ELSEWHERE",
        alike,
        effects=(0.0, 10.0),
        at=0.1,
        at_says="a correlation of 0.1",
        given={"variant": "noisy_dsprites"},
    ),
    both(FOLLOWS, "IRS_FOLLOWS", partial(two, irs_ahead), **IRS),
    row(FOLLOWS, "IRS_CORRELATED", irs_ahead, **IRS),
    both(FOLLOWS, "IRS_TRANSFERS", partial(two, irs_ahead), **IRS),
]
