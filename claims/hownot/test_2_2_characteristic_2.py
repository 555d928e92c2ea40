"""How Not to Measure Disentanglement, section 2.2: what SAP, a metric of characteristic 2, lets pass."""

from dataclasses import replace

from dbench.claims import Claim, Printed, above, below
from dbench.constructions.powers import hidden_powers, plain_powers, squared_correlation_of_power
from dbench.metrics import sap
from dbench.seeds import generator
from dbench.stats import exact, mean_interval

HIGH = 0.75
READING = "'High' is above 0.75 of the scale and 'low' is not: our reading, the paper gives no threshold."
EXACT = {"unit": "law", "statistic": "SAP score (squared correlation) in closed form", "confidence": 1.0, "min_n": 1}

FACT_6 = Claim.synthetic(
    id="hownot.fact-6",
    quote="SAP does not satisfy Property 1.",
    population="two factors uniform on [-1, 1], codes (z_1^15, z_2^15); draws varied",
    deviations=(READING,),
    unit="repetition",
    statistic="mean SAP score (squared correlation) over repetitions of 10,000 observations",
    rule=below(HIGH),
    printed=Printed("0.32", 0.32, 0.005),
)
FACT_6_EXACT = FACT_6.cell(
    "exact",
    printed=FACT_6.printed,
    population="the law itself: (1/17)^2 / (1/3 * 1/31)",
    **EXACT,
)
FACT_8 = replace(
    FACT_6,
    id="hownot.fact-8",
    quote="SAP does not satisfy Property 2.",
    population="two factors uniform on [-1, 1], codes (z_1, z_1^25 + z_2^25, z_2); draws varied",
    rule=above(HIGH),
    printed=Printed("0.98", 0.98, 0.005),
)
FACT_8_EXACT = FACT_8.cell(
    "exact",
    printed=FACT_8.printed,
    population="the law itself: 1 - (1/27)^2 / (1/3 * 2/51)",
    **EXACT,
)


def mean_score(draw, claim, power, repetitions, confidence):
    streams = [generator(claim=claim, power=power, repetition=i) for i in range(repetitions)]
    scores = [float(sap(draw(10_000, stream, power=power), relation="r2")) for stream in streams]
    return mean_interval(scores, confidence=confidence)


@FACT_6.covers
def test_sap_of_samples_is_not_high_on_powers(confidence, *, power=15, repetitions=10):
    return mean_score(plain_powers, FACT_6.id, power, repetitions, confidence)


@FACT_6_EXACT.covers
def test_sap_in_closed_form_is_not_high_on_powers(*, power=15):
    """The only code related to each factor is its power; the other is independent."""
    return exact(squared_correlation_of_power(power))


@FACT_8.covers
def test_sap_of_samples_overlooks_a_code_of_powers(confidence, *, power=25, repetitions=10):
    return mean_score(hidden_powers, FACT_8.id, power, repetitions, confidence)


@FACT_8_EXACT.covers
def test_sap_in_closed_form_overlooks_a_code_of_powers(*, power=25):
    """The best code of each factor is its copy, of squared correlation 1; the second is the sum of powers."""
    return exact(1 - squared_correlation_of_power(power, terms=2))
