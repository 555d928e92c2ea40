"""What is computed of a file of codes: every metric, and the variants that answer another question."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dbench.errors import find
from dbench.metrics import METRICS, MetricCard, Score, gaussian_total_correlation, informative_mask
from dbench.metrics.registry import Family, find_card, find_variant

LEARNED_ROWS = 15_000
"""Rows given to metrics that fit predictors: those of A Sober Look (10,000 for training, 5,000 for testing)."""

FAMILIES = dict.fromkeys((*get_args(Family), "all"), "")
"""What can be asked for at once: the metrics of the five papers, those of identifiability, or all."""

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
        """What the repeats behind an interval vary: rows drawn anew, the split into training and test rows, or draws.

        None where rows cannot be drawn anew, since the metric needs each combination of factor values once.
        """
        if self.needs in ("grid", "models"):
            return None
        return "draws" if self.needs == "source" else "split" if self.learned else "rows"


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
    """Return the items of these names in the plan's order; without names all of a family, of ``all`` every one.

    A string is one name. Other names and families are refused.
    """
    find("family", family, FAMILIES)
    asked = [names] if isinstance(names, str) and names else names
    for name in asked:
        find("metric", name, PLAN)
    return [item for item in PLAN.values() if (item.name in asked if asked else family in (item.family, "all"))]
