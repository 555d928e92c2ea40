"""What metrics see of a user's codes, and what a colleague would say of these before any score is believed."""

import math
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from itertools import combinations, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes import FunctionSource, GridSource, RowSource, Sample, Source
from dbench.codes.factors import FEW, OFTEN
from dbench.codes.reading import CodesFile
from dbench.codes.source import Factors
from dbench.errors import InvalidInput
from dbench.metrics import entropy, mutual_information
from dbench.metrics.inputs import in_range, label_indices
from dbench.metrics.relations import classes
from dbench.seeds import generator
from dbench.shown import one_line, some

BINS = 20
"""Bins of the metrics from mutual information."""

LEARNED_ROWS = 15_000
"""Rows given to metrics that fit predictors: those of A Sober Look (10,000 for training, 5,000 for testing)."""

REDUNDANT = 0.999
"""From this share of its variance on a code is said to follow from the others."""

MOST = 1_000
"""Codes up to which it is worked out, since the work grows as their cube."""


def prepared(codes: CodesFile, source: Source | None = None) -> CodesFile:
    """Return codes as they are scored: without constant factors where others vary, with a source and with more notes.

    Where no source is given the sample itself is it if it is a full factor grid, and its rows are if each value of
    every factor occurs in ten of them, on average.

    Raises:
        InvalidInput: a source with other factors than the sample, or than those that vary there.
    """
    sample, notes, sizes = codes.sample, list(codes.notes), codes.factor_sizes
    varies = (sample.factors != sample.factors[0]).any(axis=0)
    if not varies.all() and varies.any():
        constant = some([*compress(sample.factor_names, ~varies)])
        notes.append(f"Constant factors are left out, nothing can be said of them: {constant}.")
        kept = [int(j) for j in np.flatnonzero(varies)]
        sizes = None if sizes is None else tuple(sizes[j] for j in kept)
        sample = sample.of_factors(kept)
    grid = grid_source(sample, factor_sizes=sizes) if varies.any() else None
    if grid is not None and source is None:
        notes.append("The rows are a full factor grid, so that metrics that intervene are computed by look-up.")
    notes += _peculiar(sample, codes.code_names)
    notes += of_codes(sample, codes.code_names)
    if source is not None:
        source = _matched(source, codes.sample, sample)
    return replace(
        codes,
        name=one_line(codes.name),
        sample=sample,
        factor_sizes=sizes,
        notes=tuple(map(one_line, notes)),
        source=source or grid or row_source(sample),
    )


def _matched(source: Source, whole: Sample, varying: Sample) -> Source:
    """Return a source of the factors that vary, by their names; those that are constant in the sample are held.

    Factors of a source without names of its own (``factor_0``), or of such a sample, go by position.
    """
    given = len(source.factor_names)
    sample = whole if given == whole.n_factors else varying
    own, theirs = tuple(source.factor_names), sample.factor_names
    unnamed = tuple(f"factor_{j}" for j in range(given))
    if given != sample.n_factors or (own != theirs and unnamed not in (own, theirs)):
        raise InvalidInput(
            f"source must have the factors of the sample in their order, {some(theirs)}, got {some(own)}"
        )
    if sample.n_factors > varying.n_factors:
        kept = [sample.factor_names.index(name) for name in varying.factor_names]

        def draw(n: int, stream: np.random.Generator) -> Factors:
            return source.draw_factors(n, stream)[:, kept]

        def encode(factors: Factors, stream: np.random.Generator) -> NDArray[np.float64]:
            held: Any = np.repeat(whole.factors[:1].astype(factors.dtype), len(factors), axis=0)
            held[:, kept] = factors
            return source.codes(held, stream)

        return FunctionSource(draw, encode, varying.factor_names)
    if own != theirs:
        source = copy(source)
        source.factor_names = theirs
    return source


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
    order = np.ravel_multi_index(tuple(indices.T), sizes)
    if len(np.unique(order)) != len(sample):
        return None
    return GridSource(sample.codes[np.argsort(order)], sizes, sample.factor_names)


def row_source(sample: Sample) -> RowSource | None:
    """Return the rows of a sample as a source, if each value of every factor occurs in ten of them, on average."""
    if sample.labels is None:
        return None
    _, sizes = label_indices(sample.labels.factors)
    enough = sizes.min() > 1 and len(sample) >= OFTEN * sizes.max()
    return RowSource(sample.labels) if enough else None


