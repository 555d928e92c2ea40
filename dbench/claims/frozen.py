"""Frozen rules: what each card declared before the evidence was looked at.

They are stored in ``claims/frozen.json``, which only ``dbench claims freeze`` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbench.claims.card import Claim, Role
from dbench.claims.fingerprint import fingerprint
from dbench.errors import DamagedData
from dbench.files import write_file
from dbench.zoo.table import MANIFEST, load_manifest

if TYPE_CHECKING:
    from dbench.estimates.population import Population, PopulationPair


@dataclass(frozen=True)
class FrozenCard:
    """One card as it was frozen.

    Attributes:
        hash: hash of ``declared``.
        date: day of the freeze, ISO.
        commit: commit of the code at the freeze.
        cells: number of its judgements that are cells: all those of a cell, and those of a primary on other data sets.
        declared: what the card declared (:func:`dbench.claims.fingerprint.declared_by`).
        blind: whether readers proposed it who had seen no table, so that it counts as older than every table.
    """

    hash: str
    date: str
    commit: str
    cells: int = 0
    declared: Mapping[str, Any] = field(default_factory=dict)
    blind: bool = False


@dataclass(frozen=True)
class Frozen:
    """All frozen cards by their name (:attr:`dbench.claims.Claim.name`)."""

    cards: Mapping[str, FrozenCard] = field(default_factory=dict)

    def confidence_of(self, card: Claim, role: Role) -> float:
        """Return the confidence that a card is judged at: all cells of a finding share one error level.

        The number of cells is the frozen one, so that a session with some of the tests judges like one with all.
        """
        if role != "cell":
            return card.confidence
        finding = f"{card.id} / {card.evidence}"
        cells = sum(
            entry.cells for name, entry in self.cards.items() if name == finding or name.startswith(f"{finding} /")
        )
        return 1 - (1 - card.confidence) / max(cells, 1)

    def is_newer(self, card: Claim, models: Population | PopulationPair) -> bool:
        """Whether a card is newer than the scores of a table, which leaves its verdict unconfirmed.

        A blind card is never newer. Any other is if it was not frozen as it is when the table was scored.
        """
        entry = self.cards.get(card.name)
        if entry is None:
            return True
        return not entry.blind and any(part.rules.get(card.name) != entry.hash for part in models.parts)

    def change_of(self, card: Claim, declared: Mapping[str, Any]) -> str:
        """Return one line that says how a card differs from its frozen version, or an empty text if it does not."""
        entry = self.cards.get(card.name)
        if entry is None:
            return f"card {card.name!r} is not frozen"
        if entry.hash == fingerprint(declared):
            return ""
        was, now = _flat(entry.declared), _flat(declared)
        name = next((key for key in {**was, **now} if was.get(key) != now.get(key)), None)
        if name is None:
            return f"card {card.name!r} must have the hash of what it declares where it is frozen, got {entry.hash!r}"
        new, old = (repr(value)[:80] for value in (now.get(name), was.get(name)))
        return f"card {card.name!r} is not as it was frozen: {name} is {new}, was {old}"


def _flat(declared: Mapping[str, Any]) -> dict[str, Any]:
    """Return a declaration without nesting: the entries of inner dictionaries, named ``outer: inner``, come last."""
    plain = {name: value for name, value in declared.items() if not isinstance(value, dict)}
    nested = {name: value for name, value in declared.items() if isinstance(value, dict)}
    return plain | {f"{name}: {key}": value for name, inner in nested.items() for key, value in inner.items()}


def load_frozen(path: Path) -> Frozen:
    """Read the frozen rules.

    Raises:
        DamagedData: the file cannot be read or lacks a field.
    """
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Frozen({name: FrozenCard(**entry) for name, entry in document["cards"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedData(f"frozen rules cannot be read from {path.name}: {error}") from error


def frozen_again(before: Frozen, now: Frozen, equal: set[str], *, blind: bool = False) -> Frozen:
    """Return the cards of now; those unchanged, or changed in form only, keep their date, commit and ``blind``.

    ``equal`` names the cards whose records are the same as before: a change of such a card was one of form only.
    ``blind`` says that changed primaries and cells were proposed by readers who had seen no table.
    """

    def dated(name: str, card: FrozenCard) -> FrozenCard:
        old = before.cards.get(name)
        if old is None or (old.hash != card.hash and name not in equal):
            return replace(card, blind=blind and card.declared.get("role") in ("primary", "cell"))
        return replace(card, date=old.date, commit=old.commit, blind=old.blind)

    return Frozen({name: dated(name, card) for name, card in now.cards.items()})


def translate_rules(folder: Path, before: Frozen, after: Frozen, equal: set[str]) -> int:
    """Write the new hashes of cards that changed in form only to the manifest of a table; return their number.

    Only a card that was in force when the table was scored gets its new hash: one that was newer stays newer.

    Raises:
        DamagedData: the manifest cannot be read.
    """
    path = folder / MANIFEST
    manifest = load_manifest(folder)
    rules = manifest.get("rules", {})
    changed = {
        name: after.cards[name].hash
        for name in sorted(equal & rules.keys() & before.cards.keys() & after.cards.keys())
        if rules[name] == before.cards[name].hash != after.cards[name].hash
    }
    if changed:
        write_file(path, json.dumps({**manifest, "rules": rules | changed}, indent=1) + "\n")
    return len(changed)


def write_frozen(path: Path, frozen: Frozen) -> None:
    """Write the frozen rules, one card on each line."""
    lines = [
        f"  {json.dumps(name)}: {json.dumps(asdict(card), ensure_ascii=False)}" for name, card in frozen.cards.items()
    ]
    write_file(path, '{\n "cards": {\n' + ",\n".join(lines) + "\n }\n}\n")
