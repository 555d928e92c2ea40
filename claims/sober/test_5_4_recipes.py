"""A Sober Look, section 5.4: is there a rule for choosing a method, its strength, or a single run?"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dbench.claims import Claim, above, below
from dbench.claims.correlations import from_correlations
from dbench.claims.population import Population, PopulationPair
from dbench.claims.zoo_among import SEVERAL_ACTIVE
from dbench.claims.zoo_transfer import shared_intervals
from dbench.errors import EvidenceLacking
from dbench.stats import (
    Estimate,
    common_direction,
    largest_of,
    mean_interval,
    rank_correlations,
    superiority_over_rest,
)

METRICS = ("beta_vae_metric", "dci", "factor_vae", "mig", "modularity", "sap")
OBJECTIVES = ("annealed_vae", "beta_tcvae", "beta_vae", "dip_vae_i", "dip_vae_ii", "factor_vae")
TRAINING = ("elbo", "gaussian_tc.sampled", "kl", "reconstruction")
# All metrics, those that agree with each other (6.1), and these once more without what differs between objectives.
AGREEING = tuple(metric for metric in METRICS if metric != "modularity")
READINGS = {
    "seven metrics": ("irs", *METRICS),
    "five that agree": AGREEING,
    "five, within objectives": AGREEING,
}

NO_METHOD = Claim(
    id="sober.no-strength-rule",
    part="method",
    where="5.4.1, Figure 7",
    says="No method dominates all the others across metrics.",
    evidence="zoo",
    kind="ranking",
    population="all runs: objectives, strengths and seeds",
    deviations=(
        "A method dominates if its best strength is the best of all in more than half of the cases, a case being a "
        "metric and a seed.",
        "Without IRS, which the paper treats apart.",
        "The paper compares medians of 50 seeds by eye.",
    ),
    unit="seed",
    statistic="share of metrics and seeds in which a method is best, of the method with the largest",
    rule=below(0.5),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="all",
    revision=1,
    superseded_by=None,
)
NO_STRENGTH = replace(
    NO_METHOD,
    part="strength",
    says="For no method is there a strength that maximises the scores across metrics.",
    population="one objective at a time; strength and seed varied",
    deviations=(
        "A strength is a rule if a random run at it exceeds one at another strength with a probability above 0.75 "
        "(a standard deviation), on average over the metrics.",
        "Without IRS, which the paper treats apart.",
    ),
    statistic="probability that a run at a strength exceeds one at another, averaged over metrics: largest of the "
    "strengths'",
    rule=below(0.75),
)
NO_STRENGTH_ACROSS = replace(
    NO_STRENGTH,
    part="strength, across data sets",
    says="For no method is there a strength that maximises the scores across metrics and data sets.",
    population="one objective at a time on two data sets; strength and seed varied",
    statistic="probability that a run at a strength exceeds one at another, averaged over metrics and both data sets: "
    "largest of the strengths'",
)
USELESS = replace(
    NO_METHOD,
    id="sober.unsupervised-scores-useless",
    part="",
    where="5.4.2, Figure 8",
    says="No unsupervised score of training has a consistent rank correlation with the disentanglement metrics.",
    deviations=(
        "'Consistent' is of one sign for all metrics, and at least 0.3 in size.",
        "The total correlation is taken over all codes, as in the paper, and over the active ones.",
        "Rev. 2: not of all seven metrics alone, which Modularity decides (it goes its own way, 6.1), but also of the "
        "five that agree, without Modularity and IRS, and of these within objectives: what differs between objectives "
        "alone is no help to choose a model.",
        "Rev. 2: models of fewer than two active codes, which counted as 0, are left out of the total correlation over "
        "the active ones; a seed counts with half of its models left, an objective with half of its own.",
    ),
    statistic="weakest of the rank correlations with the metrics, in the direction that they share; over all models "
    "pooled, or the mean over objectives of that over an objective's models",
    rule=below(0.3),
    revision=2,
)
IRS_FOLLOWS = replace(
    USELESS,
    id="sober.irs-follows-unsupervised",
    part="training scores",
    where="5.4.4, Figure 8",
    says="IRS is correlated with the unsupervised scores of training more than the other metrics are.",
    deviations=("Whatever the sign: sizes of correlations are averaged over the four scores, and over the others.",),
    statistic="mean absolute rank correlation of IRS with the four scores, minus that of the other metrics",
    # A world without any difference lies at 0; 0.05 is what a heat map of two digits would show.
    rule=above(0.05),
    revision=1,
)


def best_of_methods(population: Population) -> Estimate:
    """In how many cases a method's best strength is the best of all; several that tie share a case."""
    if len(population.objectives) < 2:
        raise EvidenceLacking(f"{population.name} holds no two objectives")
    seeds = population.seeds()
    tops = np.array(
        [[population.scores(m, o, seeds=seeds).max(axis=1) for o in population.objectives] for m in METRICS]
    )
    # Metrics x objectives x seeds.
    first = tops == tops.max(axis=1, keepdims=True)
    shares = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    return largest_of(
        lambda level: [mean_interval(of_seeds, confidence=level) for of_seeds in shares],
        confidence=NO_METHOD.confidence,
    )


