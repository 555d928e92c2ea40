"""Unsupervised disentanglement ranking (Duan et al. 2020). Higher is better: models that agree axis by axis."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.errors import InvalidInput, find
from dbench.metrics.aggregations import dci_completeness, dci_disentanglement
from dbench.metrics.inputs import as_codes, in_range, require_count, require_matrix
from dbench.metrics.lasso import Moments, cross_validated_lasso, fold_moments, lasso_of_moments
from dbench.metrics.registry import Score, metric
from dbench.seeds import given_generator

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Relation = Literal["lasso", "spearman"]
Aggregation = Literal["strongest", "entropy"]

TOGETHER = 10_000_000  # largest number of products of codes kept for a group in each of 5 folds: 400 MB


def udr_pair(relation_matrix: ArrayLike, informative_a: ArrayLike, informative_b: ArrayLike) -> float:
    """Score one pair of models (equation 2) by their relation matrix, codes of a x codes of b, not negative.

    Each informative code (equation 3) contributes the square of its strongest relation over the sum of its relations
    (to all codes of the other model, informative or not, as printed); the sum over both models' informative codes is
    divided by their number.

    The score is at most 1 for relations of at most 1, and 1 for a permutation matrix. A row or column of zeros
    contributes 0, and two models without informative codes score 0.

    Example:
        >>> udr_pair([[0.0, 1.0], [0.5, 0.0]], [True, True], [True, True])
        0.75
    """
    matrix = require_matrix("relation_matrix", relation_matrix)
    a, b = _flags("informative_a", informative_a), _flags("informative_b", informative_b)
    if (a.shape, b.shape) != (matrix.shape[:1], matrix.shape[1:]):
        raise InvalidInput(
            f"informative_a and informative_b must flag {matrix.shape[0]} and {matrix.shape[1]} codes, "
            f"got shapes {a.shape} and {b.shape}"
        )
    return float(_pairs(matrix[None], a[None], b)[0])


def _flags(name: str, values: ArrayLike) -> Flags:
    """Return the values as an array of booleans; refuse any other type."""
    flags = np.asarray(values)
    if flags.dtype != np.bool_:  # divergences, given by mistake, would all count as True
        raise InvalidInput(f"{name} must hold True and False, as of informative_mask, got dtype {flags.dtype}")
    return flags


def _pairs(matrices: Array, informative_a: Flags, informative_b: Flags) -> Array:
    """Score a stack of matrices (pairs x codes of a x codes of b) by equation 2."""

    def part(axis: int, informative: Flags) -> Array:
        total = matrices.sum(axis=axis)
        strength = np.divide(matrices.max(axis=axis) ** 2, total, out=np.zeros_like(total), where=total > 0)
        return np.asarray((strength * informative).sum(axis=1))

    count = informative_a.sum(axis=1) + informative_b.sum()
    total = part(1, informative_b) + part(2, informative_a)
    return np.asarray(np.divide(total, count, out=np.zeros_like(total), where=count > 0))


def _standardise(codes: Array) -> Array:
    """Scale every code to mean 0 and variance 1; constant codes become 0."""
    (codes,) = in_range(codes)
    centred = codes - codes.mean(axis=-2, keepdims=True)
    spread = centred.std(axis=-2, keepdims=True)
    alive = spread > 1e-12 * np.abs(codes).max(axis=-2, keepdims=True)
    return np.asarray(np.divide(centred, spread, out=np.zeros_like(centred), where=alive))


class _Relations:
    """Relation matrices between models: how strongly every code of one model is related to every code of another.

    For Lasso the products of the codes of all models of a group are computed once, if they fit into ``TOGETHER``.
    """

    def __init__(self, stack: Array, relation: Relation) -> None:
        self._stack, self._relation = stack, relation
        self._together: tuple[list[int], Array] | None = None

    def to(self, predictor: int, targets: list[int], group: list[int]) -> Array:
        """Relate the targets' codes to the predictor's: targets x d x d; ``group`` lists all models of the group."""
        n, d = self._stack.shape[1:]
        if self._relation == "lasso" and (len(group) * d) ** 2 <= TOGETHER:
            weights = lasso_of_moments(self._moments(predictor, targets, group)).weights
        else:
            flat = self._stack[targets].transpose(1, 0, 2).reshape(n, -1)
            x = self._stack[predictor]
            weights = cross_validated_lasso(x, flat).weights if self._relation == "lasso" else x.T @ flat / n
        return np.abs(weights).T.reshape(len(targets), d, d)

    def _moments(self, predictor: int, targets: list[int], group: list[int]) -> Moments:
        """Moments of a Lasso that predicts the targets' codes, selected from the products of the group."""
        d = self._stack.shape[2]
        if self._together is None or self._together[0] != group:
            flat = self._stack[group].transpose(1, 0, 2).reshape(-1, len(group) * d)
            self._together = group, fold_moments(flat, flat[:, :0]).xx
        products = self._together[1]
        first_column = {model: 1 + d * number for number, model in enumerate(group)}
        rows = [0, *range(first_column[predictor], first_column[predictor] + d)]
        columns = (np.array([first_column[model] for model in targets])[:, None] + np.arange(d)).ravel()
        row_products = products[:, rows]
        return Moments(row_products[:, :, rows], row_products[:, :, columns], products[:, columns, columns])


