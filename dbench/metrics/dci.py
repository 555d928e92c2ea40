"""Disentanglement, completeness and informativeness (Eastwood and Williams 2018). Higher is better."""

from typing import Literal

import numpy as np

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.aggregations import (
    completeness_per_factor,
    dci_completeness,
    dci_disentanglement,
    disentanglement_per_code,
)
from dbench.metrics.inputs import numbers_of, ordered_alone, require_varying
from dbench.metrics.registry import Score, metric
from dbench.metrics.relations.importance import ESTIMATORS, lasso_regression, tree_importance
from dbench.seeds import given_generator


@metric(
    needs="sample",
    bounds=(0, 1),
    perfect=1.0,
    cite="eastwood2018",
    label="DCI",
    learned=True,
    speed="by name",
    compared=True,
    mixes=True,
    varies={
        "permutation": "the ensembles draw by code number",
        "sign": "the ensembles break ties by order",
    },
    quick={"estimator": "forest"},
    variants={
        "forest": {"speed": "fast", "picture": ("forest_importance", "Importance, random forest")},
        "lasso": {"speed": "fast", "picture": None},
        "suter": {"speed": "slow", "picture": None},
    },
    parts={"per_factor": "completeness"},
    shown=("completeness", "informativeness"),
    picture=("tree_importance", "Importance, boosted trees"),
)
def dci(
    sample: Sample,
    *,
    estimator: Literal["gbt", "gbt_sklearn", "forest", "suter", "lasso"] = "gbt",
    generator: np.random.Generator | None = None,
) -> Score:
    """Disentanglement: is each code important for one factor only?

    A Sober Look, section 4.2.5: one predictor for each factor is trained on two thirds of the observations and tested
    on the rest. Its importances of the codes are the factor's column of the relation matrix. Continuous factors are
    regressed. Entropies have base k (disentanglement) and base d (completeness). Bounds 0 and 1. The name of the
    result tells the predictor:

    - ``dci``, boosted trees (``gbt``): with the default options of scikit-learn, as in A Sober Look.
    - ``dci[gbt_sklearn]``: the same model fitted by scikit-learn itself, the reference;
      :mod:`dbench.metrics.boosted_trees` says where they differ.
    - ``dci[forest]``: a random forest of 10 trees of depth at most 6, some 30 times faster. It ranks models by
      disentanglement and completeness as boosted trees do (Spearman's 0.97 over 24 trained models, see
      docs/benchmarks.md); its values differ from theirs, the more so the more values factors have.
    - ``dci[suter]``: the forest of Suter et al. 2019, Appendix D.1, 50 trees, leaves of at least 500
      observations, one code drawn for each split. Trees that never draw the informative code have the same weight as
      others, so that with few observations exact copies beside idle codes score low.
    - ``dci[lasso]``: absolute Lasso weights, codes and factors standardised, the penalty chosen by five folds
      (Eastwood and Williams). Discrete factors are regressed on the rank of their labels (ordinal, not one-hot),
      text of more than two values is left out, and non-linear relations are missed. Among exact copies of a code
      one gets all the weight. Weights are not normalised by factor, and a row with a single tiny weight is perfectly
      disentangled: noise, which other predictors score about 0, scores up to 1. Read it beside ``informativeness``.

    Returns:
        Score whose value is the disentanglement, with disentanglement per code and completeness per factor;
        details ``completeness``, ``informativeness`` (mean test accuracy; for continuous factors and ``lasso`` R
        squared, which is not bounded below) and ``informativeness.train``. Codes of no importance have weight 0.
        For ceiling and chance, score the samples :func:`dbench.metrics.exact_copies` and
        :func:`dbench.metrics.shuffled`: each repeats all fits.

    Raises:
        InvalidInput: a factor that does not vary, an estimator that does not exist, or fewer than 1,600 training
            observations for ``suter``.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(dci(codes, factors, estimator="forest").value, 2))
        1.0
        0.07
        0.01

    See Also:
        :func:`med`, :func:`dci_explicitness`; https://openreview.net/forum?id=By-7dz-AZ
    """
    require_varying(sample)
    known = (*ESTIMATORS, "lasso")
    if estimator not in known:
        raise InvalidInput(f"estimator must be one of {', '.join(known)}, got {estimator!r}")
    generator = given_generator(generator, metric="dci")
    if estimator == "lasso":
        sample = ordered_alone(sample, "dci[lasso]")
        importance = lasso_regression(*Sample(sample.codes, numbers_of(sample)).split(1 / 3, generator))
    else:
        importance = tree_importance(*sample.split(1 / 3, generator), estimator=estimator, generator=generator)
    return Score(
        "dci" if estimator == "gbt" else f"dci[{estimator}]",
        dci_disentanglement(importance.matrix),
        per_factor=completeness_per_factor(importance.matrix),
        per_code=disentanglement_per_code(importance.matrix),
        relation=importance.matrix,
        details={
            "completeness": dci_completeness(importance.matrix),
            "informativeness": float(importance.test.mean()),
            "informativeness.train": float(importance.train.mean()),
        },
        factor_names=sample.factor_names,
    )
