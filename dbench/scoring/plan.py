"""The plan: every metric and variant that is computed for codes, and the reasons why one cannot be."""

import time
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.codes.reading import CodesFile
from dbench.errors import DbenchError, unknown_name
from dbench.metrics import METRICS, MetricCard, Score, gaussian_total_correlation, informative_mask
from dbench.metrics.registry import Family, find_card, find_variant
from dbench.scoring.inputs import BINS, grid_source
from dbench.seeds import generator

WIDE = 1_000
"""With more codes, only metrics whose time and memory grow in proportion are computed unless others are named."""

DEFEATED = (DbenchError, ArithmeticError, MemoryError, ValueError)
"""Exceptions that a strange sample makes a metric raise; they must not stop the other metrics."""

_MOST_CLASSES = 1_000  # factor values for which predictors are fitted
_MOST_CELLS = 1 << 27  # of histograms of codes by factor value
_MANY_CODES = 200  # with so many codes, some metrics take minutes
_TRIAL_CODES, _TRIAL_ROWS, _TRIAL_FACTORS = 32, 500, 2  # size of the sample that estimates how long a metric takes

FAMILIES = (*get_args(Family), "all")
"""Families of metrics: those of the five papers, those of identifiability, or all."""

Array = NDArray[np.float64]


def _sampled_total_correlation(mean: Array, logvar: Array, *, generator: np.random.Generator) -> Score:
    """Gaussian total correlation of one draw from each posterior."""
    drawn = mean + np.exp(logvar / 2) * generator.standard_normal(mean.shape)
    score = gaussian_total_correlation(drawn)
    return Score("gaussian_total_correlation[sampled]", score.value, details=score.details)


def _active_total_correlation(mean: Array, logvar: Array) -> Score:
    """Gaussian total correlation of the means of informative codes only; 0 for fewer than two."""
    active = mean[:, informative_mask(mean, logvar)]
    value = gaussian_total_correlation(active).value if active.shape[1] > 1 else 0.0
    return Score("gaussian_total_correlation[active]", value, details={"active": active.shape[1]})


_OF_POSTERIOR: Mapping[str, Callable[..., Score]] = {
    "gaussian_total_correlation[active]": _active_total_correlation,
    "gaussian_total_correlation[sampled]": _sampled_total_correlation,
}


@dataclass(frozen=True, kw_only=True)
class Item(MetricCard):
    """One row of the result: the card of a metric or of a variant, and how it is computed."""

    function: Callable[..., Score]
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def varied(self) -> Literal["rows", "split", "draws"] | None:
        """What the repeats behind an interval vary: the rows, the split into training and test rows, or random draws.

        None for metrics that cannot be repeated: of several models, or of each combination of factor values once.
        """
        if self.needs in ("grid", "models"):
            return None
        if self.needs == "source":
            return "draws"
        return "split" if self.learned else "rows"


def _variant(stem: str, variant: str) -> Item:
    card = find_card(stem).of_variant(variant)
    if card.name in _OF_POSTERIOR:
        return Item(**vars(card), function=_OF_POSTERIOR[card.name])
    return Item(**vars(card), function=METRICS[stem], options=find_variant(card.name).keywords)  # type: ignore[attr-defined]


def _plan() -> dict[str, Item]:
    items = [Item(**vars(find_card(name)), function=function) for name, function in METRICS.items()]
    items += [_variant(name, variant) for name in METRICS for variant in find_card(name).variants]
    return {item.name: item for item in sorted(items, key=lambda item: item.name)}


PLAN: dict[str, Item] = _plan()


def choose(names: Collection[str] = (), family: str = "papers") -> list[Item]:
    """Return the items of these names in the plan's order; without names, all items of a family.

    A string is one name. Unknown names and families are refused.
    """
    if family not in FAMILIES:
        raise unknown_name("family", family, FAMILIES)
    names = [names] if isinstance(names, str) and names else names
    for name in names:
        if name not in PLAN:
            raise unknown_name("metric", name, PLAN)
    if names:
        return [item for item in PLAN.values() if item.name in names]
    return [item for item in PLAN.values() if family in (item.family, "all")]


def obstacle(item: Item, codes: CodesFile) -> str:
    """Return why an item cannot be computed, in a line; an empty text if it can."""
    sample = codes.sample
    if item.needs == "models":
        return "compares several models; a file holds the codes of one"
    if item.needs == "source" and codes.source is None:
        return "intervenes on factors: needs labels, each value in ten rows on average, or --encoder and --data"
    if item.needs == "grid" and grid_source(sample, factor_sizes=codes.factor_sizes) is None:
        return "needs every combination of factor values exactly once, or --encoder and --data"
    if item.needs in ("posterior", "sample+logvar") and codes.logvar is None:
        return "needs the posterior: an array 'logvar' or 'std' beside the codes (.npz)"
    if item.labels and not sample.labels:
        return "is defined for labels; factors that are not whole numbers are continuous"
    if item.needs in ("sample", "sample+logvar", "grid") and sample.labels:
        most = max(len(np.unique(column)) for column in sample.labels.factors.T)
        by_class = (item.learned and not item.ordered) or item.name == "snc"  # time grows with the classes squared
        if by_class and most > _MOST_CLASSES:
            return f"fits a predictor for each factor value, at most {_MOST_CLASSES:,}; a factor has {most:,}"
        counts = not item.ordered and "sample" in signature(item.function).parameters
        if counts and most * BINS * (1 if item.wide else sample.n_codes) > _MOST_CELLS:  # wide codes come in blocks
            return f"counts codes by factor value, and a factor has {most:,} values: too many"
    return ""


def long_work(sample: Sample) -> str:
    """Return a warning that some metrics will take long, in a line; an empty text if all are quick."""
    if sample.n_codes < _MANY_CODES:
        return ""
    much = f"{sample.n_codes:,} codes: metrics that fit predictors"
    if sample.n_codes > WIDE:
        return f"{much} are left out, but those that are named; --most lets them see fewer codes"
    return f"{much} may take minutes each; --metric chooses, Ctrl-C keeps what is there"


def too_wide(item: Item, codes: CodesFile, seed: int) -> str:
    """Return how long a metric would take on wide codes; a trial estimates it for metrics that fit predictors."""
    sample = codes.sample
    count = f"{sample.n_codes:,} codes"
    if not (item.learned and item.needs == "sample" and item.speed == "fast"):
        return f"takes more than in proportion to {count}"
    trial = Sample(
        sample.codes[:_TRIAL_ROWS, :_TRIAL_CODES], sample.factors[:_TRIAL_ROWS], sample.factor_names, sample.kinds
    )
    trial = trial.of_factors(range(min(_TRIAL_FACTORS, trial.n_factors)))
    with warnings.catch_warnings(action="ignore"):
        try:
            for _ in range(2):  # the second is timed: the first also imports modules
                start = time.perf_counter()
                item.function(trial, **item.options, generator=generator(task="trial", seed=seed))
        except DEFEATED:
            return f"fits predictors on {count}"
    ratio = len(sample) / len(trial) * sample.n_codes / trial.n_codes * sample.n_factors / trial.n_factors
    minutes = (time.perf_counter() - start) * ratio / 60
    duration = f"{minutes / 60:,.0f} hours" if minutes > 90 else f"{max(minutes, 1):.0f} minutes"
    return f"fits predictors on {count}, about {duration} by a trial of {_TRIAL_CODES} (fewer codes with --most 500)"
