"""Correcting Flaws, section 2, 'Definitions of Disentanglement': a code of its own, or a group of its own."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from dbench.claims import Claim, above, below
from dbench.metrics import nk, snc
from dbench.seeds import generator
from dbench.stats import Estimate, exact, mean_interval
from dbench_fixtures.counterexamples.group_codes import GROUP, group_cases, group_codes

WEAK = Claim(
    id="flaws.strong-vs-weak",
    role="primary",
    quote="if each factor is perfectly represented by a distinct set of 5 neurons, which don't overlap, then the "
    "representation shows perfect weak DE and should get a max score by a metric measuring weak DE.",
    where="2, Definitions of Disentanglement",
    says="A representation that gives each factor five codes of its own is perfect in the weak sense.",
    evidence="synthetic",
    population="two factors in five codes each, enumerated; the way a factor is spread varied",
    unit="case",
    statistic="smallest share of a factor's entropy in its own group minus the share in the other's",
    rule=above(1 - 1e-9),
    confidence=1.0,
    min_n=1024,
)
ALONE = replace(
    WEAK,
    role="cell",
    part="alone",
    says="None of a factor's five codes is sufficient alone.",
    statistic="largest share of a factor's entropy in one code",
    # 'Not sufficient': a fifth at most, the share of a code if all five are alike.
    rule=below(0.25),
)
SNC = replace(
    WEAK,
    role="cell",
    part="snc",
    says="SNC, a metric of the strong sense, scores it low.",
    population="samples of 4,000 observations; draws and the way a factor is spread varied",
    deviations=("Codes carry noise of 0.05, so that they are real numbers.",),
    unit="sample",
    statistic="mean SNC",
    # Low: a quarter of the scale.
    rule=below(0.25),
    confidence=0.95,
    min_n=5,
)
NK = replace(
    SNC,
    role="cell",
    part="nk",
    says="NK, a metric of the strong sense, scores it low.",
    population="samples of 3,000 observations; draws and the way a factor is spread varied",
    deviations=(*SNC.deviations, "Classifiers are trained for 50 epochs instead of 75."),
    statistic="mean NK",
)
NK_EXACT = replace(
    NK,
    role="cell",
    part="nk, exact",
    population=WEAK.population,
    deviations=("The best possible classifiers stand in for trained ones.",),
    unit="case",
    statistic="accuracy lost without one code, by the best possible classifier; the largest over codes",
    confidence=1.0,
    min_n=1024,
)
SPREADS = pytest.mark.parametrize("spread", ["parity", "digits"])


def as_one(columns: np.ndarray) -> np.ndarray:
    """Number the distinct rows."""
    return np.unique(columns, axis=0, return_inverse=True)[1]


def share(columns: np.ndarray, factor: np.ndarray) -> float:
    return mutual_info_score(as_one(columns), factor) / mutual_info_score(factor, factor)


def groups(codes: np.ndarray) -> list[np.ndarray]:
    return [codes[:, :GROUP], codes[:, GROUP:]]


def weak_disentanglement(codes: np.ndarray, factors: np.ndarray) -> Estimate:
    first, second = groups(codes)
    own = share(first, factors[:, 0]), share(second, factors[:, 1])
    other = share(second, factors[:, 0]), share(first, factors[:, 1])
    return exact(min(mine - rest for mine, rest in zip(own, other, strict=True)), n=len(codes))


def largest_share_alone(codes: np.ndarray, factors: np.ndarray) -> Estimate:
    return exact(max(share(code[:, None], factor) for code in codes.T for factor in factors.T), n=len(codes))


def best_accuracy(columns: np.ndarray, factor: np.ndarray) -> float:
    """How often the best classifier is right, all rows equally likely."""
    table = np.zeros((len(columns), factor.max() + 1))
    np.add.at(table, (as_one(columns), factor), 1 / len(columns))
    return float(table.max(axis=1).sum())


def largest_knockout(codes: np.ndarray, factors: np.ndarray) -> Estimate:
    lost = [
        best_accuracy(codes, factor) - best_accuracy(np.delete(codes, code, axis=1), factor)
        for factor in factors.T
        for code in range(codes.shape[1])
    ]
    return exact(max(lost), n=len(codes))


def mean_snc(
    spread: str, draw=group_codes, *, repetitions: int = 8, n: int = 4_000, confidence: float = SNC.confidence
) -> Estimate:
    streams = [generator(claim=SNC.id, part=SNC.part, spread=spread, repetition=i) for i in range(repetitions)]
    return mean_interval([float(snc(draw(n, stream, spread=spread))) for stream in streams], confidence=confidence)


def mean_nk(
    spread: str, draw=group_codes, *, repetitions: int = 5, n: int = 3_000, confidence: float = NK.confidence
) -> Estimate:
    streams = [generator(claim=NK.id, part=NK.part, spread=spread, repetition=i) for i in range(repetitions)]
    scores = [float(nk(draw(n, stream, spread=spread), epochs=50, generator=stream)) for stream in streams]
    return mean_interval(scores, confidence=confidence)


@WEAK.covers
@SPREADS
def test_five_codes_of_its_own_are_weakly_disentangled(spread):
    return weak_disentanglement(*group_cases(spread))


@ALONE.covers
@SPREADS
def test_no_code_of_the_five_is_sufficient(spread):
    return largest_share_alone(*group_cases(spread))


@SNC.covers
@SPREADS
def test_snc_scores_five_codes_low(spread, confidence):
    return mean_snc(spread, confidence=confidence)


@NK.covers
@SPREADS
def test_nk_scores_five_codes_low(spread, confidence):
    return mean_nk(spread, confidence=confidence)


@NK_EXACT.covers
@SPREADS
def test_the_best_classifier_loses_little_without_one_of_the_five(spread):
    return largest_knockout(*group_cases(spread))
