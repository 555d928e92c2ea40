"""For the site: docstrings as mkdocstrings reads them (an extension of griffe; see mkdocs.yml)."""

import re
from typing import Any

from griffe import Extension, Object

_ROLE = re.compile(r":\w+:`~?(?:[^`]*\.)?([^`.]+)`")  # of Sphinx, as in :func:`~dbench.scoring.score`
_EXAMPLE = re.compile(r"^( *)Example:$", re.MULTILINE)


class Docstrings(Extension):
    """Examples become code, and roles of Sphinx the names they show."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite one docstring. Of ``Example`` griffe would make a note, whose ``>>>`` are nested quotations."""
        if obj.docstring:
            obj.docstring.value = _ROLE.sub(r"`\1`", _EXAMPLE.sub(r"\1Examples:", obj.docstring.value))
