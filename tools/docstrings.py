"""Extension of griffe that turns docstrings into what mkdocstrings reads, for the site (see mkdocs.yml)."""

import re
from typing import Any

from griffe import Extension, Object

_ROLE = re.compile(r":\w+:`~?(?:[^`]*\.)?([^`.]+)`")  # of Sphinx, as in :func:`~dbench.scoring.score`
_EXAMPLE = re.compile(r"^( *)Example:$", re.MULTILINE)


class Docstrings(Extension):
    """Turns examples into code, and roles of Sphinx into the names that they show."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite one docstring: griffe would make ``Example`` a note, whose ``>>>`` would be nested quotations."""
        if obj.docstring:
            obj.docstring.value = _ROLE.sub(r"`\1`", _EXAMPLE.sub(r"\1Examples:", obj.docstring.value))