def rows_for_predictors(sample: Sample, seed: int) -> Sample:
    """Draw the rows that metrics with predictors see, of samples of equal length the same."""
    if len(sample) <= LEARNED_ROWS:
        return sample
    stream = generator(task="score_codes", step="rows", seed=seed)
    return sample.take(np.sort(stream.choice(len(sample), size=LEARNED_ROWS, replace=False)))


def most_informative(sample: Sample, most: int, seed: int) -> Sample:
    """Return the codes that know most of a factor, by its entropy, on the rows by which they were not chosen.

    One half of the rows chooses, the other is returned: where they are chosen, the best of many noise codes look
    informed. A sample of no more codes than asked for is returned as it is.
    """
    if sample.n_codes <= most:
        return sample
    order = generator(task="score_codes", step="most", seed=seed).permutation(len(sample))
    choosing, kept = np.sort(order[len(sample) // 2 :]), np.sort(order[: len(sample) // 2])
    factors = classes(sample)[choosing]
    known = mutual_information(sample.codes[choosing], factors) / np.maximum(entropy(factors), 1e-12)
    codes = np.sort(np.argsort(-known.max(axis=1), kind="stable")[:most])
    return replace(sample, codes=sample.codes[np.ix_(kept, codes)], factors=sample.factors[kept])


def _peculiar(sample: Sample, code_names: tuple[str, ...]) -> Iterable[str]:
    still = (sample.codes == sample.codes[0]).all(axis=0)
    if still.any():
        yield f"Constant codes: {some([*compress(code_names, still)])}."
    if sample.labels and len(sample) >= BINS:
        _, sizes = label_indices(sample.labels.factors)
        unique = [*compress(sample.labels.factor_names, 2 * sizes > len(sample))]
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


def of_codes(sample: Sample, code_names: tuple[str, ...]) -> Iterable[str]:
    """What makes all scores of a sample doubtful, one sentence each."""
    n, d = sample.codes.shape
    if n < 2 * OFTEN:
        yield f"Only {n} rows: no score means anything. Score some hundreds, better ten thousand."
    elif n <= d:
        yield f"There are no more rows ({n}) than codes ({d}): a linear predictor fits anything; score more rows."
    elif d <= MOST and (redundant := np.flatnonzero((shares := explained(sample.codes)) >= REDUNDANT)).size:
        names = ", ".join(f"{code_names[i]} ({shares[i]:.5f})" for i in redundant[:10])
        yield (
            f"Nearly singular codes: a linear function of the others explains almost all variance of {names}. Total "
            "correlation has no useful value, and which of them is called important is arbitrary."
        )
    if _like_labels(sample.codes) and not any(_like_labels(column[:, None]) for column in sample.factors.T):
        yield "The codes look like labels and the factors like codes: are they swapped? Codes come first."


def explained(codes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of each code's variance that a linear function of the others explains; 0 of constant codes.

    Of codes with more rows than codes. It is 1 less the reciprocal of the diagonal of the inverse correlation matrix.

    Example:
        >>> x, y = np.random.default_rng(0).normal(size=(2, 1_000))
        >>> [float(share) for share in explained(np.stack([x, y, x + y, 0 * x], axis=1)).round(3)]
        [1.0, 1.0, 1.0, 0.0]
    """
    shares = np.zeros(codes.shape[1])
    varies = np.flatnonzero((codes != codes[0]).any(axis=0))
    if len(varies) < 2:
        return shares
    values, vectors = np.linalg.eigh(np.corrcoef(in_range(codes[:, varies])[0], rowvar=False))
    inverse = (vectors**2 / np.maximum(values, 1e-12)).sum(axis=1)
    shares[varies] = 1 - 1 / np.maximum(inverse, 1.0)
    return shares


def _like_labels(columns: NDArray[np.float64] | NDArray[np.int64]) -> bool:
    """Whether all are whole numbers of few values that occur often."""
    return all(
        (column == np.rint(column)).all() and len(np.unique(column)) <= min(FEW, len(column) / OFTEN)
        for column in columns.T
    )


def dependence(sample: Sample) -> str:
    """Say which are the two factors that tell most of each other, and how much of the smaller entropy that is."""
    if sample.n_factors < 2:
        return ""
    labels, sizes = label_indices(sample.factors)
    alone = entropy(labels)
    shares = []
    for i, j in combinations(range(sample.n_factors), 2):
        both = entropy((labels[:, i] * sizes[j] + labels[:, j])[:, None])[0]
        shares.append(((alone[i] + alone[j] - both) / min(alone[i], alone[j]), i, j))
    share, i, j = max(shares)
    return f" (most dependent: {sample.factor_names[i]} and {sample.factor_names[j]}, {share:.2f} of their entropy)"
