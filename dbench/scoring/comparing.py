"""Compare two or more models by their codes of the same rows.

Random halves of the rows estimate how far other rows would move a difference. Every repeat draws another half, with the
same rows and the same draws for all models. The deviation of a difference over halves drawn without replacement is its
standard error on all rows: the delete-half jackknife (Shao and Wu, 'A general theory for jackknife variance
estimation', The Annals of Statistics 17, 1989). Unlike a bootstrap, a half holds no row twice, so the training and test
parts of metrics that fit predictors share no row. Their error comes out too large, since each half is split once more.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from itertools import combinations
from math import comb, nan
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes import RowSource
from dbench.codes.reading import CodesFile
from dbench.errors import InvalidInput, find
from dbench.metrics.ceilings import shared_informations
from dbench.metrics.inputs import require_count
from dbench.scoring.comparison import Comparison, Difference, with_interval
from dbench.scoring.compute import STOPPED, Result, call, compute, trees_in_threads
from dbench.scoring.inputs import prepared, rows_for_predictors
from dbench.scoring.plan import DEFEATED, Item, choose
from dbench.scoring.reseeding import LARGEST, smallest_reliable_difference, tables
from dbench.scoring.scores import Scores, for_python, read_given
from dbench.scoring.terminal import bar
from dbench.scoring.wording import in_python, python_messages
from dbench.seeds import generator
from dbench.shown import some

Progress = Callable[[str, int, int], None]

REPEATS = 20
"""Number of halves of the rows behind the interval of a difference."""


def compare(
    models: Mapping[str, Any] | Sequence[Any],
    factors: Any = None,
    *,
    factor_names: Sequence[str] = (),
    continuous: Collection[str] = (),
    discrete: Collection[str] = (),
    metrics: Collection[str] = (),
    family: str = "papers",
    seed: int = 0,
    repeats: int = REPEATS,
    table: str = LARGEST,
    progress: bool | Progress = True,
) -> Comparison:
    """Compare models by every metric of their codes of the same rows: is one above the other, and by enough?

    Each difference has a 95% interval: Student's t on the deviation from it over random halves of the rows, the same
    halves, splits and draws for all models (:mod:`dbench.scoring.comparing`). The intervals hold together: each is
    widened for the number of differences that are asked for, pairs of models times metrics (Bonferroni's inequality;
    Dunn, 'Multiple comparisons among means', JASA 56, 1961). Beside it stands the smallest reliable difference, what
    training again with another seed moves (:func:`dbench.scoring.reseeding.smallest_reliable_difference`).

    Args:
        models: name -> codes, or a list: arrays (n x d, with ``factors``), or without them files, samples, or what
            :func:`dbench.codes.arrays.read_arrays` returns, which may hold a posterior. Widths may differ, rows and
            factors not.
        factors: n x k, the same for all models; for ``.npy`` files of codes, the file of the factors.
        factor_names: k names.
        continuous: names of factors that are continuous although they look like labels (``*`` is a wildcard).
        discrete: the same for labels that look continuous.
        metrics: names; all quick ones of the family if none are given.
        family: ``papers``, ``identifiability``, or ``all``.
        seed: decides all draws.
        repeats: halves of the rows behind each interval, at least 2.
        table: runs table that says what another seed moves, a folder of fixtures/evidence.
        progress: whether to show a bar after two seconds; or a function that is called with the current step's name,
            its number and the number of steps.

    Returns:
        The differences of every pair. After an interrupt (Ctrl-C) they rest on the halves that were finished.

    Raises:
        InvalidInput: fewer than two models or more than 26, other rows or factors, arrays, files or an option that
            break a rule.
        DamagedData: a file that cannot be read.
        UnknownName: a metric, family, table or factor that does not exist.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> factors = rng.integers(4, size=(600, 2))
        >>> near, far = (factors + noise * rng.normal(size=(600, 2)) for noise in (0.2, 0.5))
        >>> compare({"near": near, "far": far}, factors, metrics=["mig"])["mig"].verdict()
        'near above far, by more than another seed moves'
    """
    choose(metrics, family)
    find("table", table, tables())
    require_count("repeats", repeats, 2)
    kinds = {"continuous": continuous, "discrete": discrete}
    with python_messages():
        read = [
            replace(read_given(codes, factors, None, None, factor_names, seed, kinds), name=name)
            for name, codes in _named(models)
        ]
        options: dict[str, Any] = {"metrics": metrics, "family": family, "seed": seed, "repeats": repeats}
        report = progress if callable(progress) else lambda step, number, total: None
        with bar("compare") if progress and not callable(progress) else nullcontext(report) as advance:
            comparison = compare_codes(read, table=table, progress=advance, **options)
    differences = tuple(replace(each, reason=in_python(each.reason)) for each in comparison.differences)
    return replace(comparison, scores=tuple(map(for_python, comparison.scores)), differences=differences)


def _named(models: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, codes) of each model: named by its key, by its file if all file names differ, else by a letter."""
    if isinstance(models, Mapping):
        yield from ((str(name), codes) for name, codes in models.items())
        return
    if not isinstance(models, (list, tuple)):
        raise InvalidInput(f"models must be a dictionary of codes by name, or a list, got {type(models).__name__}")
    names = [Path(codes).name if isinstance(codes, (str, Path)) else getattr(codes, "name", "") for codes in models]
    unique = all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names)
    letters = ascii_uppercase if len(names) <= len(ascii_uppercase) else [str(i + 1) for i in range(len(names))]
    yield from zip(names if unique else letters, models, strict=False)


