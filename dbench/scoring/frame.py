"""Results as a long table and as records: one set of numbers for Python, csv and JSON."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from dbench import __version__
from dbench.provenance import commit, versions
from dbench.scoring.compute import Result
from dbench.scoring.subject import ScoredCodes

COLUMNS = ("metric", "part", "name", "score", "low", "high", "chance", "copies", "rows", "reason")
"""Columns of the long table."""


def frame_of(subject: ScoredCodes, results: Iterable[Result]) -> pd.DataFrame:
    """Put results into one long table.

    One row for each number: ``metric`` is its name; ``part`` is ``score``, ``factor``, ``code``, ``detail``, or
    ``skipped`` where there is no score (``reason`` says why, ``score`` is missing); ``name`` is that of the factor,
    code or detail; ``low`` and ``high`` are the 95% interval, ``chance`` and ``copies`` what independent codes and
    exact copies of the factors get, of scores only; ``rows`` is the number of observations used. ``attrs`` holds
    ``seed``, ``versions``, ``commit`` and ``notes``.
    """
    listed = list(results)
    rows = [row for result in listed for row in _rows(subject, result)]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype(dict.fromkeys(COLUMNS[3:8], "float64") | {"rows": "int64"})
    seed = listed[0].seed if listed else None
    frame.attrs = {"seed": seed, "versions": versions(), "commit": commit(), "notes": list(subject.notes)}
    return frame


def _rows(subject: ScoredCodes, result: Result) -> Iterator[tuple[Any, ...]]:
    name, score, n = result.item.name, result.score, result.rows
    nothing = (None, None, None, None)
    if score is None:
        yield name, "skipped", "", None, *nothing, n, result.reason
        return
    yield name, "score", "", score.value, *(result.interval or (None, None)), result.chance, result.copies, n, ""
    for part, names, values in (
        ("factor", subject.sample.factor_names, score.per_factor),
        ("code", subject.code_names, score.per_code),
        ("detail", tuple(score.details), list(score.details.values())),
    ):
        if values is not None:
            for key, value in zip(names, values, strict=True):
                yield name, part, key, float(value), *nothing, n, ""


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _named(names: Iterable[str], values: Iterable[float] | None) -> dict[str, float | None] | None:
    return None if values is None else {key: _number(value) for key, value in zip(names, values, strict=True)}


def records_of(subject: ScoredCodes, results: Iterable[Result]) -> list[dict[str, Any]]:
    """Return one JSON object for each metric.

    ``file``, ``metric`` and ``score`` (null where it was skipped, see ``reason``), ``low`` and ``high`` (the 95%
    interval, null where nothing was repeated), ``repeats`` and ``repeated`` (how often, and what varied: ``rows``,
    ``split`` or ``draws``), ``better`` (``higher``, ``lower`` or null), ``chance`` and ``copies``, ``protocol`` (the
    metric's full name, with the relation or model it used), ``bounds``, ``details``, ``per_factor`` and ``per_code`` by
    name, ``relation`` (codes x factors), ``rows``, ``seconds``, ``warnings``, ``seed``, ``version``,
    ``versions`` and ``commit``.
    """
    return [_record(subject, result) for result in results]


def _record(subject: ScoredCodes, result: Result) -> dict[str, Any]:
    score = result.score
    low, high = result.interval or (None, None)
    relation = score.relation if score else None
    return {
        "file": subject.name,
        "metric": result.item.name,
        "score": score.value if score else None,
        "reason": result.reason or None,
        "low": low,
        "high": high,
        "repeats": result.repeats,
        "repeated": result.item.varied if result.repeats else None,
        "better": result.item.better,
        "chance": result.chance,
        "copies": result.copies,
        "protocol": score.metric if score else None,
        "bounds": list(result.item.bounds),
        "details": _named(score.details, score.details.values()) if score else {},
        "per_factor": _named(subject.sample.factor_names, score.per_factor) if score else None,
        "per_code": _named(subject.code_names, score.per_code) if score else None,
        "relation": None if relation is None else [[_number(value) for value in row] for row in relation],
        "rows": result.rows,
        "seconds": round(result.seconds, 3),
        "warnings": list(result.warnings),
        "seed": result.seed,
        "version": __version__,
        "versions": versions(),
        "commit": commit(),
    }
