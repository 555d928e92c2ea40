"""A Sober Look, sections 5.4.1 and 5.4.2: is there a rule for choosing a method, its strength, or a single run?"""

import numpy as np
import pytest

from dbench.claims import Claim, below
from dbench.errors import EvidenceLacking
from dbench.estimates.correlations import from_correlations
from dbench.estimates.filters import filtered, kept_by
from dbench.estimates.population import PopulationPair
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_among import SEVERAL_ACTIVE
from dbench.estimates.zoo_transfer import shared_estimates, shared_settings
from dbench.stats import common_direction, largest_of

# Those that agree with each other (6.1); all seven.
FIVE = ("beta_vae_metric", "dci", "factor_vae", "mig", "sap")
SEVEN = (*FIVE, "modularity", "irs")
OBJECTIVES = ("annealed_vae", "beta_tcvae", "beta_vae", "dip_vae_i", "dip_vae_ii", "factor_vae")
TRAINING = ("elbo", "gaussian_tc.sampled", "kl", "reconstruction")

MOST = 0.5
PAST_A_RULE = (
    "share of cases in which the method, or the strength of a method, that comes nearest to a rule has the best score, "
    f"minus {MOST}"
)
CONSISTENT = "'Consistent' is of one sign for all metrics, and at least 0.3 in size."
OF_FIVE = (
    "Of the five metrics that agree with each other: with Modularity, which goes its own way (6.1), hardly any "
    "score could be consistent."
)
NEAREST = (
    "weakest of a score's rank correlations with the metrics, in the direction that they share, all models "
    "pooled: largest of the ELBO's, the divergence's, the reconstruction's and the total correlation's"
)
# Simulated models whose highest strength is the best by every metric, and those of which the ELBO knows the best.
STRONGEST_BEST = dict.fromkeys(SEVEN, Law(trend=10.0))
ELBO_TELLS = dict.fromkeys((*SEVEN, "elbo"), Law(loads={"quality": 3.0})) | dict.fromkeys(TRAINING[1:], Law())


def past_a_rule(pair, *, methods=True, strengths_of=None):
    """Share of cases that the nearest method, or the nearest of some objectives' strengths (default: all), wins."""
    objectives, _ = shared_settings(pair)
    if len(objectives) < 2:
        raise EvidenceLacking(f"{pair.name} holds no two objectives")
    ends = np.cumsum([len(pair.source.strengths(o)) for o in objectives])[:-1]
    swept = [objectives.index(o) for o in (objectives if strengths_of is None else strengths_of)]

    def excesses(source, target):
        cases = [np.split(scores, ends, axis=1) for scores in (*source, *target)]
        # Metrics of either data set x seeds x objectives.
        tops = np.array([np.stack([sweep.max(axis=1) for sweep in case], axis=1) for case in cases])
        found = [shares_won(tops)] if methods else []
        found += [shares_won(np.array([case[i] for case in cases])) for i in swept]
        return np.concatenate(found) - MOST

    return largest_of(shared_estimates(pair, SEVEN, excesses, objectives=objectives))


def shares_won(scores):
    """Share of cases and seeds, the first two axes, in which each of the last has the best score; ties share one."""
    first = scores == scores.max(axis=-1, keepdims=True)
    return (first / first.sum(axis=-1, keepdims=True)).mean(axis=(0, 1))


def consistent_correlation(population, scores, metrics, **options):
    def with_metrics(score):
        def correlations(rho):
            return [rho(score, metric) for metric in metrics]

        return from_correlations(population, [score, *metrics], correlations, **options)

    return largest_of([common_direction(with_metrics(score)) for score in scores])


NO_RULE = Claim.zoo(
    id="sober.no-strength-rule",
    quote="There seems to be no model dominating all the others and for each model there does not seem to be a "
    "consistent strategy in choosing the regularization strength to maximize disentanglement scores.",
    population="all runs on two data sets: objectives, strengths and seeds",
    deviations=(
        "A method dominates if its best strength is the best of all in more than half of the cases, a case being a "
        "metric, a data set and a seed; a strength is a rule if it is its method's best in more than half.",
        "The paper compares medians of 50 seeds on eight data sets by eye.",
    ),
    statistic=PAST_A_RULE,
    rule=below(0.0),
    source="lexicon: no consistent strategy",
    false={"pair": Simulated(STRONGEST_BEST, elsewhere=STRONGEST_BEST)},
    revision=4,
)


