"""Cut every absolute path in a report to its last name, so that none shows the folders of a machine."""

import re
from collections.abc import Mapping
from typing import Any

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
    return _BARE.sub(lambda found: _last(found[0]), _QUOTED.sub(_in_quotes, text))


def _in_quotes(found: re.Match[str]) -> str:
    return found["quote"] + _last(found[0][1:-1]) + found["quote"]


def _last(path: str) -> str:
    names = [name for name in _SEPARATORS.split(path) if name]
    return f"{GONE}/{names[-1]}"


def redacted(value: Any) -> Any:
    """Return nested JSON with every text in it redacted, names of fields included."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {redacted(name): redacted(item) for name, item in value.items()}
    if isinstance(value, list):
        return [redacted(item) for item in value]
    return value
