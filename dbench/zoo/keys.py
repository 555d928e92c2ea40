"""The key of a run: everything that determines its result, and nothing else."""

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
"""Increased when a change of the engine alters the results of a key, so that old runs are never taken for new ones."""

PILOT_SEEDS = range(1000, 1010)
"""Seeds of pilot runs, by which steps, learning rates and the like are chosen; no table may hold them."""

_CONSTANT = "constant."
_LATER = {"likelihood_factor": 1.0, "cooldown": 0.0}  # axes added later -> the value of keys that lack them
_SIDE = 64  # height and width of the images in the papers' studies, in pixels


def likelihood_factor(image_shape: tuple[int, int, int]) -> float:
    """Return the factor by which an image's likelihood is multiplied so that it weighs as much as one of 64 x 64.

    The strengths in the papers' studies weigh the other terms of an objective against the likelihood summed over the
    pixels of 64 x 64 images. The factor 4096 / (H W) makes the sum of a smaller image, C x H x W, as large.

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
    """Refuse runs on a user's data set, ``module:attribute``: whoever reads the file would run that code.

    Raises:
        InvalidInput: a run is on such a data set.
    """
    if user_data := sorted({key.data for key in keys if ":" in key.data}):
        raise InvalidInput(f"{what} must be of data sets that dbench knows, got {', '.join(user_data)}, which is code")


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
    """Everything that determines the result of a run.

    Numbers are compared as floats, so a strength of 4 and one of 4.0 give the same key.

    Args:
        constants: names and values of the objective's fixed numbers that differ from the objective's own values.
        likelihood_factor: factor of the summed likelihood of an image (:func:`likelihood_factor`).
        cooldown: share of the steps, 0 to 1, at the end, over which the learning rate falls to 0.

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
        if (constant := dict(self.constants).get("likelihood_factor")) is not None:
            raise InvalidInput(
                f"likelihood_factor must be given once, got {self.likelihood_factor:g} and the constant {constant}"
            )
        if self.cooldown > 1:
            raise InvalidInput(f"cooldown must be a share of the steps, 0 to 1, got {self.cooldown:g}")
        constants = {name: _number(f"constant {name}", value) for name, value in self.constants}
        if len(constants) < len(self.constants):
            raise InvalidInput(f"constants must be named once each, got {self.constants}")
        object.__setattr__(self, "constants", tuple(sorted(constants.items())))

    @property
    def digest(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of the key and the schema version, as JSON with sorted names."""
        text = json.dumps({"schema": KEY_SCHEMA, **self.axes}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def axes(self) -> dict[str, Any]:
        """The key as a flat dictionary of named axes, as stored; each constant is an axis ``constant.<name>``."""
        axes = {name: value for name, value in asdict(self).items() if value != _LATER.get(name)}
        del axes["constants"]
        return axes | {_CONSTANT + name: value for name, value in self.constants}

    @classmethod
    def from_axes(cls, axes: dict[str, Any]) -> RunKey:
        """Build a key from named axes (:attr:`axes`); none may be missing or unknown."""
        names = {field.name for field in fields(cls)} - {"constants"}
        constants = {name.removeprefix(_CONSTANT): axes[name] for name in axes if name.startswith(_CONSTANT)}
        others = _LATER | {name: value for name, value in axes.items() if not name.startswith(_CONSTANT)}
        if set(others) != names:
            raise InvalidInput(
                f"a run key has the axes {', '.join(sorted(names))}; missing {sorted(names - set(others))}, "
                f"unknown {sorted(set(others) - names)}"
            )
        return cls(**others, constants=tuple(constants.items()))

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the random generator of this run for one purpose (``score``, ``sampled``, ...)."""
        return seeds.generator(schema=KEY_SCHEMA, purpose=purpose, **self.axes)

    def __str__(self) -> str:
        constants = "".join(f" {name}={value:g}" for name, value in self.constants)
        factor = "" if self.likelihood_factor == 1 else f" likelihood x {self.likelihood_factor:g}"
        cooldown = "" if self.cooldown == 0 else f" cooldown {self.cooldown:g}"
        settings = f"{self.objective} {self.strength:g}{constants}{factor}{cooldown}"
        return f"{settings} seed {self.seed} on {self.data} ({self.digest})"
