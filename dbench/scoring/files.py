"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from dbench.errors import DbenchError

__all__ = ["write_aside"]


def write_aside(path: Path, text: str) -> Path:
    """Write text beside its place, then rename it there; folders are made if missing.

    Raises:
        DbenchError: the place cannot be written to.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text(text, encoding="utf-8", newline="\n")
        aside.replace(path)
    except OSError as error:
        raise DbenchError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
    return path
