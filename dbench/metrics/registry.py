"""The card of a metric, its result, and the dictionary of all metrics.

A metric of a sample also accepts arrays: ``mig(codes, factors)`` scores the sample that
:func:`dbench.codes.arrays.read_arrays` makes of them. ``continuous`` and ``discrete`` name the factors whose kind the
rules of :mod:`dbench.codes.factors` would get wrong. The score's notes state what was assumed.
"""

from __future__ import annotations

import functools
import inspect
import numbers
from collections.abc import Callable, Collection, Iterator, Mapping
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
from dbench.codes.arrays import read_arrays
from dbench.codes.sample import KINDS, as_array
from dbench.errors import InvalidInput, find, unknown_name
from dbench.shown import some

Function = TypeVar("Function", bound=Callable[..., Any])
Options = ParamSpec("Options")
Array = NDArray[np.float64]
Needs = Literal["sample", "source", "posterior", "sample+logvar", "models", "grid"]
Family = Literal["papers", "identifiability"]

INVARIANCES = frozenset({"permutation", "sign", "scale", "shift"})
"""Transformations of the codes that leave a score unchanged, unless the metric's card says that it ``varies``."""

IN_NATS = ("mutual_information", "Mutual information (nats)")
BY_ENTROPY = ("normalised_information_of_factors", "Mutual information by the factor's entropy")
"""Files and titles of the relation matrices that several metrics share (``picture``)."""


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
        factor_names: names of the factors of ``per_factor`` and ``relation``, without those of a kind for which the
            metric is not defined; empty if these are all factors of the sample.
        notes: what was assumed or left out, one sentence each.
    """

    metric: str
    value: float
    per_factor: Array | None = None
    per_code: Array | None = None
    relation: Array | None = None
    details: Mapping[str, float] = field(default_factory=dict)
    factor_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Convert the value to a Python float; refuse NaN and infinity, which must never pass for a score."""
        if not np.isfinite(self.value):
            raise InvalidInput(f"{self.metric} came out as {self.value}; a degenerate input needs a stated answer")
        object.__setattr__(self, "value", float(self.value))

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, kw_only=True)
class MetricCard:
    """What a user needs to know of a metric beside its formula; all lists of metrics are made from the cards."""

    name: str  # name of the function, also on the command line
    summary: str  # first line of its docstring
    cite: str  # key of the paper it comes from, a row of docs/references.md
    label: str  # name in figures
    bounds: tuple[float | None, float | None]  # smallest and largest possible value; None where unbounded
    needs: Needs  # what it is computed from; grid: a sample that is a full factor grid
    family: Family = "papers"  # from one of the five papers, or one of the others, computed only on request
    perfect: float | None = None  # value of a perfect representation; None if there is no such value
    better: Literal["higher", "lower"] | None = "higher"  # None if neither is better
    labels: bool = False  # whether it is defined for discrete factors only
    ordered: bool = False  # whether labels are replaced by their ranks, so that their order matters
    learned: bool = False  # whether predictors are fitted: duplicated rows would leak from training into test part
    # Slow: more than a few seconds, or seldom informative (dci[suter]); by name: a minute or more.
    speed: Literal["fast", "slow", "by name"] = "fast"
    wide: bool = False  # whether time and memory grow only linearly with the number of codes, up to many thousands
    adjusted: bool = False  # whether chance has been subtracted from the score; its detail 'chance' states how much
    compared: bool = False  # whether dbench score computes chance and ceiling, which its details do not state
    mixes: bool = False  # whether it penalises codes that mix factors, so that it is trivial for a single factor
    varies: Mapping[str, str] = field(default_factory=dict)  # transformations of INVARIANCES that change it -> why
    tolerance: float = 1e-7  # largest change of an invariant score by single precision or the tolerance of a solver
    # Options with which it takes about a second; the audit's page uses them.
    quick: Mapping[str, Any] = field(default_factory=dict)
    # Name of a variant -> fields of the card that differ; dbench score computes it too, as name[variant].
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # What per_factor or per_code hold, if they are not the values that the score is the average of.
    parts: Mapping[str, str] = field(default_factory=dict)
    shown: tuple[str, ...] = ()  # details that are printed below the score
    # File and title of the relation matrix that is aggregated; metrics of the same matrix share a file.
    picture: tuple[str, str] | None = None

    @property
    def invariant(self) -> frozenset[str]:
        """Transformations of the codes that leave the score unchanged."""
        return INVARIANCES - self.varies.keys()

    def of_variant(self, variant: str) -> MetricCard:
        """Return the card of ``name[variant]``."""
        return replace(
            self, **{"name": f"{self.name}[{variant}]", "variants": {}} | dict(self.variants.get(variant, {}))
        )


