"""A Sober Look, section 4.2.9: what the total correlation of a fitted Gaussian shows, and what it does not."""

import numpy as np
import pytest

from dbench.claims import Claim, above, below
from dbench.constructions.uncorrelated import DEPENDENT, INDEPENDENT, dependent_codes, independent_codes, parity_law
from dbench.metrics import entropy, gaussian_total_correlation
from dbench.seeds import generator
from dbench.stats import exact

NEVER_HIGH = Claim.synthetic(
    id="sober.gaussian-tc-one-sided",
    quote="In particular, if it is high, it is a strong signal that the representation is not factorizing (while a low "
    "score may not imply the opposite).",
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


@NEVER_HIGH.covers
@pytest.mark.parametrize("codes", [*sorted(INDEPENDENT), *sorted(DEPENDENT)])
def test_gaussian_total_correlation_is_high_for_dependent_codes_alone_but_not_for_all_of_them(
    codes, *, repetitions=20, **options
):
    draw = independent_codes if codes in INDEPENDENT else dependent_codes
    streams = [generator(claim=NEVER_HIGH.id, codes=codes, repetition=i) for i in range(repetitions)]
    found = [float(gaussian_total_correlation(draw(codes, 10_000, stream, **options))) for stream in streams]
    return exact(max(found), n=repetitions)


@DEPENDENT_LAW.covers
def test_two_bits_and_their_parity_do_not_factorise(*, law=parity_law):
    """Sum of the entropies of the codes minus the entropy of their rows, equally likely cases."""
    cases = law()
    rows = np.unique(cases, axis=0, return_inverse=True)[1].reshape(-1, 1)
    return exact(entropy(cases.astype(np.int64)).sum() - entropy(rows.astype(np.int64)).sum(), n=len(cases))