def superiorities(*metrics: np.ndarray) -> np.ndarray:
    """How far each strength is ahead of the others, averaged over metrics."""
    return np.mean([superiority_over_rest(table) for table in metrics], axis=0)


def best_strength(population: Population, objective: str) -> Estimate:
    return largest_of(
        lambda level: population.intervals(
            lambda tables: superiorities(*tables.values()), scores=METRICS, objectives=[objective], confidence=level
        ),
        confidence=NO_STRENGTH.confidence,
    )


def best_across(pair: PopulationPair, objective: str) -> Estimate:
    """The same over two data sets."""
    return largest_of(
        lambda level: shared_intervals(
            pair, METRICS, lambda a, b: superiorities(*a, *b), objectives=[objective], confidence=level
        ),
        confidence=NO_STRENGTH_ACROSS.confidence,
    )


def correlations_of_models(tables: dict[tuple[str, str], np.ndarray], names: Sequence[str]) -> np.ndarray:
    """Rank correlations of scores over all models pooled."""
    pooled = [
        np.concatenate([table.ravel() for (name, _), table in tables.items() if name == score]) for score in names
    ]
    return rank_correlations(np.transpose(pooled))


def consistent_correlation(population: Population, score: str, reading: str) -> Estimate:
    metrics, active = READINGS[reading], score.endswith(".active")

    @cache
    def correlations(level: float) -> list[Estimate]:
        return from_correlations(
            population,
            [score, *metrics],
            lambda rho: [rho(score, metric) for metric in metrics],
            among=SEVERAL_ACTIVE if active else None,
            within=reading.endswith("within objectives"),
            settings=0.5 if active else 0.0,
            confidence=level,
        )

    return common_direction(correlations, confidence=USELESS.confidence)


def lead_of_irs(population: Population) -> Estimate:
    """Mean size of IRS's correlations with the scores of training, minus that of the other metrics' correlations."""
    names = (*TRAINING, "irs", *METRICS)

    def statistic(tables: dict[tuple[str, str], np.ndarray]) -> float:
        sizes = np.abs(correlations_of_models(tables, names)[: len(TRAINING), len(TRAINING) :]).mean(axis=0)
        return float(sizes[0] - sizes[1:].mean())

    return population.interval(
        statistic, scores=names, objectives=population.objectives, confidence=IRS_FOLLOWS.confidence
    )


@NO_METHOD.covers
def test_no_method_dominates(judge, unsupervised):
    estimate = best_of_methods(unsupervised)
    judge(NO_METHOD, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@NO_STRENGTH.covers
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_no_strength_is_a_rule(judge, unsupervised, objective):
    estimate = best_strength(unsupervised, objective)
    judge(NO_STRENGTH, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@NO_STRENGTH_ACROSS.covers
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_no_strength_is_a_rule_across_data_sets(judge, pair, objective):
    both = pair()
    judge(NO_STRENGTH_ACROSS, best_across(both, objective), population=both.name, deviations=both.deviations)


@USELESS.covers
@pytest.mark.parametrize("reading", list(READINGS))
@pytest.mark.parametrize("score", [*TRAINING, "gaussian_tc.sampled.active"])
def test_no_score_of_training_tells_the_better_models(judge, unsupervised, score, reading):
    estimate = consistent_correlation(unsupervised, score, reading)
    judge(USELESS, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@IRS_FOLLOWS.covers
def test_irs_follows_the_scores_of_training_most(judge, unsupervised):
    estimate = lead_of_irs(unsupervised)
    judge(IRS_FOLLOWS, estimate, population=unsupervised.name, deviations=unsupervised.deviations)