METRICS: dict[str, Callable[..., Score]] = {}


class OfSample(Protocol[Options]):
    """A metric that is called with a sample, or with codes (n x d) and factors (n x k); some need codes alone."""

    card: MetricCard

    @overload
    def __call__(self, sample: Sample, /, *args: Options.args, **options: Options.kwargs) -> Score: ...
    @overload
    def __call__(self, codes: ArrayLike, factors: ArrayLike = ..., /, **options: Any) -> Score: ...


@overload
def metric(
    *, needs: Literal["sample"], **declared: Any
) -> Callable[[Callable[Concatenate[Sample, Options], Score]], OfSample[Options]]: ...
@overload
def metric(
    *, needs: Literal["source", "posterior", "sample+logvar", "models"], **declared: Any
) -> Callable[[Function], Function]: ...
def metric(*, needs: Needs, **declared: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that gives a metric a card with these fields and lists it in ``METRICS`` under its name.

    Raises:
        InvalidInput: a name that is taken, or a transformation in ``varies`` that is not in ``INVARIANCES``.
    """
    unknown = sorted(set(declared.get("varies", ())) - INVARIANCES)
    if unknown:
        raise InvalidInput(f"varies must name some of {', '.join(sorted(INVARIANCES))}, got {unknown[0]!r}")

    def attach(function: Callable[..., Any]) -> Any:
        name = function.__name__
        if name in METRICS:
            raise InvalidInput(f"metric name must be unique, got {name!r} twice")
        summary = (function.__doc__ or "").strip().partition("\n")[0]
        function = _with_checked_options(function)
        called: Any = _of_arrays(function) if needs in ("sample", "sample+logvar") else function
        called.card = MetricCard(**{"name": name, "summary": summary, "needs": needs, "label": name} | declared)
        METRICS[name] = called
        return called

    return attach


def _with_checked_options(function: Callable[..., Score]) -> Callable[..., Score]:
    """Refuse options of a wrong type that would pass unnoticed: ``corrected="no"`` would count as true."""
    types = functools.cache(lambda: get_type_hints(function))

    @functools.wraps(function)
    def checked(*args: Any, **options: Any) -> Score:
        for name, value in options.items():
            allowed = get_args(types().get(name)) or (types().get(name),)
            is_flag = isinstance(value, (bool, np.bool_))
            if bool in allowed and not is_flag:
                raise InvalidInput(f"{name} must be True or False, got {value!r:.80}")
            is_number = isinstance(value, numbers.Real) and not is_flag
            if float in allowed and not is_number and (value is not None or type(None) not in allowed):
                raise InvalidInput(f"{name} must be a finite number, got {value!r:.80}")
        # numpy's integers of few bits would overflow in products.
        converted = {name: value.item() if isinstance(value, np.number) else value for name, value in options.items()}
        return function(*args, **converted)

    return checked


def _of_arrays(function: Callable[..., Score]) -> Callable[..., Score]:
    """Let a function of a sample accept codes and factors too."""
    first = next(iter(inspect.signature(function).parameters))  # "codes" for a metric that needs codes alone

    @functools.wraps(function)
    def accepting(
        *args: Any, continuous: Collection[str] = (), discrete: Collection[str] = (), **options: Any
    ) -> Score:
        if not args and first in options:
            args = (options.pop(first),)
        if args and isinstance(args[0], Sample):
            if len(continuous) or len(discrete):
                raise InvalidInput("continuous and discrete go with arrays of factors; a Sample has its kinds")
            return _with_notes(function(*args, **options), args[0])
        codes = args[0] if args else options.pop("codes", None)
        factors = args[1] if len(args) > 1 else options.pop("factors", None)
        if first == "codes" and codes is not None and factors is None:
            return function(as_array("codes", codes), **options)
        if codes is None or factors is None:
            received = f"{type(codes).__name__} alone" if codes is not None else "no codes"
            raise InvalidInput(f"{function.__name__} must be given a Sample, or codes and factors, got {received}")
        arrays = read_arrays(codes, factors, continuous=continuous, discrete=discrete)
        score = function(arrays.sample, *args[2:], **options)
        notes = (*_assumed(arrays.sample), *arrays.notes)
        return score if first == "codes" else _with_notes(score, arrays.sample, notes)

    return accepting


def _assumed(sample: Sample) -> Iterator[str]:
    """Notes that state as which kind the factors were taken, one for each kind."""
    for kind in KINDS:
        if names := [name for name, own in zip(sample.factor_names, sample.kinds, strict=True) if own == kind]:
            yield f"Taken as {kind}: {some(names)}."


def _with_notes(score: Score, sample: Sample, notes: tuple[str, ...] = ()) -> Score:
    """Add to a score the names of its factors, and a note on those of the sample that were left out."""
    names = score.factor_names or sample.factor_names
    left_out = [
        f"{name} ({kind})" for name, kind in zip(sample.factor_names, sample.kinds, strict=True) if name not in names
    ]
    left_out_notes = (f"leaves out {some(left_out)}: it is not defined for that kind of factor",) if left_out else ()
    return replace(score, factor_names=names, notes=(*score.notes, *notes, *left_out_notes))


def find_metric(name: str) -> Callable[..., Score]:
    """Return the metric of this name; the error for an unknown one lists all names."""
    return find("metric", name, METRICS)


def find_card(name: str) -> MetricCard:
    """Return the card of the metric of this name."""
    card: MetricCard = find_metric(name).card  # type: ignore[attr-defined]
    return card


def find_variant(name: str) -> Callable[..., Score]:
    """Return the metric of a name, such as ``mig``; for ``dci[forest]``, ``dci`` with that option set.

    The brackets hold a value of a keyword option (``estimator="forest"``), or the name of an option that is switched
    on (``crossed=True``).

    Example:
        >>> from dbench.metrics import dci
        >>> find_variant("dci[forest]").keywords
        {'estimator': 'forest'}
    """
    stem, bracket, suffix = name.partition("[")
    function = find_metric(stem)
    if not bracket:
        return function
    variant = suffix.removesuffix("]") if suffix.endswith("]") else ""  # no option is called so
    for option, annotation in get_type_hints(inspect.unwrap(function)).items():
        if (option == variant and annotation is bool) or variant in _choices(annotation):
            variant_metric: Any = functools.partial(function, **{option: True if option == variant else variant})
            variant_metric.card = find_card(stem).of_variant(variant)
            return variant_metric  # type: ignore[no-any-return]
    if variant in find_card(stem).variants:
        raise InvalidInput(f"metric must be one of codes and factors alone, got {name}, which asks for the posterior")
    raise unknown_name("metric", name, [*METRICS, *(f"{stem}[{each}]" for each in find_card(stem).variants)])


def _choices(annotation: Any) -> tuple[Any, ...]:
    """Return the values of a ``Literal`` type, also inside a union."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(choice for member in get_args(annotation) for choice in _choices(member))
