"""A Sober Look, section 4.2.9: what the total correlation of a fitted Gaussian shows, and what it does not."""

from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, above, below
from dbench.metrics import entropy, gaussian_total_correlation
from dbench.seeds import generator
from dbench.stats import Estimate, exact, mean_interval
from dbench_fixtures.counterexamples.uncorrelated import (
    DEPENDENT,
    INDEPENDENT,
    dependent_codes,
    independent_codes,
    parity_law,
)

# 0.1 nats: the total correlation of two codes with a correlation of 0.43.
HIGH = 0.1

LOW_YET_DEPENDENT = Claim(
    id="sober.gaussian-tc-one-sided",
    part="low yet dependent, sampled",
    where="4.2.9",
    says="A low Gaussian total correlation does not show that a code factorises: codes can be functions of each other.",
    evidence="synthetic",
    kind="existence",
    population="(z, z^2), a circle, two bits and their parity; draws varied",
    deviations=("The paper states it in passing, without an example.", "'Low' is below 0.1 nats."),
    unit="repetition",
    statistic="mean Gaussian total correlation of 10,000 observations, nats",
    rule=below(HIGH),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="all",
    revision=1,
    superseded_by=None,
)
LOW_EXACT = replace(
    LOW_YET_DEPENDENT,
    part="low yet dependent, Gaussian",
    population="two bits and their parity, enumerated",
    unit="case",
    statistic="Gaussian total correlation of the law, nats",
    confidence=1.0,
    min_n=4,
)
DEPENDENT_EXACT = replace(
    LOW_EXACT,
    part="low yet dependent, true",
    says="The codes of low Gaussian total correlation do not factorise.",
    deviations=LOW_EXACT.deviations[:1],
    statistic="total correlation of the law, nats",
    rule=above(HIGH),
)
NEVER_HIGH = replace(
    LOW_YET_DEPENDENT,
    part="high only if dependent",
    says="A high Gaussian total correlation shows that a code does not factorise: codes that do never get it.",
    kind="impossibility",
    population="ten independent codes, uniform, normal, exponential or Cauchy; draws varied",
    deviations=(
        "'Never' is searched, not proven: not in any of 20 draws for each of four marginals.",
        "'High' is above 0.1 nats.",
        "Rev. 2: the largest of the draws is judged; before it was their mean, which is not 'never'.",
    ),
    statistic="largest Gaussian total correlation of 10,000 observations among the draws, nats",
    confidence=1.0,
    min_n=20,
    revision=2,
)


def scores_of(draw, *, name: str, n: int = 10_000, repetitions: int, **options) -> list[float]:
    streams = [generator(claim=NEVER_HIGH.id, codes=name, repetition=i) for i in range(repetitions)]
    return [float(gaussian_total_correlation(draw(name, n, stream, **options))) for stream in streams]


def sampled(draw, *, repetitions: int = 5, **options) -> Estimate:
    return mean_interval(scores_of(draw, repetitions=repetitions, **options), confidence=LOW_YET_DEPENDENT.confidence)


def largest(draw, *, repetitions: int = 20, **options) -> Estimate:
    return exact(max(scores_of(draw, repetitions=repetitions, **options)), n=repetitions)


def gaussian_of_law(cases: np.ndarray) -> Estimate:
    return exact(float(gaussian_total_correlation(cases)), n=len(cases))


def total_correlation_of_law(cases: np.ndarray) -> Estimate:
    """Sum of the entropies of the codes minus the entropy of their rows, equally likely cases."""
    rows = np.unique(cases, axis=0, return_inverse=True)[1].reshape(-1, 1)
    return exact(entropy(cases.astype(np.int64)).sum() - entropy(rows.astype(np.int64)).sum(), n=len(cases))


@LOW_YET_DEPENDENT.covers
@pytest.mark.parametrize("codes", sorted(DEPENDENT))
def test_dependent_codes_can_have_a_low_gaussian_total_correlation(judge, codes):
    judge(LOW_YET_DEPENDENT, sampled(dependent_codes, name=codes))


@LOW_EXACT.covers
def test_two_bits_and_their_parity_have_no_gaussian_total_correlation(judge):
    judge(LOW_EXACT, gaussian_of_law(parity_law()))


@DEPENDENT_EXACT.covers
def test_two_bits_and_their_parity_do_not_factorise(judge):
    judge(DEPENDENT_EXACT, total_correlation_of_law(parity_law()))


@NEVER_HIGH.covers
@pytest.mark.parametrize("marginal", sorted(INDEPENDENT))
def test_independent_codes_have_no_high_gaussian_total_correlation(judge, marginal):
    judge(NEVER_HIGH, largest(independent_codes, name=marginal))
