"""The metric under audit: called as its signature demands, with a time limit, and once for each input."""

import contextlib
import inspect
import io
import math
import numbers
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample, Source
from dbench.errors import DbenchError, InvalidInput
from dbench.metrics.inputs import require_count
from dbench.metrics.registry import Score
from dbench.outside import user_code
from dbench.seeds import generator

Needs = Literal["arrays", "sample", "source", "models", "posterior", "sample+logvar"]
# Option names of a number of bins.
BINS = ("bins", "n_bins", "num_bins", "nbins")

FACTORS = ("factors", "labels", "targets", "y")
"""A second parameter of one of these names takes the factors, even if it has a default."""

LONGEST = 1e6  # largest timeout of one call, in seconds

PATIENCE = 3  # a metric is given up if its first so many calls all take too long

# A code is informative if two encodings of the same observations share at least this part of its variance.
REPEATS = 0.1


class MetricFailed(DbenchError):
    """The metric gave no number; the message says what it gave instead."""


class TookTooLong(MetricFailed):
    """The metric gave no answer in time."""


class Subject:
    """A metric under audit.

    Args:
        metric: takes codes (n x d, float64) and factors (n x k, int64) and returns a number or a ``Score``. Also
            one that takes a ``Sample``, or a ``Source`` (a single parameter called ``source``), and any of dbench.
        name: how records call it; by default its ``__name__``.
        observations: rows of a sample.
        options: keyword options it is always called with.
        bounds: smallest and largest value it can take, ``None`` where there is none; by default those of its card,
            or 0 and 1.
        scale: its value at chance and of a perfect representation; measured where not given.
        less_is_better: whether a perfect representation scores less than noise.
        timeout: seconds that one call may take; enforced on a main thread with Unix signals only. A metric is given up
            if its first three calls all take longer.

    Raises:
        InvalidInput: a metric that is not callable or has other parameters, or counts that make no sense.
    """

    def __init__(
        self,
        metric: Callable[..., Any],
        *,
        name: str | None = None,
        observations: int = 2000,
        options: Mapping[str, Any] | None = None,
        bounds: tuple[float | None, float | None] | None = None,
        scale: tuple[float, float] | None = None,
        less_is_better: bool = False,
        timeout: float = 60.0,
    ) -> None:
        if not callable(metric):
            raise InvalidInput(f"metric must be callable, got {type(metric).__name__}")
        require_count("observations", observations, 200)
        if not 0 < timeout <= LONGEST:
            raise InvalidInput(f"timeout must be a number of seconds above 0, at most {LONGEST:,.0f}, got {timeout}")
        if scale is not None and not (all(map(math.isfinite, scale)) and scale[0] != scale[1]):
            raise InvalidInput(f"scale must be two different finite numbers, chance and perfect, got {scale}")
        declared: tuple[float | None, float | None] = getattr(getattr(metric, "card", None), "bounds", (0.0, 1.0))
        low, high = declared if bounds is None else bounds
        if low is not None and high is not None and not low < high:
            raise InvalidInput(f"bounds must be a smaller and a larger number, got {low} and {high}")
        self.bounds, self.scale = (low, high), scale
        if scale is not None and less_is_better and scale[0] < scale[1]:
            raise InvalidInput(f"scale must fall from chance to perfect where less_is_better, got {scale}")
        downwards = scale[1] < scale[0] if scale else less_is_better
        self.direction = -1.0 if downwards else 1.0
        self.metric, self.observations, self.timeout = metric, observations, timeout
        self.name = str(name or getattr(metric, "__name__", type(metric).__name__))
        self.options = dict(options or {})
        self.needs = _needs(metric, self.name)
        self._cache: dict[Any, float | MetricFailed] = {}
        self._late = 0  # number of calls that took too long; -1 once a call has answered in time

    @property
    def bins(self) -> tuple[str, int] | None:
        """Name and default of the metric's number of bins; None if it has no such option."""
        parameters = _parameters(self.metric) or {}
        for name in BINS:
            default = self.options.get(name, parameters[name].default if name in parameters else None)
            if isinstance(default, int) and default >= 4:
                return name, default
        return None

    def score(self, key: str, source: Source, *, n: int | None = None, repetition: int = 0, **options: Any) -> float:
        """Score a representation and remember it by ``key``, ``n`` rows and ``repetition``, the number of the draw.

        Raises:
            MetricFailed: the metric raised, took too long, or returned anything but a finite number.
        """
        n = self.observations if n is None else n
        cache_key = (key, n, repetition, tuple(sorted(options.items())))
        if cache_key not in self._cache:
            try:
                self._cache[cache_key] = self.fresh_score(source, n=n, repetition=repetition, **options)
            except MetricFailed as error:
                self._cache[cache_key] = error
        score = self._cache[cache_key]
        if isinstance(score, MetricFailed):
            raise score
        return score

    def fresh_score(self, source: Source, *, n: int | None = None, repetition: int = 0, **options: Any) -> float:
        """Score a representation without the cache."""
        if self._late >= PATIENCE:
            raise MetricFailed(f"given up: no answer within {self.timeout:g} s in the first {PATIENCE} calls")
        try:
            arguments = self._arguments(source, n or self.observations, repetition)
        except MemoryError as error:
            raise InvalidInput(f"observations must fit into memory, got {self.observations:,}") from error
        try:
            score = guarded(lambda: self.metric(*arguments, **self.options | options), self.timeout)
        except TookTooLong:
            self._late += self._late >= 0
            raise
        self._late = -1  # it can answer: slow calls no longer count
        return score

    def _arguments(self, source: Source, n: int, repetition: int) -> tuple[Any, ...]:
        # The stream does not depend on the source, so a representation and its transform see the same observations.
        if self.needs == "source":
            return (source,)
        stream = generator(audit="sample", n=n, repetition=repetition)
        sample = source.sample(n, stream)
        if self.needs in ("models", "posterior", "sample+logvar"):
            # Two models that learnt the same: they encode the same observations, each with its own noise.
            models = np.stack([sample.codes, source.codes(sample.factors, stream)])
            informative = _are_informative(*models)
            if self.needs == "models":
                return models, np.tile(informative, (2, 1))
            mean, logvar = _posterior(models, informative)
            return (mean if self.needs == "posterior" else Sample(mean, sample.factors), logvar)
        # Copies, since a metric may change its arguments.
        if self.needs == "sample":
            return (Sample(sample.codes.copy(), sample.factors.copy(), sample.factor_names),)
        return sample.codes.copy(), sample.factors.copy()