def require_same_rows(models: Sequence[CodesFile]) -> None:
    """Refuse fewer than two models, and models of other rows or factors than the first.

    Raises:
        InvalidInput: they are not.
    """
    if not 2 <= len(models) <= len(ascii_uppercase):
        raise InvalidInput(
            f"models must be 2 to {len(ascii_uppercase)}, to be compared with each other, got {len(models)}"
        )
    first, *others = models
    reference = first.sample
    for model in others:
        sample, both = model.sample, f"{first.name} and {model.name}"
        if len(reference) != len(sample):
            raise InvalidInput(f"models must have the same rows, got {len(reference):,} and {len(sample):,} of {both}")
        if reference.factor_names != sample.factor_names:
            names = f"{some(reference.factor_names)} and {some(sample.factor_names)}"
            raise InvalidInput(f"models must have the same factors in one order, got {names} of {both}")
        for name, *kinds in zip(reference.factor_names, reference.kinds, sample.kinds, strict=True):
            if kinds[0] != kinds[1]:
                raise InvalidInput(f"{name} must be of one kind, got {' and '.join(kinds)} of {both}")
        if (wrong := np.argwhere(reference.factors != sample.factors)).size:
            (row, j), count = wrong[0], len(np.unique(wrong[:, 0]))
            values = f"{reference.factors[row, j]:g} and {sample.factors[row, j]:g}"
            raise InvalidInput(
                f"models must have the same factors in every row, got {values} for {reference.factor_names[j]} in row "
                f"{row} of {both}; {count:,} rows differ"
            )


def compare_codes(
    models: Sequence[CodesFile],
    *,
    metrics: Collection[str],
    family: str,
    seed: int,
    repeats: int,
    table: str,
    progress: Progress,
) -> Comparison:
    """Compare models that were read; options as of :func:`compare`, messages as of the command line."""
    require_same_rows(models)
    if len({model.name for model in models}) < len(models):
        raise InvalidInput(f"models must have a name each, got {some([model.name for model in models])}")
    files = [prepared(model) for model in models]
    by_model = [_results_of(file, metrics, family, seed, progress) for file in files]
    by_metric = {results[0].item.name: results for results in zip(*by_model, strict=True)}
    scored = {
        name: [place for place, result in enumerate(results) if result.score is not None]
        for name, results in by_metric.items()
    }
    every_item = [results[0].item for results in by_metric.values()]
    items = [item for item in every_item if item.varied is not None and len(scored[item.name]) > 1]
    stopped = any(result.reason == STOPPED for results in by_model for result in results)
    halves: dict[str, Any] = {}
    failed: dict[str, str] = {}
    if items and not stopped:
        halves, failed = scores_of_halves(files, items, scored, seed=seed, repeats=repeats, progress=progress)
    done = min((len(values) for values in halves.values()), default=repeats if failed else 0)
    asked = sum(comb(len(scored[name]), 2) for name in halves)
    another_seed = {name: smallest_reliable_difference(name, table) for name in by_metric}
    differences = []
    for i, j in combinations(range(len(files)), 2):
        for name, results in by_metric.items():
            first, second, names = results[i], results[j], (files[i].name, files[j].name)
            difference = Difference(item=first.item, models=names, another_seed=another_seed[name])
            if first.score is None or second.score is None:
                differences.append(replace(difference, reason=_reason(first, second, names)))
                continue
            difference = replace(difference, scores=(first.score.value, second.score.value))
            if name in halves and done > 1:
                differences.append(with_interval(difference, halves[name][:, [i, j]], asked))
            else:
                missing = "no interval: needs every row once" if first.item.varied is None else STOPPED
                differences.append(replace(difference, reason=failed.get(name, missing)))
    scores = tuple(Scores(file, results) for file, results in zip(files, by_model, strict=True))
    return Comparison(scores, tuple(differences), done, table, int(seed), stopped or (bool(items) and done < repeats))


