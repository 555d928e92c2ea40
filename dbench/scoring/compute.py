"""Every metric of the plan on one sample: a score, or the reason why there is none."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes import GridSource, Sample
from dbench.codes.reading import CodesFile
from dbench.errors import DbenchError, InvalidInput
from dbench.metrics import Score
from dbench.scoring.grid import grid_source
from dbench.scoring.plan import LEARNED_ROWS, Item, choose
from dbench.seeds import generator

__all__ = ["Result", "Subject", "compute", "subject_of"]

_BINS = 20
_MOST_CLASSES = 1_000
_MOST_CELLS = 1 << 27

Progress = Callable[[Item, int, int], None]


@dataclass(frozen=True, eq=False)
class Subject:
    """What is scored.

    Attributes:
        sample: codes and factors; constant factors are left out where others vary.
        code_names: d names.
        source: the sample as a source of interventions, where it is a full factor grid.
        logvar: logarithms of the posterior's variances, where they are known.
        notes: what was found and decided, one sentence each.
    """

    sample: Sample
    code_names: tuple[str, ...]
    source: GridSource | None
    logvar: NDArray[np.float64] | None
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Result:
    """One metric: a score, or a reason.

    Attributes:
        item: what was to be computed.
        score: the score, or None.
        reason: why there is none.
        rows: number of observations used.
        seed: of its draws.
        seconds: wall-clock time.
        warnings: what the libraries below remarked.
    """

    item: Item
    score: Score | None
    reason: str
    rows: int
    seed: int
    seconds: float
    warnings: tuple[str, ...] = ()


def subject_of(codes: Sample | CodesFile) -> Subject:
    """Look at what is to be scored, and say what is peculiar about it.

    Raises:
        InvalidInput: neither a sample nor what was read from a file.
    """
    if not isinstance(codes, (Sample, CodesFile)):
        raise InvalidInput(f"codes must be a file, what was read from one, or a Sample, got {type(codes).__name__}")
    file = codes if isinstance(codes, CodesFile) else None
    sample = codes.sample if isinstance(codes, CodesFile) else codes
    names = file.code_names if file else tuple(f"code_{i}" for i in range(sample.n_codes))
    notes = list(file.notes) if file else []
    sizes = file.factor_sizes if file else None
    varies = (sample.factors != sample.factors[0]).any(axis=0)
    if not varies.all() and varies.any():
        left = [name for name, here in zip(sample.factor_names, varies, strict=True) if not here]
        notes.append(f"Constant factors are left out, nothing can be said of them: {_some(left)}.")
        kept = np.flatnonzero(varies)
        sizes = None if sizes is None else tuple(sizes[j] for j in kept)
        sample = Sample(sample.codes, sample.factors[:, kept], tuple(sample.factor_names[j] for j in kept))
    source = grid_source(sample, factor_sizes=sizes) if varies.any() else None
    notes += _remarks(sample, names, source)
    return Subject(sample, names, source, file.logvar if file else None, tuple(notes))


def _some(names: list[str], most: int = 10) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _remarks(sample: Sample, code_names: tuple[str, ...], source: GridSource | None) -> Iterable[str]:
    if source is not None:
        yield "The rows are a full factor grid, so that metrics that intervene are computed by look-up."
    still = (sample.codes == sample.codes[0]).all(axis=0)
    if still.any():
        constant = [name for name, here in zip(code_names, still, strict=True) if here]
        yield f"Constant codes: {_some(constant)}."
    if sample.discrete and len(sample) >= _BINS:
        unique = [
            name
            for name, column in zip(sample.factor_names, sample.factors.T, strict=True)
            if 2 * len(np.unique(column)) > len(sample)
        ]
        if unique:
            yield (
                f"Most rows have a value of their own of {_some(unique)}: identifiers, or continuous factors "
                "written as whole numbers? Labels that occur once tell nothing."
            )
    if sample.n_factors > sample.n_codes:
        yield (
            f"There are fewer codes ({sample.n_codes}) than factors ({sample.n_factors}): snc and nk give some "
            "factors no code of their own."
        )
    if len(sample) < _BINS:
        yield (
            f"There are fewer observations ({len(sample)}) than the {_BINS} bins of the metrics from mutual "
            "information: their values are mostly bias."
        )


def compute(
    subject: Subject,
    *,
    metrics: Collection[str] = (),
    fast: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[Result]:
    """Compute all metrics that the sample allows.

    Args:
        subject: what to score.
        metrics: names of the plan; all if none are given.
        fast: leave out the slow ones, but those that are named.
        seed: decides all draws; every metric has a stream of its own, so that none depends on which others run.
        progress: called with each item, its number and the number of items, before it is computed.

    Returns:
        A result for each item, by name.

    Raises:
        UnknownName: a metric that is not in the plan.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidInput(f"seed must be an integer of at least 0, got {seed!r}")
    items = choose(metrics)
    few = _few(subject.sample, int(seed))
    results = []
    for number, item in enumerate(items):
        if fast and item.slow and not metrics:
            results.append(Result(item, None, "slow; left out as asked (fast)", 0, int(seed), 0.0))
            continue
        if progress is not None:
            progress(item, number, len(items))
        results.append(_result(item, replace(subject, sample=few) if item.learned else subject, int(seed)))
    return results