@NO_RULE.covers
def test_neither_a_method_nor_a_strength_is_a_rule(pair):
    return past_a_rule(pair())


ONE_KIND = NO_RULE.cell(
    "methods, or one method's strengths",
    says="Across metrics and data sets no method dominates; or one method has no strength that maximises the scores.",
    statistic=PAST_A_RULE,
    rule=below(0.0),
    false={"pair": Simulated(STRONGEST_BEST, elsewhere=STRONGEST_BEST), "objective": "beta_vae"},
)


@ONE_KIND.covers
@pytest.mark.parametrize("objective", ["methods", *OBJECTIVES])
def test_no_method_and_no_strength_of_one_is_a_rule(pair, objective):
    methods = objective == "methods"
    return past_a_rule(pair(), methods=methods, strengths_of=[] if methods else [objective])


ONE_DATA_SET = NO_RULE.probe(
    "one data set",
    says="There is no rule on one data set alone either.",
    population="all runs: objectives, strengths and seeds",
    statistic=PAST_A_RULE,
    rule=below(0.0),
    false={"unsupervised": Simulated(STRONGEST_BEST)},
)


@ONE_DATA_SET.covers
def test_there_is_no_rule_on_one_data_set(unsupervised):
    return past_a_rule(PopulationPair(unsupervised, unsupervised))


USELESS = Claim.zoo(
    id="sober.unsupervised-scores-useless",
    quote="While we do observe some correlations, no clear pattern emerges which leads us to conclude that this "
    "approach is unlikely to be successful in practice.",
    deviations=(CONSISTENT, OF_FIVE),
    statistic=NEAREST,
    rule=below(0.3, null=0.5),
    source="lexicon: no clear pattern",
    false={"unsupervised": Simulated(ELBO_TELLS)},
    revision=4,
)


@USELESS.covers
def test_no_score_of_training_tells_the_better_models(unsupervised):
    return consistent_correlation(unsupervised, TRAINING, FIVE)


ONE_SCORE = USELESS.cell(
    "one score",
    says="One unsupervised score of training has no consistent rank correlation with the disentanglement metrics.",
    statistic="weakest of the score's rank correlations with the metrics, in the direction that they share",
    rule=below(0.3, null=0.5),
)


@ONE_SCORE.covers
@pytest.mark.parametrize("score", TRAINING)
def test_one_score_of_training_does_not_tell_the_better_models(unsupervised, score):
    return consistent_correlation(unsupervised, [score], FIVE)


SEVEN_METRICS = USELESS.cell(
    "seven metrics",
    deviations=(CONSISTENT, "Of all seven metrics."),
    statistic=NEAREST,
    rule=below(0.3, null=0.5),
)


@SEVEN_METRICS.covers
def test_no_score_of_training_tells_the_better_models_by_all_metrics(unsupervised):
    return consistent_correlation(unsupervised, TRAINING, SEVEN)


OTHERWISE = USELESS.probe(
    "otherwise",
    says="Nor has one within objectives, where no difference between objectives helps, nor has the total correlation "
    "of the active codes.",
    deviations=(
        CONSISTENT,
        OF_FIVE,
        "Within objectives: mean over objectives of the correlation over an objective's models.",
        "The total correlation of active codes is that of models with two of them; a seed counts with half of its "
        "models left.",
    ),
    statistic=NEAREST,
    rule=below(0.3, null=0.5),
)


@OTHERWISE.covers
@pytest.mark.parametrize("reading", ["within objectives", "active codes"])
def test_no_score_tells_the_better_models_otherwise(unsupervised, reading):
    if reading == "within objectives":
        return consistent_correlation(unsupervised, TRAINING, FIVE, within=True)
    active = {"among": SEVERAL_ACTIVE, "settings": 0.5}
    found = consistent_correlation(unsupervised, ["gaussian_tc.sampled.active"], FIVE, **active)
    kept = kept_by(unsupervised, SEVERAL_ACTIVE)
    return filtered(found, kept)
