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
from dbench.metrics.dci import dci
from dbench.metrics.factor_vae import factor_vae
from dbench.metrics.gaussian_total_correlation import gaussian_total_correlation
from dbench.metrics.mig import mig
from dbench.metrics.nk import nk, nk_of_models
from dbench.metrics.posterior import informative_codes, kl_per_code
from dbench.metrics.registry import METRICS, MetricCard, Score, find_metric, metric
from dbench.metrics.relations import (
    entropy,
    mutual_information,
    quantise,
    squared_correlation,
    svm_predictability,
    tree_importance,
)
from dbench.metrics.sap import sap
from dbench.metrics.snc import bin_accuracy, snc
from dbench.metrics.udr import udr, udr_pair, udr_scores

__all__ = [
    "METRICS",
    "MetricCard",
    "Score",
    "align",
    "alignment_collisions",
    "bin_accuracy",
    "completeness_per_factor",
    "dci",
    "dci_completeness",
    "dci_disentanglement",
    "disentanglement_per_code",
    "entropy",
    "factor_vae",
    "find_metric",
    "gap_per_factor",
    "gaussian_total_correlation",
    "informative_codes",
    "kl_per_code",
    "metric",
    "mig",
    "mig_gap",
    "mutual_information",
    "nk",
    "nk_of_models",
    "quantise",
    "sap",
    "sap_gap",
    "snc",
    "squared_correlation",
    "svm_predictability",
    "tree_importance",
    "udr",
    "udr_pair",
    "udr_scores",
]
