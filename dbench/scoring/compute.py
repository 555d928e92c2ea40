"""Every metric of the plan on one sample: a score, or the reason why there is none."""

import inspect
import logging
import time
import warnings
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

from dbench.codes import GridSource, RowSource, Sample
from dbench.errors import DbenchError
from dbench.metrics import Score, entropy, exact_copies, shuffled
from dbench.metrics.ceilings import shared_informations
from dbench.metrics.inputs import label_indices, require_count
from dbench.scoring import cautions
from dbench.scoring.plan import LEARNED_ROWS, Item, choose
from dbench.scoring.scored_codes import BINS, ScoredCodes
from dbench.scoring.wide import WIDE, most_informative, too_wide
from dbench.seeds import generator
from dbench.shown import some

REPEATS = 10
"""Repeats behind the interval of a metric that fits no predictors; the others are repeated where that is asked for."""

STOPPED = "stopped before it was computed (Ctrl-C)"
"""Reason of what an interrupt left out."""

_LOG = logging.getLogger(__name__)
_MOST_CLASSES = 1_000
_MANY_CODES = 200  # from which some metrics take minutes
_MOST_CELLS = 1 << 27
_FEW_ROWS = 500  # below, every score is said to say little

Progress = Callable[[Item, int, int, Mapping[str, "Result"]], None]


@dataclass(frozen=True, eq=False)
class Result:
    """One metric: a score, or a reason."""

    item: Item
    score: Score | None
    reason: str  # why there is no score
    rows: int  # number of observations used
    seed: int
    seconds: float
    warnings: tuple[str, ...] = ()  # why the score says little, and what the libraries below remarked
    error: float | None = None  # half the width of the 95% interval around the score, where it was repeated
    repeats: int = 0  # how often it was repeated for that; ``item.varied`` says what varied
    chance: float | None = None  # what codes get that are independent of the factors, where known
    copies: float | None = None  # what exact copies of the factors get by the same protocol, where known; no limit

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval, cut to the metric's bounds."""
        if self.score is None or self.error is None:
            return None
        low, high = self.item.bounds
        below, above = self.score.value - self.error, self.score.value + self.error
        return below if low is None else max(below, low), above if high is None else min(above, high)


