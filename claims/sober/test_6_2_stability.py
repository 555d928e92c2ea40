"""A Sober Look, section 6.2: are scores the same when they are computed again, and how many examples does that take?"""

from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, above
from dbench.claims.correlations import Correlation, from_correlations
from dbench.claims.population import Population
from dbench.claims.zoo_statistics import correlation_between
from dbench.stats import Estimate, smallest_of

METRICS = ("beta_vae_metric", "dci", "factor_vae", "irs", "mig", "modularity", "sap")
FIRST, SECOND, LAST = ("factor_vae", "irs"), ("dci", "mig"), ("beta_vae_metric", "modularity", "sap")
# What the scores of two computations are called, by their number of examples.
MANY, FEW = ("", "again."), ("small.", "small_again.")
VOTES = "BetaVAE and FactorVAE have as many votes as the others have examples; a vote looks at 64 of them."

STABLE = Claim(
    id="sober.scores-stable-at-10000",
    part="10,000 examples",
    where="6.2, Figure 21",
    says="Scores computed twice from 10,000 examples rank models alike.",
    evidence="zoo",
    kind="equivalence",
    population="all runs: objectives, strengths and seeds; two independent samples of each",
    deviations=(VOTES, "'Alike' is read as a rank correlation above 0.8."),
    unit="seed",
    statistic="Spearman correlation of the two computations, all models pooled",
    rule=above(0.8),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
LESS_WITH_FEW = replace(
    STABLE,
    part="100 examples",
    where="6.2, Figures 21 and 22",
    says="Scores computed twice from 100 examples rank models markedly less alike.",
    kind="direction",
    deviations=(VOTES, "'Markedly' is read as a tenth of correlation, averaged over the metrics."),
    statistic="mean over seven metrics of Spearman between computations: 10,000 examples minus 100",
    rule=above(0.1),
)
MOST_EFFICIENT = replace(
    STABLE,
    part="FactorVAE and IRS first",
    where="6.2, Figure 22",
    says="With 100 examples FactorVAE and IRS are the most stable of the seven scores.",
    kind="ranking",
    deviations=(VOTES,),
    statistic="smallest lead of FactorVAE or IRS over another score in Spearman of two computations, 100 examples",
    rule=above(0.0),
)
NEXT_EFFICIENT = replace(
    MOST_EFFICIENT,
    part="DCI and MIG next",
    says="With 100 examples DCI disentanglement and MIG are more stable than BetaVAE, Modularity and SAP.",
    statistic="smallest lead of DCI or MIG over BetaVAE, Modularity or SAP, in the same correlation",
)


def _twice(rho: Correlation, computations: tuple[str, str], metric: str) -> float:
    first, second = computations
    return rho(f"{first}{metric}", f"{second}{metric}")


def stability(population: Population, metric: str) -> Estimate:
    return correlation_between(population, metric, f"again.{metric}", confidence=STABLE.confidence)


def loss_with_few(population: Population) -> Estimate:
    scores = [f"{sample}{metric}" for metric in METRICS for sample in (*MANY, *FEW)]

    def loss(rho: Correlation) -> list[float]:
        return [float(np.mean([_twice(rho, MANY, m) - _twice(rho, FEW, m) for m in METRICS]))]

    (gap,) = from_correlations(population, scores, loss, confidence=LESS_WITH_FEW.confidence)
    return gap


def lead_in_efficiency(population: Population, leaders: tuple[str, ...], others: tuple[str, ...]) -> Estimate:
    scores = [f"{sample}{metric}" for metric in (*leaders, *others) for sample in FEW]

    def leads(rho: Correlation) -> list[float]:
        return [_twice(rho, FEW, leader) - _twice(rho, FEW, other) for leader in leaders for other in others]

    return smallest_of(
        lambda level: from_correlations(population, scores, leads, confidence=level),
        confidence=MOST_EFFICIENT.confidence,
    )


@STABLE.covers
@pytest.mark.parametrize("metric", METRICS)
def test_scores_from_10000_examples_rank_models_alike(judge, unsupervised, metric):
    estimate = stability(unsupervised, metric)
    judge(STABLE, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@LESS_WITH_FEW.covers
def test_scores_from_100_examples_do_so_markedly_less(judge, unsupervised):
    estimate = loss_with_few(unsupervised)
    judge(LESS_WITH_FEW, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@MOST_EFFICIENT.covers
def test_factor_vae_and_irs_are_the_most_sample_efficient(judge, unsupervised):
    estimate = lead_in_efficiency(unsupervised, FIRST, (*SECOND, *LAST))
    judge(MOST_EFFICIENT, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@NEXT_EFFICIENT.covers
def test_dci_and_mig_come_next(judge, unsupervised):
    estimate = lead_in_efficiency(unsupervised, SECOND, LAST)
    judge(NEXT_EFFICIENT, estimate, population=unsupervised.name, deviations=unsupervised.deviations)
