"""Writing and reading reports: aside first, then renamed, so that a whole report is only replaced by a whole one."""

from __future__ import annotations

import contextlib
import json
import math
import os
from pathlib import Path
from typing import Any, NoReturn

from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.report.document import findings_match, report_text
from dbench.report.html import render_html
from dbench.report.markdown import render_markdown
from dbench.report.schema import Document, validate

__all__ = ["read_report", "write_report"]


def write_report(directory: str | Path, document: Document) -> list[Path]:
    """Write ``index.html``, ``report.md`` and ``report.json`` into a directory, which is made if missing.

    All three are rendered and written aside before the first is renamed, and ``report.json`` is renamed last. If
    anything fails before, what was there stays as it was.

    Returns:
        The paths written.

    Raises:
        InvalidInput: if the document breaks the schema; nothing is written then.
        DbenchError: if the directory cannot be written to.
    """
    validate(document)
    folder = Path(directory)
    texts = {
        "index.html": render_html(document),
        "report.md": render_markdown(document),
        "report.json": report_text(document),
    }
    written = [folder / name for name in texts]
    aside = [folder / f".{name}.{os.getpid()}.partial" for name in texts]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in zip(aside, texts.values(), strict=True):
            _write_through(path, text)
        for path, target in zip(aside, written, strict=True):
            path.replace(target)
    except OSError as error:
        raise DbenchError(f"cannot write the report to {folder}: {error.strerror or error}") from error
    finally:
        for path in aside:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
    return written


def _write_through(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def read_report(path: str | Path) -> dict[str, Any]:
    """Read ``report.json``, or the one in a directory, and insist on its schema.

    Raises:
        InvalidInput: if there is no such file.
        DamagedData: if it is not strict JSON, breaks the schema, or its findings are not those of its records.
    """
    file = Path(path)
    if file.is_dir():
        file = file / "report.json"
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InvalidInput(f"report must be a file or a directory with a report.json, got {str(path)!r}") from None
    except OSError as error:
        raise InvalidInput(f"cannot read the report {file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DamagedData(f"{file} is not UTF-8 text: {error}") from error
    try:
        document = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise DamagedData(f"{file} is not strict JSON: {error}") from error
    validate(document, error=DamagedData, source=str(file))
    if not findings_match(document):
        raise DamagedData(f"{file}: findings must be the roll-up of its records; the file was edited")
    return dict(document)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is beyond the largest float")
    return value
