"""The card of a metric, its result, and the dictionary of all metrics.

A metric of a sample can also be called with the codes and factors themselves: ``mig(codes, factors)`` is the score of
the sample that :func:`dbench.codes.arrays.read_arrays` makes of them; ``continuous`` and ``discrete`` name the factors
of which the rules of :mod:`dbench.codes.factors` would say otherwise. The score's notes say what was assumed.
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
"""Transformations of the codes under which a score stays, unless its card says that it ``varies``."""

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
        factor_names: the factors that ``per_factor`` and ``relation`` are of, all of the sample if empty: a metric
            leaves out those of a kind that it cannot take.
        notes: what was assumed and left out, one sentence each.
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
        """Insist on a finite Python float: a silent NaN is never a score."""
        if not np.isfinite(self.value):
            raise InvalidInput(f"{self.metric} came out as {self.value}; a degenerate input needs a stated answer")
        object.__setattr__(self, "value", float(self.value))

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, kw_only=True)
class MetricCard:
    """What a user of a metric needs to know beside its formula; whatever lists metrics reads it here."""

    name: str  # of the function, also on the command line
    summary: str  # first line of its docstring
    cite: str  # key of the paper it comes from, a row of docs/references.md
    label: str  # name in figures
    bounds: tuple[float | None, float | None]  # smallest and largest possible value; None where unbounded
    needs: Needs  # what it is computed from; grid is a sample that holds a full factor grid
    family: Family = "papers"  # those of the five papers, or others, which are computed where they are asked for
    perfect: float | None = None  # value of a perfect representation, None where the metric knows no such thing
    better: Literal["higher", "lower"] | None = "higher"  # None where neither is
    labels: bool = False  # whether it is defined for discrete factors only
    ordered: bool = False  # whether labels count as numbers by rank, so that their order matters
    learned: bool = False  # whether predictors are fitted: rows drawn twice would stand in training and test part
    # Slow takes more than some seconds, or says little as often (dci[suter]); by name a minute or more.
    speed: Literal["fast", "slow", "by name"] = "fast"
    wide: bool = False  # whether many thousands of codes take it time and memory in proportion, and no more
    adjusted: bool = False  # whether its detail 'chance' has been taken off the score
    compared: bool = False  # whether dbench score works out chance and copies, which its details do not state
    mixes: bool = False  # whether it asks for codes that mix factors, so that with a single factor it says nothing
    varies: Mapping[str, str] = field(default_factory=dict)  # properties of INVARIANCES that it lacks -> why
    tolerance: float = 1e-7  # how far single precision, or the tolerance of a solver, moves a score that should stay
    # Options that keep it to about a second; the audit's page scores with them.
    quick: Mapping[str, Any] = field(default_factory=dict)
    # Name of a variant -> fields of the card that differ; dbench score computes it as well, as name[variant].
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # What per_factor or per_code of its scores hold where they are not parts of the score.
    parts: Mapping[str, str] = field(default_factory=dict)
    shown: tuple[str, ...] = ()  # details that stand below the score
    # File and title of the relation matrix it was aggregated from; metrics of one matrix share a file.
    picture: tuple[str, str] | None = None

    @property
    def invariant(self) -> frozenset[str]:
        """Transformations of the codes that leave the score as it is."""
        return INVARIANCES - self.varies.keys()

    def of_variant(self, variant: str) -> MetricCard:
        """Return the card of ``name[variant]``."""
        return replace(
            self, **{"name": f"{self.name}[{variant}]", "variants": {}} | dict(self.variants.get(variant, {}))
        )


METRICS: dict[str, Callable[..., Score]] = {}


class OfSample(Protocol[Options]):
    """A metric of a sample, or of the codes (n x d) and factors (n x k) of one; some look at codes alone."""

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
    """Attach a card of these fields to a metric and list it under its own name.

    Raises:
        InvalidInput: a name that is taken, or a property in ``varies`` that no test knows.
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
    """Insist on options of their own type where another would pass: ``corrected="no"`` is true."""
    types = functools.cache(lambda: get_type_hints(function))

    @functools.wraps(function)
    def called(*given: Any, **options: Any) -> Score:
        for name, value in options.items():
            allowed = get_args(types().get(name)) or (types().get(name),)
            is_flag = isinstance(value, (bool, np.bool_))
            if bool in allowed and not is_flag:
                raise InvalidInput(f"{name} must be True or False, got {value!r:.80}")
            is_number = isinstance(value, numbers.Real) and not is_flag
            if float in allowed and not is_number and (value is not None or type(None) not in allowed):
                raise InvalidInput(f"{name} must be a finite number, got {value!r:.80}")
        # Narrow integers of numpy would overflow in products.
        plain = {name: value.item() if isinstance(value, np.number) else value for name, value in options.items()}
        return function(*given, **plain)

    return called


