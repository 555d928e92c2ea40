"""IRS, section 4: what the score is on grids with known answers, where it can go, groups and shifted domains."""

from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, above, below, within
from dbench.codes import Sample
from dbench.metrics import domain_shift_robustness, interventional_robustness, irs
from dbench.metrics.interventions import crossed_empida, empida
from dbench.seeds import generator
from dbench.stats import Estimate, exact, mean_interval, rank_correlation
from dbench_fixtures.counterexamples.grid_codes import below_zero, factor_grid, together

ROBUST = Claim(
    id="irs.definition",
    part="robust",
    where="4, Definitions 2 and 3, equation 3",
    says="IRS is 1 for a robust code.",
    evidence="synthetic",
    kind="equivalence",
    population="a code that is a function of one factor, on a full grid of three factors; function varied",
    deviations=(),
    unit="code",
    statistic="IRS({l} | {1}, {2, 3})",
    rule=within(1 - 1e-9, 1),
    confidence=1.0,
    min_n=1,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
NOTHING = replace(
    ROBUST,
    part="nothing",
    says="IRS is 0 for a code that carries nothing of its factor.",
    population="a code that is a function of another factor, and a constant one, on a full grid of three factors",
    deviations=("A constant code gives 0/0; the metric's convention is 0.",),
    rule=within(-1e-9, 1e-9),
)
NOISE = replace(
    NOTHING,
    part="nothing, noise",
    says="IRS is 0 for a code of pure noise.",
    population="noise on samples of three factors of five values; observations a cell and draws varied",
    deviations=("In expectation noise gives 0/0; what is judged is what samples give.",),
    unit="sample",
    statistic="mean IRS({l} | {1}, {2, 3})",
    # 0.05: a twentieth of the scale.
    rule=within(-0.05, 0.05),
    confidence=0.95,
    min_n=5,
)
AGREE = replace(
    ROBUST,
    part="estimators",
    where="4; appendix A.1",
    says="On a crossed data set without noise the general estimator and the simplified one agree.",
    population="random codes on full grids of two to four factors",
    statistic="largest difference of the two estimates of EMPIDA, as a share of the larger",
    rule=below(1e-9),
    min_n=100,
)
LOWEST = Claim(
    id="irs.bounds",
    part="lowest",
    where="4, Definition 3",
    says="IRS is never below 0 (not robust).",
    evidence="synthetic",
    kind="impossibility",
    population="random codes on full grids of two or three factors of two to four values",
    deviations=("A universal statement: searched, on grids whose expected values are exact.",),
    unit="code",
    statistic="lowest IRS({l} | {i}, rest) found",
    rule=above(-1e-9),
    confidence=1.0,
    min_n=1000,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
SMALLEST = replace(
    LOWEST,
    part="smallest counterexample",
    population="one grid: factors of two and three values, a code of zeros and ones",
    deviations=("The fewest values found; analytically 1 - (2/3) / (1/2) = -1/3.",),
    unit="grid",
    statistic="IRS({l} | {1}, {2})",
    min_n=1,
)
LOWEST_D = replace(
    LOWEST,
    part="lowest, disentanglement",
    where="4, equation 3",
    says="The disentanglement score of a code, its best IRS over factors, is never below 0.",
    deviations=(*LOWEST.deviations, "Smallest counterexample: the majority of three bits, -0.5 for every factor."),
    statistic="lowest D_l found",
)
HIGHEST = replace(
    LOWEST,
    part="highest",
    says="IRS is never above 1 (perfectly robust).",
    statistic="highest IRS({l} | {i}, rest) found",
    rule=below(1 + 1e-9),
)
PAIR = Claim(
    id="irs.groups",
    part="angle",
    where="4, Definition 2; 3.2",
    says="An angle held as cosine and sine is robust as a pair.",
    evidence="synthetic",
    kind="equivalence",
    population="an angle of eight values and two nuisances, full grid",
    deviations=(),
    unit="grid",
    statistic="IRS of both codes as one group, the angle held",
    rule=within(1 - 1e-9, 1),
    confidence=1.0,
    min_n=1,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
SUM_DIFFERENCE = replace(
    PAIR,
    part="sum and difference",
    says="The sum and the difference of two factors are robust as a pair.",
    population="two factors of five values and a nuisance, full grid; codes are their sum and difference",
    statistic="IRS of both codes as one group, both factors held",
)
MEMBERS = replace(
    SUM_DIFFERENCE,
    part="members",
    says="Alone, neither the sum nor the difference is robust for any factor.",
    kind="existence",
    deviations=("Alone they are robust too once both factors are held: the group that matters is that of factors.",),
    statistic="largest IRS of one of the codes for one of the factors",
    # Robust: the upper quarter of the scale.
    rule=below(0.75),
)
SHIFT = Claim(
    id="irs.domain-shift",
    part="value",
    where="4, special case: domain shift robustness",
    says="IRS(L | all but S, S) falls with how far the domain S moves a code.",
    evidence="synthetic",
    kind="size",
    population="a factor of five values, a domain of two; code a + w s, full grid; w varied",
    deviations=("Analytically 1 - (w/2) / (2 + w/2).",),
    unit="grid",
    statistic="distance of the score from its value in closed form",
    rule=below(1e-9),
    confidence=1.0,
    min_n=1,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
WITHSTANDS = replace(
    SHIFT,
    part="withstands",
    says="Codes with a higher score lose less accuracy when a rule learnt in one domain is used in another.",
    kind="ranking",
    population="six codes a + w s with noise of 0.2, samples of 2,000, factor and domain confounded; draws varied",
    deviations=("The rule: nearest mean of the code for each value of the factor.",),
    unit="sample",
    statistic="rank correlation over codes of the score with accuracy kept from domain 0 to domain 1",
    # 0.7: most of the order.
    rule=above(0.7),
    confidence=0.95,
    min_n=5,
)
FLAT = Claim(
    id="irs.flat-lines",
    part="robust",
    where="6.3, Figure 4",
    says="For a robust code the mean at a fixed value of its own factor does not move when another factor is set.",
    evidence="synthetic",
    kind="equivalence",
    population="a code that copies one of three factors, full grid",
    deviations=(),
    unit="grid",
    statistic="largest movement of a line, as a share of the code's range",
    rule=below(1e-9),
    confidence=1.0,
    min_n=1,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
SLOPING = replace(
    FLAT,
    part="not robust",
    says="A code that is not robust shows lines that slope.",
    kind="existence",
    population="a code that adds half of another factor to its own, full grid",
    rule=above(0.1),
)
CONVERSE = replace(
    FLAT,
    part="converse",
    says="A code whose lines are all flat is robust.",
    kind="impossibility",
    population="a code moved by two bits only together (whether they agree), full grid",
    deviations=("Not claimed in so many words; the plots of 6.3 are offered to be read this way.",),
    statistic="IRS of the code, whose lines are all flat (0 unless they are)",
    rule=above(0.9),
)


def on_grid(sizes, code) -> Sample:
    factors = factor_grid(sizes)
    return Sample(np.asarray(code(factors), dtype=float).reshape(len(factors), -1), factors)


FUNCTIONS = {
    "copy": lambda f: f[:, 0],
    "square": lambda f: (f[:, 0] - 2) ** 2,
    "other": lambda f: f[:, 1],
    "constant": lambda f: np.zeros(len(f)),
    "sum": lambda f: f[:, 0] + f[:, 1],
}


def score_of_function(name: str) -> Estimate:
    return exact(interventional_robustness(on_grid((5, 5, 5), FUNCTIONS[name]), [0], [0], [1, 2]))


def score_of_noise(cell: int, *, signal: float = 0.0, repetitions: int = 10) -> Estimate:
    """``cell`` observations of every combination of three factors of five values."""
    factors = np.tile(factor_grid((5, 5, 5)), (cell, 1))

    def score(repetition: int) -> float:
        stream = generator(claim=NOISE.id, part=NOISE.part, cell=cell, repetition=repetition)
        codes = signal * factors[:, :1] + stream.standard_normal((len(factors), 1))
        return interventional_robustness(Sample(codes, factors), [0], [0], [1, 2])

    return mean_interval([score(i) for i in range(repetitions)], confidence=NOISE.confidence)


def disagreement_of_estimators(*, noisy: bool = False, grids: int = 120) -> Estimate:
    rng = generator(claim=AGREE.id, part=AGREE.part)
    worst = 0.0
    for _ in range(grids):
        sizes = rng.integers(2, 5, size=rng.integers(2, 5))
        factors = np.repeat(factor_grid(sizes), 2 if noisy else 1, axis=0)
        codes, held = rng.standard_normal((len(factors), 4)), int(rng.integers(len(sizes)))
        rest = [factor for factor in range(len(sizes)) if factor != held]
        blocks = [[0], [1], [2, 3]]
        general, simple = (f(codes, factors, blocks, [held], rest) for f in (empida, crossed_empida))
        worst = max(worst, float((np.abs(general - simple) / np.maximum(general, simple)).max()))
    return exact(worst, n=grids)


def searched(part: str, *, codes: int = 500, robust_only: bool = False) -> Estimate:
    """Scores of random codes of few values on small grids: ``lowest`` or ``highest`` IRS, or lowest ``best``."""
    rng = generator(claim=LOWEST.id)
    found = []
    for sizes in ((2, 2), (2, 3), (3, 3), (2, 4), (2, 2, 2), (2, 2, 3), (3, 3, 3)):
        factors = factor_grid(sizes)
        values = rng.integers(3, size=(len(factors), codes)).astype(float)
        if robust_only:
            values = np.repeat(factors[:, :1], codes, axis=1).astype(float)
        values = values[:, values.std(axis=0) > 0]
        blocks = [[code] for code in range(values.shape[1])]
        whole = crossed_empida(values, factors, blocks, [], range(len(sizes)))
        rest = [[other for other in range(len(sizes)) if other != held] for held in range(len(sizes))]
        parts = [crossed_empida(values, factors, blocks, [held], others) for held, others in enumerate(rest)]
        found.append(1 - np.stack(parts) / whole)
    n = sum(scores.shape[1] for scores in found)
    if part == "best":
        return exact(min(float(scores.max(axis=0).min()) for scores in found), n=n)
    every = np.concatenate([scores.ravel() for scores in found])
    return exact(float(every.min() if part == "lowest" else every.max()), n=n)


def score_of_sample(sample: Sample, codes, held, changed) -> Estimate:
    return exact(interventional_robustness(sample, codes, held, changed))


def angle() -> Sample:
    return on_grid((8, 3, 3), lambda f: np.stack([np.cos(f[:, 0] * np.pi / 4), np.sin(f[:, 0] * np.pi / 4)], axis=1))


def sum_and_difference(nuisance: float = 0.0) -> Sample:
    return on_grid((5, 5, 3), lambda f: np.stack([f[:, 0] + f[:, 1] + nuisance * f[:, 2], f[:, 0] - f[:, 1]], axis=1))


def best_member(sample: Sample) -> Estimate:
    return exact(float(irs(sample).relation.max()))


def error_of_shift(weight: float, *, assumed: float | None = None) -> Estimate:
    sample = on_grid((5, 2), lambda f: f[:, 0] + weight * f[:, 1])
    w = weight if assumed is None else assumed
    return exact(abs(domain_shift_robustness(sample, [0], [1]) - (1 - (w / 2) / (2 + w / 2))))


def order_of_codes(*, sign: float = 1.0, repetitions: int = 8, n: int = 2_000) -> Estimate:
    """Confounded: small values of the factor come more often in domain 0."""

    def correlation(repetition: int) -> float:
        stream = generator(claim=WITHSTANDS.id, repetition=repetition)
        domain = stream.integers(2, size=n)
        value = np.where(domain == 0, stream.binomial(4, 0.4, size=n), stream.binomial(4, 0.6, size=n))
        factors, scores, kept = np.stack([value, domain], axis=1), [], []
        for weight in (0.0, 0.3, 0.6, 0.9, 1.2, 1.5):
            codes = value + weight * domain + 0.2 * stream.standard_normal(n)
            means = np.array([codes[(domain == 0) & (value == v)].mean() for v in range(5)])
            right = np.abs(codes[:, None] - means).argmin(axis=1) == value
            scores.append(domain_shift_robustness(Sample(codes[:, None], factors), [0], [1]))
            kept.append(right[domain == 1].mean() - right[domain == 0].mean())
        return sign * rank_correlation(np.array(scores), np.array(kept))

    return mean_interval([correlation(i) for i in range(repetitions)], confidence=WITHSTANDS.confidence)


def movement_of_lines(sample: Sample) -> float:
    """How far the mean code at a value of the first factor moves when one other factor is set, at most."""
    code, factors, moved = sample.codes[:, 0], sample.factors, 0.0
    for value in np.unique(factors[:, 0]):
        for other in range(1, sample.n_factors):
            at = factors[:, 0] == value
            line = [code[at & (factors[:, other] == v)].mean() for v in np.unique(factors[:, other])]
            moved = max(moved, float(np.ptp(line)))
    return moved / float(np.ptp(code))


def movement(name: str) -> Estimate:
    code = FUNCTIONS.get(name, lambda f: f[:, 0] + 0.5 * f[:, 1])
    return exact(movement_of_lines(on_grid((5, 5, 5), code)))


def score_of_flat_lines(sample: Sample) -> Estimate:
    flat = movement_of_lines(sample) < 1e-9
    rest = list(range(1, sample.n_factors))
    return exact(interventional_robustness(sample, [0], [0], rest) if flat else 0.0)


@ROBUST.covers
@pytest.mark.parametrize("function", ["copy", "square"])
def test_a_robust_code_scores_one(judge, function):
    judge(ROBUST, score_of_function(function))


@NOTHING.covers
@pytest.mark.parametrize("function", ["other", "constant"])
def test_a_code_without_its_factor_scores_zero(judge, function):
    judge(NOTHING, score_of_function(function))


@NOISE.covers
@pytest.mark.parametrize("cell", [1, 10, 100])
def test_noise_scores_zero(judge, cell):
    judge(NOISE, score_of_noise(cell))


@AGREE.covers
def test_both_estimators_agree_on_a_crossed_data_set(judge):
    judge(AGREE, disagreement_of_estimators())


@LOWEST.covers
def test_no_score_is_below_zero(judge):
    judge(LOWEST, searched("lowest"))


@SMALLEST.covers
def test_the_smallest_grid_with_a_score_below_zero(judge):
    judge(SMALLEST, score_of_sample(below_zero(), [0], [0], [1]))


@LOWEST_D.covers
def test_no_disentanglement_score_is_below_zero(judge):
    judge(LOWEST_D, searched("best"))


@HIGHEST.covers
def test_no_score_is_above_one(judge):
    judge(HIGHEST, searched("highest"))


@PAIR.covers
def test_cosine_and_sine_are_robust_as_a_pair(judge):
    judge(PAIR, score_of_sample(angle(), [0, 1], [0], [1, 2]))


@SUM_DIFFERENCE.covers
def test_sum_and_difference_are_robust_as_a_pair(judge):
    judge(SUM_DIFFERENCE, score_of_sample(sum_and_difference(), [0, 1], [0, 1], [2]))


@MEMBERS.covers
def test_neither_sum_nor_difference_is_robust_alone(judge):
    judge(MEMBERS, best_member(sum_and_difference()))


@SHIFT.covers
@pytest.mark.parametrize("weight", [0.0, 0.5, 2.0])
def test_the_score_falls_with_the_shift(judge, weight):
    judge(SHIFT, error_of_shift(weight))


@WITHSTANDS.covers
def test_codes_of_a_higher_score_withstand_the_shift(judge):
    judge(WITHSTANDS, order_of_codes())


@FLAT.covers
def test_lines_of_a_robust_code_are_flat(judge):
    judge(FLAT, movement("copy"))


@SLOPING.covers
def test_lines_of_a_code_that_is_not_robust_slope(judge):
    judge(SLOPING, movement("sloping"))


@CONVERSE.covers
def test_a_code_with_flat_lines_is_robust(judge):
    judge(CONVERSE, score_of_flat_lines(together()))
