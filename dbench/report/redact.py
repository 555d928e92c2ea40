"""Turn values into plain JSON, in which every absolute path is cut down to its last name."""

import math
import re
from collections.abc import Mapping
from typing import Any

from dbench.errors import InvalidInput

GONE = "..."
_NAME = r"[^\s/\\:;,|'\"`<>()\[\]{}]"
# In quotes a path may hold anything, even spaces, and a single folder counts, since it cannot be a fraction.
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
    return _BARE.sub(lambda match: _last_name(match[0]), _QUOTED.sub(_redact_quoted, text))


def _redact_quoted(match: re.Match[str]) -> str:
    return match["quote"] + _last_name(match[0][1:-1]) + match["quote"]


def _last_name(path: str) -> str:
    names = [name for name in _SEPARATORS.split(path) if name]
    return f"{GONE}/{names[-1]}"


def plain(value: Any) -> Any:
    """Return a value in built-in types that JSON can hold, with all texts and names of fields redacted.

    Raises:
        InvalidInput: a value that JSON cannot hold, such as NaN.
    """
    if isinstance(value, str):
        return redact(str.__str__(value))  # a member of an enumeration becomes its value
    if isinstance(value, Mapping):
        return {redact(_field_name(name)): plain(value[name]) for name in sorted(value, key=_field_name)}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return float(value)  # numpy's float64 becomes a plain float
    raise InvalidInput(f"a report holds strict JSON only, got {type(value).__name__} {str(value)[:100]}")


def _field_name(name: Any) -> str:
    if not isinstance(name, str):
        raise InvalidInput(f"a report holds strict JSON only, whose names are text, got {type(name).__name__} {name}")
    return name
