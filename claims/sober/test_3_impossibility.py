"""A Sober Look, section 3 and appendix A: Theorem 1, by its own construction."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from dbench.claims import Claim, above, below
from dbench.seeds import generator
from dbench.stats import Estimate, exact, uniform_deviation_interval
from dbench_fixtures.counterexamples.entangling import MARGINALS, Entangling, entangling, householder, orthogonal

BIJECTION = Claim(
    id="sober.theorem-1",
    part="bijection",
    where="section 3, Theorem 1; appendix A",
    says="Infinitely many bijections of the support keep a factorised density and have a Jacobian without zeros.",
    evidence="synthetic",
    kind="impossibility",
    population="uniform, normal and exponential factors; 2 to 10 dimensions; Householder and Haar matrices",
    deviations=("'Almost everywhere' and 'for all u' are checked at points drawn at random.",),
    unit="point",
    statistic="largest round-trip error f^-1(f(z)) - z, in units of the factor",
    rule=below(1e-6),
    confidence=1.0,
    min_n=1000,
    printed=None,
    tier="smoke",
    rollup="all",
    revision=1,
    superseded_by=None,
)
# 0.02: a fiftieth of a probability. A map that loses independence moves some orthant by far more.
DISTRIBUTION = replace(
    BIJECTION,
    part="distribution",
    statistic="largest distance |P(f(z) <= u) - P(z <= u)| over 200 random u, against the product of the marginals",
    rule=below(0.02),
    confidence=0.95,
    unit="draw",
)
JACOBIAN = replace(
    BIJECTION, part="jacobian", statistic="smallest |df_i/du_j| over all points, i and j", rule=above(0.0)
)

# 0.146 is sin^2(pi/8): the strongest mixing in two dimensions.
MATRICES = {
    "d2-alpha0.05": householder(2, 0.05),
    "d2-alpha0.146": householder(2, float(np.sin(np.pi / 8) ** 2)),
    "d2-alpha0.4": householder(2, 0.4),
    "d4-alpha0.25": householder(4, 0.25),
    "d10-alpha0.1": householder(10, 0.1),
    "d3-haar": orthogonal(3, generator(claim="sober.theorem-1", draw="haar", d=3)),
    "d10-haar": orthogonal(10, generator(claim="sober.theorem-1", draw="haar", d=10)),
}
N_POINTS, N_DRAWS, N_QUERIES = 2_000, 50_000, 200


def round_trip_error(f: Entangling, rng: np.random.Generator, n: int = N_POINTS) -> Estimate:
    z = f.draw(n, rng)
    return exact(float((f.inverse(f(z)) - z).abs().max()), n=n)


def joint_deviation(f: Entangling, rng: np.random.Generator, n: int = N_DRAWS) -> Estimate:
    """Compare the joint distribution function of f(z) with that of z, which is known: a product."""
    queries, mapped = f.draw(N_QUERIES, rng), f(f.draw(n, rng))
    true = f.marginal.cdf(queries).prod(dim=1)
    columns = mapped.T.contiguous()
    below = torch.ones(len(queries), n, dtype=torch.bool)
    for column, limits in zip(columns, queries.T, strict=True):
        below &= column <= limits[:, None]
    empirical = below.double().mean(dim=1)
    deviation = float((empirical - true).abs().max())
    return uniform_deviation_interval(deviation, n=n, points=N_QUERIES, confidence=DISTRIBUTION.confidence)


def smallest_derivative(f: Entangling, rng: np.random.Generator, n: int = N_POINTS) -> Estimate:
    return exact(float(f.jacobian(f.draw(n, rng)).abs().min()), n=n)


def _case(marginal: str, matrix: str) -> tuple[Entangling, np.random.Generator]:
    return entangling(marginal, MATRICES[matrix]), generator(claim="sober.theorem-1", marginal=marginal, matrix=matrix)


@pytest.mark.parametrize("matrix", list(MATRICES))
@pytest.mark.parametrize("marginal", sorted(MARGINALS))
class TestTheorem1:
    @BIJECTION.covers
    def test_the_map_is_a_bijection(self, judge, marginal, matrix):
        judge(BIJECTION, round_trip_error(*_case(marginal, matrix)))

    @DISTRIBUTION.covers
    def test_the_map_keeps_the_joint_distribution(self, judge, marginal, matrix):
        judge(DISTRIBUTION, joint_deviation(*_case(marginal, matrix)))

    @JACOBIAN.covers
    def test_every_output_moves_with_every_input(self, judge, marginal, matrix):
        judge(JACOBIAN, smallest_derivative(*_case(marginal, matrix)))
