"""Writing and reading reports; a whole report is only replaced by a whole one."""

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
    """Prove that a report can be written to a folder, by writing a file there; a folder made for that goes again.

    Raises:
        InvalidInput: if it cannot be made, or nothing can be written in it.
    """
    folder = Path(directory)
    if not Path(os.path.realpath(folder)).name:
        raise InvalidInput(f"the report must go to a folder with a name, got {str(directory)!r}")
    probe = folder / f".probe.{os.getpid()}.partial"
    try:
        new = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        try:
            _write_through(probe, "a report will be written here\n")
        finally:
            probe.unlink(missing_ok=True)
            for path in new:  # a session that judges nothing, or a part, must not leave an empty one
                with contextlib.suppress(OSError):  # another session has begun to write there
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

    If anything fails, what was there stays as it was. A document without records is written nowhere.

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
    """Write all texts aside, then rename all of them, the last one last."""
    try:
        with contextlib.ExitStack() as all_written:  # which is left in the opposite order
            places = {name: all_written.enter_context(atomic_write(folder / name)) for name in reversed(list(texts))}
            for name, text in texts.items():
                _write_through(places[name], text)
    except OSError as error:
        raise DbenchError(f"cannot write the report to {folder}: {error.strerror or error}") from error


def _write_through(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def read_report(path: str | Path) -> dict[str, Any]:
    """Read ``report.json``, or the one in a directory, and insist on its schema.

    Raises:
        InvalidInput: if there is no such file, or it cannot be read.
        DamagedData: if it is not strict JSON, breaks the schema, or its headings are not those of its records.
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
        document = json.loads(text, parse_constant=_finite, parse_float=_finite, parse_int=_whole)
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


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no finite number")
    return value


def _whole(text: str) -> int:
    _finite(text)
    return int(text)
