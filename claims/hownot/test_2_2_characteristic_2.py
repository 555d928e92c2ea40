"""How Not to Measure Disentanglement, section 2.2: what SAP, a metric of characteristic 2, lets pass."""

from dbench.claims import Claim, Printed, above, below, within
from dbench.constructions.characteristics import hidden_powers, plain_powers, squared_correlation_of_power
from dbench.metrics import sap
from dbench.seeds import generator
from dbench.stats import exact, mean_of

# What the paper calls close to 1 (Fact 5) and a small score (Fact 2).
HIGH, SMALL = 0.957, 0.6


def mean_score(draw, claim, power, repetitions):
    streams = [generator(claim=claim, power=power, repetition=i) for i in range(repetitions)]
    return mean_of([float(sap(draw(10_000, stream, power=power), relation="r2")) for stream in streams])


FACT_6 = Claim.synthetic(
    id="hownot.fact-6",
    quote="SAP does not satisfy Property 1.",
    population="two factors uniform on [-1, 1], codes (z_1^15, z_2^15); draws varied",
    unit="repetition",
    statistic="mean SAP score (squared correlation) over repetitions of 10,000 observations",
    rule=below(SMALL, null=HIGH),
    source="paper: small score",
    demonstration=True,
    given={"power": 15, "repetitions": 10},
    false={"power": 1},
    revision=2,
    printed=Printed("0.32", 0.32),
)


@FACT_6.covers
def test_sap_of_samples_is_not_high_on_powers(power, repetitions):
    return mean_score(plain_powers, FACT_6.id, power, repetitions)


FACT_6_EXACT = FACT_6.cell(
    "exact",
    population="the law itself: (1/17)^2 / (1/3 * 1/31)",
    unit="law",
    statistic="SAP score (squared correlation) in closed form",
    rule=within(0.315, 0.325),
    source="paper: 0.32",
    min_n=1,
    given={"power": 15},
    printed=FACT_6.printed,
)


@FACT_6_EXACT.covers
def test_sap_in_closed_form_is_not_high_on_powers(power):
    """The only code related to each factor is its power; the other is independent."""
    return exact(squared_correlation_of_power(power))


FACT_8 = Claim.synthetic(
    id="hownot.fact-8",
    quote="SAP does not satisfy Property 2.",
    population="two factors uniform on [-1, 1], codes (z_1, z_1^25 + z_2^25, z_2); draws varied",
    unit="repetition",
    statistic="mean SAP score (squared correlation) over repetitions of 10,000 observations",
    rule=above(HIGH, null=SMALL),
    source="paper: close to 1",
    demonstration=True,
    given={"power": 25, "repetitions": 10},
    false={"power": 1},
    revision=2,
    printed=Printed("0.98", 0.98),
)


@FACT_8.covers
def test_sap_of_samples_overlooks_a_code_of_powers(power, repetitions):
    return mean_score(hidden_powers, FACT_8.id, power, repetitions)


FACT_8_EXACT = FACT_8.cell(
    "exact",
    population="the law itself: 1 - (1/27)^2 / (1/3 * 2/51)",
    unit="law",
    statistic="SAP score (squared correlation) in closed form",
    rule=within(0.975, 0.985),
    source="paper: 0.98",
    min_n=1,
    given={"power": 25},
    printed=FACT_8.printed,
)


@FACT_8_EXACT.covers
def test_sap_in_closed_form_overlooks_a_code_of_powers(power):
    """The best code of each factor is its copy, of squared correlation 1; the second is the sum of powers."""
    return exact(1 - squared_correlation_of_power(power, terms=2))
