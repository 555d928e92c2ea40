"""Score a user's codes by every metric; the scores are one object."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dbench import __version__
from dbench.codes import Sample, Source
from dbench.codes.arrays import logarithms_of_variances, read_arrays
from dbench.codes.factors import exchanged
from dbench.codes.reading import CodesFile, read_codes
from dbench.errors import InvalidInput, find
from dbench.metrics import Score
from dbench.provenance import commit, versions
from dbench.scoring.compute import Progress, Result, compute
from dbench.scoring.inputs import prepared
from dbench.scoring.page import hinton_svg, tables
from dbench.scoring.tables import Table, of_scores
from dbench.scoring.terminal import as_text, bar, show
from dbench.scoring.wording import in_python, python_messages
from dbench.stats.estimate import finite_or_none

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("metric", "part", "name", "score", "low", "high", "chance", "copies", "rows", "reason")


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores that :func:`score` returns: ``scores["mig"]`` is a number, and printing shows the table."""

    file: CodesFile
    results: Sequence[Result]

    def __getitem__(self, name: str) -> float:
        """Return the score of that name.

        Raises:
            UnknownName: a metric that was not asked for.
            InvalidInput: one that could not be computed, with the reason.
        """
        score = self.result(name).score
        assert score is not None
        return score.value

    def result(self, name: str) -> Result:
        """Return the score of that name with its interval, chance level and copies; raises like ``scores[name]``."""
        result = find("score", name, {result.item.name: result for result in self.results})
        if result.score is None:
            raise InvalidInput(f"{name} has no score: {result.reason}")
        return result

    @property
    def frame(self) -> pd.DataFrame:
        """One long table, with one row for each number.

        ``metric`` is the metric's name; ``part`` is ``score``, ``factor``, ``code``, ``detail``, or ``skipped`` where
        there is no score (``reason`` says why, ``score`` is missing); ``name`` names the factor, code or detail. Only
        rows of part ``score`` have ``low`` and ``high``, the 95% interval, and ``chance`` and ``copies``, the scores of
        independent codes and exact copies. ``rows`` is the number of observations used. ``attrs`` holds ``seed``,
        ``versions``, ``commit`` and ``notes``.
        """
        rows = [row for result in self.results for row in _rows(self.file, result)]
        numbers = dict.fromkeys(COLUMNS[3:8], "float64")
        frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype(numbers | {"rows": "int64"})
        frame.attrs = {"seed": self.results[0].seed, "versions": versions(), "commit": commit()}
        frame.attrs["notes"] = list(self.file.notes)
        return frame

    @property
    def records(self) -> list[dict[str, Any]]:
        """One JSON object for each metric, as ``dbench score --json`` prints them.

        Beside the columns of :attr:`frame`: ``repeats`` and ``repeated`` (how often, and what varied: ``rows``,
        ``split`` or ``draws``), ``better`` (``higher``, ``lower`` or null), ``protocol`` (the metric's full name, with
        the relation or model it used), ``factors`` (names of the factors it used), ``relation`` (codes x these
        factors), and keys that explain themselves.
        """
        return [_record(self.file, result) for result in self.results]

    @property
    def relations(self) -> dict[str, tuple[str, NDArray[np.float64], tuple[str, ...]]]:
        """Relations of codes and factors behind the scores: name -> (title, d x k matrix, its k factor names)."""
        relations: dict[str, tuple[str, NDArray[np.float64], tuple[str, ...]]] = {}
        for result in self.results:
            if result.score is None or result.score.relation is None or result.item.picture is None:
                continue
            name, title = result.item.picture
            relations.setdefault(name, (title, result.score.relation, factors_of(self.file, result.score)))
        return relations

    @property
    def pictures(self) -> dict[str, str]:
        """Hinton diagrams (SVG) of the relation matrices behind the scores, by file name."""
        codes = self.file.code_names
        relations = self.relations.items()
        return {name: hinton_svg(matrix, codes, factors, title) for name, (title, matrix, factors) in relations}

    def __str__(self) -> str:
        """The table that ``dbench score`` prints, 100 characters wide."""
        return as_text(lambda console: show(console, [self], table=".frame or .records"))

    def to_markdown(self) -> str:
        """Return the table of scores, with interval, chance and copies, in Markdown (GitHub's tables)."""
        return self._table().markdown()

    def to_latex(self) -> str:
        r"""Return the table of scores as a LaTeX ``tabular``, which needs the package booktabs."""
        return self._table().latex()

    def _table(self) -> Table:
        heads = {name: name for name in ("score", "95% interval", "chance", "copies")}
        return of_scores(self.results, {"metric": "metric, better"} | heads)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the scores with their intervals, and what chance and copies get: :func:`dbench.plot.scores`.

        Raises:
            DbenchError: matplotlib is not installed.
        """
        from dbench.scoring.plots import scores

        return scores(self, ax=ax)

    def _repr_html_(self) -> str:
        return tables([self])


def factors_of(file: CodesFile, score: Score) -> tuple[str, ...]:
    """Return the names of the factors that a score uses: a metric leaves out factors of a kind that it cannot take."""
    return score.factor_names or file.sample.factor_names


def _rows(file: CodesFile, result: Result) -> Iterator[tuple[Any, ...]]:
    name, score, n = result.item.name, result.score, result.rows
    missing = (None, None, None, None)  # low, high, chance and copies
    if score is None:
        yield name, "skipped", "", None, *missing, n, result.reason
        return
    yield name, "score", "", score.value, *(result.interval or (None, None)), result.chance, result.copies, n, ""
    for part, names, values in (
        ("factor", factors_of(file, score), score.per_factor),
        ("code", file.code_names, score.per_code),
        ("detail", tuple(score.details), list(score.details.values())),
    ):
        if values is not None:
            for key, value in zip(names, values, strict=True):
                yield name, part, key, float(value), *missing, n, ""


def _by_name(names: Iterable[str], values: Iterable[float] | None) -> dict[str, float | None] | None:
    return None if values is None else {key: finite_or_none(value) for key, value in zip(names, values, strict=True)}


def _record(file: CodesFile, result: Result) -> dict[str, Any]:
    score = result.score
    low, high = result.interval or (None, None)
    relation = score.relation if score else None
    return {
        "file": file.name,
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
        "details": _by_name(score.details, score.details.values()) if score else {},
        "per_factor": _by_name(factors_of(file, score), score.per_factor) if score else None,
        "per_code": _by_name(file.code_names, score.per_code) if score else None,
        "factors": list(factors_of(file, score)) if score else [],
        "relation": None if relation is None else [[finite_or_none(value) for value in row] for row in relation],
        "rows": result.rows,
        "seconds": round(result.seconds, 3),
        "warnings": list(result.warnings),
        "seed": result.seed,
        "version": __version__,
        "versions": versions(),
        "commit": commit(),
    }


def score(
    codes: Any,
    factors: Any = None,
    *,
    logvar: Any = None,
    std: Any = None,
    factor_names: Sequence[str] = (),
    continuous: Collection[str] = (),
    discrete: Collection[str] = (),
    metrics: Collection[str] = (),
    family: str = "papers",
    fast: bool = False,
    seed: int = 0,
    repeats: int | None = None,
    most: int | None = None,
    progress: Progress | bool = True,
    source: Source | None = None,
) -> Scores:
    """Compute every metric that the codes allow; the numbers are those of ``dbench score``.

    Args:
        codes: n x d: an array, tensor, frame, list or dictionary of vectors by name (see
            :func:`dbench.codes.arrays.read_arrays`); or, without ``factors``, a :class:`Sample`, a file (see
            :func:`dbench.codes.reading.read_codes`) or what was read from one.
        factors: n x k, likewise; text is encoded. For an .npy file of codes, the file of the factors.
        logvar: n x d logarithms of the posterior's variances, of which ``codes`` are the means, for the metrics that
            ask which codes are informative. A file has its own.
        std: its standard deviations, in place of ``logvar``.
        factor_names: k names; by default those of the frame, or ``factor_0`` and so on. A file has its own.
        continuous: names of factors that are continuous although they look like labels (``*`` is a wildcard).
        discrete: the same for labels that look continuous.
        metrics: names; by default all of the family, except those of exact boosted trees (``dci``), which take a
            minute each.
        family: ``papers`` (the metrics of the five papers), ``identifiability`` (those of later ones), or ``all``.
        fast: leave out slow metrics unless they are named.
        seed: decides all draws.
        repeats: how often each metric is repeated for its 95% interval; 0 for no interval. By default 10 for metrics
            that fit no predictors and 0 for the others, and 0 for all metrics of more than 1,000 codes.
        most: number of codes that metrics which fit predictors see: the most informative ones on one half of the rows,
            scored on the other half; by default all. With more than 1,000 codes these metrics are left out, and the
            reason says how long they would take, unless this is given or they are named.
        progress: whether to show a bar on a terminal, or in a notebook with ipywidgets, after two seconds; or a
            function called before each step with the item, the step's number, their number, and the results so far.
        source: returns codes of other factors, such as a :class:`dbench.codes.FunctionSource`, for the metrics that
            intervene; by default the codes themselves, if they are those of a full factor grid.

    Returns:
        The scores; after an interrupt (Ctrl-C) those that were computed by then.

    Raises:
        InvalidInput: arrays, a file or an option that break a rule.
        DamagedData: a file that cannot be read.
        UnknownName: a metric, family or factor that does not exist.

    Example:
        >>> import numpy as np
        >>> factors = np.indices((4, 4)).reshape(2, -1).T
        >>> scores = score(factors * 1.0, {"shape": factors[:, 0], "size": factors[:, 1]}, metrics=["mig"])
        >>> round(scores["mig"], 3)
        1.0
    """
    kinds: dict[str, Any] = {"continuous": continuous, "discrete": discrete}
    options: dict[str, Any] = {"metrics": metrics, "family": family, "fast": fast, "seed": seed, "repeats": repeats}
    options |= {"most": most, "source": source}
    with python_messages():
        read = read_given(codes, factors, logvar, std, factor_names, seed, kinds)
        if progress is False or callable(progress):
            scores = scores_of(read, progress=progress or None, **options)
        else:
            with bar(read.name) as advance:
                scores = scores_of(read, progress=lambda item, i, n, _: advance(item.name, i, n), **options)
    return for_python(scores)


def for_python(scores: Scores) -> Scores:
    """Return the scores with notes and reasons that name Python arguments, not options of the command line."""
    notes = tuple(in_python(note) for note in scores.file.notes)
    results = [replace(result, reason=in_python(result.reason)) for result in scores.results]
    return Scores(replace(scores.file, notes=notes), results)


def read_given(
    codes: Any, factors: Any, logvar: Any, std: Any, factor_names: Sequence[str], seed: int, kinds: dict[str, Any]
) -> CodesFile:
    """Read the codes and factors given to :func:`score`: arrays, a sample, a file, or what was read from one."""
    if isinstance(codes, (str, Path, CodesFile)):
        for name, value in (("factor_names", list(factor_names) or None), ("logvar", logvar), ("std", std)):
            if value is not None:
                shown = value if name == "factor_names" else "values"
                raise InvalidInput(f"{name} must come with arrays, got {shown} beside a file, which has its own")
    if isinstance(codes, (Sample, CodesFile)) and factors is None:
        for name, given in kinds.items():
            if len(given):
                raise InvalidInput(f"{name} must come with arrays or a file, got {given!r} beside a Sample's own kinds")
        if isinstance(codes, CodesFile):
            return codes
        sample = replace(codes, factor_names=tuple(factor_names) or codes.factor_names)
        code_names = tuple(f"code_{j}" for j in range(sample.n_codes))
        notes = tuple(exchanged(sample.codes, sample.kinds))
        logvar = logarithms_of_variances(sample, code_names, logvar, std)
        return CodesFile("arrays", sample, code_names, len(sample), logvar=logvar, notes=notes)
    if isinstance(codes, (str, Path)):
        if not isinstance(factors, (str, Path, type(None))):
            raise InvalidInput(f"factors beside a file must be a file too, got {type(factors).__name__}")
        return read_codes(codes, factors, seed=seed, **kinds)
    return read_arrays(codes, factors, factor_names=factor_names, logvar=logvar, std=std, **kinds)


def scores_of(codes: CodesFile, *, source: Source | None = None, **options: Any) -> Scores:
    """Score codes that were read; options as of :func:`dbench.scoring.compute.compute`, reasons as ``dbench score``."""
    file = prepared(codes, source)
    return Scores(file, compute(file, **options))


def score_codes(codes: Any, factors: Any = None, **options: Any) -> pd.DataFrame:
    """Return the long table :attr:`Scores.frame` of :func:`score`, with the same arguments.

    Example:
        >>> table = score_codes([[0.0], [1.0]] * 8, [[0], [1]] * 8, metrics=["mig"], repeats=0)
        >>> table[table["part"] == "score"][["metric", "score"]].round(3).values.tolist()
        [['mig', 1.0]]
    """
    return score(codes, factors, **options).frame
