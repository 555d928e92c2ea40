"""A Sober Look, section 4.2.9: what the total correlation of a fitted Gaussian shows, and what it does not."""

import numpy as np
import pytest

from dbench.claims import Claim, above, below
from dbench.constructions.relations import DEPENDENT, INDEPENDENT, dependent_codes, independent_codes, parity_law
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
        "'High' is above 0.01 nats, four times what ten independent codes come out at.",
    ),
    unit="draw",
    statistic="largest Gaussian total correlation of 10,000 observations among 20 draws, nats",
    rule=below(0.01),
    source="lexicon: independent, nats",
    demonstration=True,
    min_n=20,
    given={"correlation": 0.0, "repetitions": 20},
    false={"codes": "normal", "correlation": 1.0},
    revision=4,
)


@NEVER_HIGH.covers
@pytest.mark.parametrize("codes", [*sorted(INDEPENDENT), *sorted(DEPENDENT)])
def test_gaussian_total_correlation_is_high_for_dependent_codes_alone_but_not_for_all_of_them(
    codes, correlation, repetitions
):
    def draw(stream):
        if codes in DEPENDENT:
            return dependent_codes(codes, 10_000, stream)
        return independent_codes(codes, 10_000, stream, correlation=correlation)

    streams = [generator(claim=NEVER_HIGH.id, codes=codes, repetition=i) for i in range(repetitions)]
    return exact(max(float(gaussian_total_correlation(draw(stream))) for stream in streams), n=repetitions)


DEPENDENT_LAW = NEVER_HIGH.cell(
    "low yet dependent",
    role="primary",
    says="Codes of low Gaussian total correlation do not factorise.",
    population="two bits and their parity, enumerated",
    deviations=(),
    unit="case",
    statistic="total correlation of the law, nats",
    rule=above(0.0),
    source="sign",
    min_n=4,
    given={"cases": parity_law()},
    false={"cases": parity_law()[:, :2]},  # the two bits alone
    revision=2,
)


@DEPENDENT_LAW.covers
def test_two_bits_and_their_parity_do_not_factorise(cases):
    """Sum of the entropies of the codes minus the entropy of their rows, equally likely cases."""
    rows = np.unique(cases, axis=0, return_inverse=True)[1].reshape(-1, 1)
    return exact(entropy(cases.astype(np.int64)).sum() - entropy(rows.astype(np.int64)).sum(), n=len(cases))
