"""Compute every metric of the plan on one sample: score, interval, chance level and copies, or why there is none."""

import inspect
import logging
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from dbench.codes import GridSource, RowSource
from dbench.codes.reading import CodesFile
from dbench.errors import DbenchError
from dbench.metrics import Score, exact_copies, shuffled
from dbench.metrics.ceilings import shared_informations
from dbench.metrics.inputs import require_count
from dbench.scoring.inputs import dependence, most_informative, rows_for_predictors
from dbench.scoring.plan import DEFEATED, WIDE, Item, choose, obstacle, too_wide
from dbench.seeds import generator
from dbench.shown import some

REPEATS = 10
"""Default repeats for the interval of a metric that fits no predictors; the others are repeated on request only."""

STOPPED = "stopped before it was computed (Ctrl-C)"
"""Reason given for a metric that an interrupt left out."""

TOLD_APART = 0.1
"""A metric must set chance and exact copies apart by more than this share of the larger; the audit asks the same."""

_LOG = logging.getLogger(__name__)
_FEW_ROWS = 500  # with fewer rows every score carries a caution

Progress = Callable[[Item, int, int, Mapping[str, "Result"]], None]


@dataclass(frozen=True, eq=False)
class Result:
    """One metric's score, or the reason why it has none."""

    item: Item
    score: Score | None
    reason: str  # why there is no score
    rows: int  # number of observations used
    seed: int
    seconds: float
    warnings: tuple[str, ...] = ()  # why the score says little, and what libraries warned of
    error: float | None = None  # half the width of the 95% interval; None where nothing was repeated
    repeats: int = 0  # behind the interval; ``item.varied`` says what they vary
    chance: float | None = None  # score of codes that are independent of the factors, where known
    copies: float | None = None  # score of exact copies of the factors by the same protocol; no upper bound

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval, cut to the metric's bounds; None where it was not estimated."""
        if self.score is None or self.error is None:
            return None
        smallest, largest = self.item.bounds
        low, high = self.score.value - self.error, self.score.value + self.error
        low = low if smallest is None else max(low, smallest)
        high = high if largest is None else min(high, largest)
        return low, high


