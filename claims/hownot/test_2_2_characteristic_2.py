"""How Not to Measure Disentanglement, section 2.2: metrics of characteristic 2 and what they let pass.

'High' means above three quarters of the scale throughout this folder: the paper gives no threshold.
"""

from dbench.claims import Claim, Printed, above
from dbench.metrics import sap
from dbench.seeds import generator
from dbench.stats import Estimate, exact, mean_interval
from dbench_fixtures.counterexamples.powers import hidden_powers, squared_correlation_of_power

HIGH = 0.75

FACT_8 = Claim(
    id="hownot.fact-8",
    part="samples",
    where="2.2.2, Fact 8",
    says="SAP by R2 fails property 2: a further code that holds both factors as 25th powers hardly lowers the score.",
    evidence="synthetic",
    kind="existence",
    population="two factors uniform on [-1, 1], codes (z_1, z_1^25 + z_2^25, z_2); draws varied",
    deviations=(),
    unit="repetition",
    statistic="mean SAP score (squared correlation) over repetitions of 10,000 observations",
    rule=above(HIGH),
    confidence=0.95,
    min_n=5,
    printed=Printed("0.98", 0.98, 0.005),
    tier="smoke",
    rollup="all",
    revision=1,
    superseded_by=None,
)
FACT_8_EXACT = Claim(
    id="hownot.fact-8",
    part="exact",
    where=FACT_8.where,
    says=FACT_8.says,
    evidence="synthetic",
    kind="existence",
    population="the law itself: 1 - (1/27)^2 / (1/3 * 2/51)",
    deviations=(),
    unit="law",
    statistic="SAP score (squared correlation) in closed form",
    rule=above(HIGH),
    confidence=1.0,
    min_n=1,
    printed=FACT_8.printed,
    tier="smoke",
    rollup="all",
    revision=1,
    superseded_by=None,
)


def sampled_score(*, power: int = 25, n: int = 10_000, repetitions: int = 10) -> Estimate:
    streams = [generator(claim=FACT_8.id, power=power, repetition=i) for i in range(repetitions)]
    scores = [float(sap(hidden_powers(n, stream, power=power), relation="r2")) for stream in streams]
    return mean_interval(scores, confidence=FACT_8.confidence)


def exact_score(*, power: int = 25) -> Estimate:
    """The best code of each factor is its copy, of squared correlation 1; the second is the sum of powers."""
    return exact(1 - squared_correlation_of_power(power, terms=2))


@FACT_8.covers
def test_sap_of_samples_overlooks_a_code_of_powers(judge):
    judge(FACT_8, sampled_score())


@FACT_8_EXACT.covers
def test_sap_in_closed_form_overlooks_a_code_of_powers(judge):
    judge(FACT_8_EXACT, exact_score())
