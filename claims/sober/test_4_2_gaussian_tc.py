"""A Sober Look, section 4.2.9: what the total correlation of a fitted Gaussian shows, and what it does not."""

import numpy as np
import pytest

from dbench.claims import Claim, above, below
from dbench.constructions.uncorrelated import (
    DEPENDENT,
    INDEPENDENT,
    dependent_codes,
    independent_codes,
    parity_law,
)
from dbench.metrics import entropy, gaussian_total_correlation
from dbench.seeds import generator
from dbench.stats import Estimate, exact

NEVER_HIGH = Claim(
    id="sober.gaussian-tc-one-sided",
    role="primary",
    quote="In particular, if it is high, it is a strong signal that the representation is not factorizing (while a low "
    "score may not imply the opposite).",
    evidence="synthetic",
    population="ten independent codes (uniform, normal, exponential, Cauchy), and codes that are functions of each "
    "other (z and z^2, a circle, two bits and their parity); draws varied",
    deviations=(
        "'Never' is searched, not proven: not in any of 20 draws.",
        "'High' is above 0.1 nats, that of two codes with a correlation of 0.43.",
    ),
    statistic="largest Gaussian total correlation of 10,000 observations among 20 draws, nats",
    rule=below(0.1),
    unit="draw",
    confidence=1.0,
    min_n=20,
    revision=3,
)
DEPENDENT_LAW = NEVER_HIGH.cell(
    "low yet dependent",
    says="Codes of low Gaussian total correlation do not factorise.",
    population="two bits and their parity, enumerated",
    deviations=(),
    statistic="total correlation of the law, nats",
    rule=above(0.1, null=0.0),
    unit="case",
    min_n=4,
    revision=1,
)


def largest(draw, name: str, *, repetitions: int = 20, **options) -> Estimate:
    streams = [generator(claim=NEVER_HIGH.id, codes=name, repetition=i) for i in range(repetitions)]
    found = [float(gaussian_total_correlation(draw(name, 10_000, stream, **options))) for stream in streams]
    return exact(max(found), n=repetitions)


def total_correlation_of_law(cases: np.ndarray) -> Estimate:
    """Sum of the entropies of the codes minus the entropy of their rows, equally likely cases."""
    rows = np.unique(cases, axis=0, return_inverse=True)[1].reshape(-1, 1)
    return exact(entropy(cases.astype(np.int64)).sum() - entropy(rows.astype(np.int64)).sum(), n=len(cases))


@NEVER_HIGH.covers
@pytest.mark.parametrize("codes", [*sorted(INDEPENDENT), *sorted(DEPENDENT)])
def test_gaussian_total_correlation_is_high_for_dependent_codes_alone_but_not_for_all_of_them(codes):
    return largest(independent_codes if codes in INDEPENDENT else dependent_codes, codes)


@DEPENDENT_LAW.covers
def test_two_bits_and_their_parity_do_not_factorise():
    return total_correlation_of_law(parity_law())
