"""Differences of scores of two or more models on the same rows: intervals, verdicts in words, tables."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from dbench import __version__
from dbench.errors import find
from dbench.provenance import commit, versions
from dbench.scoring.plan import Item
from dbench.scoring.scores import Scores
from dbench.scoring.tables import of_differences
from dbench.scoring.terminal import as_text, show_comparison

CONFIDENCE = 0.95

_NUMBERS = ("first_score", "second_score", "difference", "low", "high", "p", "another_seed")

ALIKE = "no difference told apart"
SMALL, LARGE = "smaller than another seed would move", "by more than another seed moves"
UNKNOWN = "of another seed nothing is known"


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One metric of two models: what they score and how sure the difference is, or the reason why there is none."""

    item: Item
    models: tuple[str, str]
    scores: tuple[float, float] | None = None
    reason: str = ""  # why there is no difference, or no interval
    error: float | None = None  # half the width of the interval
    p: float | None = None  # p value of no difference, times the number of differences asked for (Bonferroni)
    another_seed: float | None = None  # smallest reliable difference: what another seed moves, in 19 of 20 cases

    @property
    def value(self) -> float | None:
        """The first model's score less the second's."""
        return None if self.scores is None else self.scores[0] - self.scores[1]

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends of the interval around the difference; None without a difference or an interval."""
        if self.value is None or self.error is None:
            return None
        return self.value - self.error, self.value + self.error

    @property
    def told_apart(self) -> bool:
        """Whether the interval excludes 0 and the difference is more than rounding error."""
        return self.value is not None and self.error is not None and abs(self.value) > max(self.error, _rounding(self))

    def verdict(self, first: str = "", second: str = "") -> str:
        """Say in words which model scores higher, by the models' names or those given; empty without an interval."""
        if self.value is None or self.error is None:
            return ""
        if not self.told_apart:
            return ALIKE
        first, second = first or self.models[0], second or self.models[1]
        above = f"{first} above {second}" if self.value > 0 else f"{second} above {first}"
        if self.another_seed is None:
            return f"{above}; {UNKNOWN}"
        return f"{above}, {SMALL if abs(self.value) <= self.another_seed else LARGE}"


def _rounding(difference: Difference) -> float:
    """Return how far rounding may move a difference: the metric's tolerance, relative to scores above 1."""
    assert difference.scores is not None
    return difference.item.tolerance * max(1.0, *map(abs, difference.scores))


def deviation_of(difference: float, halves: NDArray[np.float64]) -> float:
    """Return the standard error of a difference: the root mean square deviation from it over halves (repeats x 2).

    The deviation is from the difference on all rows, not from the mean of the halves: what fewer rows shift counts too,
    such as the bias of an estimate, or the range of equal-width bins where one model alone has extreme values.
    """
    return float(np.sqrt(np.mean((halves[:, 0] - halves[:, 1] - difference) ** 2)))


def widening(repeats: int, asked: int = 1) -> float:
    """Return half of an interval in standard errors: Student's t with ``repeats`` degrees of freedom, by Bonferroni."""
    return float(special.stdtrit(repeats, 1 - (1 - CONFIDENCE) / 2 / asked))


def with_interval(difference: Difference, halves: NDArray[np.float64], asked: int) -> Difference:
    """Return a difference with its interval and p value, from the scores of halves (repeats x 2)."""
    assert difference.value is not None
    size, deviation = abs(difference.value), deviation_of(difference.value, halves)
    if deviation > 0:
        p = min(1.0, asked * 2 * float(special.stdtr(len(halves), -size / deviation)))
    else:
        p = float(size <= _rounding(difference))
    return replace(difference, error=deviation * widening(len(halves), asked), p=p)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What :func:`compare` found; printed it is the table, and ``comparison["mig"]`` is a difference.

    Attributes:
        scores: the scores of each model, as :func:`dbench.score` returns them.
        differences: one for every pair of models and metric.
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
        first_pair = [each for each in self.differences if each.models == self.differences[0].models]
        return find("difference", name, {each.item.name: each for each in first_pair})

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(scores.file.name for scores in self.scores)

    @property
    def asked(self) -> int:
        """Number of differences with an interval; every interval is widened for this number."""
        return sum(each.error is not None for each in self.differences)

    @property
    def records(self) -> list[dict[str, Any]]:
        """One JSON object for each pair of models and metric, as ``dbench compare --json`` prints them."""
        shared = {"confidence": CONFIDENCE, "asked": self.asked, "repeats": self.repeats, "table": self.table}
        shared |= {"seed": self.seed, "version": __version__, "versions": versions(), "commit": commit()}
        return [_record(each) | shared for each in self.differences]

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each pair of models and metric: the fields of :attr:`records` that differ between rows."""
        frame = pd.DataFrame([_record(each) for each in self.differences])
        frame = frame.astype(dict.fromkeys(_NUMBERS, "float64")).fillna({"better": "", "verdict": "", "reason": ""})
        frame.attrs = {"seed": self.seed, "versions": versions(), "commit": commit(), "asked": self.asked}
        return frame

    def __str__(self) -> str:
        """What ``dbench compare`` prints, 100 characters wide."""
        return as_text(lambda console: show_comparison(console, self))

    def to_markdown(self) -> str:
        """Return the differences as a table in Markdown (GitHub's tables), with the verdicts."""
        pairs = groupby(self.differences, key=lambda each: each.models)
        return "\n".join(of_differences(pair, models).markdown() for models, pair in pairs)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _record(difference: Difference) -> dict[str, Any]:
    first, second = difference.scores or (None, None)
    low, high = difference.interval or (None, None)
    return {
        "metric": difference.item.name,
        "first": difference.models[0],
        "second": difference.models[1],
        "better": difference.item.better,
        "first_score": first,
        "second_score": second,
        "difference": difference.value,
        "low": low,
        "high": high,
        "p": difference.p,
        "another_seed": difference.another_seed,
        "verdict": difference.verdict() or None,
        "reason": difference.reason or None,
    }
