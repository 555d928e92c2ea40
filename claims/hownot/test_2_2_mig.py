"""How Not to Measure Disentanglement, section 2.2: does MIG satisfy the two properties, as the paper says?

Both statements speak of all representations, so they are put to a search, and one counterexample refutes them.
'High' means above three quarters of the scale throughout this folder: the paper gives no threshold.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from dbench.claims import Claim, above, below
from dbench.codes import Sample
from dbench.metrics import mig
from dbench.seeds import generator
from dbench.stats import Estimate, exact, mean_interval
from dbench_fixtures.counterexamples.parity import parity_cases, parity_codes
from dbench_fixtures.counterexamples.powers import binned_gap_of_power, hidden_powers, plain_powers
from dbench_fixtures.counterexamples.small_codes import SmallCodes, small_codes
from dbench_fixtures.counterexamples.stretched import random_scale, stretched

HIGH = 0.75
BINS = "The paper does not say how mutual information is estimated; 20 equal-width bins as in A Sober Look."

# ------------------------------------------------------------------ fact 7: high wherever characteristic 2 holds
AS_DEFINED = Claim(
    id="hownot.fact-7",
    part="as defined",
    where="2.2.1, Fact 7; 2.2, Characteristic 2",
    says="MIG gives a high score to every representation in which a change of one factor changes one code.",
    evidence="synthetic",
    kind="impossibility",
    population="all deterministic codes of one to three factors of two to five values, up to three codes",
    deviations=(
        "Characteristic 2 is read literally: any change of a factor, from anywhere, changes the same one code.",
        "'Is relatively invariant' is read as does not change at all, which leaves fewest counterexamples.",
    ),
    unit="representation",
    statistic="smallest MIG over all of them, from the enumerated law",
    rule=above(HIGH),
    confidence=1.0,
    min_n=20,
    printed=None,
    tier="smoke",
    rollup="all",
    revision=1,
    superseded_by=None,
)
AS_PROVED = replace(
    AS_DEFINED,
    part="as proved",
    where="2.2.1, Fact 7, proof",
    says="MIG gives a high score wherever, besides, each factor is a function of the one code that it changes.",
    deviations=("The proof takes it for granted that the one code determines the factor; here it is a condition.",),
    min_n=10,
)
SMALLEST = replace(
    AS_DEFINED,
    part="parity, exact",
    says="MIG gives a high score to the parity of two bits, the smallest counterexample found.",
    kind="existence",
    population="two fair bits and their parity as the only code, enumerated",
    deviations=AS_DEFINED.deviations[:1],
    unit="case",
    statistic="MIG of the law",
    min_n=4,
)
SMALLEST_SAMPLED = replace(
    SMALLEST,
    part="parity, sampled",
    population="two fair bits and their parity as the only code; draws varied",
    deviations=(*SMALLEST.deviations, BINS),
    unit="repetition",
    statistic="mean MIG score over repetitions of 10,000 observations",
    confidence=0.95,
    min_n=5,
)
SCALES = replace(
    AS_DEFINED,
    part="estimated, search",
    says="Estimated from samples, MIG is high for every one-to-one code on a strictly rising scale of its factor.",
    population="a factor of 2 to 12 values, 25 random scales each; 2,000 observations",
    deviations=(BINS,),
    unit="scale",
    statistic="smallest MIG score over all scales",
    min_n=100,
)
STRETCHED = replace(
    SMALLEST_SAMPLED,
    part="estimated, three values",
    says="Estimated MIG is high for three values coded as 0, 1 and 1000, the smallest counterexample found.",
    population="one factor of three values and one code; draws varied",
    deviations=(BINS,),
)
POWERS = replace(
    SMALLEST_SAMPLED,
    part="fact 6, sampled",
    where="2.2.1, Facts 6 and 7",
    says="MIG is high on the invertible 15th powers that Fact 6 holds against SAP.",
    population="two factors uniform on [-1, 1], codes their 15th powers; draws varied",
    deviations=(BINS,),
)
POWERS_LIMIT = replace(
    POWERS,
    part="fact 6, limit",
    population="the law itself, code and factor cut into 20 equal bins of [-1, 1]",
    deviations=(*POWERS.deviations, "Samples reach this limit very slowly and from below."),
    unit="law",
    statistic="MIG of the two bin numbers, enumerated",
    confidence=1.0,
    min_n=1,
)

# ------------------------------------------------------------------ fact 9: low wherever characteristic 2 fails
LOW_AS_DEFINED = replace(
    AS_DEFINED,
    id="hownot.fact-9",
    where="2.2.2, Fact 9; 2.2, Characteristic 2",
    says="MIG gives a low score to every representation in which a change of one factor changes several codes.",
    deviations=(
        "'Does not satisfy' is read strictly: any change of any factor, from anywhere, changes at least two codes.",
        "'Low' is read as not high.",
    ),
    statistic="largest MIG over all of them, from the enumerated law",
    rule=below(HIGH),
)
LOW_SMALLEST = replace(
    SMALLEST,
    id="hownot.fact-9",
    part="parity, exact",
    where=LOW_AS_DEFINED.where,
    says="MIG gives a low score to both bits in one code and their parity in another, the smallest counterexample.",
    population="two fair bits a, b and the codes 2a + b and a xor b, enumerated",
    deviations=LOW_AS_DEFINED.deviations,
    rule=below(HIGH),
)
LOW_SMALLEST_SAMPLED = replace(
    SMALLEST_SAMPLED,
    id="hownot.fact-9",
    where=LOW_AS_DEFINED.where,
    says=LOW_SMALLEST.says,
    population="two fair bits a, b and the codes 2a + b and a xor b; draws varied",
    deviations=(*LOW_SMALLEST.deviations, BINS),
    rule=below(HIGH),
)
LOW_POWERS = replace(
    LOW_SMALLEST_SAMPLED,
    part="fact 8, sampled",
    where="2.2.2, Facts 8 and 9",
    says="MIG is low on the hidden code of 25th powers that Fact 8 holds against SAP.",
    population="two factors uniform on [-1, 1], codes (z_1, z_1^25 + z_2^25, z_2); draws varied",
    deviations=(BINS, "'Low' is read as not high."),
)

# Grid of factors and the largest number of codes for which all representations are looked at.
GRIDS = {(2,): 3, (3,): 3, (4,): 3, (5,): 2, (2, 2): 3, (2, 3): 2, (2, 4): 1, (2, 2, 2): 1}
Condition = Callable[[SmallCodes, np.ndarray], np.ndarray]


def one_code_each(codes: SmallCodes, members: np.ndarray) -> np.ndarray:
    """Characteristic 2: each factor always changes one code, and never any other."""
    changes, touches = codes.changes[members].sum(axis=1), codes.touches[members].sum(axis=1)
    return ((changes == 1) & (touches == 1)).all(axis=1)


def one_telling_code_each(codes: SmallCodes, members: np.ndarray) -> np.ndarray:
    """Characteristic 2 as the proof uses it: the code that a factor changes also determines it."""
    tells = (codes.determines & codes.changes)[members].any(axis=1).all(axis=1)
    return one_code_each(codes, members) & tells


def several_codes_each(codes: SmallCodes, members: np.ndarray) -> np.ndarray:
    """No characteristic 2 by far: each factor always changes at least two codes."""
    return (codes.changes[members].sum(axis=1) >= 2).all(axis=1)


def gaps(condition: Condition, grids: dict[tuple[int, ...], int] = GRIDS) -> np.ndarray:
    """MIG of every representation that meets the condition, by enumeration."""
    found = []
    for sizes, largest in grids.items():
        codes = small_codes(sizes)
        members = codes.representations(largest)
        found.append(codes.gap(members[condition(codes, members)]))
    return np.concatenate(found)


def smallest(values: np.ndarray) -> Estimate:
    return exact(values.min(), n=len(values))


def largest(values: np.ndarray) -> Estimate:
    return exact(values.max(), n=len(values))


def score_of_law(codes: str) -> Estimate:
    cases = parity_cases(codes)
    return exact(float(mig(cases)), n=len(cases))


def mean_score(draw: Callable[..., Sample], *, n: int = 10_000, repetitions: int = 5, **options) -> Estimate:
    streams = [generator(claim="hownot.mig", construction=draw.__name__, repetition=i) for i in range(repetitions)]
    scores = [float(mig(draw(n, stream, **options))) for stream in streams]
    return mean_interval(scores, confidence=SMALLEST_SAMPLED.confidence)


def smallest_over_scales(*, sizes: Sequence[int] = range(2, 13), scales: int = 25, steepness: float = 3.0) -> Estimate:
    stream = generator(claim="hownot.fact-7", part="estimated, search")
    samples = [
        stretched(2_000, stream, scale=random_scale(size, stream, steepness=steepness))
        for size in sizes
        for _ in range(scales)
    ]
    return smallest(np.array([float(mig(sample)) for sample in samples]))


def limit_of_powers(power: int = 15) -> Estimate:
    return exact(binned_gap_of_power(power))


@AS_DEFINED.covers
def test_mig_is_high_wherever_each_factor_changes_one_code(judge):
    judge(AS_DEFINED, smallest(gaps(one_code_each)))


@AS_PROVED.covers
def test_mig_is_high_wherever_that_code_determines_the_factor(judge):
    judge(AS_PROVED, smallest(gaps(one_telling_code_each)))


@SMALLEST.covers
def test_mig_is_high_on_a_parity(judge):
    judge(SMALLEST, score_of_law("parity alone"))


@SMALLEST_SAMPLED.covers
def test_mig_of_samples_is_high_on_a_parity(judge):
    judge(SMALLEST_SAMPLED, mean_score(parity_codes, codes="parity alone"))


@SCALES.covers
def test_mig_of_samples_is_high_on_every_scale(judge):
    judge(SCALES, smallest_over_scales())


@STRETCHED.covers
def test_mig_of_samples_is_high_on_three_stretched_values(judge):
    judge(STRETCHED, mean_score(stretched))


@POWERS.covers
def test_mig_of_samples_is_high_on_the_powers_of_fact_6(judge):
    judge(POWERS, mean_score(plain_powers))


@POWERS_LIMIT.covers
def test_mig_in_the_limit_is_high_on_the_powers_of_fact_6(judge):
    judge(POWERS_LIMIT, limit_of_powers())


@LOW_AS_DEFINED.covers
def test_mig_is_low_wherever_factors_change_several_codes(judge):
    judge(LOW_AS_DEFINED, largest(gaps(several_codes_each)))


@LOW_SMALLEST.covers
def test_mig_is_low_on_both_bits_beside_their_parity(judge):
    judge(LOW_SMALLEST, score_of_law("parity beside both"))


@LOW_SMALLEST_SAMPLED.covers
def test_mig_of_samples_is_low_on_both_bits_beside_their_parity(judge):
    judge(LOW_SMALLEST_SAMPLED, mean_score(parity_codes, codes="parity beside both"))


@LOW_POWERS.covers
def test_mig_of_samples_is_low_on_the_powers_of_fact_8(judge):
    judge(LOW_POWERS, mean_score(hidden_powers))
