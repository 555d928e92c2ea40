"""Scores of several models on the same halves of their rows: how far other rows would move a difference.

Every repeat sees another random half of the rows, the same half and the same draws for all models. Over halves drawn
without replacement the deviation of a difference is its standard error on all rows: the delete-half jackknife
(Shao and Wu, 'A general theory for jackknife variance estimation', The Annals of Statistics 17, 1989). No row is in a
half twice, as it would be in a bootstrap, so that what fits predictors can be asked as well: its training and test
parts share no row. There the error comes out too large, since each half is split once more.
"""

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dbench.codes import RowSource
from dbench.errors import DbenchError
from dbench.metrics.ceilings import shared_informations
from dbench.scoring.compute import call, rows_for_predictors, trees_in_threads
from dbench.scoring.plan import Item
from dbench.scoring.scored_codes import ScoredCodes
from dbench.seeds import generator

Progress = Callable[[str, int, int], None]


def scores_of_halves(
    models: Sequence[ScoredCodes], items: Sequence[Item], *, seed: int, repeats: int, progress: Progress
) -> tuple[dict[str, NDArray[np.float64]], dict[str, str]]:
    """Score models of the same rows on the same halves.

    Returns:
        Name of an item -> repeats x models, of the repeats that were finished before an interrupt (Ctrl-C); and name ->
        reason of those that cannot be computed of a half.
    """
    found: dict[str, list[list[float]]] = {item.name: [] for item in items}
    failed: dict[str, str] = {}
    with shared_informations(), trees_in_threads(), suppress(KeyboardInterrupt), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(repeats):
            now: dict[str, list[float]] = {item.name: [] for item in items}
            for model in models:
                halves = {learned: _half(model, learned, seed, number) for learned in (False, True)}
                for item in items:
                    if item.name in failed:
                        continue
                    progress(f"half {number + 1}: {item.name}", number, repeats)
                    try:
                        half = halves[item.learned and not item.wide]
                        now[item.name].append(call(item, half, seed, repeat=number + 1).value)
                    except (DbenchError, ArithmeticError, MemoryError, ValueError) as error:
                        failed[item.name] = f"not computed of half of the rows: {' '.join(str(error).split())}"
            for name, values in now.items():
                found[name].append(values)
    return {name: np.array(rows) for name, rows in found.items() if name not in failed}, failed


def _half(model: ScoredCodes, learned: bool, seed: int, number: int) -> ScoredCodes:
    """Draw half of the rows, or of those that predictors see."""
    sample = rows_for_predictors(model.sample, seed) if learned else model.sample
    order = generator(task="compare", step="half", seed=seed, repeat=number).permutation(len(sample))
    rows = np.sort(order[: len(sample) // 2])
    sample = sample.take(rows)
    logvar = model.logvar[rows] if model.logvar is not None and not learned else None
    source = RowSource(sample.labels) if model.source is not None and sample.labels else None
    return replace(model, sample=sample, logvar=logvar, source=source)
