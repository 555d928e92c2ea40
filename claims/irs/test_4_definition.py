"""IRS, section 4, Definitions 2 and 3: what the score is on grids with known answers, and where it can go."""

import numpy as np
import pytest

from dbench.claims import Claim, above, below, within
from dbench.codes import Sample
from dbench.constructions.causal import below_zero, factor_grid
from dbench.metrics import interventional_robustness
from dbench.metrics.interventions import crossed_empida, empida
from dbench.seeds import generator
from dbench.stats import exact, mean_of

SEARCHED = (
    "That nothing lies beyond the two ends is read from them and from R2, which has the same.",
    "A universal statement: searched, on grids whose expected values are exact.",
)


def copy(f):
    return f[:, 0]


def square(f):
    return (f[:, 0] - 2) ** 2


def other(f):
    return f[:, 1]


def constant(f):
    return np.zeros(len(f))


def with_another(f):
    return f[:, 0] + f[:, 1]


FUNCTIONS = {"copy": copy, "square": square, "other": other, "constant": constant}


def searched(codes, robust_only):
    """Scores of random codes of few values on small grids, factors x codes of each grid."""
    rng = generator(claim=BOUNDS.id)
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
    return found


ROBUST = Claim.synthetic(
    id="irs.definition",
    quote="This score yields 1.0 for perfect robustness (i.e., no harm is done by changes in G_J) and 0.0 for no "
    "robustness.",
    population="codes that are functions of the factor, of another one, or constant, on a full grid of three factors",
    deviations=("A constant code gives 0/0; the metric's convention is 0.",),
    unit="code",
    statistic="distance of IRS({l} | {1}, {2, 3}) from 1 for a function of the factor, from 0 for the others",
    rule=below(1e-6, null=1.0),
    source="sign",
    demonstration=True,
    min_n=1,
    given={"functions": FUNCTIONS},
    false={"functions": {"copy": with_another}},
    roles={"constant": "probe"},
    revision=2,
)


@ROBUST.covers
@pytest.mark.parametrize("function", ["copy", "square", "other", "constant"])
def test_a_code_scores_one_if_robust_and_zero_if_it_carries_nothing(function, functions):
    factors = factor_grid((5, 5, 5))
    score = interventional_robustness(Sample(functions[function](factors)[:, None], factors), [0], [0], [1, 2])
    return exact(abs(score - (function in ("copy", "square"))))


NOISE = ROBUST.probe(
    "noise",
    says="IRS is 0 for a code of pure noise.",
    population="noise on samples of three factors of five values; observations a cell and draws varied",
    deviations=("In expectation noise gives 0/0; what is judged is what samples give.",),
    unit="sample",
    statistic="mean IRS({l} | {1}, {2, 3})",
    rule=within(-0.05, 0.05),
    min_n=5,
    given={"signal": 0.0, "repetitions": 10},
    false={"cell": 10, "signal": 5.0},
    revision=1,
)


@NOISE.covers
@pytest.mark.parametrize("cell", [1, 10, 100])
def test_noise_scores_zero(cell, signal, repetitions):
    """``cell`` observations of every combination of three factors of five values."""
    factors = np.tile(factor_grid((5, 5, 5)), (cell, 1))

    def score(repetition):
        stream = generator(claim=NOISE.id, part=NOISE.part, cell=cell, repetition=repetition)
        codes = signal * factors[:, :1] + stream.standard_normal((len(factors), 1))
        return interventional_robustness(Sample(codes, factors), [0], [0], [1, 2])

    return mean_of([score(i) for i in range(repetitions)])


AGREE = ROBUST.cell(
    "estimators",
    quote="In many benchmark datasets for disentanglement (e.g. dsprites) the observations are obtained noise-free and "
    "the dataset contains all possible combinations of generative factors exactly once. This makes the estimation of "
    "the disentanglement score even easier",
    says="On a crossed data set without noise the general estimator and the simplified one agree.",
    population="random codes on full grids of two to four factors",
    deviations=(),
    statistic="largest difference of the two estimates of EMPIDA, as a share of the larger",
    rule=below(1e-6, null=0.05),
    min_n=100,
    given={"noisy": False, "grids": 120},
    false={"noisy": True},
)


@AGREE.covers
def test_both_estimators_agree_on_a_crossed_data_set(noisy, grids):
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


BOUNDS = Claim.synthetic(
    id="irs.bounds",
    quote="This score yields 1.0 for perfect robustness (i.e., no harm is done by changes in G_J) and 0.0 for no "
    "robustness. Note that IRS has a similar interpretion to a R^2 value in regression.",
    population="random codes on full grids of two or three factors of two to four values",
    deviations=SEARCHED,
    unit="code",
    statistic="lowest IRS({l} | {i}, rest) found, or 1 minus the highest, whichever is less",
    rule=above(-1e-6, null=-0.05),
    source="sign",
    demonstration=True,
    min_n=1000,
    given={"codes": 500, "robust_only": False},
    false={"codes": 500},
    revision=3,
)


@BOUNDS.covers
def test_no_score_is_below_zero_or_above_one(codes, robust_only):
    found = searched(codes, robust_only)
    room = min(min(scores.min(), 1 - scores.max()) for scores in found)
    return exact(room, n=sum(scores.shape[1] for scores in found))


SMALLEST = BOUNDS.cell(
    "smallest counterexample",
    says="IRS is never below 0 (not robust).",
    population="one grid: factors of two and three values, a code of zeros and ones",
    deviations=("The fewest values found; analytically 1 - (2/3) / (1/2) = -1/3.",),
    unit="grid",
    statistic="IRS({l} | {1}, {2})",
    rule=above(-1e-6, null=-0.05),
    min_n=1,
    given={"sample": below_zero},
    false={"sample": below_zero},
    revision=2,
)


@SMALLEST.covers
def test_the_smallest_grid_with_a_score_below_zero(sample):
    return exact(interventional_robustness(sample(), [0], [0], [1]))


LOWEST_D = BOUNDS.cell(
    "lowest, disentanglement",
    where="4, equation 3",
    says="The disentanglement score of a code, its best IRS over factors, is never below 0.",
    deviations=(*SEARCHED, "Smallest counterexample: the majority of three bits, -0.5 for every factor."),
    statistic="lowest D_l found",
    rule=above(-1e-6, null=-0.05),
    given={"codes": 500, "robust_only": False},
    revision=2,
)


@LOWEST_D.covers
def test_no_disentanglement_score_is_below_zero(codes, robust_only):
    best = np.concatenate([scores.max(axis=0) for scores in searched(codes, robust_only)])
    return exact(best.min(), n=len(best))
