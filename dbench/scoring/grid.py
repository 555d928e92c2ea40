"""A full factor grid in a sample: every combination of values once, so that interventions are look-ups."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dbench.codes import GridSource, Sample
from dbench.metrics.inputs import label_indices

__all__ = ["grid_source"]


def grid_source(sample: Sample, *, factor_sizes: Sequence[int] | None = None) -> GridSource | None:
    """Return the sample as a source if it holds every combination of factor values exactly once.

    Args:
        sample: rows in any order; labels are taken by rank.
        factor_sizes: number of values of each factor; by default those that occur.

    Returns:
        The source, or None where the factors are continuous, or a combination is missing or occurs twice.

    Example:
        >>> codes = np.array([[0.3], [0.1], [0.2], [0.0]])
        >>> grid_source(Sample(codes, np.array([[1, 1], [0, 1], [1, 0], [0, 0]]))).grid_codes.ravel().tolist()
        [0.0, 0.1, 0.2, 0.3]
        >>> grid_source(Sample(codes, np.array([[1, 1], [0, 1], [1, 0], [1, 0]]))) is None
        True
    """
    if not sample.discrete:
        return None
    indices, values = label_indices(sample.factors)
    sizes = [int(size) for size in values]
    if math.prod(sizes) != len(sample) or (factor_sizes is not None and sizes != list(factor_sizes)):
        return None
    place = np.ravel_multi_index(tuple(indices.T), sizes)
    if len(np.unique(place)) != len(sample):
        return None
    return GridSource(sample.codes[np.argsort(place)], sizes, sample.factor_names)
