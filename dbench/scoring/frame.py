"""Results as a long table and as records: one set of numbers for python, csv and JSON."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from dbench import __version__
from dbench.codes import Sample
from dbench.codes.reading import CodesFile, read_codes
from dbench.provenance import commit, versions
from dbench.scoring.compute import Progress, Result, Subject, compute, subject_of

__all__ = ["COLUMNS", "frame_of", "records_of", "score_codes"]

COLUMNS = ("metric", "part", "name", "score", "rows", "reason")
"""Columns of the long table."""


def score_codes(
    codes: str | Path | Sample | CodesFile,
    *,
    metrics: Collection[str] = (),
    fast: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Compute every metric that somebody's codes allow; the numbers are those of ``dbench score``.

    Args:
        codes: a file (see :func:`dbench.codes.reading.read_codes`, also for its options), what was read from
            one, or a sample.
        metrics: names; all if none are given.
        fast: leave out the slow ones, but those that are named.
        seed: decides all draws.
        progress: called with each item, its number and the number of items, before it is computed.

    Returns:
        A table with one row for each number. ``metric`` is its name; ``part`` is ``score``, ``factor``, ``code``,
        ``detail``, or ``skipped`` where there is no score (``reason`` says why, ``score`` is missing); ``name``
        is that of the factor, code or detail; ``rows`` is the number of observations used. ``attrs`` holds
        ``seed``, ``versions``, ``commit`` and ``notes``.

    Raises:
        InvalidInput: a file or an option that breaks a rule.
        DamagedData: a file that cannot be read.
        UnknownName: a metric that does not exist.

    Example:
        >>> import numpy as np
        >>> factors = np.indices((4, 4)).reshape(2, -1).T
        >>> table = score_codes(Sample(factors * 1.0, factors), metrics=["mig"])
        >>> table[table["part"] == "score"][["metric", "score"]].round(3).values.tolist()
        [['mig', 1.0]]
    """
    found = read_codes(codes, seed=seed) if isinstance(codes, (str, Path)) else codes
    subject = subject_of(found)
    results = compute(subject, metrics=metrics, fast=fast, seed=seed, progress=progress)
    return frame_of(subject, results)


def frame_of(subject: Subject, results: Iterable[Result]) -> pd.DataFrame:
    """Put results into one long table, see :func:`score_codes`."""
    listed = list(results)
    rows = [row for result in listed for row in _rows(subject, result)]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"score": "float64", "rows": "int64"})
    seed = listed[0].seed if listed else None
    frame.attrs = {"seed": seed, "versions": versions(), "commit": commit(), "notes": list(subject.notes)}
    return frame


def _rows(subject: Subject, result: Result) -> Iterator[tuple[str, str, str, float | None, int, str]]:
    name, score, n = result.item.name, result.score, result.rows
    if score is None:
        yield name, "skipped", "", None, n, result.reason
        return
    yield name, "score", "", score.value, n, ""
    for part, names, values in (
        ("factor", subject.sample.factor_names, score.per_factor),
        ("code", subject.code_names, score.per_code),
        ("detail", tuple(score.details), list(score.details.values())),
    ):
        if values is not None:
            yield from ((name, part, key, float(value), n, "") for key, value in zip(names, values, strict=True))


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def records_of(subject: Subject, results: Iterable[Result]) -> list[dict[str, Any]]:
    """Return one JSON object for each metric.

    ``metric`` and ``score`` (null where it was skipped, see ``reason``), ``protocol`` (the metric's full name, with
    the relation or model it used), ``bounds``, ``details``, ``per_factor`` and ``per_code`` by name, ``relation``
    (codes x factors), ``rows``, ``seconds``, ``warnings``, ``seed``, ``version``, ``versions`` and ``commit``.
    """
    return [_record(subject, result) for result in results]


def _record(subject: Subject, result: Result) -> dict[str, Any]:
    score = result.score
    per_factor = None if score is None else score.per_factor
    per_code = None if score is None else score.per_code
    relation = None if score is None else score.relation
    return {
        "metric": result.item.name,
        "score": None if score is None else score.value,
        "reason": result.reason or None,
        "protocol": None if score is None else score.metric,
        "bounds": list(result.item.bounds),
        "details": {} if score is None else {key: _number(value) for key, value in score.details.items()},
        "per_factor": None
        if per_factor is None
        else {key: _number(value) for key, value in zip(subject.sample.factor_names, per_factor, strict=True)},
        "per_code": None
        if per_code is None
        else {key: _number(value) for key, value in zip(subject.code_names, per_code, strict=True)},
        "relation": None if relation is None else [[_number(value) for value in row] for row in relation],
        "rows": result.rows,
        "seconds": round(result.seconds, 3),
        "warnings": list(result.warnings),
        "seed": result.seed,
        "version": __version__,
        "versions": versions(),
        "commit": commit(),
    }
