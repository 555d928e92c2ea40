"""How far a score of a retrained run may lie from the table's, where the bits are not the same.

On the same kind of processor, with the same versions, a run comes out the same to the last bit. Elsewhere rounding
differs, and training amplifies it: early losses must still agree tightly, final scores only roughly.
"""

from __future__ import annotations

__all__ = ["tolerance_of"]

_TOLERANCE: dict[str, float] = {}


def tolerance_of(score: str) -> float:
    """Return the largest allowed difference of a score; that of its family (before the first dot) when not listed."""
    return _TOLERANCE.get(score, _TOLERANCE[score.partition(".")[0]])