def _of_arrays(function: Callable[..., Score]) -> Callable[..., Score]:
    """Let a function of a sample take codes and factors as well."""
    first = next(iter(inspect.signature(function).parameters))  # ``codes`` where it looks at codes alone

    @functools.wraps(function)
    def called(*given: Any, continuous: Collection[str] = (), discrete: Collection[str] = (), **options: Any) -> Score:
        if not given and first in options:
            given = (options.pop(first),)
        if given and isinstance(given[0], Sample):
            if len(continuous) or len(discrete):
                raise InvalidInput("continuous and discrete go with arrays of factors; a Sample has its kinds")
            return _with_notes(function(*given, **options), given[0])
        codes = given[0] if given else options.pop("codes", None)
        factors = given[1] if len(given) > 1 else options.pop("factors", None)
        if first == "codes" and codes is not None and factors is None:
            return function(as_array("codes", codes), **options)
        if codes is None or factors is None:
            what = f"{type(codes).__name__} alone" if codes is not None else "no codes"
            raise InvalidInput(f"{function.__name__} must be given a Sample, or codes and factors, got {what}")
        arrays = read_arrays(codes, factors, continuous=continuous, discrete=discrete)
        score = function(arrays.sample, *given[2:], **options)
        notes = (*_assumed(arrays.sample), *arrays.notes)
        return score if first == "codes" else _with_notes(score, arrays.sample, notes)

    return called


def _assumed(sample: Sample) -> Iterator[str]:
    """Say which kind each factor was taken for."""
    for kind in KINDS:
        if names := [name for name, own in zip(sample.factor_names, sample.kinds, strict=True) if own == kind]:
            yield f"Taken as {kind}: {some(names)}."


def _with_notes(score: Score, sample: Sample, notes: tuple[str, ...] = ()) -> Score:
    """Say which factors a score is of, and which of the sample's were left out."""
    names = score.factor_names or sample.factor_names
    left = [
        f"{name} ({kind})" for name, kind in zip(sample.factor_names, sample.kinds, strict=True) if name not in names
    ]
    omitted = (f"leaves out {some(left)}: it is not defined for that kind of factor",) if left else ()
    return replace(score, factor_names=names, notes=(*score.notes, *notes, *omitted))


def find_metric(name: str) -> Callable[..., Score]:
    """Return the metric of that name, or say which names there are."""
    return find("metric", name, METRICS)


def find_card(name: str) -> MetricCard:
    """Return the card of the metric of that name."""
    card: MetricCard = find_metric(name).card  # type: ignore[attr-defined]
    return card


def find_variant(name: str) -> Callable[..., Score]:
    """Return the metric of a name: ``mig``, or ``dci[forest]`` with that one option set.

    What stands in brackets is a choice that a keyword option offers (``estimator="forest"``), or an option that is
    switched on (``crossed=True``).

    Example:
        >>> from dbench.metrics import dci
        >>> find_variant("dci[forest]").keywords
        {'estimator': 'forest'}
    """
    stem, bracket, rest = name.partition("[")
    function = find_metric(stem)
    if not bracket:
        return function
    variant = rest.removesuffix("]") if rest.endswith("]") else ""  # no option is called so
    for option, kind in get_type_hints(inspect.unwrap(function)).items():
        if (option == variant and kind is bool) or variant in _choices(kind):
            chosen: Any = functools.partial(function, **{option: True if option == variant else variant})
            chosen.card = find_card(stem).of_variant(variant)
            return chosen  # type: ignore[no-any-return]
    if variant in find_card(stem).variants:
        raise InvalidInput(f"metric must be one of codes and factors alone, got {name}, which asks for the posterior")
    raise unknown_name("metric", name, [*METRICS, *(f"{stem}[{each}]" for each in find_card(stem).variants)])


def _choices(kind: Any) -> tuple[Any, ...]:
    """Values of a literal type, also within a union."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(choice for part in get_args(kind) for choice in _choices(part))
