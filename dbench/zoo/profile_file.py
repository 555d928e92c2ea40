"""A profile of a user's own: a TOML file with the fields of a profile, and its sweeps as tables."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dbench.errors import InvalidInput
from dbench.zoo.profile import Profile, Sweep

__all__ = ["read_profile"]

_NAMES, _WHOLE, _NUMBER, _NUMBERS, _CONSTANTS = (
    "a list of names",
    "a whole number",
    "a number",
    "numbers",
    "numbers by name",
)
_PROFILE = {
    "data": _NAMES,
    "network": "a name",
    "steps": _WHOLE,
    "batch_size": _WHOLE,
    "learning_rate": _NUMBER,
    "seeds": _WHOLE,
}
_MAY = {"deviations": _NAMES, "likelihood_factor": _NUMBER, "cooldown": _NUMBER, "first_seed": _WHOLE}
_SWEEP = {"objective": "a name", "strengths": _NUMBERS}
_SWEEP_MAY = {"data": _NAMES, "seeds": _WHOLE, "constants": _CONSTANTS, "deviations": _NAMES}


def read_profile(path: Path) -> Profile:
    """Read a profile: the fields of :class:`Profile` but its name, which is the file's, and ``[[sweep]]`` tables.

    Raises:
        InvalidInput: the file cannot be read, or a field is missing, unknown, or of another type.
        UnknownName: a sweep names what there is not.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"profile must be a TOML file that can be read, got {path.name}: {error}") from error
    sweeps = document.pop("sweep", None)
    if not isinstance(sweeps, list) or not sweeps or not all(isinstance(sweep, dict) for sweep in sweeps):
        raise InvalidInput(f"{path.name} must have [[sweep]] tables, got {sweeps!r}")
    made = tuple(Sweep(**_fields(sweep, _SWEEP, _SWEEP_MAY, f"a sweep of {path.name}")) for sweep in sweeps)
    return Profile(name=path.stem, sweeps=made, **_fields(document, _PROFILE, _MAY, path.name))


def _fields(table: Mapping[str, Any], must: Mapping[str, str], may: Mapping[str, str], where: str) -> dict[str, Any]:
    """The fields of a table with lists as tuples, each of the type it must have."""
    known = {**must, **may}
    if wrong := sorted(must.keys() - table.keys()) + sorted(table.keys() - known.keys()):
        raise InvalidInput(
            f"{where} must have {', '.join(must)} and may have {', '.join(may)}; missing or unknown: {', '.join(wrong)}"
        )
    for name, value in table.items():
        if not _is(value, known[name]):
            raise InvalidInput(f"{name} of {where} must be {known[name]}, got {value!r}")
    return {name: _frozen(value) for name, value in table.items()}


def _is(value: object, kind: str) -> bool:
    if kind == _CONSTANTS:
        return isinstance(value, dict) and all(_is(one, _NUMBER) for one in value.values())
    if kind in (_NAMES, _NUMBERS):
        inner = "a name" if kind == _NAMES else _NUMBER
        return isinstance(value, list) and all(_is(one, inner) for one in value)
    if kind == "a name":
        return isinstance(value, str)
    return isinstance(value, int if kind == _WHOLE else int | float) and not isinstance(value, bool) and value >= 0


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(value.items())
    return tuple(value) if isinstance(value, list) else value
