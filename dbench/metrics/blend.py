"""All combinations of relation matrices and aggregations (A Sober Look, sections 4.2 and 6.1.2)."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.errors import InvalidInput, find
from dbench.metrics.aggregations import dci_completeness, dci_disentanglement, mig_gap, sap_gap
from dbench.metrics.inputs import numbers_of, ordered_alone, require_varying
from dbench.metrics.modularity import mean_modularity
from dbench.metrics.registry import Score
from dbench.metrics.relations import (
    classes,
    entropy,
    lasso_importance,
    mutual_information,
    squared_correlation,
    svm_predictability,
    tree_importance,
)
from dbench.metrics.relations.importance import Estimator
from dbench.seeds import given_generator

Array = NDArray[np.float64]


def _trees(sample: Sample, generator: np.random.Generator, *, estimator: Estimator) -> Array:
    return tree_importance(*sample.split(1 / 3, generator), estimator=estimator, generator=generator).matrix


def _predictability(sample: Sample, generator: np.random.Generator) -> Array:
    if not sample.discrete:
        raise InvalidInput("the relation svm needs discrete factors (labels), got continuous ones")
    return svm_predictability(*sample.split(1 / 3, generator))


def _numbers(sample: Sample) -> Array:
    """Return the factors as numbers; refuse a sample with text of more than two values."""
    if len(ordered_alone(sample, "a linear relation").factor_names) < sample.n_factors:
        raise InvalidInput("linear relations need factors with an order, got text of more than two values")
    return numbers_of(sample)


def _lasso(sample: Sample, generator: np.random.Generator) -> Array:
    shuffled = sample.take(generator.permutation(len(sample)))
    return lasso_importance(shuffled.codes, _numbers(shuffled), folds=min(5, len(sample)))


RELATIONS: dict[str, Callable[[Sample, np.random.Generator], Array]] = {
    "gbt": partial(_trees, estimator="gbt"),
    "forest": partial(_trees, estimator="forest"),
    "suter": partial(_trees, estimator="suter"),
    "mutual_information": lambda sample, _: mutual_information(sample.codes, classes(sample)),
    "svm": _predictability,
    "r2": lambda sample, _: squared_correlation(sample.codes, _numbers(sample)),
    "lasso": _lasso,
}

OF_ANY_SIZE = tuple(name for name in RELATIONS if name != "suter")  # suter needs leaves of 500 observations

AGGREGATIONS: dict[str, Callable[[Array, Array], float]] = {
    "dci_disentanglement": lambda matrix, entropies: dci_disentanglement(matrix),
    "dci_completeness": lambda matrix, entropies: dci_completeness(matrix),
    "mig": mig_gap,
    "sap": lambda matrix, entropies: sap_gap(matrix),
    "modularity": lambda matrix, entropies: mean_modularity(matrix),
}


def blends(
    sample: Sample,
    relations: Iterable[str] = OF_ANY_SIZE,
    aggregations: Iterable[str] = tuple(AGGREGATIONS),
    *,
    generator: np.random.Generator | None = None,
) -> dict[tuple[str, str], Score]:
    """Score every relation by every aggregation; each matrix is computed once.

    Relations (d x k matrices): ``gbt``, ``forest`` and ``suter`` (importance of each code for tree ensembles, fitted to
    two thirds of the observations, see :func:`dbench.metrics.dci`), ``mutual_information`` (nats, 20 bins), ``svm``
    (test accuracy on one code; discrete factors), ``r2`` (squared correlation), ``lasso`` (absolute standardised
    weights). Aggregations: ``dci_disentanglement``, ``dci_completeness``, ``sap`` (gap of the two strongest codes),
    ``mig`` (the same, divided by the entropy of the factor in nats whatever the relation is: at most 1 only for
    information), ``modularity`` (idle codes left out). By default all relations but ``suter``, which needs 2,400
    observations. ``gbt`` takes minutes.

    A given generator is shared by all relations, in their order; by default each relation has its own, so that a matrix
    does not depend on the other relations.

    Returns:
        Scores by (relation, aggregation), named ``blend[relation,aggregation]``, each with its relation matrix.

    Raises:
        UnknownName: a relation or aggregation that does not exist.
        InvalidInput: a factor that does not vary, continuous factors with ``svm``, text of more than two values with
            ``r2`` or ``lasso``, or too few observations for ``suter``.
    """
    require_varying(sample)
    relation_functions = {name: find("relation", name, RELATIONS) for name in relations}
    aggregation_functions = {name: find("aggregation", name, AGGREGATIONS) for name in aggregations}
    entropies = entropy(classes(sample))
    scores = {}
    for relation, relate in relation_functions.items():
        matrix = relate(sample, given_generator(generator, metric="blend", relation=relation))
        for aggregation, aggregate in aggregation_functions.items():
            value = aggregate(matrix, entropies)
            scores[relation, aggregation] = Score(f"blend[{relation},{aggregation}]", value, relation=matrix)
    return scores


def blend(sample: Sample, relation: str, aggregation: str, *, generator: np.random.Generator | None = None) -> Score:
    """Score one relation by one aggregation, such as the study's MIG-DCI disentanglement; see :func:`blends`.

    Example:
        >>> labels = np.arange(400) % 4
        >>> sample = Sample(np.stack([labels, 0.0 * labels], axis=1), np.stack([labels, labels // 2], axis=1))
        >>> round(blend(sample, "mutual_information", "dci_completeness").value, 3)
        1.0
    """
    return blends(sample, [relation], [aggregation], generator=generator)[relation, aggregation]
