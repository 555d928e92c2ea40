"""Records: what the report, the terminal and JUnit are made from. Built-in types only."""

import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from dbench.claims.card import Claim, Judgement
from dbench.claims.rules import Verdict
from dbench.stats import Interval
from dbench.stats.estimate import finite_or_none

_AS_ON_CARD = (
    "part",
    "paper",
    "role",
    "quote",
    "says",
    "where",
    "evidence",
    "population",
    "statistic",
    "unit",
    "source",
)


def card_fields(card: Claim) -> dict[str, Any]:
    """Return what a record takes from the card alone."""
    rule = card.rule
    return {name: getattr(card, name) for name in _AS_ON_CARD} | {
        "claim": card.id,
        "rule": str(rule),
        "low": rule.low if math.isfinite(rule.low) else None,
        "high": rule.high if math.isfinite(rule.high) else None,
        "closed": rule.closed,
        "null": rule.null,
        "confidence": card.confidence,
        "min_n": card.min_n,
        "deviations": list(card.deviations),
        "revision": card.revision,
        "printed": None,
        "printed_value": None,
        "printed_expects": None,
        "agreement": None,
    }


def plain(value: object) -> object:
    """A parameter as JSON: numpy scalars would kill an xdist worker, and a path is of this machine."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, PurePath):
        return value.name
    if callable(value):
        # Its text would hold an address, and differ from session to session.
        return str(getattr(value, "__name__", type(value).__name__))
    item = getattr(value, "item", None)
    if callable(item):
        value = item()
    if isinstance(value, int):
        return value if isinstance(value, bool) else int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    return str(value)


def _judged(card: Mapping[str, Any], judgement: Judgement, params: Mapping[str, object], nodeid: str) -> dict[str, Any]:
    """What every record says, before there is an estimate."""
    return {
        **card,
        "params": {name: plain(value) for name, value in params.items()},
        "verdict": str(judgement.verdict),
        "reason": judgement.reason,
        "settles_at": judgement.settles_at,
        "nodeid": nodeid,
        "estimate": None,
        "interval": None,
        "n": None,
        "left_out": None,
        "tips_at": None,
        "all_units": None,
        "filtered": None,
        "notes": [],
        "regime": [],
        "unconfirmed": False,
        "unfrozen": "",
        "expected": None,
        "expected_reason": None,
        "unexpected": False,
    }


def record_of(
    card: Claim,
    judgement: Judgement,
    *,
    params: Mapping[str, object],
    ids: tuple[str, ...],
    nodeid: str,
    every: Judgement | None = None,
    filtered: Judgement | None = None,
) -> dict[str, Any]:
    """Build the record of one judgement, without an estimate where evidence was lacking.

    ``every`` is what was seen over all units, where a condition leaves some out; ``filtered`` what was seen of those
    models or codes that the card's filter keeps, where it removes any.
    """
    record, estimate = _judged(card_fields(card), judgement, params, nodeid), judgement.interval
    if figure := card.printed_for(ids):
        record |= {"printed": figure.text, "printed_value": figure.value}
        if estimate is not None and (expected := figure.expects(estimate)):
            low, high = expected
            word = "smaller" if estimate.value < low else "larger" if estimate.value > high else "agrees"
            record |= {"printed_expects": [low, high], "agreement": word}
    if estimate is not None:
        record |= {
            **_seen(estimate),
            "confidence": estimate.confidence,
            "tips_at": finite_or_none(tips) if (tips := card.rule.tips_at(estimate)) is not None else None,
            "notes": list(estimate.notes),
        }
    for name, beside in (("all_units", every), ("filtered", filtered)):
        if beside is not None:
            record[name] = _seen(beside.interval) | {"verdict": str(beside.verdict), "reason": beside.reason}
    return record


def _seen(estimate: Interval | None) -> dict[str, Any]:
    if estimate is None:
        return dict.fromkeys(("estimate", "interval", "n", "left_out"))
    ends = [estimate.low, estimate.high] if math.isfinite(estimate.high - estimate.low) else None
    left_out = list(estimate.left_out) if estimate.left_out else None
    return {"estimate": estimate.value, "interval": ends, "n": int(estimate.n), "left_out": left_out}


def broken_record(card: Mapping[str, Any], *, nodeid: str, reason: str) -> dict[str, Any]:
    """Build the record of a claim whose test never reached a verdict."""
    return _judged(card, Judgement(Verdict.BROKEN, reason), card.get("params", {}), nodeid)
