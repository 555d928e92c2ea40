"""How high and how low a metric can come out by its own protocol, and scores put on that scale.

Some protocols keep a perfect representation from 1 (20 bins for a factor of 40 values) and a random one from 0
(plug-in estimates are biased upwards).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.metrics.inputs import numbers_of
from dbench.metrics.relations.information import classes, entropy, mutual_information


def exact_copies(sample: Sample) -> Sample:
    """Return the sample with one standardised exact copy of each factor for codes.

    Labels of discrete factors are copied by rank; a constant factor becomes a constant code.
    """
    halves = numbers_of(sample) * 0.5  # keeps the range finite
    centred = halves - halves.mean(axis=0)
    largest = np.abs(centred).max(axis=0)
    centred = np.divide(centred, largest, out=np.zeros_like(centred), where=largest > 0)
    spread = centred.std(axis=0)
    copies = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    return replace(sample, codes=copies)


def shuffled(sample: Sample, generator: np.random.Generator) -> Sample:
    """Return the sample with its codes dealt out anew: the same codes, independent of the factors."""
    return replace(sample, codes=sample.codes[generator.permutation(len(sample))])


_Informations = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
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
    """Return the mutual information in nats of the codes, of exact copies, and of codes dealt out anew.

    Each is codes x factors, see :func:`dbench.metrics.mutual_information`, of the labels that ``classes`` gives.
    """
    last, key = _LAST.get(), (id(sample), bins, repr(generator.bit_generator.state))
    if last is not None and key in last:
        return last[key][1]
    factors = classes(sample, bins)
    # Dealing the factors out instead pairs the same codes with the same labels, and copies no wide codes.
    back = np.argsort(generator.permutation(len(sample)))
    both = mutual_information(sample.codes, np.hstack([factors, factors[back]]), bins=bins)
    own, dealt = np.split(both, 2, axis=1)
    found = own, mutual_information(exact_copies(sample).codes, factors, bins=bins), dealt
    if last is not None:
        last.clear()
        last[key] = sample, found  # the sample stays, so that no other gets its id
    return found


def normalised_informations(sample: Sample, generator: np.random.Generator, *, bins: int) -> _Informations:
    """Return those of :func:`informations`, by the entropy of each factor, which all factors must have."""
    scale = entropy(classes(sample, bins))
    # Information cannot exceed entropy, but for rounding.
    own, copied, dealt = (np.minimum(matrix / scale, 1.0) for matrix in informations(sample, generator, bins=bins))
    return own, copied, dealt


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
