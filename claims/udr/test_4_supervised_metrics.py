"""UDR, 'Experiments': does a ranking without labels follow the rankings with labels?"""

from itertools import combinations

import numpy as np
import pytest

from dbench.claims import Claim, Printed, above
from dbench.estimates.by_objective import smallest_average
from dbench.estimates.simulated import Law, Simulated
from dbench.stats import rank_correlation

METRICS = ("beta_vae_metric", "factor_vae", "mig", "dci")
COUNTED = (
    "Objectives in which no score is constant, and half of whose models count, are averaged; UDR is not computed "
    "again among the models of two or more informative codes."
)


CORRELATES = Claim.zoo(
    id="udr.correlates-with-supervised",
    quote="UDR correlates well with the supervised metrics. To validate UDR, we calculate Spearman's correlation "
    "between its model ranking and that produced by four existing supervised disentanglement metrics",
    population="all models of one objective, strength and seed varied; averaged over objectives and metrics",
    deviations=(
        "The paper averages over three objectives, two data sets and four metrics.",
        COUNTED,
        "The jackknife leaves out a seed's rows, not its part in the other models' UDR.",
    ),
    statistic="mean Spearman correlation of UDR with BetaVAE, FactorVAE, MIG and DCI disentanglement",
    rule=above(0.54, null=0.0),
    source="paper: correlates well",
    false={"unsupervised": Simulated(dict.fromkeys(("udr.lasso", *METRICS), Law()))},
    printed={
        "udr.lasso": Printed("0.54 +- 0.06 (Lasso, same strength)", 0.54, 0.06, 24),
        "udr.spearman": Printed("0.53 +- 0.07 (Spearman, same strength)", 0.53, 0.07, 24),
        "udr.lasso.all": Printed("0.60 +- 0.11 (Lasso, all to all)", 0.60, 0.11, 24),
        "udr.spearman.all": Printed("0.59 +- 0.10 (Spearman, all to all)", 0.59, 0.10, 24),
    },
    # The paper says it of UDR and of UDR-A2A, and means the Lasso variant.
    roles={"udr.spearman": "cell", "udr.spearman.all": "cell"},
    given={"models": "all"},
    filtered={"models": "informative"},
    revision=4,
)


@CORRELATES.covers
@pytest.mark.parametrize("variant", ["udr.lasso", "udr.lasso.all", "udr.spearman", "udr.spearman.all"])
def test_udr_ranks_models_as_the_supervised_metrics_do(unsupervised, variant, models):
    def mean_correlation(tables, counted):
        return np.mean([rank_correlation(tables[variant][counted], tables[m][counted]) for m in METRICS])

    return smallest_average(unsupervised, mean_correlation, [variant, *METRICS], models=models)


CONTROL = CORRELATES.probe(
    "positive control",
    says="The supervised metrics rank models alike among themselves.",
    deviations=(COUNTED,),
    statistic="mean Spearman correlation between two of BetaVAE, FactorVAE, MIG and DCI disentanglement",
    rule=above(0.5, null=0.0),
    printed=Printed("0.67 +- 0.2 (the supervised metrics among themselves)", 0.67, 0.2, 36),
    revision=3,
)


@CONTROL.covers
def test_the_supervised_metrics_rank_models_alike(unsupervised):
    def mean_correlation(tables, counted):
        pairs = combinations(METRICS, 2)
        return np.mean([rank_correlation(tables[a][counted], tables[b][counted]) for a, b in pairs])

    return smallest_average(unsupervised, mean_correlation, METRICS)