def compute(
    scored: ScoredCodes,
    *,
    metrics: Collection[str] = (),
    family: str = "papers",
    fast: bool = False,
    seed: int = 0,
    repeats: int | None = None,
    most: int | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Compute all metrics that the sample allows: the quick ones, their intervals, then the slow ones.

    Every metric has a stream of its own, so that none depends on which others run. The options are those of
    :func:`dbench.scoring.score`; metrics that are computed by name only are left out unless they are named.

    Returns:
        A result for each item, by name. After an interrupt (Ctrl-C) those that were not reached have it as reason.

    Raises:
        InvalidInput: a seed or a number of repeats that is no count.
        UnknownName: a metric that is not in the plan, or a family that does not exist.
    """
    for name, value in (("seed", seed), ("repeats", repeats if repeats is not None else 0)):
        require_count(name, value, 0)
    if most is not None:
        require_count("most", most, 1)
    items = choose(metrics, family)
    wide = scored.sample.n_codes > WIDE
    found: dict[str, Result] = {}

    def left_out(item: Item, reason: str) -> None:
        found[item.name] = Result(item, None, reason, 0, int(seed), 0.0)

    for item in items:
        if item.speed == "by name" and not metrics:
            left_out(item, "exact boosted trees, a minute or more each; computed where asked for by name")
        elif item.speed == "slow" and fast and not metrics:
            left_out(item, "slow; left out as asked (fast)")
        elif wide and not item.wide and not (item.learned and most is not None):
            reason = too_wide(item, scored, int(seed))
            if metrics:
                _LOG.warning("%s %s", item.name, reason)
            else:
                left_out(item, f"{reason}; computed where asked for by name")
    wanted = [item for item in items if item.name not in found]
    slow = [item for item in wanted if item.speed != "fast"]
    quick = [item for item in wanted if item.speed == "fast"]
    quick.sort(key=lambda item: item.learned)  # those that fit nothing are there within a second
    looked_up = scored.source is None or isinstance(scored.source, GridSource)
    once = {item.name for item in wanted if item.learned or (item.needs == "source" and not looked_up)}
    times = {item.name: int(repeats) if repeats is not None else 0 if item.name in once else REPEATS for item in wanted}
    if wide and repeats is None:  # each would take as long again
        times = dict.fromkeys(times, 0)
    steps = [(item, False) for item in quick] + [(item, True) for item in quick]
    steps += [(item, refine) for item in slow for refine in (False, True)]
    few = fitted = rows_for_predictors(scored.sample, int(seed))
    if most is not None and any(item.learned and not item.wide for item in wanted):
        fitted = most_informative(few, most, int(seed))
    with shared_informations(), trees_in_threads(), suppress(KeyboardInterrupt):
        for number, (item, refine) in enumerate(steps):
            if progress is not None:
                progress(item, number, len(steps), found)
            what = scored
            if item.learned:
                what = replace(scored, sample=few if item.wide else fitted)
            if refine:
                found[item.name] = _refined(found[item.name], what, times[item.name], bare=repeats == 0)
            else:
                found[item.name] = _result(item, what, int(seed))
    for item in wanted:
        if item.name not in found:
            left_out(item, STOPPED)
    results = [found[item.name] for item in items]
    if scored.sample.n_factors == 1:  # of which a caution of its own speaks
        return results
    return [replace(one, warnings=(*one.warnings, *cautions.of_scale(one))) for one in results]


def trees_in_threads() -> AbstractContextManager[Any]:
    """Let forests of scikit-learn grow in as many threads as every library may use: their trees are the same."""
    from joblib import parallel_config
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

    threads = min((pool["num_threads"] for pool in threadpool_info()), default=1)
    config: AbstractContextManager[Any] = parallel_config("threading", n_jobs=threads)
    return config


def rows_for_predictors(sample: Sample, seed: int) -> Sample:
    """Draw the rows that metrics with predictors see, of samples of equal length the same."""
    if len(sample) <= LEARNED_ROWS:
        return sample
    stream = generator(task="score_codes", step="rows", seed=seed)
    return sample.take(np.sort(stream.choice(len(sample), size=LEARNED_ROWS, replace=False)))


def _result(item: Item, scored: ScoredCodes, seed: int) -> Result:
    rows = len(scored.sample)
    reason = _obstacle(item, scored)
    if reason:
        return Result(item, None, reason, 0, seed, 0.0)
    start = time.perf_counter()
    score: Score | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            score = call(item, scored, seed)
        except DbenchError as error:
            reason = str(error)
        except (ArithmeticError, MemoryError, ValueError) as error:
            # A metric that a strange sample defeats must not take the others with it.
            reason = f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - start
    if score is None:
        return Result(item, None, " ".join(reason.split()), 0, seed, seconds)
    if scored.sample.n_codes < len(scored.code_names):
        score = replace(score, per_code=None, relation=None)
    if item.needs == "source" and scored.source is not None:
        score = replace(score, factor_names=tuple(scored.source.factor_names))
    remarks = (*score.notes, *_cautions(item, scored), *dict.fromkeys(str(remark.message) for remark in caught))
    # The detail ``chance`` of adjusted metrics is what was taken off.
    chance = 0.0 if item.adjusted else score.details.get("chance", score.details.get("bias"))
    copies = score.details.get("ceiling")
    return Result(item, score, "", rows, seed, seconds, remarks, chance=chance, copies=copies)


def call(item: Item, scored: ScoredCodes, seed: int, **repeat: int) -> Score:
    """Compute an item by the stream of its name, of this seed and repeat."""
    options = dict(item.options)
    # Of wide codes all metrics of information deal out alike, so that it is counted once.
    name = "wide" if item.wide and scored.sample.n_codes > WIDE else item.name
    if "generator" in inspect.signature(item.function).parameters:
        options["generator"] = generator(metric=name, seed=seed, **repeat)
    return item.function(*_input(item, scored), **options)


def _refined(result: Result, scored: ScoredCodes, repeats: int, *, bare: bool) -> Result:
    """Add the interval, and what chance and copies get where the metric does not say.

    Metrics that fit predictors see the same rows in another split, since a row drawn twice would stand in the training
    and in the test part.

    Fewer than two repeats give no interval; ``bare`` adds neither chance nor copies.
    """
    item = result.item
    if result.score is None or item.varied is None:
        return result
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if item.compared and item.speed != "by name" and not bare:
                stream = generator(task="score_codes", step="chance", seed=result.seed)
                dealt, copied = shuffled(scored.sample, stream), exact_copies(scored.sample)
                chance, copies = (
                    call(item, replace(scored, sample=sample), result.seed).value for sample in (dealt, copied)
                )
                result = replace(result, chance=chance, copies=copies)
            if repeats > 1:
                values = [_repeat(item, scored, result.seed, number) for number in range(repeats)]
                error = float(np.std(values, ddof=1) * stats.t.ppf(0.975, repeats - 1))
                result = replace(result, error=error, repeats=repeats)
        except (DbenchError, ArithmeticError, ValueError) as caught:
            said = f"no interval: {' '.join(str(caught).split())}"
            return replace(result, warnings=(*result.warnings, said))
    return replace(result, seconds=result.seconds + time.perf_counter() - start)


def _repeat(item: Item, scored: ScoredCodes, seed: int, number: int) -> float:
    if item.varied == "rows":
        stream = generator(task="score_codes", step="bootstrap", seed=seed, repeat=number)
        rows = stream.integers(len(scored.sample), size=len(scored.sample))
        logvar = None if scored.logvar is None else scored.logvar[rows]
        scored = replace(scored, sample=scored.sample.take(rows), logvar=logvar)
    return call(item, scored, seed, repeat=number + 1).value


def _input(item: Item, scored: ScoredCodes) -> tuple[Any, ...]:
    if item.needs == "source":
        return (scored.source,)
    if item.needs == "posterior":
        return (scored.sample.codes, scored.logvar)
    if item.needs == "sample+logvar":
        return (scored.sample, scored.logvar)
    if item.needs == "grid":
        return (scored.sample.labels,)
    return (scored.sample,)


def _obstacle(item: Item, scored: ScoredCodes) -> str:
    """Say why an item cannot be computed, in a line; nothing if it can."""
    sample = scored.sample
    if item.needs == "models":
        return "compares several models; a file holds the codes of one"
    if item.needs == "source" and scored.source is None:
        return "intervenes on factors: needs labels, each value in ten rows on average, or --encoder and --data"
    if item.needs == "grid" and not isinstance(scored.source, GridSource):
        return "needs every combination of factor values exactly once, or --encoder and --data"
    if item.needs in ("posterior", "sample+logvar") and scored.logvar is None:
        return "needs the posterior: an array 'logvar' or 'std' beside the codes (.npz)"
    if item.labels and not sample.labels:
        return "is defined for labels; factors that are not whole numbers are continuous"
    if item.needs in ("sample", "sample+logvar", "grid") and sample.labels:
        most = max(len(np.unique(column)) for column in sample.labels.factors.T)
        if (item.learned or item.name == "snc") and most > _MOST_CLASSES:  # the time of SNC grows as their square
            return f"fits a predictor for each factor value, at most {_MOST_CLASSES:,}; a factor has {most:,}"
        if most * BINS * sample.n_codes > _MOST_CELLS:
            return f"counts codes by factor value, and a factor has {most:,} values: too many"
    return ""


def long_work(sample: Sample) -> str:
    """Say beforehand what takes long, in a line; nothing where all is quick."""
    if sample.n_codes < _MANY_CODES:
        return ""
    much = f"{sample.n_codes:,} codes: metrics that fit predictors"
    if sample.n_codes > WIDE:
        return f"{much} are left out, but those that are named; --most lets them see fewer codes"
    return f"{much} may take minutes each; --metric chooses, Ctrl-C keeps what is there"


def _cautions(item: Item, scored: ScoredCodes) -> list[str]:
    """Say why a score says little, or what it assumes; nothing where it does not."""
    sample, said = scored.sample, []
    if sample.n_codes < len(scored.code_names):
        said.append(f"of the {sample.n_codes:,} codes of most information, chosen on the other half of the rows")
    if sample.n_factors == 1 and (item.mixes or item.needs == "source"):
        said.append("with one factor no code can mix two: near 1 whatever the codes")
    held = scored.source.factor_names if scored.source is not None else sample.factor_names
    left = [name for name in sample.factor_names if name not in held]
    if left and item.needs in ("source", "grid"):
        said.append(f"leaves out {some(left)}: only labels can be held")
    if item.name == "dci[suter]" and len(sample) < 100_000:  # above, exact copies beside idle codes come near 1
        said.append("leaves of 500 observations are coarse for this many rows; compare it with its copies, not with 1")
    if sample.n_factors > 1 and item.needs == "source" and isinstance(scored.source, RowSource):
        dependence = _dependence(sample.labels) if sample.labels else ""
        said.append(f"estimated from rows that share a value, as if factors were independent{dependence}")
    if len(sample) < _FEW_ROWS and (item.needs != "source" or isinstance(scored.source, RowSource)):
        said.append(f"few rows ({len(sample)}): estimates from fewer than {_FEW_ROWS} are rough and biased")
    return said


def _dependence(sample: Sample) -> str:
    """The two factors that tell most of each other, and how much of the smaller entropy that is."""
    if sample.n_factors < 2:
        return ""
    labels, sizes = label_indices(sample.factors)
    alone = entropy(labels)
    found = []
    for i, j in combinations(range(sample.n_factors), 2):
        both = entropy((labels[:, i] * sizes[j] + labels[:, j])[:, None])[0]
        found.append(((alone[i] + alone[j] - both) / min(alone[i], alone[j]), i, j))
    share, i, j = max(found)
    return f" (most dependent: {sample.factor_names[i]} and {sample.factor_names[j]}, {share:.2f} of their entropy)"
