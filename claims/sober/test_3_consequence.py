"""A Sober Look, section 3: what Theorem 1 means for scores. Two worlds share their observations, and no more.

In the first world the factors are z and the observation is x = z. In the second they are f(z), of the same
law, and the observation is x = f^-1 of them. The representation r(x) = x is perfect in the first world and
entangled in the second; observations, and so codes, have one law in both.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from dbench.claims import Claim, above, below, within
from dbench.codes import FunctionSource, Sample
from dbench.metrics import (
    beta_vae_metric,
    code_mutual_information,
    dci,
    factor_vae,
    gaussian_total_correlation,
    mig,
    sap,
)
from dbench.seeds import generator
from dbench.stats import Estimate, mean_interval
from dbench_fixtures.counterexamples.entangling import Entangling, entangling, householder

# d = 2 with sin^2(pi/8) and d = 4 with 1/4 give matrices of entries of one size: nothing of a factor has a code.
STRONG = {"d2-alpha0.146": householder(2, float(np.sin(np.pi / 8) ** 2)), "d4-alpha0.25": householder(4, 0.25)}
WEAK = {"d2-alpha0.01": householder(2, 0.01), "d10-alpha0.1": householder(10, 0.1)}
MARGINAL = "uniform"

BEST = Claim(
    id="sober.impossibility-consequence",
    part="perfect for one",
    where="section 3, discussion of Theorem 1",
    says="The representation is perfect for the world whose factors it copies: supervised scores are near their best.",
    evidence="synthetic",
    kind="impossibility",
    population="uniform factors z, representation x = z; number of factors, metric and draws varied",
    deviations=("'Near its best' is above three quarters of the way from chance to the best score.",),
    unit="repetition",
    statistic="mean score, chance taken off (1/d for BetaVAE and FactorVAE, 0 for the others)",
    rule=above(0.75),
    confidence=0.95,
    min_n=3,
    printed=None,
    tier="smoke",
    rollup="all",
    revision=1,
    superseded_by=None,
)
ENTANGLED = replace(
    BEST,
    part="entangled for the other",
    says="The same representation is entangled for the other world: supervised scores are far lower.",
    population="factors f(z), representation x = z, f mixing strongly; matrix, metric and draws varied",
    deviations=("'Far lower' is below half of the way from chance to the best score.",),
    rule=below(0.5),
)
WEAKLY = replace(
    ENTANGLED,
    part="weakly mixing",
    says="Even a weakly mixing f, none of whose derivatives is zero, shows in supervised scores.",
    population="factors f(z), representation x = z, f mixing weakly; matrix, metric and draws varied",
    rollup="each",
)
UNMOVED = replace(
    BEST,
    part="observations alone",
    says="Scores computed from observations alone cannot tell the two worlds apart.",
    population="codes drawn in the one world and in the other; matrix, score and draws varied",
    deviations=("'Do not move' is within 0.01 nats, on independent draws from the two worlds.",),
    statistic="mean difference between the two worlds, nats",
    rule=within(-0.01, 0.01),
    min_n=5,
)


def world(f: Entangling, *, entangled: bool) -> FunctionSource:
    """Build the world whose factors are z, or the one whose factors are f(z), for codes x = z."""

    def encode(factors: np.ndarray, stream: np.random.Generator) -> np.ndarray:
        return f.inverse(torch.from_numpy(factors)).numpy() if entangled else factors

    d = len(f.matrix)
    return FunctionSource(lambda n, stream: f.draw(n, stream).numpy(), encode, tuple(f"factor_{j}" for j in range(d)))


def _levels(sample: Sample, levels: int = 3) -> Sample:
    """Cut uniform factors into levels, for a metric of discrete factors."""
    cut = np.minimum((sample.factors * levels).astype(np.int64), levels - 1)
    return Sample(sample.codes, cut, sample.factor_names)


def _votes(metric, source: FunctionSource, stream: np.random.Generator) -> float:
    chance = 1 / len(source.factor_names)
    counts = {"test_votes": 2_000, "train_votes": 2_000}
    if metric is beta_vae_metric:
        counts = {"test_points": 2_000, "train_points": 2_000}
    return (float(metric(source, generator=stream, **counts)) - chance) / (1 - chance)


SUPERVISED: dict[str, Callable[[FunctionSource, np.random.Generator], float]] = {
    "beta_vae_metric": lambda source, stream: _votes(beta_vae_metric, source, stream),
    "factor_vae": lambda source, stream: _votes(factor_vae, source, stream),
    "mig": lambda source, stream: float(mig(source.sample(10_000, stream))),
    "dci": lambda source, stream: float(dci(_levels(source.sample(900, stream)), generator=stream)),
    "sap": lambda source, stream: float(sap(source.sample(10_000, stream), relation="r2")),
}
UNSUPERVISED = {
    "gaussian_total_correlation": gaussian_total_correlation,
    "code_mutual_information": code_mutual_information,
}


def supervised(metric: str, f: Entangling, *, entangled: bool, repetitions: int = 3) -> Estimate:
    source = world(f, entangled=entangled)
    axes = {"claim": BEST.id, "metric": metric, "entangled": int(entangled), "d": len(f.matrix)}
    streams = [generator(**axes, repetition=i) for i in range(repetitions)]
    return mean_interval([SUPERVISED[metric](source, stream) for stream in streams], confidence=BEST.confidence)


def difference_of_worlds(
    score: str, first: FunctionSource, second: FunctionSource, *, repetitions: int = 5, n: int = 10_000
) -> Estimate:
    """Score independent draws from either world; the differences are the replicates."""
    streams = [generator(claim=UNMOVED.id, score=score, repetition=i) for i in range(repetitions)]
    measure = UNSUPERVISED[score]
    found = [
        float(measure(second.sample(n, stream).codes)) - float(measure(first.sample(n, stream).codes))
        for stream in streams
    ]
    return mean_interval(found, confidence=UNMOVED.confidence)


@BEST.covers
@pytest.mark.parametrize("matrix", sorted(STRONG))
@pytest.mark.parametrize("metric", sorted(SUPERVISED))
def test_supervised_scores_are_near_their_best_in_one_world(judge, metric, matrix):
    judge(BEST, supervised(metric, entangling(MARGINAL, STRONG[matrix]), entangled=False))


@ENTANGLED.covers
@pytest.mark.parametrize("matrix", sorted(STRONG))
@pytest.mark.parametrize("metric", sorted(SUPERVISED))
def test_supervised_scores_are_far_lower_in_the_other_world(judge, metric, matrix):
    judge(ENTANGLED, supervised(metric, entangling(MARGINAL, STRONG[matrix]), entangled=True))


@WEAKLY.covers
@pytest.mark.parametrize("matrix", sorted(WEAK))
@pytest.mark.parametrize("metric", ["beta_vae_metric", "factor_vae", "mig", "sap"])
def test_supervised_scores_are_far_lower_if_the_worlds_differ_little(judge, metric, matrix):
    judge(WEAKLY, supervised(metric, entangling(MARGINAL, WEAK[matrix]), entangled=True))


@UNMOVED.covers
@pytest.mark.parametrize("matrix", sorted(STRONG))
@pytest.mark.parametrize("score", sorted(UNSUPERVISED))
def test_unsupervised_scores_are_the_same_in_both_worlds(judge, score, matrix):
    f = entangling(MARGINAL, STRONG[matrix])
    judge(UNMOVED, difference_of_worlds(score, world(f, entangled=False), world(f, entangled=True)))
