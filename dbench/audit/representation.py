"""A representation with known answers, and what follows from it for every characteristic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Source

__all__ = ["Representation"]


@dataclass(frozen=True, eq=False)
class Representation:
    """A construction, and which code holds which factor.

    Attributes:
        name: how records speak of it.
        source: factors, integer labels throughout, and codes.
        holds: codes x factors; whether the code depends on the factor, or is needed to tell it.
        explicit: whether every factor can be told from all codes together.
        place: where the paper has it.
        truth: what is known of it.
    """

    name: str
    source: Source
    holds: NDArray[np.bool_]
    explicit: bool
    place: str
    truth: str

    @property
    def characteristic_1(self) -> bool | None:
        """Whether every code changes with one factor only; ``None`` where no code holds anything."""
        return bool((self.holds.sum(axis=1) <= 1).all()) if self.holds.any() else None

    @property
    def characteristic_2(self) -> bool | None:
        """Whether every factor changes one code only; ``None`` where a factor is not, or not wholly, in any."""
        if (self.holds.sum(axis=0) > 1).any():
            return False
        return True if self.explicit else None

    @property
    def weak(self) -> bool | None:
        """Whether the codes fall into groups, one a factor, that tell it and nothing of any other."""
        return None if self.characteristic_1 is None else self.characteristic_1 and self.explicit

    @property
    def strong(self) -> bool | None:
        """Whether every factor has one code of its own that tells it, and no other code does."""
        return None if self.weak is None else self.weak and self.characteristic_2 is True