def _results_of(file: CodesFile, metrics: Collection[str], family: str, seed: int, progress: Progress) -> list[Result]:
    """Score one model; unless metrics are named, leave out slow ones and those that compare models themselves."""

    def advance(item: Item, number: int, total: int, results: object) -> None:
        progress(f"{file.name}: {item.name}", number, total)

    results = compute(file, metrics=metrics, family=family, fast=True, seed=seed, repeats=0, progress=advance)
    return [result for result in results if metrics or (result.item.speed == "fast" and result.item.needs != "models")]


def _reason(first: Result, second: Result, names: tuple[str, str]) -> str:
    if first.reason == second.reason:
        return first.reason
    results = zip((first, second), names, strict=True)
    return "; ".join(f"{result.reason} ({name})" for result, name in results if result.reason)


def scores_of_halves(
    models: Sequence[CodesFile],
    items: Sequence[Item],
    of: Mapping[str, Collection[int]],
    *,
    seed: int,
    repeats: int,
    progress: Progress,
) -> tuple[dict[str, NDArray[np.float64]], dict[str, str]]:
    """Score models of the same rows on the same halves.

    ``of`` maps the name of an item to the places of the models that it is computed for; other models' scores are NaN.

    Returns:
        Scores by item name, an array repeats x models of the repeats that an interrupt (Ctrl-C) let finish; and by item
        name the reasons of items that cannot be computed on half of the rows.
    """
    scores: dict[str, list[list[float]]] = {item.name: [] for item in items}
    failed: dict[str, str] = {}
    quiet = warnings.catch_warnings(action="ignore")
    with shared_informations(), trees_in_threads(), suppress(KeyboardInterrupt), quiet:
        for number in range(repeats):
            row: dict[str, list[float]] = {item.name: [] for item in items}  # of this half, a score for each model
            for place, model in enumerate(models):
                halves = {learned: _half(model, learned, seed, number) for learned in (False, True)}
                for item in items:
                    if item.name in failed:
                        continue
                    if place not in of[item.name]:
                        row[item.name].append(nan)
                        continue
                    progress(f"half {number + 1}: {item.name}", number, repeats)
                    try:
                        row[item.name].append(call(item, halves[item.learned], seed, repeat=number + 1).value)
                    except DEFEATED as error:
                        failed[item.name] = f"not computed of half of the rows: {' '.join(str(error).split())}"
            for name, values in row.items():
                scores[name].append(values)
    return {name: np.array(rows) for name, rows in scores.items() if name not in failed}, failed


def _half(model: CodesFile, learned: bool, seed: int, number: int) -> CodesFile:
    """Return a model on a random half of its rows; if ``learned``, half of the rows that predictors see."""
    sample = rows_for_predictors(model.sample, seed) if learned else model.sample
    order = generator(task="compare", step="half", seed=seed, repeat=number).permutation(len(sample))
    rows = np.sort(order[: len(sample) // 2])
    sample = sample.take(rows)
    logvar = model.logvar[rows] if model.logvar is not None and not learned else None
    source = RowSource(sample.labels) if model.source is not None and sample.labels else None
    return replace(model, sample=sample, logvar=logvar, source=source)
