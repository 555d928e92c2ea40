"""A card and an estimate, for the tests of what is done with any."""

from dbench.claims import Claim, Printed, above
from dbench.stats import Estimate

CARD = Claim(
    id="sober.theorem-1",
    role="primary",
    quote="Seeds matter.",
    where="5.3",
    says="Seeds matter.",
    evidence="zoo",
    population="seeds varied",
    deviations=("small images",),
    unit="seed",
    statistic="mean",
    rule=above(0.5, null=0.0),
    min_n=5,
    printed=Printed("0.6", 0.6, 0.05, 9),
)


def estimate(low: float, high: float, *, n: int = 5) -> Estimate:
    return Estimate((low + high) / 2, n, lambda level: (low, high))
