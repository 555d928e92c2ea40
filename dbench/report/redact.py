"""What a report holds: plain JSON, in which every absolute path is cut down to its last name."""

import math
import re
from collections.abc import Mapping
from typing import Any

from dbench.errors import InvalidInput

GONE = "..."
_NAME = r"[^\s/\\:;,|'\"`<>()\[\]{}]"
# In quotes a path may hold anything, spaces too, and one folder is enough to tell it from a fraction.
_QUOTED = re.compile(r"(?P<quote>['\"`])(?:file://)?(?:~?/|[A-Za-z]:[/\\]|\\\\)(?!(?P=quote))[^'\"`\n]*(?P=quote)")
_BARE = re.compile(
    rf"(?:file://|(?<![\w.)\]}}~:/\\-])|(?<=\w:))"  # 1/2, and/or, ./a, https://host/a are none; "at:/a/b" is
    rf"(?:~?/(?={_NAME}*[A-Za-z_])|[A-Za-z]:[/\\]+|\\\\)"
    rf"(?:{_NAME}+[/\\]+)+{_NAME}*"
)
_SEPARATORS = re.compile(r"[/\\]+")


def redact(text: str) -> str:
    """Return ``text`` with every absolute path cut down to its last name.

    Paths relative to the project, addresses on the web, fractions and alternatives are left alone.

    Example:
        >>> redact("OSError: cannot read '/home/ann lee/data/runs.parquet' (claims/sober/test_5.py, 1/2)")
        "OSError: cannot read '.../runs.parquet' (claims/sober/test_5.py, 1/2)"
    """
    if "/" not in text and "\\" not in text:
        return text
    return _BARE.sub(lambda match: _last(match[0]), _QUOTED.sub(_in_quotes, text))


def _in_quotes(match: re.Match[str]) -> str:
    return match["quote"] + _last(match[0][1:-1]) + match["quote"]


def _last(path: str) -> str:
    names = [name for name in _SEPARATORS.split(path) if name]
    return f"{GONE}/{names[-1]}"


def plain(value: Any) -> Any:
    """Return what JSON can hold in built-in types, with every text in it redacted, names of fields included.

    Raises:
        InvalidInput: what JSON has no word for, such as NaN.
    """
    if isinstance(value, str):
        return redact(str.__str__(value))  # of an enumeration its value
    if isinstance(value, Mapping):
        return {redact(_name_of(name)): plain(value[name]) for name in sorted(value, key=_name_of)}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return float(value)  # of numpy's a plain one
    raise InvalidInput(f"a report holds strict JSON only, got {type(value).__name__} {str(value)[:100]}")


def _name_of(name: Any) -> str:
    if not isinstance(name, str):
        raise InvalidInput(f"a report holds strict JSON only, whose names are text, got {type(name).__name__} {name}")
    return name
