"""How strongly each code is related to each factor, as matrices (codes x factors) for the aggregations."""

from dbench.metrics.relations.importance import lasso_importance as lasso_importance
from dbench.metrics.relations.importance import tree_importance as tree_importance
from dbench.metrics.relations.information import classes as classes
from dbench.metrics.relations.information import entropy as entropy
from dbench.metrics.relations.information import mutual_information as mutual_information
from dbench.metrics.relations.information import quantise as quantise
from dbench.metrics.relations.predictability import correlation as correlation
from dbench.metrics.relations.predictability import squared_correlation as squared_correlation
from dbench.metrics.relations.predictability import svm_predictability as svm_predictability
