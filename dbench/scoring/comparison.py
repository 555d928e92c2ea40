"""Two or more models' codes on the same rows: differences of scores, and what they are worth."""

from __future__ import annotations

import html
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from dbench import __version__
from dbench.codes.reading import CodesFile
from dbench.errors import InvalidInput, find
from dbench.metrics.inputs import require_count
from dbench.provenance import commit, versions
from dbench.scoring.compute import STOPPED, Result, compute
from dbench.scoring.halves import Progress, scores_of_halves
from dbench.scoring.plan import Item, choose
from dbench.scoring.progress import bar
from dbench.scoring.reseeding import LARGEST, smallest_reliable_difference, tables
from dbench.scoring.scored_codes import ScoredCodes
from dbench.scoring.scores import Scores, for_python, read_given
from dbench.scoring.wording import in_python, python_messages
from dbench.shown import some

REPEATS = 20
"""Halves of the rows behind the interval of a difference."""

CONFIDENCE = 0.95

_NUMBERS = ("first_score", "second_score", "difference", "low", "high", "p", "another_seed")

ALIKE, SMALL = "no difference told apart", "smaller than another seed would move"


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One metric of two models: what they score and how sure the difference is, or the reason why there is none."""

    item: Item
    models: tuple[str, str]
    scores: tuple[float, float] | None = None
    reason: str = ""  # why there is no difference, or no interval
    error: float | None = None  # half the width of its interval
    p: float | None = None  # of no difference, times the number of differences asked for
    another_seed: float | None = None  # smallest reliable difference: what another seed moves, in 19 of 20 cases

    @property
    def value(self) -> float | None:
        """The first model's score less the second's."""
        return None if self.scores is None else self.scores[0] - self.scores[1]

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends of the interval around the difference."""
        if self.value is None or self.error is None:
            return None
        return self.value - self.error, self.value + self.error

    @property
    def told_apart(self) -> bool:
        """Whether the interval leaves 0 out, by more than rounding moves the metric."""
        return self.value is not None and self.error is not None and abs(self.value) > max(self.error, _slack(self))

    def verdict(self, first: str = "", second: str = "") -> str:
        """Say in words which model is above; the names are by default those of the models."""
        if self.value is None or self.error is None:
            return ""
        one, other = first or self.models[0], second or self.models[1]
        said = (f"{one} above {other}" if self.value > 0 else f"{other} above {one}") if self.told_apart else ALIKE
        small = self.another_seed is not None and abs(self.value) < self.another_seed
        return f"{said}, {SMALL}" if small and self.told_apart else said


def _slack(difference: Difference) -> float:
    assert difference.scores is not None
    return difference.item.tolerance * max(1.0, *map(abs, difference.scores))


