"""Write and read reports; a complete report is only replaced by a complete one."""

import contextlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.files import atomic_write
from dbench.report.badge import badges
from dbench.report.document import headings_match, report_text
from dbench.report.figures import PageFigure
from dbench.report.html import render_html
from dbench.report.markdown import render_markdown
from dbench.report.schema import Document, validate


def prepare_folder(directory: str | Path) -> Path:
    """Check that a report can be written to a folder, by writing a file there; nothing of it stays.

    Raises:
        InvalidInput: the folder cannot be made, or nothing can be written in it.
    """
    folder = Path(directory)
    if not Path(os.path.realpath(folder)).name:
        raise InvalidInput(f"the report must go to a folder with a name, got {str(directory)!r}")
    probe = folder / f".probe.{os.getpid()}.partial"
    try:
        created = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        try:
            _write_through(probe, "a report will be written here\n")
        finally:
            probe.unlink(missing_ok=True)
            for path in created:  # a session that judges nothing, or a part, must not leave an empty folder
                with contextlib.suppress(OSError):  # another session may be writing there
                    path.rmdir()
    except OSError as error:
        raise InvalidInput(
            f"the report must go to a folder that can be written, got {str(directory)!r}: {error.strerror or error}"
        ) from error
    return folder


def report_folder(folder: str | Path, *, complete: bool) -> Path:
    """Return where a report belongs: a partial one goes beside the full one, never in its place."""
    path = Path(folder)
    if path.name in ("", ".."):
        path = path.resolve()
    return path if complete else path.with_name(f"{path.name}-partial")


def write_report(folder: str | Path, document: Document, *, figures: Sequence[PageFigure] = ()) -> list[Path]:
    """Write ``index.html``, ``report.md``, a badge for each paper and ``report.json`` where the report belongs.

    If anything fails, the files that were there stay as they were. A document without records is not written.

    Returns:
        The paths written, in the folder of :func:`report_folder`, which is made if missing.

    Raises:
        DbenchError: the folder cannot be written to.
    """
    if not document["records"]:
        return []
    target = report_folder(folder, complete=document["scope"]["complete"])
    data = report_text(document)
    texts = {
        "index.html": render_html(document, data=data, figures=figures),
        "report.md": render_markdown(document),
        **badges(document),
        "report.json": data,
    }
    _write(target, texts)
    return [target / name for name in texts]


def write_page(
    path: str | Path,
    document: Document,
    *,
    trends: Mapping[str, Sequence[tuple[str, str]]],
    figures: Sequence[PageFigure] = (),
) -> None:
    """Write the page of a report with the earlier verdicts of its findings."""
    file = Path(path)
    _write(file.parent, {file.name: render_html(document, trends=trends, figures=figures)})


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write all texts to temporary files, then rename these in the given order."""
    try:
        with contextlib.ExitStack() as writes:  # ends them in the opposite order
            temporary = {name: writes.enter_context(atomic_write(folder / name)) for name in reversed(list(texts))}
            for name, text in texts.items():
                _write_through(temporary[name], text)
    except OSError as error:
        raise DbenchError(f"cannot write the report to {folder}: {error.strerror or error}") from error


def _write_through(path: Path, text: str) -> None:
    """Write text and wait until it is on the disk."""
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def read_report(path: str | Path) -> dict[str, Any]:
    """Return the document of a ``report.json``, or of the one in a directory, once it is checked.

    Raises:
        InvalidInput: there is no such file, or it cannot be read.
        DamagedData: it is not strict JSON, breaks the schema, or has headings that do not follow from its records.
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
        document = json.loads(text, parse_constant=_parse_finite, parse_float=_parse_finite, parse_int=_parse_integer)
    except (ValueError, RecursionError) as error:
        raise DamagedData(f"{file} is not strict JSON: {error}") from error
    validate(document, error=DamagedData, source=str(file))
    try:
        match = headings_match(document)
    except (DbenchError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise DamagedData(f"{file}: records must be such as a heading can be made of: {error}") from error
    if not match:
        raise DamagedData(f"{file}: headings must be those of its records; the file was edited")
    return dict(document)


def _parse_finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no finite number")
    return value


def _parse_integer(text: str) -> int:
    _parse_finite(text)
    return int(text)
