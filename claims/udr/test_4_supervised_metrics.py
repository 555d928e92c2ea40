"""UDR, 'Experiments': does a ranking without labels follow the rankings with labels?"""

import numpy as np
import pytest

from dbench.claims import Claim, Printed, above
from dbench.claims.population import Population
from dbench.stats import Estimate, rank_correlation

CORRELATES = Claim(
    id="udr.correlates-with-supervised",
    part="",
    where="Experiments, Table 6, Figure 7",
    says="UDR ranks models much as the supervised metrics do.",
    evidence="zoo",
    kind="ranking",
    population="all models of one objective, strength and seed varied; averaged over objectives and metrics",
    deviations=(
        "The paper averages over three objectives, two data sets and four metrics (BetaVAE is missing here).",
        "The jackknife leaves out a seed's rows, not its part in the other models' UDR.",
    ),
    unit="seed",
    statistic="mean Spearman correlation of UDR with FactorVAE, MIG and DCI disentanglement",
    # 0.3: below that, a ranking hardly helps to choose a model.
    rule=above(0.3),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
METRICS = ("factor_vae", "mig", "dci")
VARIANTS = {
    "udr.lasso": Printed("0.54 +- 0.06 (Lasso, same strength)", 0.54, 0.06),
    "udr.spearman": Printed("0.53 +- 0.07 (Spearman, same strength)", 0.53, 0.07),
    "udr.lasso.all": Printed("0.60 +- 0.11 (Lasso, all to all)", 0.60, 0.11),
    "udr.spearman.all": Printed("0.59 +- 0.10 (Spearman, all to all)", 0.59, 0.10),
}


def agreement_with_supervised(population: Population, variant: str) -> Estimate:
    objectives = population.objectives

    def mean_correlation(tables: dict[tuple[str, str], np.ndarray]) -> float:
        pairs = [(tables[variant, o].ravel(), tables[m, o].ravel()) for o in objectives for m in METRICS]
        return float(np.mean([rank_correlation(unsupervised, supervised) for unsupervised, supervised in pairs]))

    return population.interval(
        mean_correlation, scores=[variant, *METRICS], objectives=objectives, confidence=CORRELATES.confidence
    )


@CORRELATES.covers
@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_udr_ranks_models_as_the_supervised_metrics_do(judge, population, variant):
    estimate = agreement_with_supervised(population, variant)
    judge(
        CORRELATES,
        estimate,
        printed=VARIANTS[variant],
        population=population.name,
        deviations=population.deviations,
    )
