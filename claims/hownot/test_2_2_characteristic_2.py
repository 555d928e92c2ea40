"""How Not to Measure Disentanglement, section 2.2: metrics of characteristic 2 and what they let pass.

'High' means above three quarters of the scale throughout this folder: the paper gives no threshold.
"""

from collections.abc import Callable
from dataclasses import replace

from dbench.claims import Claim, Printed, above, below
from dbench.codes import Sample
from dbench.metrics import sap
from dbench.seeds import generator
from dbench.stats import Estimate, exact, mean_interval
from dbench_fixtures.counterexamples.powers import hidden_powers, plain_powers, squared_correlation_of_power

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
FACT_8_EXACT = replace(
    FACT_8,
    part="exact",
    population="the law itself: 1 - (1/27)^2 / (1/3 * 2/51)",
    unit="law",
    statistic="SAP score (squared correlation) in closed form",
    confidence=1.0,
    min_n=1,
)
FACT_6 = replace(
    FACT_8,
    id="hownot.fact-6",
    where="2.2.1, Fact 6",
    says="SAP by R2 fails property 1: invertible codes that are 15th powers of their factors get no high score.",
    population="two factors uniform on [-1, 1], codes (z_1^15, z_2^15); draws varied",
    rule=below(HIGH),
    printed=Printed("0.32", 0.32, 0.005),
)
FACT_6_EXACT = replace(
    FACT_8_EXACT,
    id=FACT_6.id,
    where=FACT_6.where,
    says=FACT_6.says,
    population="the law itself: (1/17)^2 / (1/3 * 1/31)",
    rule=FACT_6.rule,
    printed=FACT_6.printed,
)
Draw = Callable[..., Sample]


def sampled_score(*, draw: Draw = hidden_powers, power: int = 25, n: int = 10_000, repetitions: int = 10) -> Estimate:
    claim = FACT_8.id if draw is hidden_powers else FACT_6.id
    streams = [generator(claim=claim, power=power, repetition=i) for i in range(repetitions)]
    scores = [float(sap(draw(n, stream, power=power), relation="r2")) for stream in streams]
    return mean_interval(scores, confidence=FACT_8.confidence)


def exact_score(*, power: int = 25) -> Estimate:
    """The best code of each factor is its copy, of squared correlation 1; the second is the sum of powers."""
    return exact(1 - squared_correlation_of_power(power, terms=2))


def exact_score_of_plain_powers(*, power: int = 15) -> Estimate:
    """The only code related to each factor is its power; the other is independent."""
    return exact(squared_correlation_of_power(power))


@FACT_6.covers
def test_sap_of_samples_is_not_high_on_powers(judge):
    judge(FACT_6, sampled_score(draw=plain_powers, power=15))


@FACT_6_EXACT.covers
def test_sap_in_closed_form_is_not_high_on_powers(judge):
    judge(FACT_6_EXACT, exact_score_of_plain_powers())


@FACT_8.covers
def test_sap_of_samples_overlooks_a_code_of_powers(judge):
    judge(FACT_8, sampled_score())


@FACT_8_EXACT.covers
def test_sap_in_closed_form_overlooks_a_code_of_powers(judge):
    judge(FACT_8_EXACT, exact_score())
