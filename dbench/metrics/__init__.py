"""Scores of disentanglement: one file for each metric, plain functions; relation matrices and aggregations apart."""

from dbench.metrics.aggregations import (
    completeness_per_factor,
    dci_completeness,
    dci_disentanglement,
    disentanglement_per_code,
    gap_per_factor,
    mig_gap,
    sap_gap,
)
from dbench.metrics.alignment import align, alignment_collisions
from dbench.metrics.beta_vae_metric import beta_vae_metric
from dbench.metrics.blend import AGGREGATIONS, RELATIONS, blend, blends
from dbench.metrics.ceilings import exact_copies, shuffled
from dbench.metrics.code_mutual_information import code_mutual_information
from dbench.metrics.dci import dci
from dbench.metrics.downstream import downstream
from dbench.metrics.explicitness import explicitness
from dbench.metrics.factor_vae import factor_vae
from dbench.metrics.gaussian_total_correlation import gaussian_total_correlation
from dbench.metrics.groups import independent_groups, independent_groups_curve, merge_order, merge_thresholds
from dbench.metrics.irs import domain_shift_robustness, interventional_robustness, irs
from dbench.metrics.linear_accuracy import linear_accuracy
from dbench.metrics.med import med
from dbench.metrics.mig import mig
from dbench.metrics.mlp_accuracy import mlp_accuracy
from dbench.metrics.modularity import mean_modularity, modularity, modularity_per_code
from dbench.metrics.nk import nk, nk_of_models
from dbench.metrics.novel_combinations import adjust_for_chance, novel_combinations
from dbench.metrics.posterior import informative_codes, informative_mask, kl_per_code
from dbench.metrics.registry import METRICS, MetricCard, Score, find_metric, metric
from dbench.metrics.relations import (
    entropy,
    lasso_importance,
    mutual_information,
    quantise,
    squared_correlation,
    svm_predictability,
    tree_importance,
)
from dbench.metrics.sap import sap
from dbench.metrics.snc import bin_accuracy, snc
from dbench.metrics.statistical_efficiency import statistical_efficiency
from dbench.metrics.udr import udr, udr_agreements, udr_pair, udr_scores

__all__ = [
    "AGGREGATIONS",
    "METRICS",
    "RELATIONS",
    "MetricCard",
    "Score",
    "adjust_for_chance",
    "align",
    "alignment_collisions",
    "beta_vae_metric",
    "bin_accuracy",
    "blend",
    "blends",
    "code_mutual_information",
    "completeness_per_factor",
    "dci",
    "dci_completeness",
    "dci_disentanglement",
    "disentanglement_per_code",
    "domain_shift_robustness",
    "downstream",
    "entropy",
    "exact_copies",
    "explicitness",
    "factor_vae",
    "find_metric",
    "gap_per_factor",
    "gaussian_total_correlation",
    "independent_groups",
    "independent_groups_curve",
    "informative_codes",
    "informative_mask",
    "interventional_robustness",
    "irs",
    "kl_per_code",
    "lasso_importance",
    "linear_accuracy",
    "mean_modularity",
    "med",
    "merge_order",
    "merge_thresholds",
    "metric",
    "mig",
    "mig_gap",
    "mlp_accuracy",
    "modularity",
    "modularity_per_code",
    "mutual_information",
    "nk",
    "nk_of_models",
    "novel_combinations",
    "quantise",
    "sap",
    "sap_gap",
    "shuffled",
    "snc",
    "squared_correlation",
    "statistical_efficiency",
    "svm_predictability",
    "tree_importance",
    "udr",
    "udr_agreements",
    "udr_pair",
    "udr_scores",
]