def _few(sample: Sample, seed: int) -> Sample:
    """Draw the rows that metrics with predictors see."""
    if len(sample) <= LEARNED_ROWS:
        return sample
    stream = generator(task="score_codes", step="rows", seed=seed)
    return sample.take(np.sort(stream.choice(len(sample), size=LEARNED_ROWS, replace=False)))


def _result(item: Item, subject: Subject, seed: int) -> Result:
    rows = len(subject.sample)
    reason = _obstacle(item, subject)
    if reason:
        return Result(item, None, reason, 0, seed, 0.0)
    options = dict(item.options)
    if "generator" in inspect.signature(item.function).parameters:
        options["generator"] = generator(metric=item.name, seed=seed)
    start = time.perf_counter()
    score: Score | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            score = item.function(*_input(item, subject), **options)
        except DbenchError as error:
            reason = str(error)
        except (ArithmeticError, MemoryError, ValueError) as error:
            # A metric that a strange sample defeats must not take the others with it.
            reason = f"{type(error).__name__}: {error}"
    remarks = tuple(dict.fromkeys(str(remark.message) for remark in caught))
    seconds = time.perf_counter() - start
    return Result(item, score, " ".join(reason.split()), rows if score else 0, seed, seconds, remarks)


def _input(item: Item, subject: Subject) -> tuple[Any, ...]:
    if item.needs == "source":
        return (subject.source,)
    if item.needs == "posterior":
        return (subject.sample.codes, subject.logvar)
    return (subject.sample,)


def _obstacle(item: Item, subject: Subject) -> str:
    """Say why an item cannot be computed, in a line; nothing if it can."""
    sample = subject.sample
    if item.needs == "models":
        return "compares several models; a file holds the codes of one"
    if item.needs in ("source", "grid") and subject.source is None:
        return "intervenes on factors: needs a file that holds every combination of factor values exactly once"
    if item.needs == "posterior" and subject.logvar is None:
        return "needs the posterior: an array 'logvar' or 'std' beside the codes (.npz)"
    if item.labels and not sample.discrete:
        return "is defined for labels; factors that are not whole numbers are continuous"
    if item.needs in ("sample", "grid") and sample.discrete:
        most = max(len(np.unique(column)) for column in sample.factors.T)
        if item.learned and most > _MOST_CLASSES:
            return f"fits a predictor for each factor value, at most {_MOST_CLASSES:,}; a factor has {most:,}"
        if most * _BINS * sample.n_codes > _MOST_CELLS:
            return f"counts codes by factor value, and a factor has {most:,} values: too many"
    return ""
