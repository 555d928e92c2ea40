"""Frozen rules: what each card said, and what computed its estimate, before the evidence was looked at.

``claims/frozen.json`` holds them; only ``dbench claims freeze`` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbench.claims.card import Claim, Role
from dbench.errors import DamagedData
from dbench.files import write_aside

if TYPE_CHECKING:
    from dbench.claims.population import Population, PopulationPair


@dataclass(frozen=True)
class FrozenCard:
    """One card as it was frozen.

    Attributes:
        hash: of what :func:`dbench.claims.fingerprint.fingerprint` says.
        date: day of the freeze, ISO.
        cells: number of its judgements that are cells: all of a cell's, those of a primary on other data sets.
        earlier: hashes it had before changes of form, which left all its records equal.
    """

    hash: str
    date: str
    cells: int = 0
    earlier: Sequence[str] = ()


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
        """Whether a card is not the one in force when a table was scored: then its verdict is exploratory."""
        entry = self.cards.get(card.name)
        known = (entry.hash, *entry.earlier) if entry else ()
        return any(part.rules.get(card.name) not in known for part in models.parts)


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


def frozen_again(before: Frozen, now: Frozen, equal: set[str]) -> Frozen:
    """Return the cards as they are now, with the date of before where nothing, or nothing but the form, has changed.

    ``equal`` names the cards whose records are the same as before: a change of these was one of form.
    """

    def dated(name: str, card: FrozenCard) -> FrozenCard:
        old = before.cards.get(name)
        if old is None or (old.hash != card.hash and name not in equal):
            return card
        formerly = old.earlier if old.hash == card.hash else (*old.earlier, old.hash)
        return replace(card, date=old.date, earlier=formerly)

    return Frozen({name: dated(name, card) for name, card in now.cards.items()})


def write_frozen(path: Path, frozen: Frozen) -> None:
    """Write the frozen rules, a card to a line."""
    lines = []
    for name, card in frozen.cards.items():
        entry = {key: value for key, value in asdict(card).items() if value or key != "earlier"}
        lines.append(f"  {json.dumps(name)}: {json.dumps(entry)}")
    write_aside(path, '{\n "cards": {\n' + ",\n".join(lines) + "\n }\n}\n")