@dataclass(frozen=True, eq=False)
class Comparison:
    """What :func:`compare` found; printed it is the table, and ``comparison["mig"]`` is a difference.

    Attributes:
        scores: those of each model, as :func:`dbench.score` has them.
        differences: of every pair of models, every metric.
        repeats: number of halves that were scored.
        table: name of the runs table behind ``another_seed``.
        seed: what decided all draws.
        stopped: whether an interrupt (Ctrl-C) left something out.
    """

    scores: tuple[Scores, ...]
    differences: tuple[Difference, ...]
    repeats: int
    table: str
    seed: int
    stopped: bool

    def __getitem__(self, name: str) -> Difference:
        """Return the difference of the first two models in a metric.

        Raises:
            UnknownName: a metric that was not asked for.
        """
        first = [one for one in self.differences if one.models == self.differences[0].models]
        return find("difference", name, {one.item.name: one for one in first})

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(one.file.name for one in self.scores)

    @property
    def asked(self) -> int:
        """Number of differences with an interval, by which all of them are widened."""
        return sum(one.error is not None for one in self.differences)

    @property
    def records(self) -> list[dict[str, Any]]:
        """One JSON object for each pair of models and metric, as ``dbench compare --json`` prints them."""
        shared = {"confidence": CONFIDENCE, "asked": self.asked, "repeats": self.repeats, "table": self.table}
        shared |= {"seed": self.seed, "version": __version__, "versions": versions(), "commit": commit()}
        return [_record(one) | shared for one in self.differences]

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each pair of models and metric, with what is its own in :attr:`records`."""
        frame = pd.DataFrame([_record(one) for one in self.differences])
        frame = frame.astype(dict.fromkeys(_NUMBERS, "float64")).fillna({"better": "", "verdict": "", "reason": ""})
        frame.attrs = {"seed": self.seed, "versions": versions(), "commit": commit(), "asked": self.asked}
        return frame

    def __str__(self) -> str:
        """What ``dbench compare`` prints, 100 characters wide."""
        from rich.console import Console

        from dbench.scoring.compared import show

        text = io.StringIO()
        show(Console(file=text, width=100, highlight=False, force_jupyter=False, force_terminal=False), self)
        return text.getvalue()

    def to_markdown(self) -> str:
        """Return the differences as a table in Markdown (GitHub's tables), with the verdicts."""
        from dbench.scoring.compared import markdown

        return markdown(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _record(one: Difference) -> dict[str, Any]:
    first, second = one.scores or (None, None)
    low, high = one.interval or (None, None)
    return {
        "metric": one.item.name,
        "first": one.models[0],
        "second": one.models[1],
        "better": one.item.better,
        "first_score": first,
        "second_score": second,
        "difference": one.value,
        "low": low,
        "high": high,
        "p": one.p,
        "another_seed": one.another_seed,
        "verdict": one.verdict() or None,
        "reason": one.reason or None,
    }


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
    halves, splits and draws for all models (:mod:`dbench.scoring.halves`). The intervals hold together: each is
    widened for the number of differences that are asked for, pairs of models times metrics (Bonferroni's inequality;
    Dunn, 'Multiple comparisons among means', JASA 56, 1961). Beside it stands the smallest reliable difference, what
    training again with another seed moves (:func:`dbench.scoring.reseeding.smallest_reliable_difference`).

    Args:
        models: name -> codes, or a list: arrays (n x d, with ``factors``), or without them files, samples, or what
            :func:`dbench.codes.arrays.read_arrays` returns, which may hold a posterior. Widths may differ, rows and
            factors not.
        factors: n x k, those of all models; beside ``.npy`` files of codes that of the factors.
        factor_names: k names.
        continuous: names of factors that are continuous although they look like labels (``*`` is a wildcard).
        discrete: the same for labels that look continuous.
        metrics: names; all quick ones of the family if none are given.
        family: ``papers``, ``identifiability``, or ``all``.
        seed: decides all draws.
        repeats: halves of the rows behind each interval, at least 2.
        table: runs table that says what another seed moves, a folder of fixtures/evidence.
        progress: whether to show a bar after two seconds; or what is called with what is done now, its number and the
            number of steps.

    Returns:
        The differences of every pair. After an interrupt (Ctrl-C) from those halves that were finished.

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
        'near above far'
    """
    choose(metrics, family)
    find("table", table, tables())
    require_count("repeats", repeats, 2)
    kinds = {"continuous": continuous, "discrete": discrete}
    with python_messages():
        found = [
            replace(read_given(codes, factors, None, None, factor_names, seed, kinds), name=name)
            for name, codes in _named(models)
        ]
        options: dict[str, Any] = {"metrics": metrics, "family": family, "seed": seed, "repeats": repeats}
        with bar("compare") as shown:
            advance = progress if callable(progress) else shown if progress else _silent
            compared = compare_codes(found, table=table, progress=advance, **options)
    differences = tuple(replace(one, reason=in_python(one.reason)) for one in compared.differences)
    return replace(compared, scores=tuple(map(for_python, compared.scores)), differences=differences)


def _silent(now: str, number: int, total: int) -> None:
    pass


def _named(models: Any) -> Iterator[tuple[str, Any]]:
    """Name models: by their keys, their files where these differ, else by letters."""
    if isinstance(models, Mapping):
        yield from ((str(name), codes) for name, codes in models.items())
        return
    if not isinstance(models, (list, tuple)):
        raise InvalidInput(f"models must be a dictionary of codes by name, or a list, got {type(models).__name__}")
    names = [Path(one).name if isinstance(one, (str, Path)) else getattr(one, "name", "") for one in models]
    known = all(names) and len(set(names)) == len(names)
    letters = ascii_uppercase if len(names) <= len(ascii_uppercase) else [str(i + 1) for i in range(len(names))]
    yield from zip(names if known else letters, models, strict=False)


def require_same_rows(models: Sequence[CodesFile]) -> None:
    """Insist on at least two models of the same rows and factors.

    Raises:
        InvalidInput: they are not.
    """
    if not 2 <= len(models) <= len(ascii_uppercase):
        raise InvalidInput(
            f"models must be 2 to {len(ascii_uppercase)}, to be compared with each other, got {len(models)}"
        )
    first, *others = models
    one = first.sample
    for model in others:
        other, both = model.sample, f"{first.name} and {model.name}"
        if len(one) != len(other):
            raise InvalidInput(f"models must have the same rows, got {len(one):,} and {len(other):,} of {both}")
        if one.factor_names != other.factor_names:
            names = f"{some(one.factor_names)} and {some(other.factor_names)}"
            raise InvalidInput(f"models must have the same factors in one order, got {names} of {both}")
        for name, kinds in zip(one.factor_names, zip(one.kinds, other.kinds, strict=True), strict=True):
            if kinds[0] != kinds[1]:
                raise InvalidInput(f"{name} must be of one kind, got {' and '.join(kinds)} of {both}")
        if (wrong := np.argwhere(one.factors != other.factors)).size:
            (row, j), count = wrong[0], len(np.unique(wrong[:, 0]))
            values = f"{one.factors[row, j]:g} and {other.factors[row, j]:g}"
            raise InvalidInput(
                f"models must have the same factors in every row, got {values} for {one.factor_names[j]} in row "
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
    """Compare what was read; options as of :func:`compare`, with the words of the command line."""
    require_same_rows(models)
    if len({model.name for model in models}) < len(models):
        raise InvalidInput(f"models must have a name each, got {some([model.name for model in models])}")
    files = [ScoredCodes.of(model) for model in models]
    every = [_of_model(file, metrics, family, seed, progress) for file in files]
    rows = list(zip(*every, strict=True))
    whole = [row for row in rows if all(result.score is not None for result in row)]
    items = [row[0].item for row in whole if row[0].item.varied is not None]
    stopped = any(result.reason == STOPPED for results in every for result in results)
    halves: dict[str, Any] = {}
    failed: dict[str, str] = {}
    if items and not stopped:
        halves, failed = scores_of_halves(files, items, seed=seed, repeats=repeats, progress=progress)
    done = min((len(values) for values in halves.values()), default=repeats if failed else 0)
    pairs = list(combinations(range(len(files)), 2))
    asked = len(halves) * len(pairs)
    differences = []
    for first, second in pairs:
        for row in rows:
            one, other = row[first], row[second]
            name, names = one.item.name, (files[first].name, files[second].name)
            found = Difference(item=one.item, models=names, another_seed=smallest_reliable_difference(name, table))
            if one.score is None or other.score is None:
                differences.append(replace(found, reason=_reason(one, other, names)))
                continue
            found = replace(found, scores=(one.score.value, other.score.value))
            if name in halves and done > 1:
                differences.append(_with_interval(found, halves[name][:, [first, second]], asked))
            else:
                lacking = "no interval: needs every row once" if one.item.varied is None else STOPPED
                differences.append(replace(found, reason=failed.get(name, lacking)))
    scores = tuple(Scores(file, results) for file, results in zip(files, every, strict=True))
    return Comparison(scores, tuple(differences), done, table, int(seed), stopped or (bool(items) and done < repeats))


def _of_model(file: ScoredCodes, metrics: Collection[str], family: str, seed: int, progress: Progress) -> list[Result]:
    """Score one model; slow metrics are left out without a word where none is named."""

    def advance(item: Item, number: int, total: int, found: object) -> None:
        progress(f"{file.name}: {item.name}", number, total)

    results = compute(file, metrics=metrics, family=family, fast=True, seed=seed, repeats=0, progress=advance)
    return [result for result in results if metrics or result.item.speed == "fast"]


def _reason(one: Result, other: Result, names: tuple[str, str]) -> str:
    if one.reason == other.reason:
        return one.reason
    said = [f"{result.reason} ({name})" for result, name in zip((one, other), names, strict=True) if result.reason]
    return "; ".join(said)


def deviation_of(difference: float, halves: NDArray[np.float64]) -> float:
    """Standard error of a difference, from the scores of halves (repeats x 2): root mean square deviation from it.

    Not from the mean of the halves: what fewer rows shift counts too, such as the bias of an estimate, and extreme
    values that one model has alone, between which bins of equal width are laid.
    """
    return float(np.sqrt(np.mean((halves[:, 0] - halves[:, 1] - difference) ** 2)))


def widening(repeats: int, asked: int = 1) -> float:
    """Half of an interval by its standard error: Student's t of so many deviations, with Bonferroni's share."""
    return float(special.stdtrit(repeats, 1 - (1 - CONFIDENCE) / 2 / asked))


def _with_interval(found: Difference, halves: NDArray[np.float64], asked: int) -> Difference:
    assert found.value is not None
    size, deviation = abs(found.value), deviation_of(found.value, halves)
    if deviation > 0:
        p = min(1.0, asked * 2 * float(special.stdtr(len(halves), -size / deviation)))
    else:
        p = float(size <= _slack(found))
    return replace(found, error=deviation * widening(len(halves), asked), p=p)
