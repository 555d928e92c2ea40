"""Pictures as files: the same bytes from the same figure, written whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from dbench.errors import DbenchError
from dbench.figures.style import STYLE

__all__ = ["DPI", "write_bytes", "write_figure"]

DPI = 160
"""Dots an inch of PNG files: 1,120 across."""


def write_figure(figure: Figure, folder: Path, name: str, *, title: str, alt: str) -> list[Path]:
    """Write a figure as PNG and SVG, without dates, and with what it shows in words inside.

    Returns:
        The two files.

    Raises:
        DbenchError: the folder cannot be written to.
    """
    written = []
    for kind, metadata in (
        ("png", {"Software": None, "Title": title, "Description": alt}),
        ("svg", {"Date": None, "Creator": None, "Title": title, "Description": alt}),
    ):
        buffer = io.BytesIO()
        with rc_context(STYLE):
            figure.savefig(buffer, format=kind, dpi=DPI, metadata=metadata)
        written.append(write_bytes(folder / f"{name}.{kind}", buffer.getvalue()))
    return written


def write_bytes(path: Path, data: bytes) -> Path:
    """Write beside the place, then rename; folders are made if missing.

    Raises:
        DbenchError: the place cannot be written to.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(data)
        aside.replace(path)
    except OSError as error:
        raise DbenchError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
    return path
