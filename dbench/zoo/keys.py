"""The key of a run: everything that decides its result, and nothing else."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from dbench import seeds
from dbench.errors import InvalidInput

__all__ = ["KEY_SCHEMA", "RunKey"]

KEY_SCHEMA = 1
"""Raised when a change of the engine alters what a key produces, so that old runs are never taken for new ones."""

_DIGITS = 16
_CONSTANT = "constant."


def _number(name: str, given: object) -> float:
    try:
        value = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{name} must be a number, got {given!r}") from None
    if not math.isfinite(value) or value < 0:
        raise InvalidInput(f"{name} must be finite and not negative, got {value}")
    return value


@dataclass(frozen=True, order=True)
class RunKey:
    """What a run is decided by.

    Args:
        data: name of the data set.
        objective: name of the objective.
        strength: its regularisation strength; the same number as integer or float is the same strength.
        network: name of the network.
        steps: optimiser steps.
        batch_size: images a step.
        learning_rate: of Adam.
        seed: 0, 1, ...
        constants: numbers that the objective holds fixed, by name, where a run takes others than the objective's own;
            a key without any is the key it was before there were constants.

    Raises:
        InvalidInput: an empty name, a number out of range, or a constant named twice.
    """

    data: str
    objective: str
    strength: float
    network: str
    steps: int
    batch_size: int
    learning_rate: float
    seed: int
    constants: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        """Check every axis, and bring numbers to one form."""
        for name in ("data", "objective", "network"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value:
                raise InvalidInput(f"{name} must be a non-empty name, got {value!r}")
        for name, least in (("steps", 1), ("batch_size", 1), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
                raise InvalidInput(f"{name} must be an integer of at least {least}, got {value!r}")
            object.__setattr__(self, name, int(value))
        for name in ("strength", "learning_rate"):
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        constants = {name: _number(f"constant {name}", value) for name, value in self.constants}
        if len(constants) < len(self.constants):
            raise InvalidInput(f"constants must be named once each, got {self.constants}")
        object.__setattr__(self, "constants", tuple(sorted(constants.items())))

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits of the SHA-256 of the key and the schema version in canonical form."""
        text = json.dumps({"schema": KEY_SCHEMA, **self.axes}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]

    @property
    def axes(self) -> dict[str, Any]:
        """The key as named axes, as it is stored; each constant is an axis of its own."""
        axes = asdict(self)
        del axes["constants"]
        return axes | {_CONSTANT + name: value for name, value in self.constants}

    @classmethod
    def from_axes(cls, axes: dict[str, Any]) -> RunKey:
        """Build a key from named axes; every axis must be there and no other.

        Raises:
            InvalidInput: an axis is missing or unknown.
        """
        names = {field.name for field in fields(cls)} - {"constants"}
        constants = {name.removeprefix(_CONSTANT): axes[name] for name in axes if name.startswith(_CONSTANT)}
        own = {name: value for name, value in axes.items() if not name.startswith(_CONSTANT)}
        if set(own) != names:
            raise InvalidInput(
                f"a run key has the axes {', '.join(sorted(names))}; missing {sorted(names - set(own))}, "
                f"unknown {sorted(set(own) - names)}"
            )
        return cls(**own, constants=tuple(constants.items()))

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the generator of this run for one purpose (``score``, ``sampled``, ...)."""
        return seeds.generator(schema=KEY_SCHEMA, purpose=purpose, **self.axes)

    def __str__(self) -> str:
        """A short name for messages."""
        constants = "".join(f" {name}={value:g}" for name, value in self.constants)
        return f"{self.objective} {self.strength:g}{constants} seed {self.seed} on {self.data} ({self.digest})"