def _are_informative(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return for each code whether two encodings of the same observations agree: it is neither dead nor mere noise."""
    varies = (first != first[0]).any(axis=0)  # subtracting the mean of a constant leaves rounding errors
    first, second = first - first.mean(axis=0), second - second.mean(axis=0)
    spread = np.sqrt((first**2).sum(axis=0) * (second**2).sum(axis=0))
    return np.asarray(varies & ((first * second).sum(axis=0) > REPEATS * spread))


def _posterior(
    models: NDArray[np.float64], informative: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return means and log-variances of two encodings of each observation; other codes have those of the prior."""
    variance = np.maximum(((models[0] - models[1]) ** 2).mean(axis=0) / 2, 1e-4)
    mean = np.where(informative, models.mean(axis=0), 0.0)
    logvar = np.where(informative, np.log(variance), 0.0)
    return mean, np.broadcast_to(logvar, mean.shape).copy()


def _parameters(metric: Callable[..., Any]) -> Mapping[str, inspect.Parameter] | None:
    """Return the metric's parameters; ``None`` where it has no signature, as some builtins."""
    try:
        return inspect.signature(metric).parameters
    except (TypeError, ValueError):
        return None


def _needs(metric: Callable[..., Any], name: str) -> Needs:
    """Return what a metric is called with, by its card or else by its parameters."""
    card = getattr(metric, "card", None)
    needs = getattr(card, "needs", None)
    if needs in ("sample", "source", "models", "posterior", "sample+logvar"):
        return needs  # type: ignore[no-any-return]
    if needs is not None:
        raise InvalidInput(f"{name} needs a {needs}, which a representation alone has not; it cannot be audited")
    parameters = _parameters(metric)
    if parameters is None:
        return "arrays"
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [p for p in parameters.values() if p.kind in kinds]
    required = [p.name for p in positional if p.default is p.empty]
    required_keywords = [p.name for p in parameters.values() if p.default is p.empty and p.kind is p.KEYWORD_ONLY]
    starred = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    if inspect.isclass(metric):
        raise InvalidInput(f"{name} must be a function or an instance, got a class; name an instance of it")
    if required_keywords or len(required) > 2 or not (required or starred):
        raise InvalidInput(
            f"{name} must be callable with (codes, factors), a Sample or a Source alone, "
            f"got required parameters {', '.join([*required, *required_keywords]) or 'none'}"
        )
    second = positional[1].name if len(positional) > 1 else ""
    if len(required) == 1 and not starred and second not in FACTORS:
        return "source" if required[0] == "source" else "sample"
    return "arrays"


def guarded(call: Callable[[], Any], timeout: float) -> float:
    """Call a user's function and return its finite number; raise :class:`MetricFailed` for anything else."""
    try:
        # Its output and warnings are suppressed: they would drown the table.
        with user_code(), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), _limit(timeout):
            warnings.simplefilter("ignore")
            return _number(call())
    except MetricFailed:
        raise
    except _TooLong:
        raise TookTooLong(f"gave no answer within {timeout:g} s") from None
    except (Exception, SystemExit) as error:
        text = " ".join(str(error).split())
        raise MetricFailed(f"raised {type(error).__name__}: {text[:200]}") from error


def _number(result: Any) -> float:
    if isinstance(result, Score):
        return result.value
    if getattr(result, "ndim", None) == 0 and hasattr(result, "item"):
        result = result.item()
    if isinstance(result, (bool, np.bool_)) or not isinstance(result, numbers.Real):
        shape = getattr(result, "shape", None)
        raise MetricFailed(
            f"returned {type(result).__name__}{'' if shape is None else f' of shape {tuple(shape)}'}, not a number"
        )
    if not math.isfinite(result):
        raise MetricFailed(f"returned {float(result)}, not a finite number")
    return float(result)


class _TooLong(BaseException):
    """Raised by the timer; not an Exception, so that a metric does not catch it with its own errors."""


@contextlib.contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Interrupt the block after so many seconds, on a main thread with Unix signals; elsewhere do nothing."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, interrupt)
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left)  # restores a timer that somebody else had set
        signal.signal(signal.SIGALRM, before)
