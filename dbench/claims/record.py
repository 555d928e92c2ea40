"""Records: the data of a judgement, in built-in types, from which the report and the terminal summary are made."""

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
    """Return the fields of a record that depend on the card alone."""
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
    """Return a parameter as a JSON value: xdist cannot send numpy scalars, and of a path only the name is kept."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, PurePath):
        return value.name
    if callable(value):
        # Its ``str`` would hold an address, which differs from session to session.
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
    """Return the fields that every record has, those of an estimate empty."""
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
    """Build the record of one judgement; it has no estimate where evidence was lacking.

    ``every`` is the judgement on all units, given if a condition left some out. ``filtered`` is the judgement on the
    models or codes that the card's filter keeps, given if it removed any.
    """
    record, estimate = _judged(card_fields(card), judgement, params, nodeid), judgement.interval
    if figure := card.printed_for(ids):
        record |= {"printed": figure.text, "printed_value": figure.value}
        if estimate is not None and (expected := figure.expects(estimate)):
            record |= {"printed_expects": list(expected), "agreement": _agreement(estimate.value, *expected)}
    if estimate is not None:
        tips_at = card.rule.tips_at(estimate)
        record |= {
            **_seen(estimate),
            "confidence": estimate.confidence,
            "tips_at": None if tips_at is None else finite_or_none(tips_at),
            "notes": list(estimate.notes),
        }
    for name, other in (("all_units", every), ("filtered", filtered)):
        if other is not None:
            record[name] = _seen(other.interval) | {"verdict": str(other.verdict), "reason": other.reason}
    return record


def _agreement(value: float, low: float, high: float) -> str:
    """Say how a value compares with the interval that the paper's figure leads one to expect."""
    if value < low:
        return "smaller"
    return "larger" if value > high else "agrees"


def _seen(estimate: Interval | None) -> dict[str, Any]:
    """Return the fields of an estimate, all None without one; an interval without finite ends is None too."""
    if estimate is None:
        return dict.fromkeys(("estimate", "interval", "n", "left_out"))
    ends = [estimate.low, estimate.high] if math.isfinite(estimate.high - estimate.low) else None
    left_out = list(estimate.left_out) if estimate.left_out else None
    return {"estimate": estimate.value, "interval": ends, "n": int(estimate.n), "left_out": left_out}


def broken_record(card: Mapping[str, Any], *, nodeid: str, reason: str) -> dict[str, Any]:
    """Build the record of a test that reached no verdict, or whose verdict does not count."""
    return _judged(card, Judgement(Verdict.BROKEN, reason), card.get("params", {}), nodeid)
