"""Separated attribute predictability (Kumar et al. 2018). Higher is better."""

from dataclasses import replace
from typing import Literal

import numpy as np

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.aggregations import gap_per_factor
from dbench.metrics.ceilings import between, exact_copies
from dbench.metrics.inputs import numbers_of, ordered_alone, require_varying
from dbench.metrics.registry import Score, metric
from dbench.metrics.relations import squared_correlation, svm_predictability
from dbench.seeds import given_generator


@metric(
    needs="sample",
    bounds=(0, 1),
    cite="kumar2018",
    label="SAP",
    learned=True,
    varies={
        "scale": "the penalty of the support vector machine is in units of the codes",
        "shift": "the intercept is penalised",
    },
    tolerance=0.01,
    variants={"r2": {"learned": False, "wide": True, "picture": None}},
    picture=("single_code", "Prediction from a single code"),
)
def sap(
    sample: Sample,
    *,
    relation: Literal["svm", "r2"] | None = None,
    corrected: bool = False,
    generator: np.random.Generator | None = None,
) -> Score:
    """Gap between the two codes that predict a factor best by themselves, averaged over factors.

    A Sober Look, section 4.2.6: the test accuracy of a linear SVM (C = 0.01) on one code, trained on two thirds of
    the observations; or, if all factors are continuous, the squared correlation on all observations. For factors of
    several kinds ``svm``, the default, uses those with labels, and ``r2`` all but text of more than two values. Bounds
    0 and 1. Constant codes have chance accuracy, which is subtracted if no other code is second best, and a threshold
    cannot single out a middle value, so that exact copies stay well below 1 (``ceiling``). The result is named after
    its relation, ``sap[svm]`` or ``sap[r2]``. ``corrected`` rescales each factor's gap so that chance is 0 and the gap
    of an exact copy 1.

    Returns:
        Score with per-factor gaps and the relation matrix; details ``ceiling`` (of one exact copy of each
        factor) and ``chance`` (0: independent codes all predict the most frequent value, or are not correlated).

    Raises:
        InvalidInput: a factor that does not vary, continuous factors with ``svm``, or another relation.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(sap(codes, factors).value, 2))
        0.47
        0.23
        0.01

    See Also:
        :func:`mig`; https://doi.org/10.48550/arXiv.1711.00848
    """
    require_varying(sample)
    relation = relation or ("svm" if sample.labels else "r2")
    if relation == "r2":
        sample = ordered_alone(sample, "sap[r2]")
        numbers = numbers_of(sample)
        matrix = squared_correlation(sample.codes, numbers)
        ceiling = gap_per_factor(squared_correlation(exact_copies(sample).codes, numbers))
    elif relation == "svm":
        if sample.labels is None:
            raise InvalidInput("relation must be 'r2' for continuous factors, got 'svm'")
        sample = sample.labels
        with_copies = np.concatenate([sample.codes, exact_copies(sample).codes], axis=1)  # so that both are split alike
        generator = given_generator(generator, metric="sap")
        matrix = svm_predictability(*replace(sample, codes=with_copies).split(1 / 3, generator))
        ceiling = gap_per_factor(matrix[sample.n_codes :])
        matrix = matrix[: sample.n_codes]
    else:
        raise InvalidInput(f"relation must be 'svm' or 'r2', got {relation!r}")
    gaps = gap_per_factor(matrix)
    per_factor = between(gaps, 0.0, ceiling) if corrected else gaps
    return Score(
        f"sap[{relation},corrected]" if corrected else f"sap[{relation}]",
        float(per_factor.mean()),
        per_factor=per_factor,
        relation=matrix,
        details={"ceiling": float(ceiling.mean()), "chance": 0.0},
        factor_names=sample.factor_names,
    )
