"""Frozen rules: what each card said, and what computed its estimate, before the evidence was looked at.

``claims/frozen.json`` holds them; only ``dbench claims freeze`` writes it. A table's manifest holds the hashes in force
when it was scored, and a card that is newer is exploratory there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbench.claims.card import Claim, Role
from dbench.errors import DamagedData
from dbench.files import write_aside

if TYPE_CHECKING:
    from dbench.claims.population import Population, PopulationPair

__all__ = ["Frozen", "FrozenCard", "frozen_again", "load_frozen", "write_frozen"]


@dataclass(frozen=True)
class FrozenCard:
    """One card as it was frozen.

    Attributes:
        hash: of its rule, role, statistic and regime, and of what computes its estimate.
        date: day of the freeze, ISO.
        cells: number of its judgements that are cells: all of a cell's, those of a primary on further tables.
    """

    hash: str
    date: str
    cells: int = 0


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
        """Whether a card differs from the one in force when a table was scored: then its verdict is exploratory."""
        entry = self.cards.get(card.name)
        return entry is None or models.rules.get(card.name) != entry.hash


def load_frozen(path: Path) -> Frozen:
    """Read the frozen rules.

    Raises:
        DamagedData: the file cannot be read or lacks a field.
    """
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Frozen({name: FrozenCard(**entry) for name, entry in document["cards"].items()})
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedData(f"frozen rules cannot be read from {path.name}: {error}") from error


def frozen_again(before: Frozen, now: Frozen, equal: set[str]) -> Frozen:
    """Return the cards as they are now, with the date of before where nothing, or nothing but the form, has changed."""

    def dated(name: str, card: FrozenCard) -> FrozenCard:
        old = before.cards.get(name)
        return replace(card, date=old.date) if old and (old.hash == card.hash or name in equal) else card

    return Frozen({name: dated(name, card) for name, card in now.cards.items()})


def write_frozen(path: Path, frozen: Frozen) -> None:
    """Write the frozen rules."""
    text = json.dumps({"cards": {name: asdict(card) for name, card in frozen.cards.items()}}, indent=1)
    write_aside(path, text + "\n")
