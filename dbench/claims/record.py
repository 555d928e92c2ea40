"""Records: what the report, the terminal and JUnit are made from. Built-in types only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from dbench.claims.card import Claim, Judgement
from dbench.claims.rules import Verdict
from dbench.stats import Estimate

__all__ = ["broken_record", "card_fields", "record_of"]

Record = dict[str, Any]


def card_fields(card: Claim) -> Record:
    """Return what a record takes from the card alone."""
    return {
        "claim": card.id,
        "part": card.part,
        "paper": card.paper,
        "where": card.where,
        "says": card.says,
        "kind": card.kind,
        "evidence": card.evidence,
        "population": card.population,
        "statistic": card.statistic,
        "rule": str(card.rule),
        "direction": card.rule.direction,
        "bound": card.rule.bound,
        "margin": card.rule.margin,
        "confidence": card.confidence,
        "unit": card.unit,
        "deviations": list(card.deviations),
        "rollup": card.rollup,
        "revision": card.revision,
        "printed": card.printed.text if card.printed else None,
        "printed_value": card.printed.value if card.printed else None,
    }


def _plain(value: object) -> object:
    """A parameter as JSON can hold it; numpy scalars would kill an xdist worker, and a path is of this machine."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, PurePath):
        return value.name
    if callable(value):
        # Its text would hold an address, and differ from session to session.
        return str(getattr(value, "__name__", type(value).__name__))
    item = getattr(value, "item", None)
    if callable(item):
        value = item()
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    return str(value)


def record_of(
    card: Claim,
    estimate: Estimate | None,
    judgement: Judgement,
    *,
    params: Mapping[str, object],
    nodeid: str,
    population: str | None = None,
    deviations: tuple[str, ...] = (),
) -> Record:
    """Build the record of one judgement; without an estimate where the evidence could not carry the claim."""
    figure = judgement.printed
    record = card_fields(card)
    if population is not None:
        record["population"] = f"{population}: {card.population}"
    record["deviations"] = [*record["deviations"], *deviations]
    has_ends = estimate is not None and math.isfinite(estimate.high - estimate.low)
    return record | {
        "params": {name: _plain(value) for name, value in params.items()},
        "verdict": str(judgement.verdict),
        "estimate": None if estimate is None else estimate.value,
        "interval": [estimate.low, estimate.high] if estimate is not None and has_ends else None,
        "n": None if estimate is None else int(estimate.n),
        "printed": figure.text if figure else None,
        "printed_value": figure.value if figure else None,
        "printed_agrees": judgement.printed_agrees,
        "reason": judgement.reason,
        "nodeid": nodeid,
    }


def broken_record(card: Record, *, nodeid: str, reason: str) -> Record:
    """Build the record of a claim whose test never reached a verdict."""
    return card | {
        "params": {},
        "verdict": str(Verdict.BROKEN),
        "estimate": None,
        "interval": None,
        "n": None,
        "printed_agrees": None,
        "reason": reason,
        "nodeid": nodeid,
    }
