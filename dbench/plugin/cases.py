"""What the tests of a session are to their findings: card, role and parameters of each case."""

from collections.abc import Iterable
from functools import cache
from typing import Any, cast

import pytest

from dbench.claims import CARD_ATTRIBUTE, Claim, Role, card_fields
from dbench.claims.ledger import completed
from dbench.claims.record import plain
from dbench.estimates.evidence import other_size, repeats
from dbench.plugin.options import setting

# The parameters of the case of each test that heads its finding, by the test's id.
HEADS: pytest.StashKey[dict[str, dict[str, object]]] = pytest.StashKey()

# Asked of the same few tables for every test: both are looked into once a session.
_other_size = cache(other_size)


def card_of(item: pytest.Item) -> Claim | None:
    """Return the card that a test covers, if any."""
    card = getattr(getattr(item, "obj", None), CARD_ATTRIBUTE, None)
    return card if isinstance(card, Claim) else None


def cards_of(items: Iterable[pytest.Item]) -> dict[str, dict[str, Any]]:
    """Return by test id what its record says before it is judged: the fields of the card, role and parameters."""
    return {
        item.nodeid: card_fields(completed(card, setting(item.config, "dbench_ledger")))
        | {"role": role_of(item, card), "params": {name: plain(value) for name, value in params_of(item, card).items()}}
        for item in items
        if (card := card_of(item)) is not None
    }


def params_of(item: pytest.Item, card: Claim) -> dict[str, object]:
    """Parameters of a case, without what its card gives and without those of the seeds that are declared."""
    callspec = getattr(item, "callspec", None)
    params = callspec.params if callspec else {}
    declared = ("evidence_seeds", "")
    return {name: value for name, value in params.items() if name not in card.given and (name, value) != declared}


def role_of(item: pytest.Item, card: Claim) -> Role:
    """Role of a test: its card's, unless its parameters have another or a primary is on a further table."""
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return card.role
    role = next((own for name, own in card.roles.items() if name in callspec._idlist), card.role)
    heads = item.config.stash[HEADS][item.nodeid.partition("[")[0]]
    further = {k: value for k, value in callspec.params.items() if k.startswith("evidence_") and value != heads[k]}
    if not further or role != "primary":
        return role
    if all(repeats(value, heads[name]) for name, value in further.items()):
        return "fresh"
    table: Any = further.get("evidence_folder")
    return "size" if table and _other_size(table, than=cast(Any, heads["evidence_folder"])) else "cell"
