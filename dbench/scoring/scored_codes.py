"""The codes to be scored."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from dbench.codes import GridSource, RowSource, Sample, Source
from dbench.codes.factors import OFTEN
from dbench.codes.reading import CodesFile
from dbench.errors import InvalidInput
from dbench.metrics.inputs import label_indices
from dbench.scoring import cautions
from dbench.shown import one_line, some

BINS = 20
"""Bins of the metrics from mutual information."""


@dataclass(frozen=True, eq=False)
class ScoredCodes(CodesFile):
    """What was read, without its constant factors where others vary, and with more notes."""

    source: Source | None = None  # what metrics that intervene ask

    @classmethod
    def of(cls, codes: CodesFile, source: Source | None = None) -> Self:
        """Look at what is to be scored.

        Where no source is given the sample itself is it if it is a full factor grid, and its rows are if each value of
        every factor occurs in ten of them, on average.

        Raises:
            InvalidInput: a source with other factors than those that vary in the sample.
        """
        sample, notes, sizes = codes.sample, list(codes.notes), codes.factor_sizes
        varies = (sample.factors != sample.factors[0]).any(axis=0)
        if not varies.all() and varies.any():
            left = [name for name, here in zip(sample.factor_names, varies, strict=True) if not here]
            notes.append(f"Constant factors are left out, nothing can be said of them: {some(left)}.")
            kept = [int(j) for j in np.flatnonzero(varies)]
            sizes = None if sizes is None else tuple(sizes[j] for j in kept)
            sample = sample.of_factors(kept)
        grid = grid_source(sample, factor_sizes=sizes) if varies.any() else None
        notes += _remarks(sample, codes.code_names, grid if source is None else None)
        notes += cautions.of_codes(sample, codes.code_names)
        found: dict[str, Any] = {"name": one_line(codes.name), "sample": sample, "factor_sizes": sizes}
        found["notes"] = tuple(map(one_line, notes))
        if source is not None and len(source.factor_names) != sample.n_factors:
            raise InvalidInput(
                f"source must have the {sample.n_factors} factors that vary in the sample, "
                f"got {len(source.factor_names)}: {some(source.factor_names)}"
            )
        found["source"] = source or grid or _rows(sample)
        return cls(**vars(codes) | found)


def grid_source(sample: Sample, *, factor_sizes: Sequence[int] | None = None) -> GridSource | None:
    """Return the sample as a source if it holds every combination of factor values exactly once, in any order.

    Labels are taken by rank, continuous factors left out; the sizes are by default the numbers of values that occur.
    """
    labels = sample.labels
    if labels is None:
        return None
    sample = labels
    indices, values = label_indices(sample.factors)
    sizes = [int(size) for size in values]
    if math.prod(sizes) != len(sample) or (factor_sizes is not None and sizes != list(factor_sizes)):
        return None
    place = np.ravel_multi_index(tuple(indices.T), sizes)
    if len(np.unique(place)) != len(sample):
        return None
    return GridSource(sample.codes[np.argsort(place)], sizes, sample.factor_names)


def _rows(sample: Sample) -> RowSource | None:
    if sample.labels is None:
        return None
    _, sizes = label_indices(sample.labels.factors)
    enough = sizes.min() > 1 and len(sample) >= OFTEN * sizes.max()
    return RowSource(sample.labels) if enough else None


def _remarks(sample: Sample, code_names: tuple[str, ...], source: GridSource | None) -> Iterable[str]:
    if source is not None:
        yield "The rows are a full factor grid, so that metrics that intervene are computed by look-up."
    still = (sample.codes == sample.codes[0]).all(axis=0)
    if still.any():
        constant = [name for name, here in zip(code_names, still, strict=True) if here]
        yield f"Constant codes: {some(constant)}."
    if sample.labels and len(sample) >= BINS:
        unique = [
            name
            for name, column in zip(sample.labels.factor_names, sample.labels.factors.T, strict=True)
            if 2 * len(np.unique(column)) > len(sample)
        ]
        if unique:
            yield (
                f"Most rows have a value of their own of {some(unique)}: identifiers, or continuous factors "
                "written as whole numbers? Labels that occur once tell nothing."
            )
    if sample.n_factors > sample.n_codes:
        yield (
            f"There are fewer codes ({sample.n_codes}) than factors ({sample.n_factors}): snc and nk give some "
            "factors no code of their own."
        )
    if len(sample) < BINS:
        yield (
            f"There are fewer observations ({len(sample)}) than the {BINS} bins of the metrics from mutual "
            "information: their values are mostly bias."
        )
