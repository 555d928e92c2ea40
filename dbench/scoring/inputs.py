"""Prepare a user's codes for the metrics, and note what makes their scores doubtful."""

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
"""A code is redundant if the others explain at least this share of its variance, linearly."""

MOST = 1_000
"""Most codes for which redundancy is worked out: the work grows with the cube of their number."""


def prepared(codes: CodesFile, source: Source | None = None) -> CodesFile:
    """Return codes as they are scored: without constant factors where others vary, with a source and with more notes.

    Without a source given, the sample itself is the source if it is a full factor grid; else its rows are, if each
    value of every factor occurs in ten of them on average.

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
    notes += _peculiarities(sample, codes.code_names)
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


def _matched(source: Source, complete: Sample, varying: Sample) -> Source:
    """Return a source of the factors that vary; those that are constant in the sample are held at their value.

    Factors are matched by name, or by position if the source or the sample has default names (``factor_0``).
    """
    source_names = tuple(source.factor_names)
    sample = complete if len(source_names) == complete.n_factors else varying
    sample_names = sample.factor_names
    default_names = tuple(f"factor_{j}" for j in range(len(source_names)))
    same_names = source_names == sample_names
    if len(source_names) != sample.n_factors or not (same_names or default_names in (source_names, sample_names)):
        raise InvalidInput(
            f"source must have the factors of the sample in their order, {some(sample_names)}, got {some(source_names)}"
        )
    if sample.n_factors > varying.n_factors:
        kept = [sample.factor_names.index(name) for name in varying.factor_names]

        def draw(n: int, stream: np.random.Generator) -> Factors:
            return source.draw_factors(n, stream)[:, kept]

        def encode(factors: Factors, stream: np.random.Generator) -> NDArray[np.float64]:
            held: Any = np.repeat(complete.factors[:1].astype(factors.dtype), len(factors), axis=0)
            held[:, kept] = factors
            return source.codes(held, stream)

        return FunctionSource(draw, encode, varying.factor_names)
    if not same_names:
        source = copy(source)
        source.factor_names = sample_names
    return source


def grid_source(sample: Sample, *, factor_sizes: Sequence[int] | None = None) -> GridSource | None:
    """Return the sample as a source if it holds every combination of factor values once, in any order; else None.

    Labels are replaced by their ranks, continuous factors left out. Default sizes are the numbers of values that occur.
    """
    labels = sample.labels
    if labels is None:
        return None
    indices, values = label_indices(labels.factors)
    sizes = [int(size) for size in values]
    if math.prod(sizes) != len(labels) or (factor_sizes is not None and sizes != list(factor_sizes)):
        return None
    order = np.ravel_multi_index(tuple(indices.T), sizes)
    if len(np.unique(order)) != len(labels):
        return None
    return GridSource(labels.codes[np.argsort(order)], sizes, labels.factor_names)


def row_source(sample: Sample) -> RowSource | None:
    """Return the rows of a sample as a source, or None where a factor value occurs in fewer than ten on average."""
    if sample.labels is None:
        return None
    _, sizes = label_indices(sample.labels.factors)
    enough = sizes.min() > 1 and len(sample) >= OFTEN * sizes.max()
    return RowSource(sample.labels) if enough else None


def rows_for_predictors(sample: Sample, seed: int) -> Sample:
    """Draw the rows that metrics with predictors see; samples of equal length keep the same rows."""
    if len(sample) <= LEARNED_ROWS:
        return sample
    stream = generator(task="score_codes", step="rows", seed=seed)
    return sample.take(np.sort(stream.choice(len(sample), size=LEARNED_ROWS, replace=False)))


def most_informative(sample: Sample, most: int, seed: int) -> Sample:
    """Return the codes with most information on any one factor, as a share of its entropy, on half of the rows.

    They are chosen on the other half: on the rows that choose, the best of many noise codes look informative. A sample
    of at most ``most`` codes is returned as it is.
    """
    if sample.n_codes <= most:
        return sample
    order = generator(task="score_codes", step="most", seed=seed).permutation(len(sample))
    choosing, kept = np.sort(order[len(sample) // 2 :]), np.sort(order[: len(sample) // 2])
    factors = classes(sample)[choosing]
    shares = mutual_information(sample.codes[choosing], factors) / np.maximum(entropy(factors), 1e-12)
    codes = np.sort(np.argsort(-shares.max(axis=1), kind="stable")[:most])
    return replace(sample, codes=sample.codes[np.ix_(kept, codes)], factors=sample.factors[kept])


def _peculiarities(sample: Sample, code_names: tuple[str, ...]) -> Iterable[str]:
    """Yield what is unusual about a sample, one sentence each."""
    constant = (sample.codes == sample.codes[0]).all(axis=0)
    if constant.any():
        yield f"Constant codes: {some([*compress(code_names, constant)])}."
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
    """Yield what makes all scores of a sample doubtful, one sentence each."""
    n, d = sample.codes.shape
    if n < 2 * OFTEN:
        yield f"Only {n} rows: no score means anything. Score some hundreds, better ten thousand."
    elif n <= d:
        yield f"There are no more rows ({n}) than codes ({d}): a linear predictor fits anything; score more rows."
    elif d <= MOST:
        shares = explained(sample.codes)
        redundant = np.flatnonzero(shares >= REDUNDANT)
        if redundant.size:
            names = ", ".join(f"{code_names[i]} ({shares[i]:.5f})" for i in redundant[:10])
            yield (
                f"Nearly singular codes: a linear function of the others explains almost all variance of {names}. "
                "Total correlation has no useful value, and which of them is called important is arbitrary."
            )
    if _look_like_labels(sample.codes) and not any(_look_like_labels(column[:, None]) for column in sample.factors.T):
        yield "The codes look like labels and the factors like codes: are they swapped? Codes come first."


def explained(codes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each code's variance that a linear function of the others explains; 0 for constant codes.

    It is 1 less the reciprocal of the diagonal of the inverse correlation matrix. There must be more rows than codes.

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


def _look_like_labels(columns: NDArray[np.float64] | NDArray[np.int64]) -> bool:
    """Return whether all columns are whole numbers with few distinct values, each of which occurs often."""
    return all(
        (column == np.rint(column)).all() and len(np.unique(column)) <= min(FEW, len(column) / OFTEN)
        for column in columns.T
    )


def dependence(sample: Sample) -> str:
    """Name the two most dependent factors and their mutual information as a share of the smaller entropy."""
    if sample.n_factors < 2:
        return ""
    labels, sizes = label_indices(sample.factors)
    entropies = entropy(labels)
    shares = []
    for i, j in combinations(range(sample.n_factors), 2):
        joint = entropy((labels[:, i] * sizes[j] + labels[:, j])[:, None])[0]
        shares.append(((entropies[i] + entropies[j] - joint) / min(entropies[i], entropies[j]), i, j))
    share, i, j = max(shares)
    return f" (most dependent: {sample.factor_names[i]} and {sample.factor_names[j]}, {share:.2f} of their entropy)"
