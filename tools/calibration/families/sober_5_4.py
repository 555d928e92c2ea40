"""Families for section 5.4 of A Sober Look: rules for choosing models, and whether good settings transfer.

The functions are the worlds of :class:`calibration.row.Row`: they draw simulated models by the size of an effect.
"""

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


def on_two(world, effect, *, seeds=5, **zoo):
    """Draw a world twice, as if on two data sets."""
    return SimulatedPair(*(world(effect, seeds=seeds, **zoo) for _ in range(2)))


def strength_ahead(effect, **zoo):
    """The third strength lies above the others on every metric, against noise of 1."""
    law = Law(mean=lambda objective, strengths: effect * (strengths == strengths[2]), seed=0.2)
    return simulated_zoo(dict.fromkeys(METRICS, law), **zoo)


def elbo_tells(effect, **zoo):
    """All metrics see one quality. Of the scores of training, the ELBO sees it by the effect, the others do not."""
    laws = {metric: Law(loads={"quality": 1.0}, noise=0.5, seed=0.1) for metric in METRICS}
    laws |= {score: Law(loads={"quality": effect * (score == "elbo")}, seed=0.1) for score in TRAINING}
    return simulated_zoo(laws, **zoo)


def preferring(levels, **zoo):
    """Every metric prefers the same settings, by these levels."""
    return simulated_zoo(dict.fromkeys(METRICS, Law(mean=at_settings(levels), seed=0.2)), **zoo)


def settings_matter(effect, **zoo):
    """Every metric prefers the same settings; the effect is in standard deviations of its noise."""
    return preferring(effect * COMMON, **zoo)


def settings_by_metric(effect, *, data="", **zoo):
    """Every metric prefers settings of its own."""
    laws = {metric: Law(mean=at_settings(effect * settings_levels(metric + data)), seed=0.2) for metric in METRICS}
    return simulated_zoo(laws, **zoo)


def settings_by_data(effect, *, seeds=5, **zoo):
    """Every metric prefers settings of its own on every data set."""
    return SimulatedPair(*(settings_by_metric(effect, data=data, seeds=seeds, **zoo) for data in (" first", " second")))


def alike(effect, *, seeds=5, **zoo):
    """The larger the effect, the more alike are the settings that the two data sets prefer."""
    first, second = COMMON, (effect * COMMON + OTHER) / np.sqrt(effect**2 + 1)
    return SimulatedPair(*(preferring(2 * levels, seeds=seeds, **zoo) for levels in (first, second)))


def irs_ahead(effect, **zoo):
    """Scores of training and all metrics depend on the same settings: IRS by the effect, the other metrics by 0.5."""
    laws = {score: Law(mean=at_settings(COMMON), seed=0.1) for score in TRAINING}
    laws |= {m: Law(mean=at_settings((effect if m == "irs" else 0.5) * COMMON), seed=0.1) for m in METRICS}
    return simulated_zoo(laws, **zoo)


row = partial(Row, truth_seeds=200)
pair_row = partial(row, seeds=5)  # as many seeds as both data sets have: the coloured sprites have five
transfer = partial(pair_row, TRANSFER, effects=(0.0, 5.0))
color = partial(transfer, effects=(0.0, 10.0), truth_seeds=500)
# Where every metric likes the same settings on both data sets, nothing is lost between them.
same_settings_on_both = partial(on_two, settings_matter)
NO_RULE = dict(effects=(0.0, 6.0), at=-0.2, at_says="three cases in ten", truth_seeds=100)
USELESS = dict(effects=(0.0, 5.0), at=0.1, at_says="a correlation of 0.1")
LOSES = dict(effects=(0.0, 5.0), at_says="five trials in a hundred more than printed")
IRS = dict(effects=(0.0, 5.0), at=0.15, at_says="a lead plain to see")

ROWS = [
    pair_row(RECIPES, "NO_RULE", partial(on_two, strength_ahead), **NO_RULE),
    pair_row(RECIPES, "ONE_KIND", partial(on_two, strength_ahead), **NO_RULE, given={"objective": "beta_vae"}),
    row(RECIPES, "ONE_DATA_SET", strength_ahead, **NO_RULE),
    row(RECIPES, "USELESS", elbo_tells, **USELESS),
    row(RECIPES, "ONE_SCORE", elbo_tells, **USELESS, given={"score": "elbo"}),
    row(RECIPES, "SEVEN_METRICS", elbo_tells, **USELESS),
    row(RECIPES, "OTHERWISE", elbo_tells, **USELESS, given={"reading": "within objectives"}),
    transfer("TABLE", settings_by_data, at=1.02, at_says="nearly the largest of these worlds"),
    row(TRANSFER, "SAME", settings_matter, effects=(0.0, 5.0), at=0.35, at_says="seven trials in eight"),
    row(TRANSFER, "OTHER_METRIC", settings_by_metric, **LOSES, at=0.25),
    transfer("OTHER_DATA", settings_by_data, **LOSES, at=0.27),
    transfer("BOTH", same_settings_on_both, at=0.005, at_says="next to chance"),
    color("TO_COLOR", alike, at=1.2, at_says="both plainly past their bounds"),
    color("BY_METRIC", alike, at=0.8, at_says="clear to the eye", given={"metric": "mig"}),
    color("NOT_ELSEWHERE", alike, at=0.1, at_says="a correlation of 0.1", given={"variant": "noisy_dsprites"}),
    pair_row(FOLLOWS, "IRS_FOLLOWS", partial(on_two, irs_ahead), **IRS),
    row(FOLLOWS, "IRS_CORRELATED", irs_ahead, **IRS),
    pair_row(FOLLOWS, "IRS_TRANSFERS", partial(on_two, irs_ahead), **IRS),
]
