"""Random generators derived from named axes, so that pairing is explicit and no seed is global.

Two calls with the same axes give the same stream, whatever their order; any other axis, or any other
value, gives an unrelated one. A strength of 4 and of 4.0 are one strength.
"""

import hashlib
import json
import math

import numpy as np

from dbench.errors import InvalidInput

AxisValue = str | int | float


def _canonical(name: str, value: AxisValue) -> str:
    """Return the value as text: the same for equal numbers, another for a string."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InvalidInput(f"axis {name!r} must be a string, an integer or a float, got {type(value).__name__}")
    if isinstance(value, str):
        return "s:" + value
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(f"axis {name!r} must be finite, got {value}")
    # float(): numpy's float64 is a float too, but its repr contains its type.
    return "n:" + (str(int(value)) if value == int(value) else repr(float(value)))


def derive_seed(**axes: AxisValue) -> int:
    """Return a seed of 63 bits: the start of the SHA-256 of the axes in canonical form.

    Example:
        >>> derive_seed(objective="beta_vae", strength=4) == derive_seed(strength=4.0, objective="beta_vae")
        True
    """
    if not axes:
        raise InvalidInput("derive_seed needs at least one named axis, got none")
    text = json.dumps({name: _canonical(name, value) for name, value in axes.items()}, sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def generator(**axes: AxisValue) -> np.random.Generator:
    """Return numpy's default generator seeded by :func:`derive_seed` of the axes."""
    return np.random.default_rng(derive_seed(**axes))


def given_generator(given: np.random.Generator | None, **axes: AxisValue) -> np.random.Generator:
    """Return the given generator or, where it is None, that of the axes.

    Raises:
        InvalidInput: something else was given, such as a seed.
    """
    if given is None:
        return generator(**axes)
    if not isinstance(given, np.random.Generator):
        raise InvalidInput(f"generator must be a numpy Generator, such as np.random.default_rng(0), got {given!r}")
    return given
