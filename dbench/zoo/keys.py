"""The key of a run: everything that decides its result, and nothing else."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from dbench import seeds
from dbench.errors import InvalidInput

KEY_SCHEMA = 1
"""Raised when a change of the engine alters what a key produces, so that old runs are never taken for new ones."""

PILOT_SEEDS = range(1000, 1010)
"""Seeds of runs by which steps, rates and the like are chosen; no table holds any."""

_CONSTANT = "constant."
_LATER = {"likelihood_factor": 1.0, "cooldown": 0.0}  # axes that keys did not always have, and what they were before
_SIDE = 64  # of the images of the papers' studies


def likelihood_factor(image_shape: tuple[int, int, int]) -> float:
    """Return by how much the likelihood of an image is multiplied for it to count as one of 64 x 64.

    The studies' strengths weigh other terms against the likelihood summed over the pixels of 64 x 64 images. With the
    factor 4096 / (H W) the sum of a smaller image, channels x H x W, is as large.

    Raises:
        InvalidInput: a height or width that does not divide 64.

    Example:
        >>> likelihood_factor((1, 16, 16))
        16.0
    """
    _, height, width = image_shape
    if height < 1 or width < 1 or _SIDE % height or _SIDE % width:
        raise InvalidInput(
            f"height and width of an image must divide {_SIDE} for it to count as one of {_SIDE} x {_SIDE}, "
            f"got {height} x {width}"
        )
    return _SIDE**2 / (height * width)


def check_no_code(what: str, keys: Iterable[RunKey]) -> None:
    """Refuse runs on a data set of one's own, ``module:attribute``, where others read what is written: it is code.

    Raises:
        InvalidInput: there are some.
    """
    if own := sorted({key.data for key in keys if ":" in key.data}):
        raise InvalidInput(f"{what} must be of data sets that dbench knows, got {', '.join(own)}, which is code")


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

    The same number as integer or float is the same strength.

    Args:
        constants: numbers that the objective holds fixed, by name, where a run takes others than the objective's own.
        likelihood_factor: what the summed likelihood of an image is multiplied by (:func:`likelihood_factor`).
        cooldown: share of the steps, 0 to 1, over which the learning rate falls to 0, at the end.

    Raises:
        InvalidInput: an empty name, a number out of range, or a constant or the likelihood factor given twice.
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
    likelihood_factor: float = 1.0
    cooldown: float = 0.0

    def __post_init__(self) -> None:
        for name in ("data", "objective", "network"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value:
                raise InvalidInput(f"{name} must be a non-empty name, got {value!r}")
        for name, least in (("steps", 1), ("batch_size", 1), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
                raise InvalidInput(f"{name} must be an integer of at least {least}, got {value!r}")
            object.__setattr__(self, name, int(value))
        for name in ("strength", "learning_rate", *_LATER):
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        for name in ("learning_rate", "likelihood_factor"):
            if getattr(self, name) == 0:
                raise InvalidInput(f"{name} must be above 0, got 0")
        if (twice := dict(self.constants).get("likelihood_factor")) is not None:
            raise InvalidInput(
                f"likelihood_factor must be given once, got {self.likelihood_factor:g} and the constant {twice}"
            )
        if self.cooldown > 1:
            raise InvalidInput(f"cooldown must be a share of the steps, 0 to 1, got {self.cooldown:g}")
        constants = {name: _number(f"constant {name}", value) for name, value in self.constants}
        if len(constants) < len(self.constants):
            raise InvalidInput(f"constants must be named once each, got {self.constants}")
        object.__setattr__(self, "constants", tuple(sorted(constants.items())))

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits of the SHA-256 of the key and the schema version in canonical form."""
        text = json.dumps({"schema": KEY_SCHEMA, **self.axes}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def axes(self) -> dict[str, Any]:
        """The key as named axes, as it is stored; each constant is an axis of its own."""
        axes = {name: value for name, value in asdict(self).items() if value != _LATER.get(name)}
        del axes["constants"]
        return axes | {_CONSTANT + name: value for name, value in self.constants}

    @classmethod
    def from_axes(cls, axes: dict[str, Any]) -> RunKey:
        """Build a key from named axes; every axis must be there and no other."""
        names = {field.name for field in fields(cls)} - {"constants"}
        constants = {name.removeprefix(_CONSTANT): axes[name] for name in axes if name.startswith(_CONSTANT)}
        own = _LATER | {name: value for name, value in axes.items() if not name.startswith(_CONSTANT)}
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
        constants = "".join(f" {name}={value:g}" for name, value in self.constants)
        factor = "" if self.likelihood_factor == 1 else f" likelihood x {self.likelihood_factor:g}"
        cooldown = "" if self.cooldown == 0 else f" cooldown {self.cooldown:g}"
        settings = f"{self.objective} {self.strength:g}{constants}{factor}{cooldown}"
        return f"{settings} seed {self.seed} on {self.data} ({self.digest})"
