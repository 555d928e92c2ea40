"""Novel combinations of familiar factor values, for models trained without one (Mahon et al., section 5.2)."""

from __future__ import annotations

from dbench.data import HeldOut
from dbench.metrics.novel_combinations import novel_combinations
from dbench.zoo.scorers import protocol
from dbench.zoo.scorers.subject import Subject

__all__ = ["novel"]


def novel(subject: Subject) -> dict[str, float]:
    """``novel`` and its details as ``novel.<detail>``; nothing where the data set holds out nothing."""
    if not isinstance(subject.data, HeldOut):
        return {}
    held_out = subject.data.held_out()
    score = novel_combinations(
        subject.grid,
        held_out,
        subject.data.combined,
        train=min(protocol.NOVEL, int((~held_out).sum())),
        epochs=protocol.EPOCHS,
        generator=subject.key.generator("novel"),
    )
    return {"novel": score.value, **{f"novel.{name}": value for name, value in score.details.items()}}
