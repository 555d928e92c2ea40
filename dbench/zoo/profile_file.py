"""A profile of a user's own: a TOML file with the fields of a profile, and its sweeps as tables."""

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from dbench.errors import InvalidInput
from dbench.zoo.profile import Profile, Sweep

_WHOLE = "a whole number"
_KINDS = {
    "str": "a name",
    "int": _WHOLE,
    "int | None": _WHOLE,
    "float": "a number",
    "tuple[str, ...]": "a list of names",
    "tuple[float, ...]": "numbers",
    "tuple[tuple[str, float], ...]": "numbers by name",
}
"""Type of a field, as its dataclass spells it -> what it is called."""


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
    made = tuple(Sweep(**_checked(sweep, Sweep, f"a sweep of {path.name}")) for sweep in sweeps)
    return Profile(name=path.stem, sweeps=made, **_checked(document, Profile, path.name))


def _checked(table: Mapping[str, Any], kind: type[Profile | Sweep], where: str) -> dict[str, Any]:
    """The fields of a table with lists as tuples, each of the type it must have."""
    known = {field.name: _KINDS[str(field.type)] for field in fields(kind) if field.name not in ("name", "sweeps")}
    may = [field.name for field in fields(kind) if field.default is not MISSING]
    must = [name for name in known if name not in may]
    if wrong := sorted(set(must) - table.keys()) + sorted(table.keys() - known.keys()):
        raise InvalidInput(
            f"{where} must have {', '.join(must)} and may have {', '.join(may)}; missing or unknown: {', '.join(wrong)}"
        )
    for name, value in table.items():
        if not _is(value, known[name]):
            raise InvalidInput(f"{name} of {where} must be {known[name]}, got {value!r}")
    return {name: _frozen(value) for name, value in table.items()}


def _is(value: object, kind: str) -> bool:
    if kind == "numbers by name":
        return isinstance(value, dict) and all(_is(one, "a number") for one in value.values())
    if kind in ("a list of names", "numbers"):
        inner = "a name" if kind == "a list of names" else "a number"
        return isinstance(value, list) and all(_is(one, inner) for one in value)
    if kind == "a name":
        return isinstance(value, str)
    return isinstance(value, int if kind == _WHOLE else int | float) and not isinstance(value, bool) and value >= 0


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(value.items())
    return tuple(value) if isinstance(value, list) else value
