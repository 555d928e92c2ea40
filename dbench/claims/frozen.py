"""Frozen rules: what each card declared before the evidence was looked at.

``claims/frozen.json`` holds them; only ``dbench claims freeze`` writes it.
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
        hash: of ``declared``.
        date: day of the freeze, ISO.
        commit: of the code that was there then.
        cells: number of its judgements that are cells: all of a cell's, those of a primary on other data sets.
        declared: what it declared (:func:`dbench.claims.fingerprint.declared_by`).
        blind: whether it was proposed by readers who had seen no table: then no table is older than it.
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
        """Return the confidence a card is judged at: a cell shares its level with all cells of its finding.

        The number of cells is the frozen one, so that a run of a part of the tests judges as the whole does.
        """
        if role != "cell":
            return card.confidence
        finding = f"{card.id} / {card.evidence}"
        cells = sum(own.cells for name, own in self.cards.items() if name == finding or name.startswith(f"{finding} /"))
        return 1 - (1 - card.confidence) / max(cells, 1)

    def is_newer(self, card: Claim, models: Population | PopulationPair) -> bool:
        """Whether a card is neither blind nor in force when a table was scored: then its verdict is unconfirmed."""
        entry = self.cards.get(card.name)
        return entry is None or (
            not entry.blind and any(part.rules.get(card.name) != entry.hash for part in models.parts)
        )

    def change_of(self, card: Claim, declared: Mapping[str, Any]) -> str:
        """Say where a card is not as it was frozen, in a line; nothing where it is."""
        entry = self.cards.get(card.name)
        if entry is None:
            return f"card {card.name!r} is not frozen"
        if entry.hash == fingerprint(declared):
            return ""
        was, now = _flat(entry.declared), _flat(declared)
        name = next((name for name in {**was, **now} if was.get(name) != now.get(name)), None)
        if name is None:
            return f"card {card.name!r} must have the hash of what it declares where it is frozen, got {entry.hash!r}"
        said = [repr(value)[:80] for value in (now.get(name), was.get(name))]
        return f"card {card.name!r} is not as it was frozen: {name} is {said[0]}, was {said[1]}"


def _flat(declared: Mapping[str, Any]) -> dict[str, Any]:
    inner = {
        f"{name}: {part}": v for name, value in declared.items() if isinstance(value, dict) for part, v in value.items()
    }
    return {name: value for name, value in declared.items() if not isinstance(value, dict)} | inner


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
    """Return the cards as they are now, with date and commit of before where nothing, or nothing but the form, changed.

    ``equal`` names the cards whose records are the same as before: a change of these was one of form. Where ``blind``,
    primaries and cells that changed were proposed by readers who had seen no table.
    """

    def dated(name: str, card: FrozenCard) -> FrozenCard:
        old = before.cards.get(name)
        if old is None or (old.hash != card.hash and name not in equal):
            return replace(card, blind=blind and card.declared.get("role") in ("primary", "cell"))
        return replace(card, date=old.date, commit=old.commit, blind=old.blind)

    return Frozen({name: dated(name, card) for name, card in now.cards.items()})


def translate_rules(folder: Path, before: Frozen, after: Frozen, equal: set[str]) -> int:
    """Write the new hashes of cards whose form changed into the manifest of a table; return how many.

    Only what was in force when the table was scored is translated: a card that was newer stays so.

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
    """Write the frozen rules, a card to a line."""
    lines = [
        f"  {json.dumps(name)}: {json.dumps(asdict(card), ensure_ascii=False)}" for name, card in frozen.cards.items()
    ]
    write_file(path, '{\n "cards": {\n' + ",\n".join(lines) + "\n }\n}\n")
