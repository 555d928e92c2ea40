"""Every metric of somebody's codes, as one object: printed it is the table, asked for a name it is the number."""

import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from dbench.codes import Sample, Source
from dbench.codes.arrays import read_arrays
from dbench.codes.reading import CodesFile, read_codes
from dbench.errors import InvalidInput, find
from dbench.scoring.compute import Progress, Result, compute
from dbench.scoring.frame import frame_of, records_of
from dbench.scoring.hinton import hinton_svg
from dbench.scoring.subject import ScoredCodes, subject_of


@dataclass(frozen=True, eq=False)
class Scores:
    """What :func:`score` found; ``print`` shows the table, a notebook shows it as HTML, ``scores["mig"]`` is a number.

    Attributes:
        file: what was read and scored.
        results: one for each metric, by name.
    """

    file: ScoredCodes
    results: Sequence[Result]

    def __getitem__(self, name: str) -> float:
        """Return the score of that name.

        Raises:
            UnknownName: a metric that was not asked for.
            InvalidInput: one that could not be computed, with the reason.
        """
        result = find("score", name, {result.item.name: result for result in self.results})
        if result.score is None:
            raise InvalidInput(f"{name} has no score: {result.reason}")
        return result.score.value

    @property
    def frame(self) -> pd.DataFrame:
        """A long table with one row for each number, see :func:`dbench.scoring.frame.frame_of`."""
        return frame_of(self.file, self.results)

    @property
    def records(self) -> list[dict[str, Any]]:
        """One JSON object for each metric, see :func:`dbench.scoring.frame.records_of`."""
        return records_of(self.file, self.results)

    @property
    def pictures(self) -> dict[str, str]:
        """A Hinton diagram (SVG) of every kind of relation matrix behind the scores, by file name."""
        drawn: dict[str, str] = {}
        for result in self.results:
            if result.score is None or result.score.relation is None or result.item.picture is None:
                continue
            name, title = result.item.picture
            if name not in drawn:
                names = self.file.code_names, self.file.sample.factor_names
                drawn[name] = hinton_svg(result.score.relation, *names, title)
        return drawn

    def __str__(self) -> str:
        """The table that ``dbench score`` prints, 100 characters wide."""
        from rich.console import Console

        from dbench.scoring.terminal import show

        text = io.StringIO()
        show(Console(file=text, width=100, highlight=False), [self])
        return text.getvalue()

    def _repr_html_(self) -> str:
        from dbench.scoring.html import tables

        return tables([self])


def score(
    codes: Any,
    factors: Any = None,
    *,
    factor_names: Sequence[str] = (),
    continuous: Collection[str] = (),
    discrete: Collection[str] = (),
    metrics: Collection[str] = (),
    fast: bool = False,
    seed: int = 0,
    repeats: int | None = None,
    progress: Progress | None = None,
    source: Source | None = None,
) -> Scores:
    """Compute every metric that somebody's codes allow; the numbers are those of ``dbench score``.

    Args:
        codes: n x d: an array, tensor, frame or list (see :func:`dbench.codes.arrays.read_arrays`); or with no factors
            beside it a :class:`Sample`, a file (see :func:`dbench.codes.reading.read_codes`) or what was read from one.
        factors: n x k, likewise; text is encoded.
        factor_names: k names; those of the frame, or ``factor_0`` and so on, when not given.
        continuous: names of factors that are continuous although they look like labels (``*`` is a wildcard).
        discrete: names of factors that are labels although they look continuous.
        metrics: names; all if none are given, but those of exact boosted trees (``dci``), which take a minute each.
        fast: leave out the slow ones, but those that are named.
        seed: decides all draws.
        repeats: how often each is repeated for its 95% interval; 0 for none. By default those that fit no predictors
            are, 10 times.
        progress: called with each item, its number and the number of items, and the results so far, before it is
            computed.
        source: what can be asked for codes of other factors, such as a :class:`dbench.codes.FunctionSource`, for the
            metrics that intervene; by default the codes, where they are those of a full factor grid.

    Returns:
        The scores. After an interrupt (Ctrl-C) those that were reached.

    Raises:
        InvalidInput: arrays, a file or an option that break a rule.
        DamagedData: a file that cannot be read.
        UnknownName: a metric or factor that does not exist.

    Example:
        >>> import numpy as np
        >>> factors = np.indices((4, 4)).reshape(2, -1).T
        >>> scores = score(factors * 1.0, factors, metrics=["mig"])
        >>> round(scores["mig"], 3)
        1.0
    """
    kinds: dict[str, Any] = {"continuous": continuous, "discrete": discrete}
    if isinstance(codes, Sample) and factors is None:
        names = tuple(factor_names) or codes.factor_names
        found = read_arrays(codes.codes, codes.factors, factor_names=names, **kinds)
    elif isinstance(codes, CodesFile) and factors is None:
        again = read_arrays(codes.sample.codes, codes.sample.factors, factor_names=codes.sample.factor_names, **kinds)
        found = replace(codes, sample=again.sample) if continuous or discrete else codes
    elif isinstance(codes, (str, Path)):
        found = read_codes(codes, factors, seed=seed, **kinds)
    else:
        found = read_arrays(codes, factors, factor_names=factor_names, **kinds)
    file = subject_of(found, source)
    results = compute(file, metrics=metrics, fast=fast, seed=seed, repeats=repeats, progress=progress)
    return Scores(file, results)


def score_codes(codes: Any, factors: Any = None, **options: Any) -> pd.DataFrame:
    """Return the long table of :func:`score`, which says what may be given.

    Example:
        >>> table = score_codes([[0.0], [1.0]] * 8, [[0], [1]] * 8, metrics=["mig"], repeats=0)
        >>> table[table["part"] == "score"][["metric", "score"]].round(3).values.tolist()
        [['mig', 1.0]]
    """
    return score(codes, factors, **options).frame
