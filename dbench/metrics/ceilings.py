"""Ceiling and chance level of a metric under its own protocol, and scores rescaled between the two.

Under some protocols a perfect representation scores below 1 (20 bins for a factor of 40 values), and a random one
above 0 (plug-in estimates are biased upwards).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.metrics.inputs import in_range, numbers_of, require_varying
from dbench.metrics.registry import Score
from dbench.metrics.relations.information import classes, entropy, mutual_information
from dbench.seeds import given_generator

Array = NDArray[np.float64]


def exact_copies(sample: Sample) -> Sample:
    """Return the sample with its codes replaced by one standardised copy of each factor.

    Labels of discrete factors are replaced by their ranks; a constant factor gives a constant code.
    """
    (numbers,) = in_range(numbers_of(sample))
    centred = numbers - numbers.mean(axis=0)
    largest = np.abs(centred).max(axis=0)
    centred = np.divide(centred, largest, out=np.zeros_like(centred), where=largest > 0)
    spread = centred.std(axis=0)
    copies = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    return replace(sample, codes=copies)


def shuffled(sample: Sample, generator: np.random.Generator) -> Sample:
    """Return the sample with its rows of codes permuted, so that the same codes are independent of the factors."""
    return replace(sample, codes=sample.codes[generator.permutation(len(sample))])


_Informations = tuple[Array, Array, Array]
_CACHE: ContextVar[dict[tuple[object, ...], tuple[Sample, _Informations]] | None] = ContextVar("cache", default=None)


@contextmanager
def shared_informations() -> Iterator[None]:
    """Let :func:`informations` keep its last result in this context, for metrics that need the same of one sample."""
    token = _CACHE.set({})
    try:
        yield
    finally:
        _CACHE.reset(token)


def informations(sample: Sample, generator: np.random.Generator, *, bins: int) -> _Informations:
    """Return the mutual information with the factors, in nats, of the codes, of exact copies, and of shuffled codes.

    Each is a matrix, codes x factors (:func:`dbench.metrics.mutual_information`); ``classes`` gives the labels.
    """
    cache, key = _CACHE.get(), (id(sample), bins, repr(generator.bit_generator.state))
    if cache is not None and key in cache:
        return cache[key][1]
    factors = classes(sample, bins)
    # Permuting the factors by the inverse gives the same pairs as permuting the codes, without a copy of wide codes.
    inverse = np.argsort(generator.permutation(len(sample)))
    both = mutual_information(sample.codes, np.hstack([factors, factors[inverse]]), bins=bins)
    of_codes, of_shuffled = np.split(both, 2, axis=1)
    matrices = of_codes, mutual_information(exact_copies(sample).codes, factors, bins=bins), of_shuffled
    if cache is not None:
        cache.clear()
        cache[key] = sample, matrices  # a reference to the sample, so that no other object gets its id
    return matrices


def information_score(
    name: str,
    sample: Sample,
    aggregate: Callable[[Array], tuple[float, Array]],
    *,
    each: Literal["code", "factor"],
    bins: int,
    generator: np.random.Generator | None,
    of_copies: Callable[[Array], tuple[float, Array]] | None = None,
    by_entropy: bool = False,
    active: bool = False,
) -> Score:
    """Score a sample by the mutual information of its codes, with ceiling (exact copies) and chance (shuffled codes).

    Args:
        name: name of the metric.
        sample: the observations; every factor must vary.
        aggregate: turns a matrix (codes x factors) into the score and its values per code or per factor.
        each: whether those values are per code or per factor.
        bins: equal-width bins of each code.
        generator: shuffles the codes; by default the metric's own.
        of_copies: aggregation for the matrix of exact copies, where it differs from ``aggregate``.
        by_entropy: whether information is divided by each factor's entropy.
        active: whether the details state the number of codes with information.
    """
    require_varying(sample)
    generator = given_generator(generator, metric=name)
    information, copied, of_shuffled = matrices = informations(sample, generator, bins=bins)
    if by_entropy:
        entropies = entropy(classes(sample, bins))
        # Information exceeds entropy by rounding only.
        information, copied, of_shuffled = (np.minimum(matrix / entropies, 1.0) for matrix in matrices)
    value, parts = aggregate(information)
    ceiling, _ = (of_copies or aggregate)(copied)
    chance, _ = aggregate(of_shuffled)
    count = {"active": int(information.any(axis=1).sum())} if active else {}
    return Score(
        name,
        value,
        per_factor=parts if each == "factor" else None,
        per_code=parts if each == "code" else None,
        relation=information,
        details={"ceiling": ceiling, "chance": chance, **count, "bins": bins},
    )


def mean_of_active(per_code: Array, matrix: Array) -> float:
    """Mean over the codes whose row of the matrix is not all zero; 0 if there is no such code."""
    active = matrix.any(axis=1)
    return float(per_code[active].mean()) if active.any() else 0.0


def between(values: ArrayLike, chance: ArrayLike, ceiling: ArrayLike) -> NDArray[np.float64]:
    """Rescale values so that chance becomes 0 and the ceiling 1: (v - chance) / (ceiling - chance).

    The three arguments broadcast. Results are clipped to [0, 1]; they are 0 where the ceiling is no higher than chance.

    Example:
        >>> between([0.0, 0.1, 0.5, 0.9], 0.1, 0.9).round(3).tolist()
        [0.0, 0.0, 0.5, 1.0]
    """
    v, low, high = np.broadcast_arrays(*(np.asarray(array, dtype=np.float64) for array in (values, chance, ceiling)))
    span = high - low
    share = np.divide(v - low, span, out=np.zeros_like(span), where=span > 1e-12)
    return np.asarray(np.clip(share, 0.0, 1.0))
