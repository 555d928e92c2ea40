"""How high and how low a metric can come out by its own protocol, and scores put on that scale.

Some protocols keep a perfect representation from 1 (20 bins for a factor of 40 values) and a random one from 0
(plug-in estimates are biased upwards).
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
    """Return the sample with one standardised exact copy of each factor for codes.

    Labels of discrete factors are copied by rank; a constant factor becomes a constant code.
    """
    (numbers,) = in_range(numbers_of(sample))
    centred = numbers - numbers.mean(axis=0)
    largest = np.abs(centred).max(axis=0)
    centred = np.divide(centred, largest, out=np.zeros_like(centred), where=largest > 0)
    spread = centred.std(axis=0)
    copies = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    return replace(sample, codes=copies)


def shuffled(sample: Sample, generator: np.random.Generator) -> Sample:
    """Return the sample with its codes shuffled: the same codes, independent of the factors."""
    return replace(sample, codes=sample.codes[generator.permutation(len(sample))])


_Informations = tuple[Array, Array, Array]
_LAST: ContextVar[dict[tuple[object, ...], tuple[Sample, _Informations]] | None] = ContextVar("last", default=None)


@contextmanager
def shared_informations() -> Iterator[None]:
    """Within, :func:`informations` remembers what it last returned, for metrics that ask the same of one sample."""
    token = _LAST.set({})
    try:
        yield
    finally:
        _LAST.reset(token)


def informations(sample: Sample, generator: np.random.Generator, *, bins: int) -> _Informations:
    """Return the mutual information in nats of the codes, of exact copies, and of shuffled codes.

    Each is codes x factors, see :func:`dbench.metrics.mutual_information`, of the labels that ``classes`` gives.
    """
    last, key = _LAST.get(), (id(sample), bins, repr(generator.bit_generator.state))
    if last is not None and key in last:
        return last[key][1]
    factors = classes(sample, bins)
    # Shuffling the factors instead pairs the same codes with the same labels, and copies no wide codes.
    back = np.argsort(generator.permutation(len(sample)))
    both = mutual_information(sample.codes, np.hstack([factors, factors[back]]), bins=bins)
    own, of_shuffled = np.split(both, 2, axis=1)
    matrices = own, mutual_information(exact_copies(sample).codes, factors, bins=bins), of_shuffled
    if last is not None:
        last.clear()
        last[key] = sample, matrices  # the sample stays, so that no other gets its id
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
    """Score the mutual information of a sample's codes, beside that of exact copies and of shuffled codes.

    Args:
        name: of the metric.
        sample: its factors must vary.
        aggregate: gives the score of a matrix (codes x factors), and its part for each code or factor.
        each: what the parts are of.
        bins: equal-width bins of each code.
        generator: shuffles the codes; by default the metric's own.
        of_copies: does the same for exact copies, where it is not ``aggregate``.
        by_entropy: whether information is divided by each factor's entropy.
        active: whether the number of codes with information is a detail.
    """
    require_varying(sample)
    generator = given_generator(generator, metric=name)
    own, copied, of_shuffled = informations(sample, generator, bins=bins)
    if by_entropy:
        scale = entropy(classes(sample, bins))
        # Information cannot exceed entropy, but for rounding.
        own, copied, of_shuffled = (np.minimum(matrix / scale, 1.0) for matrix in (own, copied, of_shuffled))
    value, parts = aggregate(own)
    ceiling, chance = (of_copies or aggregate)(copied)[0], aggregate(of_shuffled)[0]
    count = {"active": int(own.any(axis=1).sum())} if active else {}
    return Score(
        name,
        value,
        per_factor=parts if each == "factor" else None,
        per_code=parts if each == "code" else None,
        relation=own,
        details={"ceiling": ceiling, "chance": chance, **count, "bins": bins},
    )


def mean_of_active(per_code: Array, matrix: Array) -> float:
    """Mean over the codes that have information of any factor; 0 where none has."""
    active = matrix.any(axis=1)
    return float(per_code[active].mean()) if active.any() else 0.0


def between(values: ArrayLike, chance: ArrayLike, ceiling: ArrayLike) -> NDArray[np.float64]:
    """Put values on the scale where chance is 0 and the ceiling is 1: (v - chance) / (ceiling - chance).

    All broadcast. Values are cut to 0 and 1, and 0 where the ceiling is no higher than chance.

    Example:
        >>> between([0.0, 0.1, 0.5, 0.9], 0.1, 0.9).round(3).tolist()
        [0.0, 0.0, 0.5, 1.0]
    """
    v, low, high = np.broadcast_arrays(*(np.asarray(part, dtype=np.float64) for part in (values, chance, ceiling)))
    room = high - low
    share = np.divide(v - low, room, out=np.zeros_like(room), where=room > 1e-12)
    return np.asarray(np.clip(share, 0.0, 1.0))
