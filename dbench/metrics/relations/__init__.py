"""How strongly each code is related to each factor, as matrices (codes x factors) for the aggregations."""

from dbench.metrics.relations.correlation import squared_correlation
from dbench.metrics.relations.importance import Importance, tree_importance
from dbench.metrics.relations.information import entropy, mutual_information, quantise
from dbench.metrics.relations.predictability import svm_predictability
from dbench.metrics.relations.weights import lasso_importance

__all__ = [
    "Importance",
    "entropy",
    "lasso_importance",
    "mutual_information",
    "quantise",
    "squared_correlation",
    "svm_predictability",
    "tree_importance",
]
