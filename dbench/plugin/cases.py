"""How each test of a session relates to its finding: its card, its role and its parameters."""

from collections.abc import Iterable
from functools import cache
from typing import Any, cast

import pytest

from dbench.claims import CARD_ATTRIBUTE, Claim, Role, card_fields
from dbench.claims.ledger import completed
from dbench.claims.record import plain
from dbench.estimates.evidence import other_size, repeats
from dbench.plugin.options import setting

# For each test function, by its id: the parameters of the case whose verdict heads the finding.
HEADS: pytest.StashKey[dict[str, dict[str, object]]] = pytest.StashKey()

# Every test asks this of the same few tables, so each pair of tables is read once a session.
_other_size = cache(other_size)


def card_of(item: pytest.Item) -> Claim | None:
    """Return the card that a test covers, or None for a test that covers no claim."""
    card = getattr(getattr(item, "obj", None), CARD_ATTRIBUTE, None)
    return card if isinstance(card, Claim) else None


def cards_of(items: Iterable[pytest.Item]) -> dict[str, dict[str, Any]]:
    """Return, by test id, the record fields known before a verdict: those of the card, the role and the parameters."""
    return {
        item.nodeid: card_fields(completed(card, setting(item.config, "dbench_ledger")))
        | {"role": role_of(item, card), "params": {name: plain(value) for name, value in params_of(item, card).items()}}
        for item in items
        if (card := card_of(item)) is not None
    }


def params_of(item: pytest.Item, card: Claim) -> dict[str, object]:
    """Return the parameters of a case, without those its card gives and the default seeds of the evidence."""
    callspec = getattr(item, "callspec", None)
    params = callspec.params if callspec else {}
    default_seeds = ("evidence_seeds", "")
    return {name: value for name, value in params.items() if name not in card.given and (name, value) != default_seeds}


def role_of(item: pytest.Item, card: Claim) -> Role:
    """Return the role of a test: its card's, unless the card names another for one of its parameters.

    A primary on another table than the one that heads its finding is ``fresh``, ``size`` or ``cell``.
    """
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return card.role
    role = next((case_role for name, case_role in card.roles.items() if name in callspec._idlist), card.role)
    heading = item.config.stash[HEADS][item.nodeid.partition("[")[0]]
    evidence = {name: value for name, value in callspec.params.items() if name.startswith("evidence_")}
    differing = {name: value for name, value in evidence.items() if value != heading[name]}
    if not differing or role != "primary":
        return role
    if all(repeats(value, heading[name]) for name, value in differing.items()):
        return "fresh"
    table: Any = differing.get("evidence_folder")
    return "size" if table and _other_size(table, than=cast(Any, heading["evidence_folder"])) else "cell"
