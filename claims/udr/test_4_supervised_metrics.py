"""UDR, 'Experiments': does a ranking without labels follow the rankings with labels?"""

import numpy as np
import pytest

from dbench.claims import Claim, Printed, above
from dbench.claims.by_objective import average_over_objectives, left_out_of_average
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
        "The paper averages over three objectives, two data sets and four metrics.",
        "Judged over all models, and over those of two or more informative codes; UDR is not computed again among "
        "them. Objectives with half of their models left, in which no score is constant, are averaged.",
        "The jackknife leaves out a seed's rows, not its part in the other models' UDR.",
    ),
    unit="seed",
    statistic="mean Spearman correlation of UDR with BetaVAE, FactorVAE, MIG and DCI disentanglement",
    # 0.3: below that, a ranking hardly helps to choose a model.
    rule=above(0.3),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    # 2: without the objectives trained with labels, with the BetaVAE metric, and with and without collapsed models.
    revision=2,
    superseded_by=None,
)
METRICS = ("beta_vae_metric", "factor_vae", "mig", "dci")
VARIANTS = {
    "udr.lasso": Printed("0.54 +- 0.06 (Lasso, same strength)", 0.54, 0.06),
    "udr.spearman": Printed("0.53 +- 0.07 (Spearman, same strength)", 0.53, 0.07),
    "udr.lasso.all": Printed("0.60 +- 0.11 (Lasso, all to all)", 0.60, 0.11),
    "udr.spearman.all": Printed("0.59 +- 0.10 (Spearman, all to all)", 0.59, 0.10),
}


def agreement_with_supervised(population: Population, variant: str, models: str) -> Estimate:
    def mean_correlation(tables: dict[str, np.ndarray], counted: np.ndarray) -> float:
        return float(np.mean([rank_correlation(tables[variant][counted], tables[m][counted]) for m in METRICS]))

    (estimate,) = average_over_objectives(
        population, mean_correlation, [variant, *METRICS], models=models, confidence=CORRELATES.confidence
    )
    return estimate


@CORRELATES.covers
@pytest.mark.parametrize("models", ["all", "informative"])
@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_udr_ranks_models_as_the_supervised_metrics_do(judge, unsupervised, variant, models):
    estimate = agreement_with_supervised(unsupervised, variant, models)
    left_out = left_out_of_average(unsupervised, [variant, *METRICS], models=models)
    judge(
        CORRELATES,
        estimate,
        # The paper's figures are of all models.
        printed=VARIANTS[variant] if models == "all" else None,
        population=unsupervised.name,
        deviations=(*unsupervised.deviations, *left_out),
    )