def _members(groups: Sequence[object]) -> dict[object, list[int]]:
    """Return the model numbers of each group."""
    members: dict[object, list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        members[group].append(number)
    return members


def _partners(
    groups: Sequence[object], comparisons: int | None, generator: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Return, for every model, the models it is compared with."""
    members = _members(groups)
    partners = []
    for number, group in enumerate(groups):
        others = np.array([other for other in members[group] if other != number], dtype=np.int64)
        if not len(others):
            raise InvalidInput(f"every group must hold at least 2 models, got 1 in group {group!r}")
        if comparisons is not None and comparisons < len(others):
            others = generator.choice(others, size=comparisons, replace=False)
        partners.append(others)
    return partners


def _prepared(codes: ArrayLike, informative: ArrayLike, relation: Relation) -> tuple[Array, Flags]:
    """Check codes and flags; return the standardised codes (for Spearman their standardised ranks) and the flags."""
    from scipy.stats import rankdata

    stack = as_codes("codes", codes, ndim=3)
    flags = _flags("informative", informative)
    n_models, n, d = stack.shape
    if flags.shape != (n_models, d):
        raise InvalidInput(f"informative must flag {n_models} models x {d} codes, got shape {flags.shape}")
    if n < 5:
        raise InvalidInput(f"codes must hold at least 5 observations, got {n}")
    if relation not in ("lasso", "spearman"):
        raise InvalidInput(f"relation must be 'lasso' or 'spearman', got {relation!r}")
    return _standardise(rankdata(stack, axis=1) if relation == "spearman" else stack), flags


def _entropies(matrices: Array, informative_a: Flags, informative_b: Flags) -> Array:
    """Score a stack of matrices by the entropies of DCI instead of equation 2 (:func:`_pairs`)."""
    scores = []
    for matrix, a in zip(matrices, informative_a, strict=True):
        disentanglement = dci_disentanglement(matrix[a]) if a.any() else 0.0
        completeness = dci_completeness(matrix[:, informative_b]) if informative_b.any() else 0.0
        scores.append(disentanglement / 2 + completeness / 2)
    return np.array(scores)


def udr_agreements(
    codes: ArrayLike,
    informative: ArrayLike,
    *,
    relation: Relation = "lasso",
    aggregation: Aggregation = "strongest",
) -> Array:
    """Agreement of every model with every other; :func:`udr_scores`, with the same arguments, takes their medians.

    ``aggregation`` turns the relations of two models into a score. ``strongest``: equation 2. ``entropy``: that of DCI,
    with the other model's codes in the place of the factors; the mean of :func:`dbench.metrics.dci_disentanglement`
    over the informative codes of the one model and over those of the other.

    Returns:
        Models x models; row i holds the comparisons of model i, the diagonal those with itself.

    Raises:
        UnknownName: another aggregation.
    """
    return agreements_by(codes, informative, relation=relation, aggregations=[aggregation])[0]


def agreements_by(
    codes: ArrayLike, informative: ArrayLike, *, relation: Relation, aggregations: Sequence[Aggregation]
) -> list[Array]:
    """Return :func:`udr_agreements` for each of several aggregations, which share the relations."""
    aggregation_functions = {"strongest": _pairs, "entropy": _entropies}
    chosen = [find("aggregation", name, aggregation_functions) for name in aggregations]
    stack, flags = _prepared(codes, informative, relation)
    relations, models = _Relations(stack, relation), list(range(len(stack)))
    agreements = np.empty((len(chosen), len(stack), len(stack)))
    for j in models:
        matrices = relations.to(j, models, models)
        for agreement, aggregate in zip(agreements, chosen, strict=True):
            agreement[:, j] = aggregate(matrices, flags, flags[j])
    return list(agreements)


def udr_scores(
    codes: ArrayLike,
    informative: ArrayLike,
    *,
    groups: Sequence[object] | None = None,
    relation: Relation = "lasso",
    comparisons: int | None = None,
    generator: np.random.Generator | None = None,
) -> Array:
    """Score every model by the median over comparisons of its agreement with other models.

    Model i against model j: R(a, b) is the absolute weight of code b of model j in a Lasso that predicts
    code a of model i from all codes of model j (penalty cross-validated, see
    :mod:`dbench.metrics.lasso`), or the absolute Spearman correlation of a and b; :func:`udr_pair` turns R into a
    score. Lasso is not symmetric, so both orders of a pair are fitted. The paper trains a regressor for each code, but
    prints scikit-learn's objective for several targets; here each code is fitted alone, where the two are the same.

    Codes are models x n x d posterior means of the same n observations in random order (10,000 in the paper for Lasso,
    1,000 for Spearman). Every code is standardised; constant codes are related to nothing. ``informative`` flags models
    x d (:func:`dbench.metrics.informative_mask`); equation 2 leaves other codes in the sums. A model is compared with
    models of its group (in the paper: same objective and strength), or with all models if ``groups`` are not given:
    with ``comparisons`` of them drawn without replacement (the paper's P), by default with all.

    Returns:
        One score for each model, at least 0 and at most about 1.

    Raises:
        InvalidInput: wrong shapes, NaN, fewer than 5 observations, a group of one, or another relation.
    """
    stack, flags = _prepared(codes, informative, relation)
    m = len(stack)
    labels = [0] * m if groups is None else list(groups)
    if len(labels) != m:
        raise InvalidInput(f"groups must label {m} models, got {len(labels)}")
    if comparisons is not None:
        require_count("comparisons", comparisons, 1)
    generator = given_generator(generator, metric="udr")
    partners = _partners(labels, comparisons, generator)
    scores_of: list[list[float]] = [[] for _ in range(m)]
    compared_with: list[list[int]] = [[] for _ in range(m)]
    for i, others in enumerate(partners):
        for j in others:
            compared_with[j].append(i)
    relations, members = _Relations(stack, relation), _members(labels)
    for j in sorted(range(m), key=lambda j: members[labels[j]][0]):  # group by group
        targets = compared_with[j]
        if targets:  # all regressions on the same predictors are fitted together
            matrices = relations.to(j, targets, members[labels[j]])
            for i, score in zip(targets, _pairs(matrices, flags[targets], flags[j]), strict=True):
                scores_of[i].append(float(score))
    return np.array([np.median(scores) for scores in scores_of])


@metric(
    needs="models",
    bounds=(0, None),
    perfect=1.0,
    cite="duan2020",
    label="UDR",
)
def udr(codes: ArrayLike, informative: ArrayLike, *, relation: Relation = "lasso") -> Score:
    """Mean over models of how well each agrees, axis by axis, with the others.

    It measures agreement: a code that all models share is perfect, however entangled it is. To rank models, or to
    compare within groups, use :func:`udr_scores`. Codes are models x n x d posterior means of the same n observations,
    of at least 2 models, and ``informative`` flags models x d of them.

    Returns:
        Score ``udr[lasso]`` or ``udr[spearman]``; details hold each model's score as ``model.0`` and so on.

    Example:
        >>> codes, other = np.random.default_rng(0).normal(size=(2, 1000, 2))
        >>> turned = codes @ [[0.8, -0.6], [0.6, 0.8]]
        >>> for model in (codes[:, ::-1], turned, other):
        ...     print(round(udr(np.stack([codes, model]), np.ones((2, 2), dtype=bool)).value, 2))
        1.0
        0.46
        0.0

    See Also:
        :func:`informative_codes`; https://doi.org/10.48550/arXiv.1905.12614
    """
    scores = udr_scores(codes, informative, relation=relation)
    details = {f"model.{number}": float(score) for number, score in enumerate(scores)}
    return Score(f"udr[{relation}]", float(scores.mean()), details=details)
