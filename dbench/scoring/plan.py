"""What is computed of a file of codes: every metric, some with the options that answer another question."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dbench.errors import unknown_name
from dbench.metrics import METRICS, Score, find_metric
from dbench.scoring.posterior import active_total_correlation, sampled_total_correlation

__all__ = ["LEARNED_ROWS", "PLAN", "Item", "choose"]

LEARNED_ROWS = 15_000
"""Rows given to metrics that fit predictors: those of A Sober Look (10,000 for training, 5,000 for testing)."""

_LEARNED = {
    "dci", "downstream", "explicitness", "linear_accuracy", "mlp_accuracy", "nk", "sap", "statistical_efficiency",
}  # fmt: skip
_SLOW = {"dci", "downstream", "mlp_accuracy", "nk", "statistical_efficiency"}
_NAMED = {"dci", "downstream[gbt]", "statistical_efficiency[gbt]"}
_LOWER = {"code_mutual_information", "gaussian_total_correlation"}
_NEITHER = {"informative_codes"}
_LABELS = {"downstream", "explicitness", "linear_accuracy", "mlp_accuracy", "nk", "snc", "statistical_efficiency"}


@dataclass(frozen=True)
class Item:
    """One row of the result.

    Attributes:
        name: as in the result and for ``--metric``.
        function: what computes it.
        needs: what it is computed from; ``grid`` is a sample that holds a full factor grid.
        options: for the function.
        learned: whether predictors are fitted, so that at most ``LEARNED_ROWS`` rows are used.
        slow: whether it takes more than some seconds, so that ``--fast`` leaves it out.
        labels: whether it is defined for discrete factors only.
        named: whether it is computed by name only: exact boosted trees, a minute each.
    """

    name: str
    function: Callable[..., Score]
    needs: Literal["sample", "source", "posterior", "models", "grid"]
    options: Mapping[str, Any] = field(default_factory=dict)
    learned: bool = False
    slow: bool = False
    labels: bool = False
    named: bool = False

    @property
    def better(self) -> Literal["higher", "lower"] | None:
        """Which direction is better; None where neither is."""
        stem = self.name.partition("[")[0]
        return None if stem in _NEITHER else "lower" if stem in _LOWER else "higher"

    @property
    def varied(self) -> Literal["rows", "split", "draws"] | None:
        """What the repeats behind an interval vary: rows drawn anew, the split into training and test rows, or draws.

        None where rows cannot be drawn anew, since the metric needs each combination of factor values once.
        """
        if self.needs in ("grid", "models"):
            return None
        return "draws" if self.needs == "source" else "split" if self.learned else "rows"

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """Smallest and largest possible value."""
        card = getattr(self.function, "card", None)
        return (0.0, None) if card is None else card.bounds


def _plan() -> dict[str, Item]:
    items = {}
    for name, function in METRICS.items():
        needs = function.card.needs  # type: ignore[attr-defined]
        items[name] = Item(name, function, needs, {}, *(name in kind for kind in (_LEARNED, _SLOW, _LABELS, _NAMED)))
    more = [
        Item("dci[forest]", find_metric("dci"), "sample", {"estimator": "forest"}, learned=True),
        Item("dci[lasso]", find_metric("dci"), "sample", {"estimator": "lasso"}, learned=True),
        Item("dci[suter]", find_metric("dci"), "sample", {"estimator": "suter"}, learned=True),
        Item("downstream[gbt]", find_metric("downstream"), "sample", {"model": "gbt"}, True, True, True, True),
        Item("irs[crossed]", find_metric("irs"), "grid", {"crossed": True}),
        Item("gaussian_total_correlation[sampled]", sampled_total_correlation, "posterior"),
        Item("gaussian_total_correlation[active]", active_total_correlation, "posterior"),
        Item("sap[r2]", find_metric("sap"), "sample", {"relation": "r2"}),
        Item(
            "statistical_efficiency[gbt]",
            find_metric("statistical_efficiency"),
            "sample",
            {"model": "gbt"},
            True,
            True,
            True,
            True,
        ),
    ]
    items |= {item.name: item for item in more}
    return dict(sorted(items.items()))


PLAN: dict[str, Item] = _plan()
"""Name -> what to compute, by name."""


def choose(names: Collection[str] = ()) -> list[Item]:
    """Return the items of these names, all if none are given, in the plan's order.

    Args:
        names: names of the plan.

    Raises:
        UnknownName: a name that is not in the plan.
    """
    for name in names:
        if name not in PLAN:
            raise unknown_name("metric", name, PLAN)
    return [item for item in PLAN.values() if not names or item.name in names]
