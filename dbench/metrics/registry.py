"""The card of a metric, its result, and the dictionary of all metrics.

The decorator attaches a card and lists the function. A metric of a sample can also be called with the codes and
factors themselves: ``mig(codes, factors)`` is ``mig(Sample(codes, factors))`` by the rules of
:mod:`dbench.codes.factors`. Every other metric is left as it is.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import (
    Any,
    Concatenate,
    Literal,
    ParamSpec,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench.codes import Sample
from dbench.codes.arrays import as_array, read_arrays
from dbench.errors import InvalidInput, unknown_name

__all__ = ["METRICS", "MetricCard", "Score", "find_metric", "find_variant", "metric"]

Function = TypeVar("Function", bound=Callable[..., Any])
Options = ParamSpec("Options")
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Score:
    """Result of a metric.

    Attributes:
        metric: name of the metric.
        value: the score.
        per_factor: k values, where the paper defines them.
        per_code: d values, where the paper defines them.
        relation: d x k matrix between codes and factors the score was aggregated from.
        details: further named numbers (accuracies, ceiling, chance level, options used).
    """

    metric: str
    value: float
    per_factor: Array | None = None
    per_code: Array | None = None
    relation: Array | None = None
    details: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Insist on a finite Python float: a silent NaN is never a score."""
        if not np.isfinite(self.value):
            raise InvalidInput(f"{self.metric} came out as {self.value}; a degenerate input needs a stated answer")
        object.__setattr__(self, "value", float(self.value))

    def __float__(self) -> float:
        """The score itself."""
        return self.value


@dataclass(frozen=True)
class MetricCard:
    """What a metric declares of itself.

    Attributes:
        name: the function's name, also on the command line.
        bounds: smallest and largest possible value; ``None`` where unbounded.
        perfect: value of a perfect representation, ``None`` where the metric knows no such thing.
        needs: what it is computed from.
        invariant: transformations of the codes that leave the score as it is.
        cite: key of the paper it comes from.
        summary: first line of its docstring.
        variants: names of its variants that ``dbench score`` computes as well, written ``name[variant]``.
    """

    name: str
    bounds: tuple[float | None, float | None]
    perfect: float | None
    needs: Literal["sample", "source", "posterior", "models"]
    invariant: frozenset[str]
    cite: str
    summary: str
    variants: tuple[str, ...] = ()


INVARIANCES = frozenset({"permutation", "sign", "scale", "shift"})
"""What a card may declare under ``invariant``."""

METRICS: dict[str, Callable[..., Score]] = {}


class OfSample(Protocol[Options]):
    """A metric of a sample, or of the codes (n x d) and factors (n x k) of one; some look at codes alone."""

    card: MetricCard

    @overload
    def __call__(self, sample: Sample, /, *args: Options.args, **options: Options.kwargs) -> Score: ...
    @overload
    def __call__(
        self, codes: ArrayLike, factors: ArrayLike = ..., /, *args: Options.args, **options: Options.kwargs
    ) -> Score: ...


@overload
def metric(
    *,
    bounds: tuple[float | None, float | None],
    perfect: float | None,
    needs: Literal["sample"],
    cite: str,
    invariant: frozenset[str] | set[str] = ...,
    variants: tuple[str, ...] = ...,
) -> Callable[[Callable[Concatenate[Sample, Options], Score]], OfSample[Options]]: ...
@overload
def metric(
    *,
    bounds: tuple[float | None, float | None],
    perfect: float | None,
    needs: Literal["source", "posterior", "models"],
    cite: str,
    invariant: frozenset[str] | set[str] = ...,
    variants: tuple[str, ...] = ...,
) -> Callable[[Function], Function]: ...
def metric(
    *,
    bounds: tuple[float | None, float | None],
    perfect: float | None,
    needs: Literal["sample", "source", "posterior", "models"],
    cite: str,
    invariant: frozenset[str] | set[str] = frozenset(),
    variants: tuple[str, ...] = (),
) -> Callable[[Callable[..., Any]], Any]:
    """Attach a card to a metric and list it under its own name.

    Raises:
        InvalidInput: a name that is taken, or a property of ``invariant`` that no test knows.
    """
    unknown = sorted(set(invariant) - INVARIANCES)
    if unknown:
        raise InvalidInput(f"invariant must name some of {', '.join(sorted(INVARIANCES))}, got {unknown[0]!r}")

    def attach(function: Callable[..., Any]) -> Any:
        name = function.__name__
        if name in METRICS:
            raise InvalidInput(f"metric name must be unique, got {name!r} twice")
        summary = (function.__doc__ or "").strip().partition("\n")[0]
        called: Any = _of_arrays(function) if needs == "sample" else function
        called.card = MetricCard(name, bounds, perfect, needs, frozenset(invariant), cite, summary, variants)
        METRICS[name] = called
        return called

    return attach


def _of_arrays(function: Callable[..., Score]) -> Callable[..., Score]:
    """Let a function of a sample take codes and factors as well."""
    first = next(iter(inspect.signature(function).parameters))  # ``codes`` where it looks at codes alone

    @functools.wraps(function)
    def called(*given: Any, **options: Any) -> Score:
        if "sample" in options or (given and isinstance(given[0], Sample)):
            return function(*given, **options)
        codes = given[0] if given else options.pop("codes", None)
        factors = given[1] if len(given) > 1 else options.pop("factors", None)
        if first == "codes" and codes is not None and factors is None:
            return function(as_array("codes", codes), **options)
        if codes is None or factors is None:
            what = f"{type(codes).__name__} alone" if codes is not None else "no codes"
            raise InvalidInput(f"{function.__name__} must be given a Sample, or codes and factors, got {what}")
        return function(read_arrays(codes, factors).sample, *given[2:], **options)

    return called


def find_metric(name: str) -> Callable[..., Score]:
    """Return the metric of that name, or say which names there are."""
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    return METRICS[name]


def find_variant(name: str) -> Callable[..., Score]:
    """Return the metric of a name as scores print it: ``mig``, or ``dci[forest]`` with that option set.

    What stands in brackets is a choice that a keyword option offers (``estimator="forest"``), or an option that is
    switched on (``crossed=True``).

    Raises:
        UnknownName: no such metric, or no such choice.

    Example:
        >>> from dbench.metrics import dci
        >>> find_variant("dci[forest]").keywords
        {'estimator': 'forest'}
    """
    stem, _, variant = name.removesuffix("]").partition("[")
    function = find_metric(stem)
    if "[" not in name:
        return function
    for option, kind in get_type_hints(inspect.unwrap(function)).items():
        if (option == variant and kind is bool) or variant in _choices(kind):
            found: Any = functools.partial(function, **{option: True if option == variant else variant})
            found.card = replace(function.card, name=name)  # type: ignore[attr-defined]
            return found  # type: ignore[no-any-return]
    card: MetricCard = function.card  # type: ignore[attr-defined]
    raise unknown_name("metric", name, [*METRICS, *(f"{stem}[{each}]" for each in card.variants)])


def _choices(kind: Any) -> tuple[Any, ...]:
    """Values of a literal type, also within a union."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(choice for part in get_args(kind) for choice in _choices(part))
