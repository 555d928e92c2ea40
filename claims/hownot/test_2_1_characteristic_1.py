"""How Not to Measure Disentanglement, section 2.1: metrics of characteristic 1 and what they let pass.

'High' means above three quarters of the scale throughout this folder: the paper gives no threshold.
"""

import numpy as np

from dbench.claims import Claim, Printed, above
from dbench.metrics import dci_disentanglement, factor_vae
from dbench.seeds import generator
from dbench.stats import Estimate, exact, mean_interval
from dbench_fixtures.counterexamples.mixtures import MIXTURE, gaussian_mixtures

HIGH = 0.75

FACT_4 = Claim(
    id="hownot.fact-4",
    part="",
    where="2.1.2, Fact 4, Figure 4b",
    says="FactorVAE fails property 2: three near-equal mixtures of three Gaussian factors get a high score.",
    evidence="synthetic",
    kind="existence",
    population="three standard normal factors, codes mixed by the printed weights; draws varied",
    deviations=("Read as 10,000 training votes; 5,000 test votes as in A Sober Look.",),
    unit="repetition",
    statistic="mean FactorVAE score over repetitions of the whole experiment, batch 128",
    rule=above(HIGH),
    confidence=0.95,
    min_n=5,
    printed=Printed("1 (10,000 points, batch 128)", 1.0, 0.005),
    tier="smoke",
    rollup="all",
    revision=1,
    superseded_by=None,
)
FACT_5 = Claim(
    id="hownot.fact-5",
    part="",
    where="2.1.2, Fact 5; supplement, equation 2",
    says="DCI fails property 2: one clean code hides another that carries almost nothing.",
    evidence="synthetic",
    kind="existence",
    population="the printed 2 x 2 matrix of informativeness",
    deviations=(),
    unit="matrix",
    statistic="DCI disentanglement of the matrix, by the definition",
    rule=above(HIGH),
    confidence=1.0,
    min_n=1,
    printed=Printed("0.957", 0.957, 0.0005),
    tier="smoke",
    rollup="all",
    revision=1,
    superseded_by=None,
)
# Rows are codes, columns factors.
HIDDEN_CODE = np.array([[1.0, 0.0], [0.01, 0.09]])


def score_of_mixtures(weights: np.ndarray = MIXTURE, *, repetitions: int = 5) -> Estimate:
    source = gaussian_mixtures(weights)
    streams = [generator(claim=FACT_4.id, repetition=i) for i in range(repetitions)]
    scores = [float(factor_vae(source, batch=128, generator=stream)) for stream in streams]
    return mean_interval(scores, confidence=FACT_4.confidence)


def score_of_matrix(matrix: np.ndarray = HIDDEN_CODE) -> Estimate:
    return exact(dci_disentanglement(matrix))


@FACT_4.covers
def test_factor_vae_takes_mixtures_for_disentangled(judge):
    judge(FACT_4, score_of_mixtures())


@FACT_5.covers
def test_dci_lets_a_clean_code_hide_an_empty_one(judge):
    judge(FACT_5, score_of_matrix())