def compute(
    codes: CodesFile,
    *,
    metrics: Collection[str] = (),
    family: str = "papers",
    fast: bool = False,
    seed: int = 0,
    repeats: int | None = None,
    most: int | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Compute all metrics that prepared codes allow: the quick ones, their intervals, then the slow ones.

    Every metric has its own random stream, so its score does not depend on which others run. The options are those of
    :func:`dbench.scoring.score`; metrics that are computed by name only are left out unless they are named.

    Returns:
        One result for each item, sorted by name. After an interrupt (Ctrl-C) items not reached give that as reason.

    Raises:
        InvalidInput: a seed or a number of repeats that is not a count.
        UnknownName: a metric that is not in the plan, or a family that does not exist.
    """
    for name, value in (("seed", seed), ("repeats", repeats if repeats is not None else 0)):
        require_count(name, value, 0)
    if most is not None:
        require_count("most", most, 1)
    seed, items = int(seed), choose(metrics, family)
    reasons = {item.name: _left_out(item, codes, metrics, fast=fast, seed=seed, most=most) for item in items}
    wanted = [item for item in items if not reasons[item.name]]
    all_codes = best_codes = rows_for_predictors(codes.sample, seed)
    if most is not None and any(item.learned and not item.wide for item in wanted):
        best_codes = most_informative(all_codes, most, seed)
    counts, steps = _repeats(wanted, codes, repeats), _steps(wanted)
    results: dict[str, Result] = {}
    with shared_informations(), trees_in_threads(), suppress(KeyboardInterrupt):
        for number, (item, refine) in enumerate(steps):
            if progress is not None:
                progress(item, number, len(steps), results)
            seen = codes
            if item.learned:
                seen = replace(codes, sample=all_codes if item.wide else best_codes)
            if refine:
                results[item.name] = _with_interval(results[item.name], seen, counts[item.name], bare=repeats == 0)
            else:
                results[item.name] = _result(item, seen, seed)
    complete = [
        results.get(item.name) or Result(item, None, reasons[item.name] or STOPPED, 0, seed, 0.0) for item in items
    ]
    if codes.sample.n_factors == 1:  # _cautions has a caution of its own for that
        return complete
    return [replace(result, warnings=(*result.warnings, *scale_cautions(result))) for result in complete]


def _left_out(
    item: Item, codes: CodesFile, metrics: Collection[str], *, fast: bool, seed: int, most: int | None
) -> str:
    """Return why an item is left out although it could be computed; an empty text if it is computed."""
    if item.speed == "by name" and not metrics:
        return "exact boosted trees, a minute or more each; computed where asked for by name"
    if item.speed == "slow" and fast and not metrics:
        return "slow; left out as asked (fast)"
    if codes.sample.n_codes > WIDE and not item.wide and not (item.learned and most is not None):
        reason = too_wide(item, codes, seed)
        if not metrics:
            return f"{reason}; computed where asked for by name"
        _LOG.warning("%s %s", item.name, reason)
    return ""


def _repeats(items: Collection[Item], codes: CodesFile, repeats: int | None) -> dict[str, int]:
    """Return how often each item is repeated, by its name."""
    if repeats is not None:
        return {item.name: int(repeats) for item in items}
    if codes.sample.n_codes > WIDE:  # a repeat takes as long as the score
        return {item.name: 0 for item in items}
    looked_up = codes.source is None or isinstance(codes.source, GridSource)
    slow_to_repeat = {item.name for item in items if item.learned or (item.needs == "source" and not looked_up)}
    return {item.name: 0 if item.name in slow_to_repeat else REPEATS for item in items}


def _steps(items: Collection[Item]) -> list[tuple[Item, bool]]:
    """Return (item, whether to repeat it) in order: all quick items once, their repeats, then the slow items."""
    quick = sorted((item for item in items if item.speed == "fast"), key=lambda item: item.learned)
    slow = [item for item in items if item.speed != "fast"]
    return [
        *((item, False) for item in quick),  # those that fit no predictors come first, within a second
        *((item, True) for item in quick),
        *((item, refine) for item in slow for refine in (False, True)),
    ]


def trees_in_threads() -> AbstractContextManager[Any]:
    """Return a context in which scikit-learn grows forests in the threads libraries may use: the trees are the same."""
    from joblib import parallel_config
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

    threads = min((pool["num_threads"] for pool in threadpool_info()), default=1)
    config: AbstractContextManager[Any] = parallel_config("threading", n_jobs=threads)
    return config


def _result(item: Item, codes: CodesFile, seed: int) -> Result:
    rows = len(codes.sample)
    reason = obstacle(item, codes)
    if reason:
        return Result(item, None, reason, 0, seed, 0.0)
    start = time.perf_counter()
    score: Score | None = None
    with warnings.catch_warnings(record=True, action="always") as caught:
        try:
            score = call(item, codes, seed)
        except DEFEATED as error:
            reason = str(error) if isinstance(error, DbenchError) else f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - start
    if score is None:
        return Result(item, None, " ".join(reason.split()), 0, seed, seconds)
    if codes.sample.n_codes < len(codes.code_names):
        score = replace(score, per_code=None, relation=None)
    if item.needs == "source" and codes.source is not None:
        score = replace(score, factor_names=tuple(codes.source.factor_names))
    remarks = (*score.notes, *_cautions(item, codes), *dict.fromkeys(str(remark.message) for remark in caught))
    # Adjusted metrics have subtracted their detail ``chance``, so chance scores 0.
    chance = 0.0 if item.adjusted else score.details.get("chance", score.details.get("bias"))
    copies = score.details.get("ceiling")
    rows = int(score.details.get("rows", rows))  # some metrics draw fewer
    return Result(item, score, "", rows, seed, seconds, remarks, chance=chance, copies=copies)


def call(item: Item, codes: CodesFile, seed: int, **repeat: int) -> Score:
    """Compute an item with the random stream of its name, the seed and the repeat."""
    options = dict(item.options)
    # Metrics of information shuffle wide codes alike, so that the information is estimated only once.
    name = "wide" if item.wide and codes.sample.n_codes > WIDE else item.name
    if "generator" in inspect.signature(item.function).parameters:
        options["generator"] = generator(metric=name, seed=seed, **repeat)
    return item.function(*_arguments(item, codes), **options)


def _with_interval(result: Result, codes: CodesFile, repeats: int, *, bare: bool) -> Result:
    """Return a result with its interval, and with the scores of chance and copies if the metric gives none.

    Metrics that fit predictors are repeated on the same rows with another split: a bootstrap could put one row into
    both the training and the test part.

    Fewer than two repeats give no interval; ``bare`` adds neither chance nor copies.
    """
    item = result.item
    if result.score is None or item.varied is None:
        return result
    start = time.perf_counter()
    with warnings.catch_warnings(action="ignore"):
        try:
            if item.compared and item.speed != "by name" and not bare:
                stream = generator(task="score_codes", step="chance", seed=result.seed)
                independent, copied = shuffled(codes.sample, stream), exact_copies(codes.sample)
                chance = call(item, replace(codes, sample=independent), result.seed).value
                copies = call(item, replace(codes, sample=copied), result.seed).value
                result = replace(result, chance=chance, copies=copies)
            if repeats > 1:
                values = [_repeat(item, codes, result.seed, number) for number in range(repeats)]
                error = float(np.std(values, ddof=1) * stats.t.ppf(0.975, repeats - 1))
                result = replace(result, error=error, repeats=repeats)
        except DEFEATED as caught:
            reason = f"no interval: {' '.join(str(caught).split())}"
            return replace(result, warnings=(*result.warnings, reason))
    return replace(result, seconds=result.seconds + time.perf_counter() - start)


def _repeat(item: Item, codes: CodesFile, seed: int, number: int) -> float:
    """Return the score of one repeat: of a bootstrap of the rows, or with another stream for splits and draws."""
    if item.varied == "rows":
        stream = generator(task="score_codes", step="bootstrap", seed=seed, repeat=number)
        rows = stream.integers(len(codes.sample), size=len(codes.sample))
        logvar = None if codes.logvar is None else codes.logvar[rows]
        codes = replace(codes, sample=codes.sample.take(rows), logvar=logvar)
    return call(item, codes, seed, repeat=number + 1).value


def _arguments(item: Item, codes: CodesFile) -> tuple[Any, ...]:
    if item.needs == "source":
        return (codes.source,)
    if item.needs == "posterior":
        return (codes.sample.codes, codes.logvar)
    if item.needs == "sample+logvar":
        return (codes.sample, codes.logvar)
    if item.needs == "grid":
        return (codes.sample.labels,)
    return (codes.sample,)


def _cautions(item: Item, codes: CodesFile) -> list[str]:
    """Return why a score says little or what it assumes, a phrase for each reason."""
    sample, cautions = codes.sample, []
    if sample.n_codes < len(codes.code_names):
        cautions.append(f"of the {sample.n_codes:,} codes of most information, chosen on the other half of the rows")
    if sample.n_factors == 1 and (item.mixes or item.needs == "source"):
        cautions.append("with one factor no code can mix two: near 1 whatever the codes")
    intervened = codes.source.factor_names if codes.source is not None else sample.factor_names
    missing = [name for name in sample.factor_names if name not in intervened]
    if missing and item.needs in ("source", "grid"):
        cautions.append(f"leaves out {some(missing)}: only labels can be held")
    if item.name == "dci[suter]" and len(sample) < 100_000:  # above, exact copies beside idle codes come near 1
        cautions.append(
            "leaves of 500 observations are coarse for this many rows; compare it with its copies, not with 1"
        )
    if sample.n_factors > 1 and item.needs == "source" and isinstance(codes.source, RowSource):
        shared = dependence(sample.labels) if sample.labels else ""
        cautions.append(f"estimated from rows that share a value, as if factors were independent{shared}")
    if len(sample) < _FEW_ROWS and (item.needs != "source" or isinstance(codes.source, RowSource)):
        cautions.append(f"few rows ({len(sample)}): estimates from fewer than {_FEW_ROWS} are rough and biased")
    return cautions


def scale_cautions(result: Result) -> Iterable[str]:
    """Yield a caution if a metric does not tell exact copies of these factors from chance."""
    chance, copies = result.chance, result.copies
    if chance is None or copies is None:
        return
    gain = copies - chance if result.item.better != "lower" else chance - copies
    if gain <= TOLD_APART * max(abs(chance), abs(copies)):
        yield f"chance ({chance:.3f}) is as high as exact copies ({copies:.3f}): it tells nothing of these factors"
